"""What all matchers by one signature a record have in common: what they find, and that they bear
any text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.simhash import (
    BigramSimHash,
    SignatureNeighbours,
    SimHash,
    WeightedSimHash,
)
from metasearch.dedup import fingerprint
from tests.bulk.near_twins import (
    HOSTILE,
    all_pairs,
    candidates,
    clusters,
    near_twins,
    prints_of,
)
from tests.cases import each, sample
from tests.dedup.records import record
from tests.examples import examples

ALL = pytest.mark.parametrize("kind", [SimHash, BigramSimHash, WeightedSimHash])


@ALL
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"title": ""},
        {"title": "", "abstract": ""},
        {"title": "Editorial"},
        {"title": "Letter to the editor"},
        {"title": "。！？", "abstract": "…"},
        {"title": "lake lake lake lake lake lake lake"},
    ],
)
def test_of_too_little_text_nothing_is_said(
    kind: type[SignatureNeighbours], values: dict[str, str]
) -> None:
    """No signature, no keys, no verdict, no neighbours: two records that say nothing are not
    one."""
    one, other = fingerprint(record("a", 1, **values)), fingerprint(record("b", 1, **values))
    for matcher in (kind(), kind(max_distance=8)):
        assert matcher.signature(one) is None
        assert list(matcher.keys(one)) == []
        assert matcher.compare(one, other) is None
        neighbours = matcher.neighbours()
        neighbours.add(0, one)
        assert list(neighbours.near(other)) == []


@each("kind", [SimHash, WeightedSimHash])
def test_stop_words_say_nothing(kind: type[SignatureNeighbours]) -> None:
    """However many there are; pairs of words keep them, because the patent takes none out."""
    assert (
        kind().signature(
            fingerprint(record(title="the of and in with to", abstract="the of and in " * 9))
        )
        is None
    )


@ALL
@pytest.mark.parametrize("distance", sample([0, 3, 4, 8, 12], 3))
@pytest.mark.parametrize("seed", sample(range(2), 2))
def test_keys_and_neighbours_find_every_pair_that_brute_force_finds(
    kind: type[SignatureNeighbours], distance: int, seed: int
) -> None:
    """Blocks up to three bits, the scan beyond: nothing that would be the same is not compared."""
    prints = prints_of(near_twins(seed, works=30))
    matcher = kind(max_distance=distance)

    same = all_pairs(matcher, prints)

    assert len(same) > 10
    assert same <= candidates(matcher, prints)


@ALL
@pytest.mark.parametrize("distance", sample([3, 10], 3))
@examples(0.15)
@given(order=st.randoms(use_true_random=False))
def test_arrival_order_does_not_matter(
    kind: type[SignatureNeighbours], distance: int, order: random.Random
) -> None:
    """Shuffled arrivals give the same clusters."""
    rows = near_twins(11)
    shuffled = rows[:]
    order.shuffle(shuffled)

    assert clusters(kind(max_distance=distance), shuffled) == clusters(
        kind(max_distance=distance), rows
    )


@ALL
@pytest.mark.parametrize("abstract", sample(HOSTILE, 5))
def test_hostile_text_is_read_in_bounds(kind: type[SignatureNeighbours], abstract: str) -> None:
    """No error, no time beyond measure; what is longer than twenty thousand characters is cut."""
    one = fingerprint(record("a", 1, title="x", abstract=abstract))
    other = fingerprint(record("b", 1, title="x", abstract=abstract))

    match = kind().compare(one, other)

    assert len(list(kind().keys(one))) in (0, 4)
    assert match is None or match.score == 1.0
