"""Bytes that are compressed once."""

from __future__ import annotations

import zlib

import pytest

from metasearch import opening as deflated_module
from metasearch.opening import Deflatable, deflated, inflated


def test_what_is_deflated_is_what_it_was() -> None:
    """For plain bytes as well, and to the same bytes."""
    value = b"a title, and again a title" * 50

    assert zlib.decompress(deflated(value)) == value
    assert deflated(Deflatable(value)) == deflated(value)
    assert Deflatable(value) == value


def test_it_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many places keep the value."""
    done: list[bytes] = []
    monkeypatch.setattr(
        deflated_module, "_deflated", lambda value: done.append(value) or b"deflated"
    )
    value = Deflatable(b"value")

    assert [deflated(value) for _ in range(3)] == [b"deflated"] * 3
    assert done == [b"value"]


@pytest.mark.parametrize(
    "row",
    [
        b"",
        b"no such thing",
        deflated(b"value")[:-1],
        deflated(b"value") + b"more",
        deflated(bytes(101)),
    ],
)
def test_what_is_damaged_or_too_large_is_refused(row: bytes) -> None:
    """And nothing is decompressed beyond the bound."""
    assert inflated(deflated(bytes(100)), 100) == bytes(100)
    with pytest.raises(ValueError):
        inflated(row, 100)
