"""Where records meet: key -> the records that gave it, with a bound on how many of them are
compared.

A key that hundreds of records share ("annual report") must not make the work quadratic. Such a
crowd is divided by year of publication, and within a year a record is compared with the first ones
only; what is passed over is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from metasearch.dedup.fingerprint import Fingerprint
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


#: A table of key -> number of a record, list of them, or `_Crowd`; a key in it, and whether its
#: matcher is exact.
Place = tuple[Table, int, bool]


class KeyIndex:
    """Finds the records that share a key with a new one, or lie near it in a matcher's own
    index.
    """

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
        """Comparisons that were not made, because a key is shared by too many or too many are near
        one another.
        """
        return self._skipped + sum(neighbours.passed_over for neighbours in self._neighbours)

    def reach(self, number: int) -> None:
        """Set the bounds of a job that has taken in so many records, elsewhere or here."""
        if number > FEW:
            self._crowd, self._of_a_year = CROWD, OF_A_YEAR

    def places(self, fingerprint: Fingerprint) -> list[Place]:
        """Where a record belongs."""
        places = [
            (table, hash(value), exact)
            for keys, table, exact in self._tables
            for value in keys(fingerprint)
        ]
        self._packed.fetch(places)
        return places

    def candidates(
        self, fingerprint: Fingerprint, places: list[Place]
    ) -> tuple[set[int], set[int]]:
        """(all records that are worth a comparison, those of them that share the key of an exact
        matcher).

        Args:
            fingerprint: Of the record, which is not entered yet.
            places: Where it belongs.
        """
        exactly: set[int] = set()
        others: set[int] = set()
        buckets = [(table, table.get(key), exact) for table, key, exact in places]
        # Where hundreds share the title, further keys of that title, with year or author, bring the
        # same ones again.
        crowded = any(isinstance(bucket, _Crowd) for _, bucket, _ in buckets)
        for table, bucket, exact in buckets:
            if bucket is None:
                continue
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
        others |= exactly
        for neighbours in self._neighbours:
            others.update(neighbours.near(fingerprint))
        return others, exactly

    def _near(self, crowd: _Crowd, year: int | None, found: set[int]) -> None:
        for numbers, most in crowd.near(year, self._of_a_year):
            self._first(numbers, most, found)

    def _first(self, numbers: list[int], most: int, found: set[int]) -> None:
        found.update(numbers[:most])
        self._skipped += max(0, len(numbers) - most)

    def add(
        self, number: int, fingerprint: Fingerprint, places: list[Place], years: list[int | None]
    ) -> None:
        """Enter a record.

        Args:
            number: Names the record.
            fingerprint: Of the record.
            places: Where it belongs.
            years: The year of each record, by number; that of this one too.
        """
        for neighbours in self._neighbours:
            neighbours.add(number, fingerprint)
        for table, key, _ in places:
            bucket = table.setdefault(key, number)
            if isinstance(bucket, int):
                if bucket != number:
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
