"""Bytes that several places keep compressed: made once, and opened within a bound."""

from __future__ import annotations

import zlib
from functools import cached_property


class Deflatable(bytes):
    """Bytes whose compressed form is made when somebody first asks for it, and then kept."""

    @cached_property
    def deflated(self) -> bytes:
        """In the format of zlib (RFC 1950)."""
        return _deflated(self)


def deflated(value: bytes) -> bytes:
    """The value in the format of zlib (RFC 1950)."""
    return value.deflated if isinstance(value, Deflatable) else _deflated(value)


def inflated(row: bytes, most: int) -> bytes:
    """What `deflated` was given. `row`: any bytes. `most`: bytes that are decompressed at most.
    Raises ValueError: it is no value in the format of zlib, or a larger one.
    """
    inflater = zlib.decompressobj()
    try:
        value = inflater.decompress(row, most)
    except zlib.error as exc:
        raise ValueError(str(exc)) from exc
    if not inflater.eof or inflater.unused_data:
        raise ValueError("it is cut short, too large, or more than one value")
    return value


def _deflated(value: bytes) -> bytes:
    # Other levels take two to ten times as long for a tenth of the size.
    return zlib.compress(value, 1)
