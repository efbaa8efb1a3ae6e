"""Files of records onto a shelf: whatever `metasearch.formats.reading` reads, each file once, and
again when it has changed.

A folder that was named is remembered, and so is each of its files: what has its size and time of
change is not opened, what has its old content all the same is not read, and what is gone takes its
records with it.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from metasearch import opening
from metasearch.bulk.inputs import Input, gather
from metasearch.collections.store import KnownFile, Shelf
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.reading import MOST_BYTES, FileProblem, read_content
from metasearch.formats.reading.content import Content, not_opened, too_large, unreadable
from metasearch.formats.text import line

#: What is kept of one file's problems; all of them are counted.
TOLD = 100

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class FileReport:
    """One file that was read.

    Attributes:
        error: Why nothing of it could be read; None where something could. Its old records stay
            then.
    """

    name: str
    records: int = 0
    lost: int = 0
    problems: list[FileProblem] = field(default_factory=list)
    error: FileFormatError | None = None


@dataclass(slots=True)
class Indexed:
    """How the indexing went.

    Attributes:
        read: Files that were new or changed.
        unchanged: Files that were not.
        gone: Files that are no longer there.
        removed: Records that went with them.
        notes: What was named and is not read, in words.
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
    def lost(self) -> int:
        """Records of these that could not be read."""
        return sum(file.lost for file in self.read)

    @property
    def failed(self) -> int:
        """Files that could not be read at all."""
        return sum(file.error is not None for file in self.read)


def roots_of(shelf: Shelf) -> list[Path]:
    """The folders and files that were ever named for a shelf."""
    text = shelf.meta("roots")
    return [Path(it) for it in orjson.loads(text)] if text else []


def index(
    named: Sequence[Path], shelf: Shelf, progress: Progress = lambda _done, _of: None
) -> Indexed:
    """Bring a shelf to what its files hold.

    Args:
        named: Folders and files; none for all that were named before.
        shelf: Open for writing.
        progress: Is told how many files are done, of how many.

    Raises:
        UsageError: Something is not there, or a folder holds nothing that can be read.
        ShelfError: The shelf cannot be written.
    """
    known_roots = roots_of(shelf)
    roots = [_root(path) for path in named]
    if not named:
        if not known_roots:
            raise UsageError(
                "nothing was ever indexed on this shelf", advice="Name a folder or files."
            )
        roots = [path for path in known_roots if path.exists()]
    known, missing = shelf.files(), [path for path in known_roots if not path.exists()]
    out = Indexed()
    placed: dict[str, tuple[Input, Path]] = {}
    for root in roots:
        found = _gathered(root, known)
        out.notes += found[1]
        placed |= {_kept(os.path.realpath(it.path)): (it, root) for it in found[0]}
    with shelf.transaction():
        every = dict.fromkeys([*map(str, known_roots), *map(str, roots)])
        shelf.note(roots=orjson.dumps(list(every)).decode())
        for path, file in known.items():
            looked_through = Path(file.root) in roots or (not named and Path(file.root) in missing)
            if looked_through and path not in placed:
                out.gone += 1
                out.removed += shelf.drop_file(file.id)
    for number, (path, (it, root)) in enumerate(placed.items()):
        progress(number, len(placed))
        _bring(path, it, root, known.get(path), shelf, out)
    progress(len(placed), len(placed))
    return out


def _root(path: Path) -> Path:
    """Where it really lies.

    Raises:
        UsageError: Its name cannot be remembered.
    """
    real = os.path.realpath(path)
    if _kept(real) != real:
        raise UsageError(
            f"the name of {_kept(real)} is not in UTF-8", advice="Give it another name."
        )
    return Path(real)


def _kept(path: str) -> str:
    r"""A path as the shelf keeps it: bytes that are not UTF-8, which a file's name may hold, as
    \xff.
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _gathered(root: Path, known: dict[str, KnownFile]) -> tuple[tuple[Input, ...], tuple[str, ...]]:
    """The files in a root; none where a folder that had some is empty now."""
    try:
        found = gather([root])
    except UsageError:
        if root.is_dir() and any(file.root == str(root) for file in known.values()):
            return (), ()
        raise
    return found.files, found.notes


def _bring(
    path: str, it: Input, root: Path, known: KnownFile | None, shelf: Shelf, out: Indexed
) -> None:
    """Bring the shelf to what one file holds."""
    name = line(os.path.relpath(path, root) if root.is_dir() else Path(path).name) or it.name
    try:
        stat = it.path.stat()
        size, changed = stat.st_size, stat.st_mtime_ns
        if known is not None and (known.size, known.changed) == (size, changed):
            out.unchanged += 1
            return
    except OSError as exc:
        out.read.append(FileReport(name, error=not_opened(name, exc)))
        return
    try:
        with opening.opened(it.path) as file:
            _bring_content(path, name, file, (size, changed), root, known, shelf, out)
    except (OSError, MemoryError) as exc:
        error = not_opened(name, exc) if isinstance(exc, OSError) else unreadable(name, exc)
        out.read.append(FileReport(name, error=error))


def _bring_content(
    path: str,
    name: str,
    file: io.BufferedReader,
    stamp: tuple[int, int],
    root: Path,
    known: KnownFile | None,
    shelf: Shelf,
    out: Indexed,
) -> None:
    size, changed = stamp
    if size > MOST_BYTES:
        out.read.append(FileReport(name, error=too_large(name, MOST_BYTES)))
        return
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    if known is not None and known.digest == digest:
        with shelf.transaction():
            shelf.put_file(
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
    with shelf.transaction():
        number = shelf.put_file(
            path, str(root), size=size, changed=changed, digest=digest, lost=report.lost
        )
        shelf.empty_file(number)
        for entry in reading.entries:
            key = _key(name, entry.record.source_id, entry.record.position, shelf)
            try:
                shelf.put(key, replace(entry.record, source_id=key), file=number)
            except ValueError as exc:
                report.lost += 1
                report.problems.append(
                    FileProblem(entry.line, f"the record cannot be kept: {exc}", lost=1)
                )
            else:
                report.records += 1
        shelf.put_file(path, str(root), size=size, changed=changed, digest=digest, lost=report.lost)


def _key(name: str, source_id: str, position: int, shelf: Shelf) -> str:
    """What the record is called on the shelf: "folder/file.ris:id", or its place in the file where
    that gives no id.
    """
    key = f"{name}:{source_id}" if source_id else f"{name}:@{position}"
    while shelf.has(key):  # a file of the same name in another folder
        key += "+"
    return key
