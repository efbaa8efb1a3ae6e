"""Bylines that a machine or a clumsy export garbled, so that they name nobody."""

from __future__ import annotations

import re

from metasearch.bib import normalise
from metasearch.bib.names.words import ADDRESSES, DEGREES, GENERATIONS, HONORIFICS
from metasearch.record import Author

#: Words that stand beside names: no name consists of these alone.
_BESIDE_NAMES = DEGREES | HONORIFICS | GENERATIONS | {"student"}
# A digit, a mark of no name, what UTF-8 becomes when it is read as Latin-1, or a character that
# nobody could read.
_NOT_IN_NAMES = re.compile("[0-9@#?<>|\\\\/=\ufffd]|\u00c3[\u0080-\u00bf]|\u00c2[\u0080-\u00bf]")


def is_garbled(authors: tuple[Author, ...]) -> bool:
    """Whether at least half of the names cannot be names, or one name stands in every place.

    No name consists of initials or degrees alone, holds digits or lost characters, or is a part of
    an address beside other authors.
    """
    names = [author.name for author in authors]
    if len(names) > 1 and len({normalise.compact(name) for name in names}) == 1:
        return True
    return bool(names) and 2 * sum(
        _is_no_name(name, alone=len(names) == 1) for name in names
    ) >= len(names)


def _is_no_name(name: str, *, alone: bool) -> bool:
    if _NOT_IN_NAMES.search(name):
        return True
    words = normalise.words(name)
    if normalise.has_cjk(name):
        return False
    if all(len(word) == 1 or word in _BESIDE_NAMES for word in words):
        return True
    return not alone and not ADDRESSES.isdisjoint(words)
