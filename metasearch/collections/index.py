"""Fills a collection with the records of files, in all formats of `metasearch.formats.reading`.

The collection stores which folders and files were named, and each file that was read. The next
time, a file with the same size and time of change is not opened, and one with the same content is
not parsed. The records of a file that is gone are deleted.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from metasearch import regular_files
from metasearch.collections.store import Collection, FileEntry
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.reading import MOST_BYTES, FileProblem, read_content
from metasearch.formats.reading.files import (
    Content,
    Input,
    gather,
    open_error,
    read_error,
    size_error,
)
from metasearch.formats.text import line

#: Problems of one file that are kept; all of them are counted.
TOLD = 100

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class FileReport:
    """A file that was read. `error`: why it could not be, or None; then old records stay."""

    name: str
    records: int = 0
    lost: int = 0
    problems: list[FileProblem] = field(default_factory=list)
    error: FileFormatError | None = None


@dataclass(slots=True)
class IndexReport:
    """The result of indexing.

    Attributes:
        read: Files that were new or changed.
        unchanged: Number of files that were not.
        gone: Number of files that are no longer there.
        removed: Number of their records, which were deleted.
        notes: Files that were named and not read, as sentences.
    """

    read: list[FileReport] = field(default_factory=list)
    unchanged: int = 0
    gone: int = 0
    removed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        """Records of the files that were read."""
        return sum(file.records for file in self.read)

    @property
    def unread_records(self) -> int:
        """Records of the files that could not be read."""
        return sum(file.lost for file in self.read)

    @property
    def unreadable_files(self) -> int:
        """Files that could not be read at all."""
        return sum(file.error is not None for file in self.read)


def roots_of(collection: Collection) -> list[Path]:
    """The folders and files that were named for a collection, in all runs."""
    text = collection.meta("roots")
    return [Path(path) for path in orjson.loads(text)] if text else []


def index(
    named: Sequence[Path], collection: Collection, progress: Progress = lambda _done, _of: None
) -> IndexReport:
    """Update a collection from its files.

    `progress`: called with the number of files done and the number of all files. Raises UsageError:
    a file or folder is not there, or a folder holds no file that can be read; CollectionError: the
    collection cannot be written.
    """
    known_roots = roots_of(collection)
    roots = [_root(path) for path in named]
    if not named:
        if not known_roots:
            raise UsageError("this collection has no files yet", advice="Name a folder or files.")
        roots = [path for path in known_roots if path.exists()]
    known, missing = collection.files(), [path for path in known_roots if not path.exists()]
    out = IndexReport()
    placed: dict[str, tuple[Input, Path]] = {}
    for root in roots:
        files, notes = _files_of(root, known)
        out.notes += notes
        placed |= {_path_text(os.path.realpath(file.path)): (file, root) for file in files}
    with collection.transaction():
        every = dict.fromkeys([*map(str, known_roots), *map(str, roots)])
        collection.note(roots=orjson.dumps(list(every)).decode())
        for path, file in known.items():
            looked_through = Path(file.root) in roots or (not named and Path(file.root) in missing)
            if looked_through and path not in placed:
                out.gone += 1
                out.removed += collection.drop_file(file.id)
    for number, (path, (input_file, root)) in enumerate(placed.items()):
        progress(number, len(placed))
        _update(path, input_file, root, known.get(path), collection, out)
    progress(len(placed), len(placed))
    return out


def _root(path: Path) -> Path:
    """The path without links. Raises UsageError: the name is not in UTF-8, so is not stored."""
    real = os.path.realpath(path)
    if _path_text(real) != real:
        raise UsageError(
            f"the name of {_path_text(real)} is not in UTF-8", advice="Give it another name."
        )
    return Path(real)


def _path_text(path: str) -> str:
    r"""A path as the collection stores it: bytes of a file name that are not UTF-8 become \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _files_of(root: Path, known: dict[str, FileEntry]) -> tuple[tuple[Input, ...], tuple[str, ...]]:
    """(files of a root, notes); no files where a folder that had some is empty now."""
    try:
        gathered = gather([root])
    except UsageError:
        if root.is_dir() and any(file.root == str(root) for file in known.values()):
            return (), ()
        raise
    return gathered.files, gathered.notes


def _update(
    path: str,
    file: Input,
    root: Path,
    known: FileEntry | None,
    collection: Collection,
    out: IndexReport,
) -> None:
    """Update the collection from one file."""
    name = line(os.path.relpath(path, root) if root.is_dir() else Path(path).name) or file.name
    try:
        stat = file.path.stat()
        size, changed = stat.st_size, stat.st_mtime_ns
        if known is not None and (known.size, known.changed) == (size, changed):
            out.unchanged += 1
            return
    except OSError as exc:
        out.read.append(FileReport(name, error=open_error(name, exc)))
        return
    try:
        with regular_files.open_regular(file.path) as stream:
            _read_into(path, name, stream, (size, changed), root, known, collection, out)
    except (OSError, MemoryError) as exc:
        error = open_error(name, exc) if isinstance(exc, OSError) else read_error(name, exc)
        out.read.append(FileReport(name, error=error))


def _read_into(
    path: str,
    name: str,
    file: io.BufferedReader,
    stamp: tuple[int, int],
    root: Path,
    known: FileEntry | None,
    collection: Collection,
    out: IndexReport,
) -> None:
    size, changed = stamp
    if size > MOST_BYTES:
        out.read.append(FileReport(name, error=size_error(name, MOST_BYTES)))
        return
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    if known is not None and known.digest == digest:
        with collection.transaction():
            collection.put_file(
                path, str(root), size=size, changed=changed, digest=digest, lost=known.lost
            )
        out.unchanged += 1
        return
    report = FileReport(name)
    out.read.append(report)
    try:
        reading = read_content(Content(file, name, MOST_BYTES))
    except FileFormatError as exc:
        report.error = exc
        return
    report.problems = reading.problems[:TOLD]
    report.lost = reading.lost
    with collection.transaction():
        number = collection.put_file(
            path, str(root), size=size, changed=changed, digest=digest, lost=report.lost
        )
        collection.empty_file(number)
        for entry in reading.entries:
            key = _key(name, entry.record.source_id, entry.record.position, collection)
            try:
                collection.put(key, replace(entry.record, source_id=key), file=number)
            except ValueError as exc:
                report.lost += 1
                report.problems.append(
                    FileProblem(entry.line, f"the record cannot be kept: {exc}", lost=1)
                )
            else:
                report.records += 1
        collection.put_file(
            path, str(root), size=size, changed=changed, digest=digest, lost=report.lost
        )


def _key(name: str, source_id: str, position: int, collection: Collection) -> str:
    """The key of a record: "folder/file.ris:id", or with its place "folder/file.ris:@3" where the
    file has no id for it.
    """
    key = f"{name}:{source_id}" if source_id else f"{name}:@{position}"
    while collection.has(key):  # a file of the same name in another folder
        key += "+"
    return key
