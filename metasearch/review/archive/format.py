"""Writes a project as an archive: the same project gives the same bytes.

The rows are those of one moment, whatever others write meanwhile, and are written as they are read:
memory holds the numbers of rows, and one row.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from metasearch import __version__, opening
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.archive.format import (
    DATE,
    FORMAT,
    MANIFEST,
    PAGE,
    VERSION,
    renumbered_numbers,
    renumbered_object,
    table_member,
)
from metasearch.workspace.archive.tables import TABLES, Columns, Table, columns
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database

#: Bytes that are compressed at a time, and of one recorded page at most.
_CHUNK, MOST_PAGE = 1 << 16, 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written. `rows`: table -> rows. `lacking`: numbers of the runs whose recorded pages
    are not where they were.
    """

    rows: dict[str, int]
    pages: int
    lacking: tuple[int, ...]
    bytes: int


def export_project(db: Database, project: Project, file: BinaryIO) -> Exported:
    """Write a project to an open file, which must be seekable. Raises OSError: the file cannot be
    written, or a recorded page cannot be read.
    """
    with db.snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        written = _Archive(db, project, archive)
        for table in TABLES:
            written.table(table)
        written.recorded()
        written.manifest()
    return Exported(
        rows=written.rows,
        pages=written.pages,
        lacking=tuple(written.lacking),
        bytes=file.tell(),
    )


def export_to(db: Database, project: Project, path: Path, *, replace: bool = False) -> Exported:
    """Write a project to a file, which gets its name when it is whole.

    `path`: of the file, which only its owner may read. `replace`: whether a file that is there may
    be replaced. Raises UsageError: there is a file already, or the file cannot be written.
    """
    if not replace and os.path.lexists(path):
        raise UsageError(
            message("{file} exists already", file=path),
            advice=message("Name another file, or delete that one first."),
        )
    draft: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # mode 0600
        draft = Path(name)
        with os.fdopen(handle, "wb") as file:
            exported = export_project(db, project, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        draft = None
    except (OSError, ValueError) as exc:
        raise UsageError(
            message("{file} cannot be written: {reason}", file=path, reason=opening.why(exc)),
            advice=message("Check the folder, who owns it, and the free space."),
        ) from exc
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink()
    return exported


@dataclass(slots=True)
class _Archive:
    """An archive that is being written."""

    db: Database
    project: Project
    archive: zipfile.ZipFile
    rows: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    lacking: list[int] = field(default_factory=list)
    members: list[dict[str, Any]] = field(default_factory=list)
    #: Table -> number of a row in the workspace -> its number in the archive.
    numbers: dict[str, dict[int, int]] = field(default_factory=dict)
    #: Folder of recorded pages -> number of the first run that has it.
    folders: dict[str, int] = field(default_factory=dict)

    def table(self, table: Table) -> None:
        """Write the rows of a table, one JSON object a line."""
        shape = columns(self.db, table)
        if shape.numbered:
            # Before the rows: a row may name a later one of its table.
            found = self.db.rows(
                f"SELECT id FROM {table.name} WHERE {table.where} ORDER BY id",  # noqa: S608
                self.project.id,
            )
            self.numbers[table.name] = {row[0]: place for place, row in enumerate(found, 1)}
        count = 0

        def lines() -> Iterator[bytes]:
            nonlocal count
            for row in self.db.rows(
                f"SELECT * FROM {table.name} WHERE {table.where} ORDER BY {table.order}",  # noqa: S608
                self.project.id,
            ):
                count += 1
                yield orjson.dumps(self._row(table, shape, row), option=orjson.OPT_APPEND_NEWLINE)

        self._member(table_member(table.name), lines())
        self.rows[table.name] = self.members[-1]["rows"] = count

    def recorded(self) -> None:
        """Write the recorded pages of the runs."""
        for folder, number in self.folders.items():
            root = Path(folder)
            found = sorted(path.relative_to(root).as_posix() for path in root.glob("*/*/*"))
            for path in found:
                member = f"recorded/{number}/{path}"
                if PAGE.fullmatch(member):
                    content = opening.read(root / path, MOST_PAGE)
                    self._member(member, (content,))
                    self.pages += 1

    def manifest(self) -> None:
        """Write what the archive holds, with the digests of its members."""
        known = {
            "format": FORMAT,
            "version": VERSION,
            "tables": self.db.value("PRAGMA user_version"),
            "tool": f"metasearch {__version__}",
            "project": {
                "uid": self.project.uid,
                "name": self.project.name,
                "kind": self.project.kind,
            },
            "members": self.members,
        }
        content = orjson.dumps(known, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        self._member(MANIFEST, (content,))

    def _row(self, table: Table, shape: Columns, row: sqlite3.Row) -> dict[str, Any]:
        values = {name: row[name] for name in shape.names}
        if shape.numbered:
            values["id"] = self.numbers[table.name][values["id"]]
        for name, other in shape.refers.items():
            if values[name] is not None:
                values[name] = self.numbers[other].get(values[name])
        for name in shape.blobs:
            values[name] = _text(values[name])
        match table.name:
            case "change":
                values["object"] = renumbered_object(values["object"], self._number)
            case "report":
                values["data"] = renumbered_numbers(values["data"], self._number)
            case "run":
                values["recorded"] = self._folder(values["number"], values["recorded"])
        return values

    def _number(self, table: str, row: int) -> int | None:
        return self.numbers.get(table, {}).get(row)

    def _folder(self, run: int, folder: str) -> str:
        """The folder in the archive with the pages of a run; runs may have one together."""
        if not folder:
            return ""
        if not Path(folder).is_dir():
            self.lacking.append(run)
            return ""
        return f"recorded/{self.folders.setdefault(folder, run)}"

    def _member(self, name: str, parts: Iterable[bytes]) -> None:
        info = zipfile.ZipInfo(name, DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system, info.external_attr = 3, 0o600 << 16  # as on Unix, everywhere
        digest, size = hashlib.sha256(), 0
        with self.archive.open(info, "w", force_zip64=True) as member:
            for part in _chunks(parts):
                digest.update(part)
                size += len(part)
                member.write(part)
        self.members.append({"name": name, "bytes": size, "sha256": digest.hexdigest()})


def _chunks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts, short ones together."""
    waiting: list[bytes] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _text(content: bytes | None) -> Any:
    """Bytes as JSON has them: those of texts, as nearly all are, as text."""
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
