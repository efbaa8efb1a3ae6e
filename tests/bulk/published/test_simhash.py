"""`simhash`: Charikar's signature of a record's words, compared and found as Manku, Jain and Das
Sarma do."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metasearch.bulk.published.simhash import HASH, SimHash, hash64
from metasearch.bulk.published.words import is_stop, segmenter, words
from metasearch.dedup import STRATEGIES, fingerprint
from metasearch.dedup.matchers import NeighbourMatcher
from tests.bulk.near_twins import (
    all_pairs,
    candidates,
    clusters,
    near_twins,
    prints_of,
    work_of,
)
from tests.cases import each
from tests.dedup.records import record

ABSTRACT = (
    "We measure how phosphate binds to iron oxides in the sediments of shallow lakes, and how the "
    "binding changes with "
    "temperature, with acidity and with the age of the oxides, in columns that were kept for one "
    "year."
)


def by_hand(features: list[str]) -> int:
    """Charikar's definition: the sign of the sum, over features, of +1 or -1, each divided by their
    number."""
    signature = 0
    for bit in range(64):
        total = sum(
            (Fraction(1 if hash64(it) >> bit & 1 else -1, len(features)) for it in features),
            Fraction(0),
        )
        signature |= (total > 0) << bit
    return signature


@each(
    ("title", "abstract"),
    [
        ("Sorption of phosphate on iron oxides", ABSTRACT),
        (
            "湖泊沉积物中磷的吸附",
            "本文研究了浅水湖泊沉积物中铁氧化物对磷的吸附，并测量了温度和酸度的影响。结果表明，吸附随温度升高而增强。",
        ),
        ("Sorption of phosphate on iron oxides in lakes", None),
    ],
)
def test_the_signature_is_charikars(title: str, abstract: str | None) -> None:
    """Features are the words of title and abstract but stop words, as often as they occur."""
    it = fingerprint(record(title=title, abstract=abstract))

    features = [word for word in words(f"{title} {abstract or ''}") if not is_stop(word)]

    assert SimHash().signature(it) == by_hand(features)


def test_a_word_weighs_as_often_as_it_occurs() -> None:
    """A word that occurs more often than all others together rules every bit."""
    it = fingerprint(
        record(title="phosphate", abstract="phosphate " * 20 + "iron oxides lake columns")
    )

    assert SimHash().signature(it) == hash64("phosphate")


def test_the_subtitle_is_part_of_the_title() -> None:
    """Whether a database splits a title makes no difference."""
    whole = fingerprint(record(title="Sorption of phosphate: a column study of lake sediments"))
    split = fingerprint(
        record(title="Sorption of phosphate", subtitle="a column study of lake sediments")
    )

    assert SimHash().signature(whole) == SimHash().signature(split) is not None


def test_the_order_of_words_counts_for_nothing() -> None:
    one = fingerprint(
        record("a", 1, title="lake iron oxides", abstract="phosphate sorption columns")
    )
    other = fingerprint(
        record("b", 1, title="sorption columns iron", abstract="phosphate oxides lake")
    )

    match = SimHash().compare(one, other)

    assert match is not None
    assert match.score == 1.0


def test_a_match_says_what_it_rests_on() -> None:
    """Verdict, a score that falls with the distance, and the reason with all that shaped the
    signatures."""
    changed = ABSTRACT.replace("shallow", "deep")
    one = fingerprint(record("a", 1, title="Phosphate", abstract=ABSTRACT))
    other = fingerprint(record("b", 1, title="Phosphate", abstract=changed))
    matcher = SimHash(max_distance=20)
    left, right = matcher.signature(one), matcher.signature(other)
    assert left is not None
    assert right is not None
    distance = (left ^ right).bit_count()
    assert 0 < distance <= 20

    match = matcher.compare(other, one)

    assert match is not None
    assert (match.matcher, match.verdict, match.left, match.right) == (
        "simhash",
        "same",
        "a:1",
        "b:1",
    )
    assert match.score == round(1 - distance / 64, 3)
    assert match.because == f"SimHash distance {distance} of 64 (words, {HASH}, {segmenter()})"


def test_the_distance_is_the_largest_that_is_the_same() -> None:
    """At the distance itself a pair is the same, one below it nothing is said."""
    one = fingerprint(record("a", 1, title="Phosphate", abstract=ABSTRACT))
    other = fingerprint(
        record("b", 1, title="Phosphate", abstract=ABSTRACT.replace("shallow", "deep"))
    )
    distance = ((SimHash().signature(one) or 0) ^ (SimHash().signature(other) or 0)).bit_count()

    assert SimHash(max_distance=distance).compare(one, other) is not None
    assert SimHash(max_distance=distance - 1).compare(one, other) is None


def test_the_least_number_of_words_is_a_parameter() -> None:
    it = fingerprint(record(title="lake sediments"))

    assert SimHash().signature(it) is None
    assert SimHash(min_features=2).signature(it) is not None


@given(
    st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63), max_size=8), st.sampled_from([3, 4, 8])
)
@example(0, {0, 16, 32}, 3)
@example(0, {0, 16, 32, 48}, 4)
def test_any_two_signatures_within_the_distance_meet(
    signature: int, flips: set[int], distance: int
) -> None:
    """Whatever the bits are, and wherever they differ."""
    other = signature
    for bit in sorted(flips)[:distance]:
        other ^= 1 << bit
    prints = prints_of([record("a", 1, title="x"), record("b", 1, title="y")])
    matcher = _Given(
        max_distance=distance,
        given=((prints[0].record_key, signature), (prints[1].record_key, other)),
    )

    assert all_pairs(matcher, prints) <= candidates(matcher, prints)
    assert all_pairs(matcher, prints) == {(0, 1)}


class _Given(SimHash):
    """With signatures that a test chooses."""

    def __init__(self, max_distance: int, given: tuple[tuple[str, int], ...]) -> None:
        super().__init__(max_distance=max_distance)
        object.__setattr__(self, "given", dict(given))

    def signature(self, it: object) -> int:
        return self.given[it.record_key]  # type: ignore[attr-defined, no-any-return]


def test_there_are_four_keys_of_sixteen_bits_or_a_scan() -> None:
    """Never both: where a scan finds everything, keys would be entered for nothing."""
    it = fingerprint(record(title="Phosphate", abstract=ABSTRACT))
    signature = SimHash().signature(it)
    assert signature is not None

    blocks = {f"{block}:{signature >> (16 * block) & 0xFFFF:x}" for block in range(4)}

    assert set(SimHash().keys(it)) == blocks
    assert list(SimHash(max_distance=4).keys(it)) == []
    assert len(list(SimHash(max_distance=4, blocks=8).keys(it))) == 8
    for matcher, found in ((SimHash(), []), (SimHash(max_distance=4), [7])):
        neighbours = matcher.neighbours()
        neighbours.add(7, it)
        assert list(neighbours.near(it)) == found


def test_a_search_finds_copies_and_nothing_else() -> None:
    """Of twelve works, in four copies each, no two come together; some of the copies do."""
    found = clusters(SimHash(), near_twins(7))

    assert all(len({work_of(key) for key in keys}) == 1 for keys in found)
    assert len(found) < 48


def test_the_signature_does_not_depend_on_the_distance() -> None:
    """What is kept of a record serves every threshold: a sweep computes it once."""
    it = fingerprint(record(title="Phosphate", abstract=ABSTRACT))
    SimHash().signature(it)
    made = it.once(("simhash", HASH, segmenter(), 5), lambda _: pytest.fail("it is made anew"))

    assert SimHash(max_distance=12).signature(it) == made


def test_the_strategy_can_be_chosen_and_swept() -> None:
    """With the paper's parameters, and with any other distance."""
    (matcher,) = STRATEGIES["simhash"].chain.matchers

    assert matcher == SimHash(max_distance=3, blocks=4, min_features=5)
    assert isinstance(matcher, NeighbourMatcher)
    assert STRATEGIES["simhash"].at(8).matchers == (replace(matcher, max_distance=8),)
    assert STRATEGIES["simhash"].sweep[0] < STRATEGIES["simhash"].sweep[-1]
