"""What is in an archive of a project, and how one is written.

Rows of a table with an `id` are numbered from 1 in an archive, so that it does not depend on the
workspace that wrote it. The tables that are left out are made of the others.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from metasearch import __version__, regular_files
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database

_OF_STRATEGY = "strategy IN (SELECT id FROM strategy WHERE project = ?)"
_OF_STEP = (
    "step IN (SELECT step.id FROM step JOIN strategy ON strategy.id = step.strategy"
    " WHERE strategy.project = ?)"
)
_OF_RUN = "run IN (SELECT id FROM run WHERE project = ?)"
_OF_ANSWER = (
    "answer IN (SELECT answer.id FROM answer JOIN run ON run.id = answer.run WHERE run.project = ?)"
)
_OF_WORK = "work IN (SELECT id FROM work WHERE project = ?)"
_OF_PROJECT = "project = ?"


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A table of a workspace. `where`: which of its rows belong to the project `?`. `names`: column
    -> table whose ids it holds, beside those that the schema declares.
    """

    name: str
    where: str
    order: str = "id"
    names: Mapping[str, str] = field(default_factory=dict)
    long: bool = True


#: A row names rows of tables before its own, or of its own.
TABLES: tuple[ArchiveTable, ...] = (
    ArchiveTable("project", "id = ?"),
    ArchiveTable("strategy", _OF_PROJECT),
    ArchiveTable("step", _OF_STRATEGY),
    ArchiveTable("step_parent", _OF_STEP, "step, parent", long=False),
    ArchiveTable("run", _OF_PROJECT),
    ArchiveTable("answer", _OF_RUN),
    ArchiveTable("record", _OF_PROJECT),
    ArchiveTable("finding", _OF_ANSWER, "answer, record"),
    ArchiveTable("work", _OF_PROJECT, names={"component": "record"}, long=False),
    ArchiveTable("work_body", _OF_WORK, "work"),
    ArchiveTable("work_record", _OF_WORK, "record", long=False),
    ArchiveTable("work_source", _OF_PROJECT, "work, source", long=False),
    ArchiveTable("joined_work", _OF_PROJECT, "work, at, key, uid"),
    ArchiveTable("alias", _OF_PROJECT, "work, name", long=False),
    ArchiveTable("decision", _OF_WORK, "work, stage, by", long=False),
    ArchiveTable("tag", _OF_WORK, "work, text", long=False),
    ArchiveTable("note", _OF_WORK, "work, by"),
    ArchiveTable("screening", _OF_PROJECT, "stage", long=False),
    ArchiveTable("screener", _OF_PROJECT, "stage, by", long=False),
    ArchiveTable("resolution", _OF_WORK, "work, stage"),
    ArchiveTable("opened", _OF_WORK, "work, stage", long=False),
    ArchiveTable("work_check", _OF_WORK, "work"),
    ArchiveTable("pin", _OF_PROJECT),
    ArchiveTable("known_work", _OF_PROJECT),
    ArchiveTable("other_source", _OF_PROJECT),
    ArchiveTable("report", _OF_PROJECT),
    ArchiveTable("change", _OF_PROJECT),
)
#: Columns that archives leave out: the project is another one there, and versions tell the editors
#: of one workspace of each other. A run is resumed where it began, so that only there it is of use
#: which of its answers are half ones.
_LEFT_OUT = frozenset({"project", "version", "hidden", "half"})


@dataclass(frozen=True, slots=True)
class ArchiveColumns:
    """The columns of a table, as an archive has them.

    Attributes:
        names: In the order of the table, without those that are left out.
        refers: Column -> table whose ids it holds.
        required: Those without which there is no row.
        of_project: Whether it has a column `project`, which an archive leaves out.
    """

    names: tuple[str, ...]
    blobs: frozenset[str]
    refers: Mapping[str, str]
    required: frozenset[str]
    numbered: bool
    of_project: bool


def columns(db: Database, table: ArchiveTable) -> ArchiveColumns:
    """The columns that a table has in this release."""
    rows = db.all("SELECT * FROM pragma_table_info(?)", table.name)
    names = tuple(row["name"] for row in rows if row["name"] not in _LEFT_OUT)
    declared = db.all('SELECT "from", "table" FROM pragma_foreign_key_list(?)', table.name)
    refers = {row["from"]: row["table"] for row in declared if row["from"] != "project"}
    return ArchiveColumns(
        names=names,
        blobs=frozenset(row["name"] for row in rows if row["type"] == "BLOB"),
        refers={**refers, **table.names},
        required=frozenset(
            row["name"]
            for row in rows
            if (row["notnull"] or row["pk"]) and row["dflt_value"] is None
        )
        & frozenset(names),
        numbered="id" in names,
        of_project=any(row["name"] == "project" for row in rows),
    )


# What the writer and the reader of archives share: names, dates, and the numbers in texts.

#: What the manifest says an archive is, and the version of its layout.
FORMAT, VERSION = "metasearch project archive", 1
MANIFEST = "manifest.json"
#: Of every member: an archive of the same project has the same bytes on every day.
DATE = (1980, 1, 1, 0, 0, 0)
#: Where the pages of a run are: "recorded/1/crossref/0123456789abcdef/page.json", of the run with
#: that number, as adapters/fetch/cassette.py names them.
PAGE = re.compile(
    r"recorded/(?P<run>[1-9]\d{0,6})/(?P<path>[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}/[0-9a-f]{16}/"
    r"(?:request\.json|page\.json|body\.(?:json|xml|html|txt)))"
)
#: What `change.object` is where it names a row.
_OBJECT = re.compile(r"other_source:(\d{1,18})", re.ASCII)

#: (table, number of a row) -> its other number, or None where there is no such row.
Renumber = Callable[[str, int], int | None]


def table_member(name: str) -> str:
    return f"tables/{name}.jsonl"


def renumber_object(text: str, renumber: Renumber) -> str:
    """What a line of the log is about, with the row that it names, which only other sources are
    named by, under its other number. 0 stands for a row that is gone.
    """
    found = _OBJECT.fullmatch(text)
    return text if found is None else f"other_source:{renumber('other_source', int(found[1])) or 0}"


def renumber_report(data: str, renumber: Renumber) -> str:
    """The numbers of a finished report (reports/numbers.py), with the rows that they name under
    their other numbers; the report itself names none.
    """
    found: Any = orjson.loads(data)
    counted = found.get("numbers") if isinstance(found, dict) else None
    if not isinstance(counted, dict):
        return data
    _renumber(counted, "last_run_id", "run", renumber)
    for one in _objects(counted.get("other")):
        _renumber(one, "id", "other_source", renumber)
    for previous in _objects([counted.get("previous")]):
        _renumber(previous, "run", "run", renumber)
        others = previous.get("other_sources")
        if isinstance(others, list):
            ids = [one for one in others if type(one) is int]
            previous["other_sources"] = [renumber("other_source", one) or 0 for one in ids]
    return orjson.dumps(found, option=orjson.OPT_SORT_KEYS).decode()


def _objects(found: Any) -> list[dict[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _renumber(found: dict[str, Any], key: str, table: str, renumber: Renumber) -> None:
    if type(found.get(key)) is int:
        found[key] = renumber(table, found[key]) or 0


# Writes a project as an archive: the same project gives the same bytes. The rows are those of one
# moment, whatever others write meanwhile, and are written as they are read: memory holds the
# numbers of rows, and one row.

#: Bytes that are compressed at a time, and of one recorded page at most.
_CHUNK, MOST_PAGE = 1 << 16, 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """What was written. `rows`: table -> rows. `lacking`: numbers of the runs whose recorded pages
    are not where they were.
    """

    rows: dict[str, int]
    pages: int
    lacking: tuple[int, ...]
    bytes: int


def export_project(project: Project, file: BinaryIO) -> ExportResult:
    """Write a project to an open file, which must be seekable. Raises OSError: the file cannot be
    written, or a recorded page cannot be read.
    """
    with project.db.snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        written = _ArchiveWriter(project.db, project, archive)
        for table in TABLES:
            written.table(table)
        written.write_pages()
        written.manifest()
    return ExportResult(
        rows=written.rows,
        pages=written.pages,
        lacking=tuple(written.lacking),
        bytes=file.tell(),
    )


def export_to(project: Project, path: Path, *, replace: bool = False) -> ExportResult:
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
            exported = export_project(project, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        draft = None
    except (OSError, ValueError) as exc:
        raise UsageError(
            message("{file} cannot be written: {reason}", file=path, reason=regular_files.why(exc)),
            advice=message("Check the folder, who owns it, and the free space."),
        ) from exc
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink()
    return exported


@dataclass(slots=True)
class _ArchiveWriter:
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

    def table(self, table: ArchiveTable) -> None:
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

    def write_pages(self) -> None:
        for folder, number in self.folders.items():
            root = Path(folder)
            found = sorted(path.relative_to(root).as_posix() for path in root.glob("*/*/*"))
            for path in found:
                member = f"recorded/{number}/{path}"
                if PAGE.fullmatch(member):
                    content = regular_files.read(root / path, MOST_PAGE)
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

    def _row(self, table: ArchiveTable, shape: ArchiveColumns, row: sqlite3.Row) -> dict[str, Any]:
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
                values["object"] = renumber_object(values["object"], self._number)
            case "report":
                values["data"] = renumber_report(values["data"], self._number)
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
