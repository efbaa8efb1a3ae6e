"""Which records of a job are so far apart that no matcher of the default chain makes them one work:
of nearly all pairs that share a key this is told without their fingerprints.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING
from zlib import crc32

from metasearch.dedup.fingerprints import Fingerprint, PrintsByNumber
from metasearch.dedup.matcher import Chain
from metasearch.dedup.matchers.fields import Fields
from metasearch.dedup.matchers.fields import are_strangers as fields_are_strangers
from metasearch.dedup.matchers.text import Text
from metasearch.dedup.titles import surely_far

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# Sketches: 63 bits of a record that show of most pairs that no matcher of the default chain makes
# them one work, without reading the records. What is kept in a database, and finds by a key a dozen
# records for each new one, need not read and compare those that are by other people.

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


def told(fingerprint: Fingerprint) -> tuple[str, int]:
    """What is compared of a record: its title, "" where that is missing or is not the only one; and
    32 bits of its pages, 0 where they are missing.
    """
    first, last = fingerprint.pages
    said = f"{first}-{last}".encode("utf-8", "surrogatepass")
    return "" if fingerprint.others else fingerprint.text, crc32(said) | 1 if first else 0


def by_others(prints: PrintsByNumber, numbers: set[int], fingerprint: Fingerprint) -> set[int]:
    """Those of some records that are by other people than one, and have other titles and pages:
    where both name their first authors and `are_strangers`.

    `Fields` returns no verdict on such, and `Text` none where both name their first authors. Nearly
    all records that share a key with another one are among them; so what is compared of the one is
    read once, and of each other record no more than tells this.
    """
    if not numbers or not fingerprint.first:
        return set()
    have_nobody_in = fingerprint.beginnings.isdisjoint
    compact, han, page = fingerprint.compact, fingerprint.han, fingerprint.pages[0]
    found = set()
    for number in numbers:
        other = prints[number]
        if (
            have_nobody_in(other.beginnings)
            and other.first
            and other.compact != compact
            and other.han == han
            # Nearly all begin on other pages and are no books: there is no more to ask then.
            and (
                (not other.isbn and not (page and other.pages[0] == page))
                or fields_are_strangers(other, fingerprint)
            )
        ):
            found.add(number)
    return found


class Apart:
    """The titles of all records of a job by number, and 32 bits of their pages.

    `Fields` returns a verdict on titles that are far from each other only where first and last page
    are equal, and so does `Text`; `applies` tells whether a chain has other matchers.
    """

    def __init__(self) -> None:
        self._titles: list[str] = []
        self._pages = array("I")

    def add(self, fingerprint: Fingerprint) -> None:
        """Enter the next record."""
        title, pages = told(fingerprint)
        self._titles.append(title)
        self._pages.append(pages)

    def __call__(self, one: int, other: int) -> bool:
        """Whether two are; of other pairs this says nothing."""
        pages = self._pages[one]
        if pages and pages == self._pages[other]:
            return False
        title, another = self._titles[one], self._titles[other]
        return bool(title and another) and surely_far(title, another)
