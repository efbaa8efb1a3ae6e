"""Titles that return in one journal: those of columns, which say no more of a work than "Editorial"
does.

What a title is called does not tell; how often it returns does. So it is a property of all records
that were taken in, and of their set alone: a column found late is one for the records that came
before it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.prints import PrintsByNumber

#: A title is that of a column where it stands in one venue in so many years and so many volumes. A
#: work that was cited with wrong years has one volume.
YEARS = PLACES = 3


def journal_title(fingerprint: Fingerprint) -> tuple[str, tuple[str, ...]] | None:
    """(title, venue) that may be those of a column; None of a record that says nothing of them."""
    if fingerprint.generic or not fingerprint.compact or not fingerprint.venue:
        return None
    return fingerprint.compact, fingerprint.venue


class TitleFacts:
    """Where and when one title stood in one venue.

    `places`: the volumes; the first pages of records without; the years of those that say nothing
    and are unsigned. Volumes and pages are not added up: a work whose volume is left out once has
    no more places for that.
    """

    __slots__ = ("places", "years")

    def __init__(self) -> None:
        self.years: set[int] = set()
        self.places: tuple[set[str], set[str], set[int]] = (set(), set(), set())

    def add(self, fingerprint: Fingerprint) -> None:
        """Take in what a record says."""
        self.note(
            fingerprint.year,
            fingerprint.volume,
            fingerprint.pages[0],
            unsigned=not fingerprint.first,
        )

    def note(self, year: int | None, volume: str, page: str, *, unsigned: bool) -> None:
        """Take in what a record says, of which only this is known.

        `volume`: as in `Fingerprint`; "" for none. `page`: the first one; "" for none. `unsigned`:
        whether it names no author.
        """
        if year is None:
            return
        self.years.add(year)
        volumes, pages, years = self.places
        if volume:
            volumes.add(volume)
        elif page:
            pages.add(page)
        elif unsigned:
            years.add(year)

    @property
    def recurs(self) -> bool:
        """Whether the title is that of a column."""
        return len(self.years) >= YEARS and max(len(place) for place in self.places) >= PLACES


class _Title(TitleFacts):
    """The same, with the numbers of the records."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []

    def take(self, number: int, fingerprint: Fingerprint) -> None:
        self.numbers.append(number)
        self.add(fingerprint)


class JournalColumns:
    """Which records stand in columns; grows with the records.

    `prints`: the fingerprints by number; the list grows while records arrive. `recurs`: whether the
    title of a record is that of a column, where the records are some of more that are known
    elsewhere. Without it these records alone decide.
    """

    def __init__(
        self, prints: PrintsByNumber, recurs: Callable[[Fingerprint], bool] | None = None
    ) -> None:
        self._prints = prints
        self._recurs = recurs
        # By the hash of title and venue. Most titles have one record: its number; None is a column.
        self._titles: dict[int, int | _Title | None] = {}
        # Made when one is compared for the first time.
        self._generic: dict[int, Fingerprint | None] = {}

    def add(self, number: int, fingerprint: Fingerprint) -> Iterable[int]:
        """Take in a record; return the numbers of records in a column because of it."""
        title = journal_title(fingerprint)
        if title is None:
            return ()
        if self._recurs is not None:
            if not self._recurs(fingerprint):
                return ()
            self._generic[number] = None
            return (number,)
        key = hash(title)
        found = self._titles.setdefault(key, number)
        if found == number:
            return ()
        if found is None:
            self._generic[number] = None
            return (number,)
        if isinstance(found, int):
            first, found = found, _Title()
            found.take(first, self._prints[first])
            self._titles[key] = found
        found.take(number, fingerprint)
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
