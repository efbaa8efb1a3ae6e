"""Values that lie in a server which others can write to: compressed, bounded, and with a code that
shows that one of us wrote them.

    "ms1" | code (32 bytes) | seconds that it may lie there, in ms (8 bytes) | zlib

The code is keyed BLAKE2b (RFC 7693) over the name, the time and the compressed bytes: a value that
was damaged, written by somebody else, or moved to another name is not opened. Nothing is unpickled,
and nothing is decompressed before the code was compared.
"""

from __future__ import annotations

import hmac
from hashlib import blake2b

from metasearch.deflated import deflated, inflated

#: Largest value as it is kept, in bytes; larger ones stay on the machine that made them.
LARGEST_SEALED = 1 << 21
#: Largest value after decompression, in bytes.
LARGEST_VALUE = 1 << 26
_MARK = b"ms1"
_CODE = 32
_HEAD = len(_MARK) + _CODE + 8


class Damaged(ValueError):
    """A value that was not sealed with this secret under this name."""


class Seal:
    """Seals and opens values."""

    def __init__(self, secret: bytes) -> None:
        self._key = blake2b(secret, person=b"ms-values", digest_size=32).digest()

    def __repr__(self) -> str:
        return "<Seal>"

    def seal(self, name: bytes, value: bytes, milliseconds: int) -> bytes | None:
        """The value as it is kept under a name for so long; None for one that is too large."""
        if len(value) > LARGEST_VALUE:
            return None
        rest = milliseconds.to_bytes(8, "big") + deflated(value)
        if _HEAD - 8 + len(rest) > LARGEST_SEALED:
            return None
        return _MARK + self._code(name, rest) + rest

    def open(self, name: bytes, sealed: bytes) -> tuple[bytes, int]:
        """What was sealed under a name. Returns the value, and the milliseconds for which it was to
        be kept. Raises Damaged: it was not sealed here, or does not belong there.
        """
        if not _HEAD < len(sealed) <= LARGEST_SEALED or not sealed.startswith(_MARK):
            raise Damaged("it is no value of ours")
        code, rest = sealed[len(_MARK) : _HEAD - 8], sealed[_HEAD - 8 :]
        if not hmac.compare_digest(code, self._code(name, rest)):
            raise Damaged("its code is not ours")
        try:
            value = inflated(rest[8:], LARGEST_VALUE)
        except ValueError as exc:
            raise Damaged(str(exc)) from exc
        return value, int.from_bytes(rest[:8], "big")

    def _code(self, name: bytes, rest: bytes) -> bytes:
        code = blake2b(name, key=self._key, digest_size=_CODE)
        code.update(b"\0")
        code.update(rest)
        return code.digest()
