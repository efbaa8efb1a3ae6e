"""Bytes that are compressed once."""

from __future__ import annotations

import zlib

import pytest

from metasearch import regular_files as deflated_module
from metasearch.regular_files import (
    Compressible,
    deflate,
    inflate,
)
from tests.cases import each


def test_what_is_deflated_is_what_it_was() -> None:
    """For plain bytes as well, and to the same bytes."""
    value = b"a title, and again a title" * 50

    assert zlib.decompress(deflate(value)) == value
    assert deflate(Compressible(value)) == deflate(value)
    assert Compressible(value) == value


def test_it_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many places keep the value."""
    done: list[bytes] = []
    monkeypatch.setattr(
        deflated_module, "_compress", lambda value: done.append(value) or b"deflated"
    )
    value = Compressible(b"value")

    assert [deflate(value) for _ in range(3)] == [b"deflated"] * 3
    assert done == [b"value"]


@each(
    "row",
    [
        b"",
        b"no such thing",
        deflate(b"value")[:-1],
        deflate(b"value") + b"more",
        deflate(bytes(101)),
    ],
)
def test_what_is_damaged_or_too_large_is_refused(row: bytes) -> None:
    """And nothing is decompressed beyond the bound."""
    assert inflate(deflate(bytes(100)), 100) == bytes(100)
    with pytest.raises(ValueError):
        inflate(row, 100)
