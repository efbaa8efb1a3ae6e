"""Where records meet: key -> the records that gave it, with a bound on how many of them are
compared.

A key that hundreds of records share ("annual report") must not make the work quadratic. Such a
crowd is divided by year of publication, and within a year a record is compared with the first ones
only; what is passed over is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.hamming import Scan
from metasearch.dedup.matcher import Chain
from metasearch.dedup.tables import Table, Tables

#: A search, or a review, has no more records.
FEW = 20_000
#: A key that more records share is divided by year: among few records, where nothing should depend
#: on who came first; and in a large index, where the work must not grow with it.
CROWD_OF_FEW, CROWD = 200, 16
#: Of one year of a crowd so many are compared, the first ones; of the years beside it fewer,
#: because twins of other years are rare, and a title that comes every year would be compared with
#: three times as many.
OF_A_YEAR_OF_FEW, OF_A_YEAR = 12, 4
BESIDE = 2


class _Crowd:
    """The records of a key that too many share, by year."""

    __slots__ = ("years",)

    def __init__(self) -> None:
        self.years: dict[int | None, list[int]] = {}

    def near(self, year: int | None, most: int) -> Iterator[tuple[list[int], int]]:
        """Those of that year and the ones beside it, and those without a year; of each, how many
        are compared.
        """
        for one in (None,) if year is None else (year - 1, year, year + 1, None):
            if one in self.years:
                yield self.years[one], most if one in (year, None) else min(BESIDE, most)


#: Where a record meets others: a table of key -> number of a record, list of them, or `_Crowd`; a
#: key in it; who gave that key before; and whether the table's matcher is exact.
Meeting = tuple[Table, int, Any, bool]


class KeyIndex:
    """Finds records that share a key with a new one, or lie near it in a matcher's index."""

    def __init__(self, chain: Chain) -> None:
        # One table a matcher: the same value means something else to each. Keys are kept as their
        # hashes, which are a third in size; a collision costs one comparison more.
        self._packed = Tables()
        self._tables: list[tuple[Callable[[Fingerprint], Iterable[str]], Table, bool]] = [
            (matcher.keys, self._packed.new(), matcher.exact) for matcher in chain.finders
        ]
        self._neighbours = [matcher.neighbours() for matcher in chain.searching]
        # What somebody decided holds in any crowd.
        self._unbounded = self._tables[0][1] if chain.pins else None
        self._crowd, self._of_a_year = CROWD_OF_FEW, OF_A_YEAR_OF_FEW
        self._skipped = 0

    @property
    def passed_over(self) -> int:
        """Comparisons that were not made: too many share a key, or are near one another."""
        return self._skipped + sum(neighbours.passed_over for neighbours in self._neighbours)

    def reach(self, number: int) -> None:
        """Set the bounds of a job that has taken in so many records, elsewhere or here."""
        if number > FEW:
            self._crowd, self._of_a_year = CROWD, OF_A_YEAR

    def enter(self, number: int, fingerprint: Fingerprint) -> list[Meeting]:
        """Put a record apart, and return where it meets others; then `settle` or `leave`."""
        if self._packed:
            self._packed.fetch(self._places(fingerprint))
        meetings: list[Meeting] = []
        for keys, table, exact in self._tables:
            for value in keys(fingerprint):
                key = hash(value)
                found = table.setdefault(key, number)
                if found != number:
                    meetings.append((table, key, found, exact))
        return meetings

    def _places(self, fingerprint: Fingerprint) -> list[tuple[Table, int, bool]]:
        return [
            (table, hash(value), exact)
            for keys, table, exact in self._tables
            for value in keys(fingerprint)
        ]

    def leave(self, number: int, fingerprint: Fingerprint) -> None:
        """Undo `enter`."""
        for table, key, _ in self._places(fingerprint):
            if table.get(key) == number:
                del table[key]

    def candidates(
        self, fingerprint: Fingerprint, meetings: list[Meeting]
    ) -> tuple[set[int], set[int]]:
        """(the records that share a key, those of them that share the key of an exact matcher).
        `meetings`: where it meets others.
        """
        exactly: set[int] = set()
        others: set[int] = set()
        # Where hundreds share the title, further keys of that title, with year or author, bring the
        # same ones again.
        crowded = _Crowd in [type(bucket) for _, _, bucket, _ in meetings]
        for table, _, bucket, exact in meetings:
            found = exactly if exact else others
            if isinstance(bucket, int):
                found.add(bucket)
            elif isinstance(bucket, list):
                if table is self._unbounded:
                    # "Same" holds for all of a large group of pins when it holds for one.
                    found.update(bucket[:1] if len(bucket) > self._crowd else bucket)
                elif crowded:
                    self._first(bucket, self._of_a_year, found)
                else:
                    found.update(bucket)
            else:
                self._near(bucket, fingerprint.year, found)
        return others | exactly, exactly

    def near(
        self, fingerprint: Fingerprint, in_question: Callable[[list[int]], list[int] | None]
    ) -> set[int]:
        """The records near one in a matcher's own index; `in_question` as in `Scan.near`."""
        found: set[int] = set()
        for neighbours in self._neighbours:
            found.update(
                neighbours.near(fingerprint, in_question)
                if isinstance(neighbours, Scan)
                else neighbours.near(fingerprint)
            )
        return found

    def near_of(self, fingerprint: Fingerprint, others: Mapping[int, Fingerprint]) -> set[int]:
        """Those of some records, by number, that lie near one by their signatures."""
        scans = [it for it in self._neighbours if isinstance(it, Scan)]
        return {number for scan in scans for number in scan.near_of(fingerprint, others)}

    def _near(self, crowd: _Crowd, year: int | None, found: set[int]) -> None:
        for numbers, most in crowd.near(year, self._of_a_year):
            self._first(numbers, most, found)

    def _first(self, numbers: list[int], most: int, found: set[int]) -> None:
        found.update(numbers[:most])
        self._skipped += max(0, len(numbers) - most)

    def settle(
        self,
        number: int,
        fingerprint: Fingerprint,
        meetings: list[Meeting],
        years: list[int | None],
    ) -> None:
        """Put a record beside those whom it meets. `meetings`: where it meets others."""
        for neighbours in self._neighbours:
            neighbours.add(number, fingerprint)
        for table, key, bucket, _ in meetings:
            if isinstance(bucket, int):
                table[key] = [bucket, number]
            elif isinstance(bucket, list):
                if bucket[-1] != number:
                    bucket.append(number)
                    if len(bucket) > self._crowd and table is not self._unbounded:
                        table[key] = _divided(bucket, years)
            else:
                _enter(bucket, number, years[number])
        self._packed.pack(number)


def _divided(numbers: list[int], years: list[int | None]) -> _Crowd:
    crowd = _Crowd()
    for number in numbers:
        _enter(crowd, number, years[number])
    return crowd


def _enter(crowd: _Crowd, number: int, year: int | None) -> None:
    numbers = crowd.years.setdefault(year, [])
    if not numbers or numbers[-1] != number:
        numbers.append(number)
