"""Shares of sets, and an inverted index that finds exactly the sets that share enough."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.sets import MOST_ALIKE, Of, Overlaps, enough, fewest_common, share
from metasearch.dedup.fingerprints import Fingerprint, fingerprint
from tests.cases import each
from tests.dedup.records import record

THRESHOLDS = [0.05, 0.3, 0.5, 0.55, 0.7, 0.8, 0.95, 1.0]
sets = st.lists(st.frozensets(st.sampled_from("abcdefghijklm"), max_size=9), max_size=25)


def prints(found: list[frozenset[str]]) -> list[Fingerprint]:
    """A record a set: its title's words are the elements."""
    return [
        fingerprint(record("a", number, title=" ".join(sorted(it))))
        for number, it in enumerate(found)
    ]


def elements(it: Fingerprint) -> tuple[str, ...] | None:
    return tuple(it.record.title.split()) or None


def test_a_share_is_taken_of_the_smaller_the_larger_or_both() -> None:
    """{a b c} and {b c d e} share two: of three, of four, of five."""
    a, b = frozenset("abc"), frozenset("bcde")

    assert (share(a, b, "smaller"), share(a, b, "larger"), share(a, b, "union")) == (
        2 / 3,
        2 / 4,
        2 / 5,
    )
    assert share(a, frozenset()) == 0.0


@each("threshold", THRESHOLDS)
def test_the_fewest_common_elements_are_the_first_number_that_is_that_share(
    threshold: float,
) -> None:
    """Counted up from one, by the very comparison that judges pairs."""
    for size in range(1, 200):
        assert fewest_common(threshold, size) == next(
            k for k in range(1, size + 1) if k / size >= threshold
        )


@each("threshold", THRESHOLDS)
def test_any_so_many_elements_meet_every_set_that_shares_enough(threshold: float) -> None:
    """All ways to choose them, against all ways to share: none is missed, and with one element less
    some are."""
    size = 6
    shared = [set(it) for it in combinations(range(size), fewest_common(threshold, size))]

    def meets_all(number: int) -> bool:
        return all(
            common & set(chosen)
            for chosen in combinations(range(size), number)
            for common in shared
        )

    assert meets_all(enough(threshold, size))
    assert not meets_all(enough(threshold, size) - 1)


@pytest.mark.parametrize("of", ["smaller", "larger", "union"])
@given(found=sets, threshold=st.sampled_from(THRESHOLDS))
def test_the_index_finds_exactly_what_comparing_all_pairs_finds(
    of: Of, found: list[frozenset[str]], threshold: float
) -> None:
    """Nothing is missed and nothing is named in vain, whichever of two comes first and whichever is
    larger."""
    index = Overlaps(elements, threshold, of)

    for number, it in enumerate(prints(found)):
        wanted = [
            other for other in range(number) if share(found[number], found[other], of) >= threshold
        ]
        assert sorted(index.near(it)) == wanted
        index.add(number, it)


def test_equal_sets_stand_for_one_another() -> None:
    """Of thousands of equal records a few are named, so that the work does not grow with their
    number."""
    index = Overlaps(elements, 0.8)
    alike = prints([frozenset("abcde")] * 50)
    for number, it in enumerate(alike):
        index.add(number, it)

    assert sorted(index.near(alike[0])) == list(range(MOST_ALIKE))
