"""Content-defined chunking: against the slow reference, and what it is for."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.sets import content_chunks, fingerprints
from tests.cases import each

SMALL: dict[str, Any] = {
    "window": 5,
    "divisor": 13,
    "second_divisor": 7,
    "shortest": 6,
    "longest": 40,
}
PRIME, BASE = 2**61 - 1, 0x1F3D5B79A8C6E42D


def fingerprint(window: bytes) -> int:
    """The bytes as digits, each one more than it is, of a number; modulo a prime."""
    return sum((byte + 1) * BASE**place for place, byte in enumerate(reversed(window))) % PRIME


def reference(
    data: bytes, window: int, divisor: int, second_divisor: int, shortest: int, longest: int
) -> list[bytes]:
    """TTTD as its authors write it down: one position after the other."""
    chunks, last, backup = [], 0, 0
    for position in range(1, len(data) + 1):
        if position - last < shortest:
            continue
        here = fingerprint(data[max(0, position - window) : position])
        if here % second_divisor == second_divisor - 1:
            backup = position
        if here % divisor == divisor - 1:
            chunks.append(data[last:position])
            last, backup = position, 0
            continue
        if position - last < longest:
            continue
        cut = backup or position
        chunks.append(data[last:cut])
        last, backup = cut, 0
    return chunks + ([data[last:]] if last < len(data) else [])


@given(data=st.binary(max_size=300), window=st.integers(1, 12))
def test_the_rolling_fingerprint_is_that_of_the_window(data: bytes, window: int) -> None:
    """What is rolled along equals what is computed anew at each byte."""
    assert [*fingerprints(data, window)] == [
        fingerprint(data[max(0, end - window) : end]) for end in range(1, len(data) + 1)
    ]


@given(data=st.binary(max_size=2_000))
def test_chunks_are_those_of_the_reference(data: bytes) -> None:
    """Also where bytes repeat and the upper bound cuts."""
    assert [*content_chunks(data, **SMALL)] == reference(data, **SMALL)
    assert [*content_chunks(data[:1] * 500, **SMALL)] == reference(data[:1] * 500, **SMALL)


@given(data=st.binary(max_size=2_000))
def test_chunks_are_the_data_within_bounds(data: bytes) -> None:
    """Nothing is lost; the last chunk alone may be shorter."""
    chunks = [*content_chunks(data, **SMALL)]

    assert b"".join(chunks) == data
    assert all(SMALL["shortest"] <= len(chunk) <= SMALL["longest"] for chunk in chunks[:-1])


@each("seed", range(5))
def test_an_insertion_changes_the_chunks_around_it_only(seed: int) -> None:
    """That is what cutting by content is for: blocks of a fixed size would all be others."""
    data = random.Random(seed).randbytes(20_000)
    before, after = (
        {*content_chunks(it, **SMALL)} for it in (data, data[:100] + b"inserted" + data[100:])
    )

    assert len(before - after) < 10 < 500 < len(before)
