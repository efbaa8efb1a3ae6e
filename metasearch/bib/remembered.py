"""Functions that remember what they made of short texts.

Several answers hold the same works, and a list of works has the same names again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

#: Texts that a function remembers, and characters of the longest of them: a megabyte at most.
MOST, LONGEST = 2_000, 100


def remembered(make: Callable[[str], T]) -> Callable[[str], T]:
    """The same function, which remembers the last texts and what it made of them."""
    known = lru_cache(maxsize=MOST)(make)

    @wraps(make)
    def made(text: str) -> T:
        return known(text) if len(text) <= LONGEST else make(text)

    return made
