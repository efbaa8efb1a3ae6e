"""Where records meet: key -> the records that gave it, with a bound on how many of them are
compared.

A key that hundreds of records share ("annual report") must not make the work quadratic. Such a
crowd is divided by year of publication, and within a year a record is compared with the first ones
only; what is passed over is counted.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.signatures import Scan

if TYPE_CHECKING:
    import numpy as np

    from metasearch.dedup.matchers import Chain

    Keys = np.ndarray[Any, np.dtype[np.int64]]
    Numbers = np.ndarray[Any, np.dtype[np.uint32]]

# Hash tables of a job: small ones as Python's dicts, and what lies in large ones packed. Nearly all
# keys of a large job are given by one record only. A dict needs about a hundred bytes for such a
# key and its number, a sorted array needs twelve; so from time to time the entries of single
# records are moved from the dicts into one array, and an entry is moved back when its key is given
# again.

#: Records after which the entries of single records are packed for the first time: more than a
#: search has. Later it is done whenever there are an eighth more records, so that all packing
#: together takes linear time.
FIRST = 30_000
MORE = 8
#: Equal keys of two tables are told apart by these bits.
_TABLE = 1 << 52


class KeyTable(dict[int, Any]):
    """Key -> the number of the record that gave it, or what stands for several records.

    Keys are 64-bit hashes. What is packed is missing here until `Tables.fetch` has brought it back.
    """

    __slots__ = ("mark",)

    def __init__(self, mark: int) -> None:
        super().__init__()
        self.mark = mark


class KeyTables:
    """Some tables that are packed together."""

    def __init__(self) -> None:
        self._tables: list[KeyTable] = []
        self._next = FIRST
        # Sorted; an entry stays here when it is moved back, and the table is asked first.
        self._keys: Keys | None = None
        self._numbers: Numbers | None = None

    def new(self) -> KeyTable:
        table = KeyTable(len(self._tables) * _TABLE)
        self._tables.append(table)
        return table

    def __bool__(self) -> bool:
        return self._keys is not None

    def fetch(self, wanted: Iterable[tuple[KeyTable, int, object]]) -> None:
        """Move the packed entries of these keys back into their tables."""
        if self._keys is None or self._numbers is None:
            return
        missing = [(table, key) for table, key, _ in wanted if key not in table]
        if not missing:
            return
        import numpy as np

        keys = np.array([key ^ table.mark for table, key in missing], dtype=np.int64)
        at = self._keys.searchsorted(keys)
        there = (self._keys.take(at, mode="clip") == keys).nonzero()[0]
        for place, number in zip(
            there.tolist(), self._numbers.take(at.take(there)).tolist(), strict=True
        ):
            table, key = missing[place]
            table[key] = number

    def pack(self, records: int) -> None:
        """Pack the entries of single records, where it is time for that."""
        if records < self._next:
            return
        self._next = records + max(FIRST, records // MORE)
        import numpy as np

        keys, numbers = array("q"), array("I")
        for table in self._tables:
            mark = table.mark
            rest: dict[int, Any] = {}
            for key, found in table.items():
                if type(found) is int:
                    keys.append(key ^ mark)
                    numbers.append(found)
                else:
                    rest[key] = found
            table.clear()  # a dict becomes smaller in no other way
            table.update(rest)
        if not keys:
            return
        fresh = np.frombuffer(keys, dtype=np.int64)
        order = np.argsort(fresh)
        fresh, of_fresh = fresh[order], np.frombuffer(numbers, dtype=np.uint32)[order]
        if self._keys is None or self._numbers is None:
            self._keys, self._numbers = fresh, of_fresh
            return
        at = np.searchsorted(self._keys, fresh)
        self._keys = np.insert(self._keys, at, fresh)
        self._numbers = np.insert(self._numbers, at, of_fresh)


# Records by their keys, and by what lies near them.

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
Meeting = tuple[KeyTable, int, Any, bool]


class Encounter(NamedTuple):
    """What `KeyIndex.meet` finds: where a record meets others; all others with which it is
    compared; and those of them that share the key of an exact matcher.
    """

    meetings: list[Meeting]
    candidates: set[int]
    exactly: set[int]


class KeyIndex:
    """Finds records that share a key with a new one, or lie near it in a matcher's index.

    `places`: the place of each record in the order of all, ascending, where these records are some
    of more; see `reach`.
    """

    def __init__(self, chain: Chain, places: Sequence[int] | None = None) -> None:
        self._keys_of = chain.keys_by_finder
        self._place_of = int if places is None else places.__getitem__
        # One table a matcher: the same value means something else to each. Keys are kept as their
        # hashes, which are a third in size; a collision costs one comparison more.
        self._packed = KeyTables()
        self._tables = [(self._packed.new(), matcher.exact) for matcher in chain.finders]
        self._neighbours = [matcher.neighbours() for matcher in chain.searchers]
        # What somebody decided holds in any crowd.
        self._unbounded = self._tables[0][0] if chain.pins else None
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

    def meet(
        self,
        number: int,
        fingerprint: Fingerprint,
        in_question: Callable[[int, set[int], list[int]], list[int] | None],
    ) -> Encounter:
        """Put a record apart, and return whom it meets; then `settle` or `leave`.

        `in_question`: as in `Scan.near`, of the number of the record and those that share a key
        with it.
        """
        self.reach(self._place_of(number))
        meetings = self.enter(number, fingerprint)
        candidates, exactly = self.candidates(fingerprint, meetings)
        near = self.near(fingerprint, lambda others: in_question(number, candidates, others))
        return Encounter(meetings, candidates | near if near else candidates, exactly)

    def enter(self, number: int, fingerprint: Fingerprint) -> list[Meeting]:
        """Put a record apart, and return where it meets others by its keys."""
        if self._packed:
            self._packed.fetch(self._places(fingerprint))
        meetings: list[Meeting] = []
        for (table, exact), values in zip(self._tables, self._keys_of(fingerprint), strict=True):
            for value in values:
                key = hash(value)
                found = table.setdefault(key, number)
                if found != number:
                    meetings.append((table, key, found, exact))
        return meetings

    def _places(self, fingerprint: Fingerprint) -> list[tuple[KeyTable, int, bool]]:
        return [
            (table, hash(value), exact)
            for (table, exact), values in zip(self._tables, self._keys_of(fingerprint), strict=True)
            for value in values
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
        self.reach(self._place_of(number) + 1)
        for neighbours in self._neighbours:
            neighbours.add(number, fingerprint)
        for table, key, bucket, _ in meetings:
            if isinstance(bucket, int):
                table[key] = [bucket, number]
            elif isinstance(bucket, list):
                if bucket[-1] != number:
                    bucket.append(number)
                    if len(bucket) > self._crowd and table is not self._unbounded:
                        table[key] = _divide_by_year(bucket, years)
            else:
                _enter(bucket, number, years[number])
        self._packed.pack(number)


def _divide_by_year(numbers: list[int], years: list[int | None]) -> _Crowd:
    crowd = _Crowd()
    for number in numbers:
        _enter(crowd, number, years[number])
    return crowd


def _enter(crowd: _Crowd, number: int, year: int | None) -> None:
    numbers = crowd.years.setdefault(year, [])
    if not numbers or numbers[-1] != number:
        numbers.append(number)
