"""Where records meet: key -> the records that gave it, with a bound on how many of them are
compared.

A key that hundreds of records share ("annual report") must not make the work quadratic. Such a
crowd is divided by year of publication, and within a year a record is compared with the first ones
only; what is passed over is counted.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matcher import Blocked, Chain, Matcher, Signed

if TYPE_CHECKING:
    import numpy as np

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


class Table(dict[int, Any]):
    """Key -> the number of the record that gave it, or what stands for several records.

    Keys are 64-bit hashes. What is packed is missing here until `Tables.fetch` has brought it back.
    """

    __slots__ = ("mark",)

    def __init__(self, mark: int) -> None:
        super().__init__()
        self.mark = mark


class Tables:
    """Some tables that are packed together."""

    def __init__(self) -> None:
        self._tables: list[Table] = []
        self._next = FIRST
        # Sorted; an entry stays here when it is moved back, and the table is asked first.
        self._keys: Keys | None = None
        self._numbers: Numbers | None = None

    def new(self) -> Table:
        """A further table, empty."""
        table = Table(len(self._tables) * _TABLE)
        self._tables.append(table)
        return table

    def __bool__(self) -> bool:
        """Whether something is packed."""
        return self._keys is not None

    def fetch(self, wanted: Iterable[tuple[Table, int, object]]) -> None:
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


BITS = 64
#: Of one signature so many near ones are named: where hundreds of texts are alike, each is compared
#: with some of them.
MOST_NEAR = 200
#: Up to so many signatures a plain loop is as fast as numpy.
FEW_SIGNATURES = 100
#: Signatures that are compared in one go: as many as stay in a processor's cache.
AT_ONCE = 16_384


def block_keys(signature: int, blocks: int = 4) -> list[str]:
    """A key a block: two signatures that differ in fewer bits than there are blocks share one
    (pigeonhole).

    Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007). `signature`:
    64 bits. `blocks`: 4 of 16 bits find what differs in up to 3.
    """
    width = BITS // blocks
    mask = (1 << width) - 1
    return [f"{block}:{signature >> (width * block) & mask:x}" for block in range(blocks)]


class Signatures:
    """Signatures by number, compared one and all: exact at any distance, 12 bytes each.
    `passed_over`: how many near ones were not named, because more than `MOST_NEAR` were.
    """

    def __init__(self) -> None:
        self.passed_over = 0
        self._numbers = array("I")
        self._signatures = array("Q")

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def numbers(self) -> Iterable[int]:
        """Of all that were entered."""
        return self._numbers

    @property
    def bytes(self) -> int:
        """Memory that is held, room for growth included."""
        return getsizeof(self._numbers) + getsizeof(self._signatures)

    def add(self, number: int, signature: int) -> None:
        """Enter one."""
        self._numbers.append(number)
        self._signatures.append(signature)

    def near(self, signature: int, distance: int) -> list[int]:
        """The numbers of those that differ in at most so many bits: `MOST_NEAR`, as they came."""
        if len(self._numbers) <= FEW_SIGNATURES:
            pairs = zip(self._numbers, self._signatures, strict=True)
            return [
                number for number, other in pairs if (signature ^ other).bit_count() <= distance
            ]
        numbers = self._numbers
        return [numbers[place] for place in self._places(signature, distance)]

    def _places(self, signature: int, distance: int) -> list[int]:
        import numpy as np

        wanted = np.uint64(signature)
        all_ = np.frombuffer(self._signatures, dtype=np.uint64)
        found: list[int] = []
        for start in range(0, len(all_), AT_ONCE):
            near = np.flatnonzero(
                np.bitwise_count(all_[start : start + AT_ONCE] ^ wanted) <= distance
            )
            taken = near[: MOST_NEAR - len(found)]
            self.passed_over += len(near) - len(taken)
            found += (start + taken).tolist()
        return found


class Scan:
    """`Neighbours` of a matcher whose signatures may differ in more bits than keys can find.

    A signature is made when it is compared with another one that may matter: of a single record
    none is. `signature_of`: the signature of a record, or None where it has too little text.
    `distance`: bits in which neighbours differ at most. `signature_of`, `distance`: as they were
    given: who keeps the signatures elsewhere asks these.
    """

    def __init__(
        self,
        signature_of: Callable[[Fingerprint], int | None],
        distance: int,
        may_sign: Callable[[Fingerprint], bool] = lambda _: True,
    ) -> None:
        self.signature_of = signature_of
        self.distance = distance
        self._may_sign = may_sign
        self._signatures = Signatures()
        # Entered since signatures were last compared.
        self._unsigned: list[tuple[int, Fingerprint]] = []

    @property
    def passed_over(self) -> int:
        """How many near ones were not named."""
        return self._signatures.passed_over

    def near(
        self,
        fingerprint: Fingerprint,
        in_question: Callable[[list[int]], list[int] | None] = lambda _: None,
    ) -> list[int]:
        """Those within the distance.

        `in_question`: of which of these records it has to be known whether they are near; None for
        all. Where there are few, it is asked before signatures are made, and none of the others is
        returned then.
        """
        if not (self._unsigned or self._signatures) or not self._may_sign(fingerprint):
            return []
        entered = len(self._signatures) + len(self._unsigned)
        if entered <= FEW_SIGNATURES and (asked := in_question(self._entered())) is not None:
            wanted = set(asked)
            unsigned = {number: other for number, other in self._unsigned if number in wanted}
            found = self.near_of(fingerprint, unsigned)
            if len(unsigned) < len(wanted):
                found += wanted.intersection(self._near_signed(fingerprint))
            return found
        for number, other in self._unsigned:
            signature = self.signature_of(other)
            if signature is not None:
                self._signatures.add(number, signature)
        self._unsigned.clear()
        return self._near_signed(fingerprint)

    def near_of(self, fingerprint: Fingerprint, others: Mapping[int, Fingerprint]) -> list[int]:
        """Those of some records, by number, that are within the distance of one."""
        signature = self.signature_of(fingerprint) if others else None
        if signature is None:
            return []
        signatures = ((number, self.signature_of(other)) for number, other in others.items())
        return [
            number
            for number, other in signatures
            if other is not None and (signature ^ other).bit_count() <= self.distance
        ]

    def _near_signed(self, fingerprint: Fingerprint) -> list[int]:
        signature = self.signature_of(fingerprint)
        return [] if signature is None else self._signatures.near(signature, self.distance)

    def _entered(self) -> list[int]:
        return [*self._signatures.numbers, *[number for number, _ in self._unsigned]]

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Enter a record, if it has a signature."""
        if self._may_sign(fingerprint):
            self._unsigned.append((number, fingerprint))


class Nothing:
    """`Neighbours` of a matcher whose keys find everything."""

    passed_over = 0

    def near(self, fingerprint: Fingerprint) -> list[int]:
        """None."""
        return []

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Do nothing."""


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


# What a chain needs to know of all records of a job before any two are compared: keys, and
# signatures that may be near. A job that is larger than memory is cut along them: records that
# share no key, directly or by way of others, and have no near signatures are never one work.


@dataclass(frozen=True, slots=True)
class Signing:
    """The signatures of one matcher. `distance`: bits of 64 in which near ones differ at most.
    `signatures`: those of a record: 64 bits each, the same in every process.
    """

    name: str
    distance: int
    signatures: Callable[[Fingerprint], Iterable[int]]


def keyed(chain: Chain) -> tuple[Matcher, ...]:
    """Pins and matchers whose keys tell which records may be one work; those of a `Blocked` one do
    not, because many records share them by chance.
    """
    return tuple(matcher for matcher in chain.finders if not isinstance(matcher, Blocked))


def signing(chain: Chain) -> tuple[Signing, ...]:
    """The matchers of which near signatures tell it."""
    found = []
    for matcher in chain.matchers:
        if isinstance(matcher, Blocked):
            found.append(Signing(matcher.name, matcher.radius, matcher.signatures))
        elif isinstance(matcher, Signed):
            found.append(Signing(matcher.name, matcher.distance, _one(matcher)))
    return tuple(found)


def searching_otherwise(chain: Chain) -> tuple[str, ...]:
    """Matchers that also find records which share neither: their chain needs one index."""
    return tuple(
        matcher.name
        for matcher in chain.searching
        if not isinstance(matcher, Blocked | Signed)
        and not isinstance(matcher.neighbours(), Nothing)
    )


def _one(matcher: Signed) -> Callable[[Fingerprint], Iterable[int]]:
    def signatures(fingerprint: Fingerprint) -> Iterable[int]:
        found = matcher.signature(fingerprint)
        return () if found is None else (found,)

    return signatures
