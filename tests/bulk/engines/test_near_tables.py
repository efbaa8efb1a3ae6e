"""Tables of blocks find the near pairs that comparing all signatures finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.staged import keys as near_tables
from tests.bulk.engines import samples

Pair = tuple[int, int]


def found(signatures: list[int], distance: int) -> set[Pair]:
    pairs = near_tables.near_pairs(np.array(signatures, dtype=np.uint64), distance)
    return {
        (max(pair), min(pair))
        for ones, others in pairs
        for pair in zip(ones.tolist(), others.tolist(), strict=True)
    }


def near(signatures: list[int], distance: int) -> set[Pair]:
    return {
        (one, other)
        for one, bits in enumerate(signatures)
        for other in range(one)
        if (bits ^ signatures[other]).bit_count() <= distance
    }


#: Up to ten bits apart, at any place.
_FAMILY = st.builds(
    lambda base, changes: list(
        dict.fromkeys(base ^ sum({1 << bit for bit in bits}) for bits in changes)
    ),
    st.integers(0, 2**64 - 1),
    st.lists(st.lists(st.integers(0, 63), max_size=5), max_size=30),
)


@given(signatures=_FAMILY, distance=st.integers(0, near_tables.TOO_FAR - 1), most=st.integers(1, 9))
def test_they_find_every_near_pair_and_no_other(
    signatures: list[int], distance: int, most: int
) -> None:
    """Whatever the distance, and also where a block that many share is divided by a second one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_tables, "MOST", most)

        assert found(signatures, distance) == near(signatures, distance)


@given(signatures=_FAMILY, distance=st.integers(0, 3))
def test_few_pairs_join_what_all_near_ones_join(signatures: list[int], distance: int) -> None:
    """One less than the signatures of each component."""
    ones, others = near_tables.join_by_tables(np.array(signatures, dtype=np.uint64), distance)
    pairs = list(zip(ones.tolist(), others.tolist(), strict=True))

    expected = samples.components((), near(signatures, distance))
    assert samples.components((), pairs) == expected
    assert len(pairs) == len(expected) - len({component for _, component in expected})


def test_what_hundreds_share_is_not_compared_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of texts that are nearly alike, each is compared with some: linear, and still joined."""
    signatures = [
        (7 << 48) ^ (1 << one) ^ (1 << other) for one in range(40) for other in range(one)
    ]
    all_ = near(signatures, 3)
    monkeypatch.setattr(near_tables, "MOST", 50)
    monkeypatch.setattr(near_tables, "MOST_NEAR", 5)

    some = found(signatures, 3)

    assert some < all_
    assert len(some) <= 4 * 4 * 6 * len(signatures)
    assert {one for one, _ in some} | {other for _, other in some} == set(range(len(signatures)))


def test_hundreds_of_thousands_take_seconds() -> None:
    """Comparing each with each would be 45 thousand million comparisons."""
    rng = np.random.default_rng(1)
    signatures = rng.integers(0, 2**64, 300_000, dtype=np.uint64)
    signatures[1::1000] = signatures[::1000] ^ np.uint64(1 << 40 | 1 << 3)

    pairs = found(signatures.tolist(), 3)

    assert {(place + 1, place) for place in range(0, 300_000, 1000)} <= pairs
    assert len(pairs) < 400
