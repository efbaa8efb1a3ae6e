"""The stage `records`: each file is read by a worker process, and each record gets a name that no
other one has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa

from metasearch.bulk.job import ROWS, FileRead, Progress, ReadFirst, free_name, read_one
from metasearch.bulk.staged import parts as schemas
from metasearch.bulk.staged.parts import (
    DamagedPart,
    batches,
    decode,
    encode,
    is_in,
    parts_in,
    write_part,
)
from metasearch.bulk.staged.pool import SideTasks, run_all
from metasearch.errors import FileFormatError
from metasearch.formats.reading import Entry, FileProblem, FileReading, HandOut
from metasearch.formats.reading.files import STDIN, Input

# The stage `records`: each file is read by a worker process, which writes its records in parts.
# Beside the parts of a file stands a note: its format, its problems, how many records it holds. It
# is written last, and a file that has one is not read again.

#: Records of a part.
PART = 10_000
DOING = "reading files"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are read, as in `job.read_all`."""

    format: str | None = None
    encoding: str | None = None
    first: ReadFirst | None = None


def part_name(file: int, part: int) -> str:
    """The name of a part: in the order of all records."""
    return f"part-{file:06}-{part:06}.parquet"


def read_stage(
    inputs: Sequence[Input],
    options: ReadOptions,
    folder: Path,
    workers: int,
    stdin: BinaryIO | None,
    progress: Progress,
    beside: SideTasks | None = None,
) -> None:
    """Read all files that have no note yet; `beside` as in `pool.run_all`."""
    tasks = []
    for number, file in enumerate(inputs):
        if _note_of(folder, number).exists():
            continue
        if file.path == STDIN:  # only this process has it
            _read(options, folder, (number, file), stdin)
        else:
            tasks.append((number, file))
    before = len(inputs) - len(tasks)
    progress(DOING, before, len(inputs))
    run_all(
        partial(_read, options, folder),
        tasks,
        workers if beside is not None else min(workers, len(tasks)),
        lambda done: progress(DOING, before + done, len(inputs)),
        beside,
    )


def _note_of(folder: Path, number: int) -> Path:
    return folder / f"file-{number:06}.json"


def _read(
    options: ReadOptions, folder: Path, task: tuple[int, Input], stdin: BinaryIO | None = None
) -> None:
    number, file = task
    parts = _Parts(folder, number)
    error: FileFormatError | None = None
    try:
        reading = read_one(
            file,
            format=options.format,
            encoding=options.encoding,
            stdin=stdin,
            first=parts.first(options.first),
            hand_out=parts.take,
        )
    except FileFormatError as exc:
        error = exc
        reading = FileReading(file.name, options.format or "", options.encoding or "")
        parts.drop()
    else:
        if not reading.handed[0]:  # a reader that hands nothing out
            parts.take(reading.entries)
        parts.finish()
    own = reading.format == ROWS
    note: dict[str, Any] = {
        "format": reading.format,
        "encoding": reading.encoding,
        "rows": own,
        "handed": [
            reading.count,
            reading.check_sum,
            [[_utf8(tag), times] for tag, times in reading.tags().items()],
        ],
        "problems": [[it.line, _utf8(it.message), it.lost] for it in reading.problems],
        "untold": reading.untold,
        "error": None if error is None else [_utf8(str(error)), _utf8(error.advice)],
    }
    path = _note_of(folder, number)
    undone = path.with_name(path.name + ".unfinished")
    undone.write_bytes(orjson.dumps(note))
    undone.replace(path)


class _Parts:
    """Writes the entries of a file, as many at once as a part has."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._number = number
        self._waiting: list[tuple[str, str, bytes]] = []
        self._count = 0
        #: Parts, also those that were deleted: what was made of one is known by its name.
        self._written = 0

    def first(self, first: ReadFirst | None) -> ReadFirst | None:
        """What it takes back is deleted."""
        if first is None:
            return None

        def read(file: Input, hand_out: HandOut | None) -> FileReading | None:
            reading = first(file, hand_out)
            if reading is None:
                self.drop()
            return reading

        return read

    def take(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            record = entry.record
            row = _utf8(record.key), _utf8(record.source_id), encode(entry)
            self._waiting.append(row)
            if len(self._waiting) == PART:
                self._write()

    def _write(self) -> None:
        start = (self._number << schemas.FILE_BITS) + self._count
        keys, ids, entries = zip(*self._waiting, strict=True)
        table = pa.table(
            [range(start, start + len(keys)), keys, ids, entries], schema=schemas.RECORDS
        )
        write_part(self._folder / part_name(self._number, self._written), table)
        self._written += 1
        self._count += len(keys)
        self._waiting.clear()

    def finish(self) -> None:
        if self._waiting:
            self._write()

    def drop(self) -> None:
        """Delete what was written: the file turned out to be none that can be read so."""
        self._waiting.clear()
        self._count = 0
        for path in self._folder.glob(f"part-{self._number:06}-*"):
            path.unlink()


def _utf8(text: str) -> str:
    """A text without lone surrogates, which a column cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def entry_of(data: bytes, path: Path) -> Entry:
    """An entry of a part. Raises DamagedPart: the bytes are no entry."""
    try:
        return decode(data)
    except ValueError as exc:
        raise DamagedPart(path, str(exc)) from exc


def files_of(inputs: Sequence[Input], folder: Path) -> list[FileRead]:
    """What came out of each file: with all its problems; its entries stay on disk. Raises
    DamagedPart: a note cannot be read.
    """
    files = []
    for number, file in enumerate(inputs):
        path = _note_of(folder, number)
        try:
            note = orjson.loads(path.read_bytes())
            count, total, tags = note["handed"]
            reading = FileReading(
                file.name,
                note["format"],
                note["encoding"],
                problems=[FileProblem(*problem) for problem in note["problems"]],
                untold=(note["untold"][0], note["untold"][1]),
                handed=(count, total, Counter(dict(tags))),
            )
            error = note["error"] and _error(file.name, *note["error"])
        except (OSError, ValueError, TypeError, KeyError) as exc:
            raise DamagedPart(path, repr(exc)) from exc
        files.append(FileRead(file, reading, error or None))
    return files


def _error(file: str, text: str, advice: str) -> FileFormatError:
    return FileFormatError(file, text.removeprefix(f"{file}: "), advice=advice)


# Names of records that no other record has: the rule of `job.free_name` for more names than memory
# holds. Only names that occur twice, and those that are made, can be taken when their turn comes;
# of all others a hash of 64 bits is kept, and that only while they are counted.

_Hashes = npt.NDArray[np.int64]
#: The names that some records may bear, a column for the best one and one for the next; the
#: records of all are in the order of their places.
Columns = Sequence[Sequence[str]]


def unique_names(columns: Callable[[], Iterable[Columns]]) -> dict[int, str]:
    """Place of a record, from 0 -> its name, where that is not the best one that it may bear.
    `columns`: gives the names of all records, whenever it is called.
    """
    hashes = [_hashes(column) for some in columns() for column in some]
    known, times = np.unique(np.concatenate([np.empty(0, np.int64), *hashes]), return_counts=True)
    del hashes
    watched = known[times > 1]
    found: dict[int, str] = {}
    while len(watched):
        found, clashes = _pass(columns(), known, watched)
        if not clashes:
            break
        # A name that was made is one that another record bears: its turn must be known, too.
        watched = np.union1d(watched, np.fromiter(clashes, np.int64))
    return found


def _hashes(names: Sequence[str]) -> _Hashes:
    return np.fromiter(map(hash, names), np.int64, len(names))


def _pass(
    columns: Iterable[Columns], known: _Hashes, watched: _Hashes
) -> tuple[dict[int, str], set[int]]:
    taken: set[str] = set()
    found: dict[int, str] = {}
    clashes: set[int] = set()
    start = 0
    for some in columns:
        wanted = np.logical_or.reduce([is_in(_hashes(column), watched) for column in some])
        for at in np.flatnonzero(wanted).tolist():
            names = tuple([column[at] for column in some])
            name = free_name(names, start + at + 1, taken)
            if name not in names:
                clash = np.asarray([hash(name)])
                if is_in(clash, known)[0] and not is_in(clash, watched)[0]:
                    clashes.add(int(clash[0]))
            if name != _best(names):
                found[start + at] = name
        start += len(some[0])
    return found, clashes


def _best(names: Sequence[str]) -> str:
    return next(filter(None, names), names[-1])


@dataclass(frozen=True, slots=True)
class FreeNames:
    """What records are called in a job.

    Attributes:
        keys: Place of a record -> its key, where that is not `Record.key`.
        ids: Place -> its id in the list of clusters, where that is neither its own one, which a row
            of a labelled set has, nor its key.
        rows: The places of the files that are labelled sets.
    """

    keys: dict[int, str]
    ids: dict[int, str]
    rows: Collection[int]

    @classmethod
    def of(cls, records: Path, rows: Collection[int]) -> FreeNames:
        """The names of all records of the stage `records`."""
        keys = unique_names(lambda: ([some] for _, some, _ in _names_of(records)))

        def ids() -> Iterator[Columns]:
            start = 0
            for file, some, own in _names_of(records):
                places = range(start, start + len(some))
                free = [keys.get(place, key) for place, key in zip(places, some, strict=True)]
                yield [own, free] if file in rows else [free]
                start += len(some)

        return cls(keys, unique_names(ids) if rows else {}, rows)

    def within(self, places: range) -> FreeNames:
        """What those of these places are called."""
        keys, ids = (
            {place: names[place] for place in places if place in names} if names else {}
            for names in (self.keys, self.ids)
        )
        return FreeNames(keys, ids, self.rows)

    def of_record(self, place: int, number: int, key: str, own: str) -> tuple[str, str]:
        """(key, id) of a record. `own`: its `Record.source_id`."""
        free = self.keys.get(place, key)
        best = own or free if number >> schemas.FILE_BITS in self.rows else free
        return free, self.ids.get(place, best)


def _names_of(records: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """(file, `Record.key` of each, `Record.source_id` of each) of some records of a file at a
    time.
    """
    for path in parts_in(records):
        for batch in batches(path, ["number", "key", "id"]):
            number, keys, ids = batch.columns
            if len(keys):
                yield number[0].as_py() >> schemas.FILE_BITS, keys.to_pylist(), ids.to_pylist()
