"""The numbers that a systematic review reports (PRISMA 2020, "identification"), cross-checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metasearch.bulk.job import FileRead, InputRecord, MergedWork, Outcome
from metasearch.errors import FileFormatError
from metasearch.formats.text import line
from metasearch.record import VersionsMode


@dataclass(frozen=True, slots=True)
class Place:
    """What became of the records of one file or one database; found = kept + removed + unread.

    Attributes:
        name: "" for records that name no database.
        kept: Records whose place a work has taken.
        removed: Records that an earlier one had made superfluous.
        unread: Records that could not be read; they name no database.
        only: Works that no other file, or no other database, has.
    """

    name: str
    kept: int
    removed: int
    only: int
    unread: int = 0

    @property
    def found(self) -> int:
        """All of them."""
        return self.kept + self.removed + self.unread


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that could not be read. `line`: from 1, or an offset in bytes; 0 for the whole
    file. `records`: how many were lost by it; 0 where it cost none.
    """

    file: str
    line: int
    message: str
    records: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """All counts of a job; found = unique + duplicates + unread.

    Attributes:
        files: A place a file, in their order; `databases`: most records first.
        errors: Files that could not be read at all; how many records they hold, nobody knows.
        lost: What cost records; `remarks`: what cost none.
        rules: Rule -> duplicates that it joined, most first.
        versions: Duplicates that are other versions of a work; `version_works`: the works that have
            several.
        earlier: Duplicates that an earlier job had found: records of a file that it wrote stand for
            several.
        within, across: Duplicates of which the same file has another record, and all others.
        passed_over: Comparisons that were not made, because too many records share a key.
        dedup: Name of the strategy that found the duplicates.
    """

    files: Sequence[Place]
    databases: Sequence[Place]
    errors: Sequence[Trouble]
    lost: Sequence[Trouble]
    remarks: Sequence[Trouble]
    found: int
    unread: int
    unique: int
    rules: Mapping[str, int]
    earlier: int
    versions: int
    version_works: int
    within: int
    across: int
    passed_over: int
    mode: VersionsMode
    dedup: str

    @property
    def duplicates(self) -> int:
        """Records that were removed."""
        return sum(self.rules.values()) + self.versions + self.earlier


def numbers_of(outcome: Outcome, works: CountedWorks) -> Numbers:
    """The numbers of a job whose works were all counted."""
    numbers = Numbers(
        files=_by_file(outcome, works.files),
        databases=_by_database(works.databases),
        errors=[
            Trouble(error.file, 0, _reason(error))
            for file in outcome.files
            if (error := file.error)
        ],
        lost=[trouble for trouble in _troubles(outcome.files) if trouble.records],
        remarks=[trouble for trouble in _troubles(outcome.files) if not trouble.records],
        found=sum(file.found for file in outcome.files) + works.earlier,
        unread=sum(file.reading.lost for file in outcome.files),
        unique=len(outcome.works),
        rules=dict(sorted(works.rules.items(), key=lambda rule: (-rule[1], rule[0]))),
        earlier=works.earlier,
        versions=works.versions,
        version_works=works.version_works,
        within=works.records + works.earlier - works.in_files,
        across=works.in_files - len(outcome.works),
        passed_over=outcome.passed_over,
        mode=outcome.versions,
        dedup=outcome.dedup,
    )
    _audit(numbers, works, outcome)
    return numbers


@dataclass(slots=True)
class CountedWorks:
    """What is counted of the works; `records` are all, `check_sum` that of their entries."""

    works: int = 0
    records: int = 0
    check_sum: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    versions: int = 0
    version_works: int = 0
    in_files: int = 0
    files: _Placed = field(default_factory=lambda: _Placed())
    databases: _Placed = field(default_factory=lambda: _Placed())

    def add(self, work: MergedWork) -> None:
        """Count one more."""
        self.works += 1
        if len(work.items) == 1 and not work.items[0].origins:  # as most are
            self._add_alone(work.items[0])
            return
        self.records += len(work.items)
        self.check_sum += sum(item.check_sum for item in work.items)
        self.earlier += sum(_stands_for(item) - 1 for item in work.items)
        if len(work.items) > 1:  # else it has neither
            matches = work.matches
            self.rules.update(it.matcher for it in matches if it.verdict == "same")
            self.versions += sum(match.verdict == "version" for match in matches)
            self.version_works += bool(work.versions)
        self.in_files += len({item.file for item in work.items})
        self.files.add(item.file for item in work.items for _ in range(_stands_for(item)))
        self.databases.add(name for item in work.items for name in _databases(item))

    def _add_alone(self, item: InputRecord) -> None:
        self.records += 1
        self.check_sum += item.check_sum
        self.in_files += 1
        for placed, place in ((self.files, item.file), (self.databases, line(item.database))):
            placed.kept[place] += 1
            placed.only[place] += 1

    def join(self, other: CountedWorks) -> None:
        """Count the works that another one has counted."""
        self.works += other.works
        self.records += other.records
        self.check_sum += other.check_sum
        self.earlier += other.earlier
        self.versions += other.versions
        self.version_works += other.version_works
        self.in_files += other.in_files
        self.rules.update(other.rules)
        self.files.join(other.files)
        self.databases.join(other.databases)


@dataclass(slots=True)
class _Placed:
    """Records kept, records removed, and works that are nowhere else, by place."""

    kept: Counter[Hashable] = field(default_factory=Counter)
    removed: Counter[Hashable] = field(default_factory=Counter)
    only: Counter[Hashable] = field(default_factory=Counter)

    def add(self, places: Iterable[Hashable]) -> None:
        """Count the places of the records of a work, in their order."""
        first, *others = places
        self.kept[first] += 1
        self.removed.update(others)
        self.only[first] += set(others) <= {first}

    def join(self, other: _Placed) -> None:
        """Take in the places of other works."""
        self.kept.update(other.kept)
        self.removed.update(other.removed)
        self.only.update(other.only)


def _audit(numbers: Numbers, works: CountedWorks, outcome: Outcome) -> None:
    """Check that nothing was lost between reading and writing, and that all counts agree."""
    read = [file.reading for file in outcome.files]
    assert (works.records, works.check_sum) == (
        sum(one.count for one in read),
        sum(one.check_sum for one in read),
    ), "a record is in no work, or in two"
    assert works.works == numbers.unique
    assert numbers.found == numbers.unique + numbers.duplicates + numbers.unread
    assert numbers.duplicates == numbers.within + numbers.across
    for places, unread in ((numbers.files, 0), (numbers.databases, numbers.unread)):
        assert sum(place.found for place in places) + unread == numbers.found
        assert sum(place.removed for place in places) == numbers.duplicates


def _by_file(outcome: Outcome, placed: _Placed) -> list[Place]:
    return [
        Place(file.input.name, placed.kept[n], placed.removed[n], placed.only[n], file.reading.lost)
        for n, file in enumerate(outcome.files)
    ]


def _by_database(placed: _Placed) -> list[Place]:
    places = [
        Place(str(name), placed.kept[name], placed.removed[name], placed.only[name])
        for name in {*placed.kept, *placed.removed}
    ]
    return sorted(places, key=lambda place: (-place.found, place.name))


def _stands_for(record: InputRecord) -> int:
    """How many records a record was made of by an earlier job, at least itself."""
    return len(record.origins) or 1


def _databases(record: InputRecord) -> list[str]:
    return [line(one.database) for one in record.origins] or [line(record.database)]


def _reason(error: FileFormatError) -> str:
    """What is wrong with a file, without its name, and what to do about it."""
    return line(" ".join((f"{str(error).removeprefix(f'{error.file}: ')}.", error.advice)))


def _troubles(files: Iterable[FileRead]) -> Iterator[Trouble]:
    for file in files:
        for problem in file.reading.problems:
            yield Trouble(file.input.name, problem.line, line(problem.message), problem.lost)
