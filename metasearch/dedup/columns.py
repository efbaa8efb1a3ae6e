"""Titles that return in one journal: those of columns, which say no more of a work than "Editorial"
does.

What a title is called does not tell; how often it returns does. So it is a property of all records
that were taken in, and of their set alone: a column found late is one for the records that came
before it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metasearch.dedup.fingerprint import Fingerprint

#: A title is that of a column where it stands in one venue in so many years and so many volumes. A
#: work that was cited with wrong years has one volume.
YEARS = PLACES = 3


class _Title:
    """The records of one title in one venue.

    Attributes:
        numbers: Name them.
        years: In which they appeared.
        places: Their volumes; the first pages of those without; the years of those that say nothing
            and are unsigned. Volumes and pages are not added up: a work whose volume is left out
            once has no more places for that.
    """

    __slots__ = ("numbers", "places", "years")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.years: set[int] = set()
        self.places: tuple[set[str], set[str], set[int]] = (set(), set(), set())

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        self.numbers.append(number)
        if fingerprint.year is None:
            return
        self.years.add(fingerprint.year)
        volumes, pages, years = self.places
        if fingerprint.volume:
            volumes.add(fingerprint.volume)
        elif fingerprint.pages[0]:
            pages.add(fingerprint.pages[0])
        elif not fingerprint.first:
            years.add(fingerprint.year)

    @property
    def recurs(self) -> bool:
        return len(self.years) >= YEARS and max(len(place) for place in self.places) >= PLACES


class JournalColumns:
    """Which records stand in columns; grows with the records.

    Args:
        prints: The fingerprints by number; the list grows while records arrive.
    """

    def __init__(self, prints: Sequence[Fingerprint]) -> None:
        self._prints = prints
        # By the hash of title and venue. Most titles have one record: its number; None is a column.
        self._titles: dict[int, int | _Title | None] = {}
        # Made when one is compared for the first time.
        self._generic: dict[int, Fingerprint | None] = {}

    def add(self, number: int, fingerprint: Fingerprint) -> Iterable[int]:
        """Take in a record; return the numbers of the records that stand in a column because of
        it.
        """
        if fingerprint.generic or not fingerprint.compact or not fingerprint.venue:
            return ()
        key = hash((fingerprint.compact, fingerprint.venue))
        found = self._titles.setdefault(key, number)
        if found == number:
            return ()
        if found is None:
            self._generic[number] = None
            return (number,)
        if isinstance(found, int):
            first, found = found, _Title()
            found.add(first, self._prints[first])
            self._titles[key] = found
        found.add(number, fingerprint)
        if not found.recurs:
            return ()
        self._titles[key] = None
        self._generic.update(dict.fromkeys(found.numbers))
        return found.numbers

    def __bool__(self) -> bool:
        return bool(self._generic)

    def __contains__(self, number: int) -> bool:
        return number in self._generic

    def print_of(self, number: int) -> Fingerprint:
        """The fingerprint of a record, generic where it stands in a column."""
        if number not in self._generic:
            return self._prints[number]
        made = self._generic[number]
        if made is None:
            fingerprint = self._prints[number]
            made = self._generic[number] = Fingerprint(fingerprint.record, fingerprint.record_key)
            made.generic = True
        return made
