"""Random names of projects and works: twelve letters and digits hard to mistake, 60 bits."""

from __future__ import annotations

import secrets

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_LENGTH = 12
#: Of a letter: there are 32.
_BITS = 5


def uid() -> str:
    """A new one."""
    number = secrets.randbits(_BITS * _LENGTH)
    return "".join(_LETTERS[number >> _BITS * at & 31] for at in range(_LENGTH))


def is_uid(text: object) -> bool:
    """Whether it could be one."""
    return isinstance(text, str) and len(text) == _LENGTH and set(text) <= set(_LETTERS)
