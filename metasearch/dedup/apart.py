"""Which records of a job are so far apart that no matcher of the default chain makes them one work:
of nearly all pairs that share a key this is told without their fingerprints.
"""

from __future__ import annotations

from array import array
from zlib import crc32

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matchers.fields import are_strangers
from metasearch.dedup.prints import PrintsByNumber
from metasearch.dedup.resemblance import surely_far


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
                or are_strangers(other, fingerprint)
            )
        ):
            found.add(number)
    return found


class Apart:
    """The titles of all records of a job by number, and 32 bits of their pages.

    `Fields` returns a verdict on titles that are far from each other only where first and last page
    are equal, and so does `Text`; `sketches.applies` tells whether a chain has other matchers.
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
