"""Removes projects, and what belongs to none any more.

A project that is deleted is hidden by one short transaction. Its rows go in portions; where the
program ends before the last one, the next one that cleans up goes on.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from metasearch.message import Message, message_n
from metasearch.review.store import workspace
from metasearch.review.store.database import Database, in_portions, unusable

#: `project.hidden` of one whose rows are being removed.
LEAVING = "leaving"
#: Tables with many rows of a project, and the columns of their keys. What names another row goes
#: before it, and rows of other tables go with those that they name.
_TABLES = (
    ("entering", "record"),
    ("report", "id"),
    ("change", "id"),
    ("record_place", "project, place, year, record"),
    ("work", "id"),
    ("record", "id"),
    ("journal_title", "project, place"),
    ("run", "id"),
    ("known_work", "id"),
    ("pin", "id"),
)

#: What names rows of a project, and is not removed with them by itself. Rows of other projects name
#: one of their own instead, where they must name one.
_NAMING = (
    """WITH own AS (SELECT step.id FROM step JOIN strategy ON strategy.id = step.strategy
    WHERE strategy.project = ?1)
    DELETE FROM step_parent WHERE step IN own OR parent IN own""",
    """WITH own AS (SELECT step.id FROM step JOIN strategy ON strategy.id = step.strategy
    WHERE strategy.project = ?1)
    DELETE FROM answer WHERE step IN own AND run NOT IN (SELECT id FROM run WHERE project = ?1)""",
    """UPDATE run SET strategy =
    coalesce((SELECT min(id) FROM strategy WHERE project = run.project), strategy)
    WHERE project <> ?1 AND strategy IN (SELECT id FROM strategy WHERE project = ?1)""",
    """UPDATE work SET first_run =
    coalesce((SELECT min(id) FROM run WHERE project = work.project), first_run)
    WHERE project <> ?1 AND first_run IN (SELECT id FROM run WHERE project = ?1)""",
    """UPDATE report SET last_run = NULL
    WHERE project <> ?1 AND last_run IN (SELECT id FROM run WHERE project = ?1)""",
    """UPDATE record SET superseded = NULL
    WHERE project <> ?1 AND superseded IN (SELECT id FROM record WHERE project = ?1)""",
    """WITH RECURSIVE gone (id) AS (SELECT id FROM change WHERE project = ?1
    UNION SELECT change.id FROM change JOIN gone ON change.undoes = gone.id)
    DELETE FROM change WHERE project <> ?1 AND id IN gone""",
)


def hide(db: Database, project: int) -> None:
    """Take a project away from all who look, with the recorded pages of its archive; its rows are
    still there.
    """
    with db.transaction():
        uid = db.value("SELECT uid FROM project WHERE id = ?", project)
        db.afterwards(lambda: workspace.remove(workspace.folders_of(db.path, uid)))
        name = hidden_name()
        db.run(
            "UPDATE project SET hidden = ?, name = ?, uid = ? WHERE id = ?",
            LEAVING,
            name,
            name,
            project,
        )
        for table in ("member", "link"):
            db.run(f"DELETE FROM {table} WHERE project = ?", project)  # noqa: S608, own names


def hidden_name() -> str:
    """The name and uid of a hidden project: none that another one may have."""
    return f"~{secrets.token_hex(8)}"


def remove_hidden(db: Database) -> int:
    """Remove what is left of projects that were deleted, and of imports whose program has died.
    Returns how many projects these were. Raises WorkspaceError: the workspace cannot be written;
    what is left is removed the next time.
    """
    found = [
        row["id"]
        for row in db.all("SELECT id, hidden FROM project WHERE hidden <> '' ORDER BY id")
        if row["hidden"] == LEAVING or not _is_locked(_lock_of(folder_of(db.path, row["hidden"])))
    ]
    for project in found:
        remove(db, project)
    every = folder_of(db.path, "")
    for folder in every.parent.glob(f"{every.name}*"):
        if _lock_of(folder).exists() and not _is_locked(_lock_of(folder)):
            shutil.rmtree(folder, ignore_errors=True)
    return len(found)


def remove(db: Database, project: int) -> None:
    """Remove the rows of a project in portions, and at last itself."""
    if db.value("SELECT hidden FROM project WHERE id = ?", project) != LEAVING:
        hide(db, project)
    with db.transaction():
        for statement in _NAMING:
            db.run(statement, project)
    in_portions(db, partial(_newer, project))
    for table, key in _TABLES:
        in_portions(db, partial(_rows, project, table, key))
    with db.transaction():
        db.run("DELETE FROM project WHERE id = ?", project)


def folder_of(path: Path, token: str) -> Path:
    """The folder beside a workspace into which an archive is read; `token` is `project.hidden`."""
    return path.absolute().with_name(f".{path.name}-arriving-{token}")


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """A folder that is made, and is there and locked while the block runs. The lock is one of
    SQLite, which ends with the process however that dies. Raises WorkspaceError: it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700)
        with closing(sqlite3.connect(_lock_of(folder), isolation_level=None)) as held:
            held.execute("BEGIN EXCLUSIVE")
            yield
    except (OSError, sqlite3.Error) as exc:
        raise unusable(folder, exc) from exc
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _lock_of(folder: Path) -> Path:
    return folder / "lock"


def _is_locked(file: Path) -> bool:
    if not file.exists():
        return False
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as db:
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
    return False


def _newer(project: int, db: Database, most: int) -> int:
    return _count(
        db,
        "UPDATE record SET superseded = NULL WHERE id IN (SELECT id FROM record"
        " WHERE project = ? AND superseded IS NOT NULL LIMIT ?)",
        project,
        most,
    )


def _rows(project: int, table: str, key: str, db: Database, most: int) -> int:
    # A line of the log goes before the one that it undoes.
    order = "ORDER BY id DESC" if table == "change" else ""
    chosen = f"SELECT {key} FROM {table} WHERE project = ? {order} LIMIT ?"  # noqa: S608
    with db.transaction():
        if table == "work":
            words = f"SELECT work FROM work_body WHERE work IN ({chosen})"  # noqa: S608
            db.run(f"DELETE FROM work_words WHERE rowid IN ({words})", project, most)  # noqa: S608
        delete = f"DELETE FROM {table} WHERE ({key}) IN ({chosen})"  # noqa: S608, own names
        return _count(db, delete, project, most)


def _count(db: Database, sql: str, *values: object) -> int:
    with db.transaction():
        db.run(sql, *values)
        return int(db.value("SELECT changes()"))


# What belongs to no project: remains of processes that ended in the middle of an import or a
# deletion. `workspace check` finds them, and `workspace check --repair` removes them.

#: How the temporary file of an archive is called.
_ARRIVING = "metasearch-archive-"
#: Seconds after which no archive arrives any more that was not written to since.
_LONGEST = 86_400.0


@dataclass(frozen=True, slots=True)
class Remains:
    """What belongs to no project.

    Attributes:
        files: Of archives that were received.
        rows: Table -> rows whose project is gone.
        miscounted: Rows of projects whose sums for the quotas are wrong.
    """

    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    rows: tuple[tuple[str, int], ...] = ()
    miscounted: tuple[int, ...] = ()

    def messages(self) -> Iterator[Message]:
        if self.folders:
            yield message_n(
                "{count} folder with recorded pages belongs to no project: {names}",
                "{count} folders with recorded pages belong to no project: {names}",
                len(self.folders),
                names=", ".join(map(str, self.folders[:10])),
            )
        if self.files:
            yield message_n(
                "{count} archive was received and never imported: {names}",
                "{count} archives were received and never imported: {names}",
                len(self.files),
                names=", ".join(map(str, self.files[:10])),
            )
        for table, count in self.rows:
            yield message_n(
                "{count} row of {table} belongs to no project",
                "{count} rows of {table} belong to no project",
                count,
                table=table,
            )
        if self.miscounted:
            yield message_n(
                "the quotas count {count} project wrongly",
                "the quotas count {count} projects wrongly",
                len(self.miscounted),
            )


@contextmanager
def arrival_file() -> Iterator[IO[bytes]]:
    """A temporary file, which only its owner may read, for an archive that is received."""
    with tempfile.NamedTemporaryFile(prefix=_ARRIVING, suffix=".zip") as file:
        yield file


def find_remains(db: Database) -> Remains:
    """What belongs to no project, and was not begun a moment ago."""
    return Remains(
        folders=tuple(_folders(db)),
        files=tuple(_files()),
        rows=tuple((table, count) for table in _tables(db) if (count := _orphans(db, table))),
        miscounted=tuple(_projects_with_wrong_sums(db)),
    )


def remove_remains(db: Database) -> Remains:
    """Remove what belongs to no project, and count anew what projects hold; returns what it was."""
    remove_hidden(db)
    found = find_remains(db)  # which reads the whole file, beside others who write
    with db.transaction():
        for table, _ in found.rows:
            db.run(f"DELETE FROM {table} WHERE {_GONE}")  # noqa: S608, own names
        for project, records, size, pages in _sums(db, found.miscounted):
            db.run(
                "INSERT INTO stored (project, records, bytes, pages) VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT (project) DO UPDATE SET records = ?2, bytes = ?3, pages = ?4",
                project,
                records,
                size,
                pages,
            )
        # An import that goes on has written its project by now, and its pages are no remains.
        still = {*_folders(db)}
        workspace.remove([folder for folder in found.folders if folder in still])
    for file in found.files:
        with suppress(OSError):
            file.unlink()
    return found


def _folders(db: Database) -> Iterator[Path]:
    """Folders of recorded pages whose project is gone; none where another file of the same name,
    but for its ending, lies beside the workspace: they may be its own.
    """
    if _twin(db.path):
        return
    uids = {row["uid"] for row in db.all("SELECT uid FROM project")}
    place = workspace.place_of(db.path)
    named = {
        Path(row["recorded"]).relative_to(place).parts[0]
        for row in db.all("SELECT DISTINCT recorded FROM run WHERE recorded <> ''")
        if Path(row["recorded"]).is_relative_to(place) and Path(row["recorded"]) != place
    }
    for folder in workspace.folders(db.path):
        if workspace.uid_of(folder) not in uids and folder.name not in named:
            yield folder


def _twin(path: Path) -> bool:
    beside = path.absolute()
    own = {beside.name, f"{beside.name}-wal", f"{beside.name}-shm", f"{beside.name}-journal"}
    try:
        names = [entry.name for entry in os.scandir(beside.parent) if entry.is_file()]
    except OSError:
        return True
    return any(Path(name).stem == beside.stem and name not in own for name in names)


def _files() -> Iterator[Path]:
    """Archives that a process has received, which ended before it removed them."""
    latest = time.time() - _LONGEST
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not entry.name.startswith(_ARRIVING):
                continue
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if entry.is_file(follow_symlinks=False) and about.st_mtime < latest:
                    yield Path(entry.path)


def _tables(db: Database) -> list[str]:
    return [
        row["name"]
        for row in db.all(
            "SELECT DISTINCT m.name FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f"
            " WHERE m.type = 'table' AND f.\"table\" = 'project' AND f.\"from\" = 'project'"
            " ORDER BY m.name"
        )
    ]


_GONE = "project IS NOT NULL AND project NOT IN (SELECT id FROM project)"


def _orphans(db: Database, table: str) -> int:
    return int(db.value(f"SELECT count(*) FROM {table} WHERE {_GONE}"))  # noqa: S608, own names


def _projects_with_wrong_sums(db: Database) -> Iterator[int]:
    """Projects of which `stored` says otherwise."""
    with db.snapshot():
        numbers = [row["id"] for row in db.all("SELECT id FROM project ORDER BY id")]
        for number, *sums in _sums(db, numbers):
            held = db.one("SELECT records, bytes, pages FROM stored WHERE project = ?", number)
            if held is None or [*held] != sums:
                yield number


def _sums(db: Database, numbers: Iterable[int]) -> Iterator[tuple[int, int, int, int]]:
    """(project, records, bytes, bytes of pages), of what is there now."""
    for number in numbers:
        row = db.one(
            "SELECT uid, (SELECT count(*) FROM record WHERE project = ?1),"
            " (SELECT ifnull(sum(length(body)), 0) FROM record WHERE project = ?1)"
            " + (SELECT ifnull(sum(length(CAST(document AS BLOB))), 0) FROM report"
            " WHERE project = ?1)"
            " + (SELECT ifnull(sum(length(CAST(before AS BLOB)) + length(CAST(after AS BLOB))), 0)"
            " FROM change WHERE project = ?1) FROM project WHERE id = ?1",
            number,
        )
        if row is not None:
            folders = workspace.folders_of(db.path, row["uid"])
            yield number, row[1], row[2], workspace.bytes_of(folders)
