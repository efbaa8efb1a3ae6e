"""The stage `records`: each file is read by a worker process, which writes its records in parts.

Beside the parts of a file stands a note: its format, its problems, how many records it holds. It is
written last, and a file that has one is not read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyarrow as pa

from metasearch.bulk.job import ROWS, FileRead, Progress, ReadFirst, read_one
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.entries import decoded, encoded
from metasearch.bulk.staged.parts import DamagedPart, write_part
from metasearch.bulk.staged.pool import Beside, run_all
from metasearch.errors import FileFormatError
from metasearch.formats.reading import Entry, FileProblem, FileReading, HandOut
from metasearch.formats.reading.inputs import STDIN, Input

#: Records of a part.
PART = 10_000
DOING = "reading files"


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files are read, as in `job.read_all`."""

    format: str | None = None
    encoding: str | None = None
    first: ReadFirst | None = None


def part_name(file: int, part: int) -> str:
    """The name of a part: in the order of all records."""
    return f"part-{file:06}-{part:06}.parquet"


def read_stage(
    inputs: Sequence[Input],
    options: ReadingOptions,
    folder: Path,
    workers: int,
    stdin: BinaryIO | None,
    progress: Progress,
    beside: Beside | None = None,
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
    options: ReadingOptions, folder: Path, task: tuple[int, Input], stdin: BinaryIO | None = None
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
        """The same; what it takes back is deleted."""
        if first is None:
            return None

        def read(file: Input, hand_out: HandOut | None) -> FileReading | None:
            reading = first(file, hand_out)
            if reading is None:
                self.drop()
            return reading

        return read

    def take(self, entries: Sequence[Entry]) -> None:
        """Take the next entries."""
        for entry in entries:
            record = entry.record
            row = _utf8(record.key), _utf8(record.source_id), encoded(entry)
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
        """Write what is left."""
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


# --------------------------------------------------------------------------- what was read


def entry_of(data: bytes, path: Path) -> Entry:
    """An entry of a part. Raises DamagedPart: the bytes are no entry."""
    try:
        return decoded(data)
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
