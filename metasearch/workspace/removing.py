"""Removes projects: at one stroke for all who look, and row by row from the file.

A project that is deleted is hidden by one short transaction. Its rows go in portions; where the
program ends before the last one, the next one that cleans up goes on.
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from metasearch.workspace import recorded
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.failures import unusable
from metasearch.workspace.store.portions import in_portions

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
        db.afterwards(lambda: recorded.remove(recorded.folders_of(db.path, uid)))
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


# --------------------------------------------------------------------------- portions


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
    """How many rows a statement has changed."""
    with db.transaction():
        db.run(sql, *values)
        return int(db.value("SELECT changes()"))
