"""The report of a job: the numbers that a systematic review reports (PRISMA 2020), held against one
another, as text for people and as JSON for programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson
from wcwidth import wcswidth

from metasearch.bulk.job import FileRead, InputRecord, JobOutcome, JobWork
from metasearch.errors import FileFormatError
from metasearch.formats.text import line
from metasearch.record import VersionsMode


@dataclass(frozen=True, slots=True)
class PlaceNumbers:
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
    def total(self) -> int:
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
class JobNumbers:
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

    files: Sequence[PlaceNumbers]
    databases: Sequence[PlaceNumbers]
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


def numbers_of(outcome: JobOutcome, works: WorkCounts) -> JobNumbers:
    """The numbers of a job whose works were all counted."""
    numbers = JobNumbers(
        files=_by_file(outcome, works.files),
        databases=_by_database(works.databases),
        errors=[
            Trouble(error.file, 0, _reason(error))
            for file in outcome.files
            if (error := file.error)
        ],
        lost=[trouble for trouble in _troubles(outcome.files) if trouble.records],
        remarks=[trouble for trouble in _troubles(outcome.files) if not trouble.records],
        found=sum(file.total for file in outcome.files) + works.earlier,
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
class WorkCounts:
    """What is counted of the works; `records` are all, `check_sum` that of their entries."""

    works: int = 0
    records: int = 0
    check_sum: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    versions: int = 0
    version_works: int = 0
    in_files: int = 0
    files: _PlaceCounts = field(default_factory=lambda: _PlaceCounts())
    databases: _PlaceCounts = field(default_factory=lambda: _PlaceCounts())

    def add(self, work: JobWork) -> None:
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

    def join(self, other: WorkCounts) -> None:
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
class _PlaceCounts:
    """Records kept, records removed, and works that are nowhere else, by place."""

    kept: Counter[Hashable] = field(default_factory=Counter)
    removed: Counter[Hashable] = field(default_factory=Counter)
    only: Counter[Hashable] = field(default_factory=Counter)

    def add(self, places: Iterable[Hashable]) -> None:
        first, *others = places
        self.kept[first] += 1
        self.removed.update(others)
        self.only[first] += set(others) <= {first}

    def join(self, other: _PlaceCounts) -> None:
        self.kept.update(other.kept)
        self.removed.update(other.removed)
        self.only.update(other.only)


def _audit(numbers: JobNumbers, works: WorkCounts, outcome: JobOutcome) -> None:
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
        assert sum(place.total for place in places) + unread == numbers.found
        assert sum(place.removed for place in places) == numbers.duplicates


def _by_file(outcome: JobOutcome, placed: _PlaceCounts) -> list[PlaceNumbers]:
    return [
        PlaceNumbers(
            file.input.name, placed.kept[n], placed.removed[n], placed.only[n], file.reading.lost
        )
        for n, file in enumerate(outcome.files)
    ]


def _by_database(placed: _PlaceCounts) -> list[PlaceNumbers]:
    places = [
        PlaceNumbers(str(name), placed.kept[name], placed.removed[name], placed.only[name])
        for name in {*placed.kept, *placed.removed}
    ]
    return sorted(places, key=lambda place: (-place.total, place.name))


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


#: Of unread records, and of remarks, so many are listed in the text; the JSON form has all.
LISTED = 50
#: Columns of what a number is about.
LABEL = 79
#: What each rule found alike.
RULES: Mapping[str, str] = {
    "pin": "pinned as the same",
    "url": "the same web address",
    "doi": "the same DOI",
    "id": "the same identifier (PMID, ISBN, ...)",
    "standard": "the same number, or title, and year of a standard (ISO, GB/T ...)",
    "four-tuple": "the same title, journal, year and first author",
    "fields": "titles agree, and other fields with them",
    "text": "title and abstract nearly the same, same first author and year",
}
_TEXT_BEGINS = b"metasearch dedup "
_JSON_BEGINS = b'{\n  "report": "metasearch dedup"'
_MODES = {
    "group": "one record that lists them (--versions group)",
    "separate": "a record each (--versions separate)",
    "merge": "one record that makes no difference (--versions merge)",
}


def is_report(head: bytes) -> bool:
    """Whether a file that begins so is a report, so that another one may take its place."""
    return head.startswith((_TEXT_BEGINS, _JSON_BEGINS))


def summary(numbers: JobNumbers) -> str:
    """Two lines: what came of the records, and how duplicates were found."""
    files = _count_text(len(numbers.files), "file") + (
        f" ({len(numbers.errors):,} could not be read)" if numbers.errors else ""
    )
    parts = [f"{numbers.unique:,} unique", _count_text(numbers.duplicates, "duplicate")]
    parts += [f"{numbers.unread:,} could not be read"] if numbers.unread else []
    rules = [f"{number:,} by {rule}" for rule, number in numbers.rules.items()]
    rules += [f"{numbers.earlier:,} by an earlier run"] if numbers.earlier else []
    rules += [f"{numbers.versions:,} as versions"] if numbers.versions else []
    where = f"; {numbers.within:,} within a file, {numbers.across:,} across files" if rules else ""
    counts = f"{_count_text(numbers.found, 'record')} in {files}: {', '.join(parts)}"
    return f"{counts}\nduplicates: {', '.join(rules) or 'none'}{where}"


def _count_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def as_text(numbers: JobNumbers, version: str, left_out: Sequence[str] = ()) -> str:
    """All numbers, one below the other; what is unread is named as far as there is room."""
    blocks = (
        _identification(numbers),
        _database_lines(numbers),
        _unread(numbers),
        _duplicates(numbers),
        _unique(numbers),
        _remarks(numbers),
        _omissions(left_out),
        [_identity(numbers)],
    )
    text = "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block)))
    return f"{_TEXT_BEGINS.decode()}{version}\n\n{text}\n"


def _identification(numbers: JobNumbers) -> Iterator[str]:
    yield _row("records identified", numbers.found)
    columns = ("found", "unread", "removed", "kept", "only here")
    yield from _table(
        "file",
        columns,
        [(p.name, (p.total, p.unread, p.removed, p.kept, p.only)) for p in numbers.files],
    )


def _database_lines(numbers: JobNumbers) -> Iterator[str]:
    yield _row("records read", numbers.found - numbers.unread)
    columns = ("read", "removed", "kept", "only here")
    rows = [
        (p.name or "(none named)", (p.total, p.removed, p.kept, p.only)) for p in numbers.databases
    ]
    yield from _table("database", columns, rows)


def _unread(numbers: JobNumbers) -> Iterator[str]:
    yield _row("records that could not be read", numbers.unread)
    yield from _trouble_lines(numbers.lost)
    yield _row("files that could not be read", len(numbers.errors))
    yield from _trouble_lines(numbers.errors)


def _duplicates(numbers: JobNumbers) -> Iterator[str]:
    yield _row("duplicates removed", numbers.duplicates)
    if numbers.dedup != "default":
        yield f"  found by the strategy {numbers.dedup}: `metasearch strategies {numbers.dedup}`"
    for rule, number in numbers.rules.items():
        yield _row(f"  by {rule}{_in_words(rule, numbers.dedup)}", number)
    if numbers.earlier:
        yield _row("  by an earlier run of dedup, whose output was read", numbers.earlier)
    if numbers.versions:
        yield _row("  as versions: another version of the same work", numbers.versions)
    yield _row("  within a file", numbers.within)
    yield _row("  across files", numbers.across)
    yield _row("comparisons passed over, because too many records share a key", numbers.passed_over)


def _in_words(rule: str, dedup: str) -> str:
    """What a rule found alike, behind a colon; other strategies' may bear names of ours."""
    return f": {RULES[rule]}" if rule in RULES and (dedup == "default" or rule == "pin") else ""


def _unique(numbers: JobNumbers) -> Iterator[str]:
    yield _row("unique records", numbers.unique)
    if numbers.version_works:
        yield _row("  with several versions", numbers.version_works)
    # Other strategies do not know what a version is.
    what = (
        _MODES[numbers.mode]
        if numbers.dedup == "default"
        else f"one record or several, as {numbers.dedup} finds them"
    )
    yield f"  preprint, conference paper and article of one work: {what}"


def _remarks(numbers: JobNumbers) -> Iterator[str]:
    if numbers.remarks:
        yield _row("remarks on what was read all the same", len(numbers.remarks))
        yield from _trouble_lines(numbers.remarks)


def _omissions(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "fields of the files that are not in the output"
        yield from (f"  {note}" for note in notes)


def _identity(numbers: JobNumbers) -> str:
    duplicates = _count_text(numbers.duplicates, "duplicate")
    return (
        f"{numbers.found:,} found = {numbers.unique:,} unique + {duplicates} + "
        f"{numbers.unread:,} that could "
        f"not be read"
    )


def _row(text: str, number: int) -> str:
    return f"{text:<{LABEL}}{number:>9,}"


def _table(
    name: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]]
) -> Iterator[str]:
    width = max(LABEL - 2 - 11 * (len(columns) - 1), *(wcswidth(text) for text, _ in rows), 0)
    yield f"  {_pad(name, width)}{''.join(f'{column:>11}' for column in columns)}"
    for text, numbers in rows:
        yield f"  {_pad(text, width)}{''.join(f'{number:>11,}' for number in numbers)}"


def _pad(text: str, columns: int) -> str:
    return text + " " * max(0, columns - wcswidth(text))


def _trouble_lines(troubles: Sequence[Trouble]) -> Iterator[str]:
    for trouble in troubles[:LISTED]:
        place = f"{trouble.file}:{trouble.line}" if trouble.line else trouble.file
        records = f" ({trouble.records:,} records)" if trouble.records > 1 else ""
        yield f"  {place}: {trouble.message}{records}"
    if len(troubles) > LISTED:
        yield f"  and {len(troubles) - LISTED:,} more, which a report in JSON lists"


def as_json(
    numbers: JobNumbers, files: Sequence[FileRead], version: str, left_out: Sequence[str] = ()
) -> bytes:
    """All numbers, and all that could not be read, as one document, always with every key."""
    document = {
        "report": "metasearch dedup",
        "version": version,
        "found": numbers.found,
        "unread": numbers.unread,
        "duplicates": numbers.duplicates,
        "unique": numbers.unique,
        "duplicates_by_rule": dict(numbers.rules),
        "duplicates_by_an_earlier_run": numbers.earlier,
        "duplicates_as_versions": numbers.versions,
        "duplicates_within_a_file": numbers.within,
        "duplicates_across_files": numbers.across,
        "dedup": numbers.dedup,
        "versions": numbers.mode,
        "works_with_versions": numbers.version_works,
        "comparisons_passed_over": numbers.passed_over,
        "files": [_file(place, file) for place, file in zip(numbers.files, files, strict=True)],
        "databases": [{"database": p.name or None, **_counts(p)} for p in numbers.databases],
        "lost": [asdict(trouble) for trouble in numbers.lost],
        "remarks": [asdict(trouble) for trouble in numbers.remarks],
        "left_out": list(left_out),
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _file(place: PlaceNumbers, file: FileRead) -> dict[str, Any]:
    return {
        "file": place.name,
        "format": file.reading.format or None,
        "encoding": file.reading.encoding or None,
        **_counts(place),
        "unread": place.unread,
        "error": line(str(file.error)) if file.error else None,
    }


def _counts(place: PlaceNumbers) -> dict[str, int]:
    return {
        "found": place.total,
        "kept": place.kept,
        "removed": place.removed,
        "only_here": place.only,
    }
