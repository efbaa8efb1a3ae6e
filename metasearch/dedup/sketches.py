"""Sketches: 63 bits of a record that show of most pairs that no matcher of the default chain makes
them one work, without reading the records.

What is kept in a database, and finds by a key a dozen records for each new one, need not read and
compare those that are by other people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import Chain
from metasearch.dedup.matchers.fields import Fields
from metasearch.dedup.matchers.text import Text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PEOPLE = 44
_PEOPLE_MASK = (1 << _PEOPLE) - 1
_HAN, _ISBN, _FIRST = (1 << (_PEOPLE + place) for place in range(3))
_TITLE, _PAGE = _PEOPLE + 3, _PEOPLE + 11


def applies(chain: Chain) -> bool:
    """Whether `strangers` is right for all matchers of a chain that are not exact."""
    return all(isinstance(matcher, Fields | Text) for matcher in chain.judges)


def sketch(fingerprint: Fingerprint) -> int:
    """The sketch of a record, the same in every process: a Bloom filter of the beginnings of its
    people's names, whether they are Chinese, whether it has an ISBN and a first author, and eight
    bits each of title and first page.
    """
    found = 0
    for beginning in fingerprint.beginnings:
        found |= 1 << _hash(beginning) % _PEOPLE
    found |= _HAN if fingerprint.han else 0
    found |= _ISBN if fingerprint.isbn else 0
    found |= _FIRST if fingerprint.first else 0
    found |= (_hash(fingerprint.compact) & 0xFF) << _TITLE
    page = fingerprint.pages[0]
    return found | (1 + _hash(page) % 255 if page else 0) << _PAGE


def strangers(a: int, b: int) -> bool:
    """Whether two records are so apart that `Fields` and `Text` make nothing of them: other titles,
    both with people, none of whom may be the same, and not on one page. Of other pairs this says
    nothing.
    """
    if a & b & (_PEOPLE_MASK | _ISBN) or not (a & _PEOPLE_MASK and b & _PEOPLE_MASK):
        return False
    if (a ^ b) & _HAN or not a & b & _FIRST or not ((a ^ b) >> _TITLE) & 0xFF:
        return False
    return not a >> _PAGE or a >> _PAGE != b >> _PAGE


def are_strangers(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """`strangers` of many pairs at once."""
    may_share = a & b & (_PEOPLE_MASK | _ISBN) != 0
    may_share |= (a & _PEOPLE_MASK == 0) | (b & _PEOPLE_MASK == 0)
    may_share |= ((a ^ b) & _HAN != 0) | (a & b & _FIRST == 0)
    may_share |= ((a ^ b) >> _TITLE) & 0xFF == 0
    may_share |= (a >> _PAGE != 0) & (a >> _PAGE == b >> _PAGE)
    strangers_: npt.NDArray[np.bool_] = ~may_share
    return strangers_


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))
