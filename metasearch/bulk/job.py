"""Files in, works out: all is read, then all is compared; nothing gets lost between."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol

from metasearch.dedup import Chain, Fingerprint, OnlineDedup
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry, FileReading, HandOut, read_file, read_pipe
from metasearch.formats.reading.files import STDIN, Input
from metasearch.formats.reading.result import check_sum
from metasearch.record import Hit, Match, Version, VersionsMode

#: Records of all files together: a million takes some 12 GB.
MOST_RECORDS = 2_000_000
#: Records between two calls of `Progress`.
STEP = 500
#: The format of a reading whose records bear names that others know them by: the rows of a labelled
#: set.
ROWS = "rows"

#: Is told what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


class TooManyRecords(UsageError):
    """More records than a job holds in memory."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file, and what came out of it. `reading`: empty where the file could not be read at all.
    `error`: why not; None where it could.
    """

    input: Input
    reading: FileReading
    error: FileFormatError | None = None

    @property
    def total(self) -> int:
        """Records that the file holds, also those that could not be read."""
        return self.reading.count + self.reading.lost


@dataclass(frozen=True, slots=True)
class InputRecord:
    """A record, and where it stands. Its properties are known without the record.

    Attributes:
        file: The place of its file among all files, from 0.
        key: Its `Record.key`, made different where another record has the same: the name that
            matches use.
        id: Its name in the list of clusters: the same or, for a row of a labelled set, the row's
            id.
    """

    file: int
    entry: Entry
    key: str
    id: str

    @property
    def line(self) -> int:
        return self.entry.line

    @property
    def position(self) -> int:
        return self.entry.record.position

    @property
    def database(self) -> str | None:
        return self.entry.database

    @property
    def origins(self) -> tuple[Origin, ...]:
        return self.entry.origins

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        return self.entry.given

    @property
    def check_sum(self) -> int:
        return check_sum([self.entry])


@dataclass(frozen=True, slots=True)
class JobWork:
    """One work. Its properties are known without the records.

    `items`: its records in the order in which they were read; the first one's place is that of the
    work. `hit`: what they make together; its `rank` is the work's number in the order of all works,
    from 1.
    """

    items: tuple[InputRecord, ...]
    hit: Hit

    @property
    def matches(self) -> tuple[Match, ...]:
        return self.hit.matches

    @property
    def versions(self) -> tuple[Version, ...]:
        return self.hit.versions


class JobWorks(Protocol):
    """The works of a job, in the order of their first records: a list of them, or a folder from
    which they are read anew each time.
    """

    def __iter__(self) -> Iterator[JobWork]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What a job has done.

    Attributes:
        files: In the order in which they were named.
        works: Gone through several times, and never held all at once by what writes them.
        versions: What has become of the versions of a work.
        passed_over: Comparisons that were not made, because too many records share a key.
        dedup: Name of the strategy that found the works.
    """

    files: Sequence[FileRead]
    works: JobWorks
    versions: VersionsMode
    passed_over: int
    dedup: str

    @property
    def complete(self) -> bool:
        """Whether everything that the files hold could be read."""
        return not any(file.error or file.reading.lost for file in self.files)


#: Reads a file that `metasearch.formats.reading` does not know; None where it is none of those, and
#: what was handed out is not valid then.
ReadFirst = Callable[[Input, HandOut | None], FileReading | None]


def say_nothing(_: str, __: int, ___: int) -> None:
    pass


def read_all(
    inputs: Sequence[Input],
    *,
    format: str | None = None,  # noqa: A002, as --from
    encoding: str | None = None,
    stdin: BinaryIO | None = None,
    first: ReadFirst | None = None,
    progress: Progress = say_nothing,
    most: int | None = None,
) -> list[FileRead]:
    """Read every file; one that cannot be read costs the others nothing. Raises TooManyRecords:
    they hold more.

    Args:
        format: One of `metasearch.formats.READABLE`; that of each file is detected if None.
        encoding: As Python calls it; that of each file is detected if None.
        stdin: What `STDIN` stands for.
        first: Is asked before `metasearch.formats.reading` where the format is to be detected.
        most: Records that they may hold; `MOST_RECORDS` if None.
    """
    most = MOST_RECORDS if most is None else most
    files = []
    records = 0
    for number, file in enumerate(inputs):
        progress("reading files", number, len(inputs))
        try:
            reading = read_one(file, format=format, encoding=encoding, stdin=stdin, first=first)
        except FileFormatError as exc:
            files.append(FileRead(file, FileReading(file.name, format or "", encoding or ""), exc))
        else:
            records += len(reading.entries)
            if records > most:
                raise TooManyRecords(
                    f"the files up to {file.name} hold {records:,} records, and one job compares "
                    f"{most:,}",
                    advice="De-duplicate some of the files first, and their results with the "
                    "others then. Or use --engine duckdb, which keeps them on disk.",
                )
            files.append(FileRead(file, reading))
    return files


def read_one(
    file: Input,
    *,
    format: str | None = None,  # noqa: A002, as --from
    encoding: str | None = None,
    stdin: BinaryIO | None = None,
    first: ReadFirst | None = None,
    hand_out: HandOut | None = None,
) -> FileReading:
    """`hand_out` is that of `metasearch.formats.reading.read_file`. Raises FileFormatError: the
    file cannot be read.
    """
    reading = first(file, hand_out) if first is not None and format is None else None
    return reading or _read(file, format, encoding, stdin, hand_out)


def _read(
    file: Input,
    form: str | None,
    encoding: str | None,
    stdin: BinaryIO | None,
    hand_out: HandOut | None,
) -> FileReading:
    if file.path == STDIN:
        pipe = stdin or io.BytesIO()
        return read_pipe(pipe, file.name, format=form, encoding=encoding, hand_out=hand_out)
    return read_file(file.path, name=file.name, format=form, encoding=encoding, hand_out=hand_out)


def deduplicate(
    files: Sequence[FileRead],
    chain: Chain,
    versions: VersionsMode = "separate",
    progress: Progress = say_nothing,
    dedup: str = "default",
) -> JobOutcome:
    """Find out which records are one work. `versions`: what becomes of preprint and article: in a
    review each is a record of its own.
    """
    stage = OnlineDedup(chain, versions=versions)
    items = list(_items(files))
    places = {id(item.entry.record): place for place, item in enumerate(items)}
    stage.extend(_fingerprints(items, progress))
    progress("merging records", len(items), len(items))
    found = [(sorted(places[id(record)] for record in hit.records), hit) for hit in stage.hits()]
    found.sort(key=lambda work: work[0][0])
    works = [
        JobWork(tuple(items[place] for place in members), replace(hit, rank=rank))
        for rank, (members, hit) in enumerate(found, 1)
    ]
    return JobOutcome(files, works, versions, stage.passed_over, dedup)


def _fingerprints(items: Sequence[InputRecord], progress: Progress) -> Iterator[Fingerprint]:
    for place, item in enumerate(items):
        if place % STEP == 0:
            progress("comparing records", place, len(items))
        yield Fingerprint(item.entry.record, item.key)


def _items(files: Iterable[FileRead]) -> Iterator[InputRecord]:
    keys: set[str] = set()
    ids: set[str] = set()
    number = 0
    for place, file in enumerate(files):
        own = file.reading.format == ROWS
        for entry in file.reading.entries:
            number += 1
            key = free_name((entry.record.key,), number, keys)
            names = (entry.record.source_id, key) if own else (key,)
            yield InputRecord(place, entry, key, free_name(names, number, ids))


def free_name(names: Sequence[str], number: int, taken: set[str]) -> str:
    """The first of the names that is not taken, or else a new one; it is taken then."""
    free = [name for name in names if name and name not in taken]
    name = free[0] if free else f"{names[-1]}@{number}"
    while name in taken:
        name += "+"
    taken.add(name)
    return name
