"""The stage `records`: each file is read by a worker process, which writes its records in parts.

Beside the parts of a file stands a note: its format, its problems, how many records it holds. It is
written last, and a file that has one is not read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson
import pyarrow as pa

from metasearch.bulk.inputs import STDIN, Input
from metasearch.bulk.job import ROWS, FileRead, Progress, ReadFirst, read_one
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.entries import decoded, encoded
from metasearch.bulk.staged.parts import DamagedPart, batches, write_part
from metasearch.bulk.staged.pool import run_all
from metasearch.errors import FileFormatError
from metasearch.formats.reading import Entry, FileProblem, FileReading

#: Records of a part.
PART = 20_000
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
) -> None:
    """Read all files that have no note yet."""
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
        min(workers, len(tasks)),
        lambda done: progress(DOING, before + done, len(inputs)),
    )


def _note_of(folder: Path, number: int) -> Path:
    return folder / f"file-{number:06}.json"


def _read(
    options: ReadingOptions, folder: Path, task: tuple[int, Input], stdin: BinaryIO | None = None
) -> None:
    number, file = task
    error: FileFormatError | None = None
    try:
        reading = read_one(
            file,
            format=options.format,
            encoding=options.encoding,
            stdin=stdin,
            first=options.first,
        )
    except FileFormatError as exc:
        error = exc
        reading = FileReading(file.name, options.format or "", options.encoding or "")
    count = 0
    for part, rows in enumerate(_rows(number, reading)):
        write_part(folder / part_name(number, part), rows)
        count += rows.num_rows
    note: dict[str, Any] = {
        "format": reading.format,
        "encoding": reading.encoding,
        "count": count,
        "problems": [[it.line, _utf8(it.message), it.lost] for it in reading.problems],
        "untold": reading.untold,
        "error": None if error is None else [_utf8(str(error)), _utf8(error.advice)],
    }
    path = _note_of(folder, number)
    undone = path.with_name(path.name + ".unfinished")
    undone.write_bytes(orjson.dumps(note))
    undone.replace(path)


def _rows(number: int, reading: FileReading) -> Iterator[pa.Table]:
    """The records of a file, as many at once as a part has."""
    own = reading.format == ROWS
    coming = enumerate(reading.entries, number << schemas.FILE_BITS)
    while some := list(islice(coming, PART)):
        records = [entry.record for _, entry in some]
        yield pa.table(
            [
                [place for place, _ in some],
                [_utf8(record.key) for record in records],
                [_utf8(record.source_id) if own else None for record in records],
                [encoded(entry) for _, entry in some],
            ],
            schema=schemas.RECORDS,
        )


def _utf8(text: str) -> str:
    """A text without lone surrogates, which a column cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


# --------------------------------------------------------------------------- what was read


class StagedEntries(Sequence[Entry]):
    """The entries of a file, read from its parts whenever they are asked for.

    Args:
        folder: Of the stage `records`.
        number: Of the file.
        count: How many it has.
    """

    def __init__(self, folder: Path, number: int, count: int) -> None:
        self._folder = folder
        self._number = number
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Entry]:
        for path in sorted(self._folder.glob(f"part-{self._number:06}-*.parquet")):
            for batch in batches(path, ["entry"]):
                for data in batch.column(0).to_pylist():
                    yield entry_of(data, path)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return list(islice(self, *at.indices(self._count)))
        return next(islice(self, range(self._count)[at], None))


def entry_of(data: bytes, path: Path) -> Entry:
    """An entry of a part.

    Raises:
        DamagedPart: The bytes are no entry.
    """
    try:
        return decoded(data)
    except ValueError as exc:
        raise DamagedPart(path, str(exc)) from exc


def files_of(inputs: Sequence[Input], folder: Path) -> list[FileRead]:
    """What came out of each file: with all its problems; its entries stay on disk.

    Raises:
        DamagedPart: A note cannot be read.
    """
    files = []
    for number, file in enumerate(inputs):
        path = _note_of(folder, number)
        try:
            note = orjson.loads(path.read_bytes())
            entries = StagedEntries(folder, number, note["count"])
            reading = FileReading(
                file.name,
                note["format"],
                note["encoding"],
                # Nobody adds to what was read.
                cast("list[Entry]", entries),
                [FileProblem(*problem) for problem in note["problems"]],
                (note["untold"][0], note["untold"][1]),
            )
            error = note["error"] and _error(file.name, *note["error"])
        except (OSError, ValueError, TypeError, KeyError) as exc:
            raise DamagedPart(path, repr(exc)) from exc
        files.append(FileRead(file, reading, error or None))
    return files


def _error(file: str, text: str, advice: str) -> FileFormatError:
    return FileFormatError(file, text.removeprefix(f"{file}: "), advice=advice)
