"""Words for titles that resemble no other title: works that differ by a number alone are compared
with each other, all of them, and that is what a test of something else pays for."""

from __future__ import annotations

import hashlib
from functools import cache

_LETTERS = str.maketrans("0123456789abcdef", "bdfghklmnprstvwz")


@cache
def words(number: int) -> str:
    """Four words of a number."""
    text = hashlib.sha256(str(number).encode()).hexdigest().translate(_LETTERS)
    return " ".join(text[start : start + 8] for start in range(0, 32, 8))
