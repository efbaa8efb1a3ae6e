"""Near signatures are joined as comparing all pairs joins them, by as few edges as that takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.engines import near
from metasearch.dedup.hamming import Signatures
from tests.bulk.engines import samples

#: Few bits, so that many are near.
_SIGNATURES = st.lists(
    st.lists(st.integers(0, 63), max_size=4).map(lambda bits: sum({1 << bit for bit in bits})),
    max_size=40,
)


@given(signatures=_SIGNATURES, distance=st.integers(0, 3), at_once=st.integers(1, 50))
def test_edges_join_what_is_near(signatures: list[int], distance: int, at_once: int) -> None:
    """The components are those of all near pairs; no edge is more than they need."""
    pairs = [
        (one, other)
        for one, bits in enumerate(signatures)
        for other in range(one)
        if (bits ^ signatures[other]).bit_count() <= distance
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "AT_ONCE", at_once)
        found = list(near.joining(np.array(signatures, dtype=np.uint64), distance))

    expected = samples.components((), pairs)
    assert samples.components((), found) == expected
    assert len(found) == len(expected) - len({component for _, component in expected})


def test_they_are_joined_as_the_index_of_a_search_finds_them(tmp_path: Path) -> None:
    """Each matcher by its own signatures and distance; a record that `Signatures` finds near is in
    the component."""
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2**63, 40, dtype=np.uint64)
    bits = [int(base[n % 40]) ^ (1 << int(rng.integers(64))) for n in range(400)]
    rows = [("text", 3 * n, _signed(one)) for n, one in enumerate(bits)]
    rows += [("other", 3 * n + 1, _signed(one)) for n, one in enumerate(bits)]
    stage = samples.signatures(tmp_path / "signatures", rows[300:], rows[:300])

    count = near.write_edges(stage, {"text": 2, "other": 0}, tmp_path / "edges")

    edges = [(int(str(a)), int(str(b))) for a, b in samples.read(tmp_path / "edges")]
    assert len(edges) == count > 0
    component = dict(samples.components((), edges))
    index = Signatures()
    for number, one in enumerate(bits):
        for other in index.near(one, 2):
            assert component[3 * number] == component[3 * other]
        index.add(number, one)
    pairs = {bits[(a - 1) // 3] == bits[(b - 1) // 3] for a, b in edges if a % 3 == b % 3 == 1}
    assert pairs == {True}
    assert all(a % 3 == b % 3 != 2 for a, b in edges)


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


@pytest.mark.parametrize("tables", [[], [[]]])
def test_no_signatures(tmp_path: Path, tables: list[list[tuple[object, ...]]]) -> None:
    """A part without rows."""
    stage = samples.signatures(tmp_path / "signatures", *tables)

    assert near.write_edges(stage, {"text": 12}, tmp_path / "edges") == 0
    assert samples.read(tmp_path / "edges") == []


def test_one_text_of_many_makes_few_edges() -> None:
    """3,000 signatures that are all near one another: 2,999 edges."""
    signatures = np.random.default_rng(2).integers(0, 2**12, 3_000, dtype=np.uint64)

    assert len(list(near.joining(signatures, 12))) == 2_999
