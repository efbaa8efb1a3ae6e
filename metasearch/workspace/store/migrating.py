"""Brings the tables of a workspace file to those of this release.

`migrations/NNNN.sql` makes version NNNN of version NNNN - 1; the version of a file is its
`user_version`. A file is changed to the newest version in one transaction, or stays as it is.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from metasearch.errors import WorkspaceError
from metasearch.message import message

#: The application id of a workspace ("msws").
APPLICATION = 0x6D737773
#: Seconds between two attempts to switch the write-ahead log on, and attempts.
_PAUSE, _ATTEMPTS = 0.05, 400


@cache
def migrations() -> tuple[str, ...]:
    """The statements of each version, from 1."""
    folder = files("metasearch.workspace.store") / "migrations"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda it: it.name
    )
    return tuple(file.read_text("utf-8") for file in found)


def check(db: sqlite3.Connection, path: Path) -> None:
    """Check that a file is a workspace of this release. Raises WorkspaceError: it is not;
    sqlite3.Error: it is no SQLite file, or broken.
    """
    if not _is_workspace(db):
        raise WorkspaceError(
            str(path),
            message("the file is not a workspace of metasearch"),
            advice=message("Name another file, or one that does not exist yet."),
        )
    version, own = _version(db), len(migrations())
    if version > own:
        raise WorkspaceError(
            str(path),
            message(
                "it has version {version}, and this program knows versions up to {own}",
                version=version,
                own=own,
            ),
            advice=message("Use the newer release of metasearch that has written it."),
        )
    if version < own:
        raise WorkspaceError(
            str(path),
            message(
                "it has version {version}, and may not be brought to version {own} while it is "
                "only read",
                version=version,
                own=own,
            ),
            advice=message("Run `metasearch workspace check`, which may change it, once."),
        )


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or bring those of an earlier release to this one's; a file of a newer
    release stays as it is. Switch the write-ahead log on. Raises WorkspaceError: the file is of
    another program; nothing of it is changed. Raises sqlite3.Error: it cannot be changed; nothing
    of it is.
    """
    if not _is_workspace(db) and not _is_empty(db):
        check(db, path)
    if _version(db) > len(migrations()):
        return
    _write_ahead(db)
    if _version(db) == len(migrations()):
        return
    # A migration may make a table anew, which others refer to; the references are checked at once.
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("BEGIN IMMEDIATE")
    try:
        if not _is_workspace(db) and not _is_empty(db):  # another program was faster
            check(db, path)
        # So may another process of metasearch be: then nothing is left to do.
        for number, script in enumerate(migrations()[_version(db) :], _version(db) + 1):
            for statement in _statements(script):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        lost = db.execute("PRAGMA foreign_key_check").fetchone()
        if lost is not None:
            raise sqlite3.IntegrityError(f"a row of {lost[0]} names one of {lost[2]} that is gone")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.rollback()
        raise
    db.execute("PRAGMA foreign_keys = ON")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch the write-ahead log on. SQLite does not wait for other processes here."""
    for attempt in range(_ATTEMPTS):
        try:
            if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as exc:
            kind = exc.sqlite_errorcode & 0xFF
            if kind == sqlite3.SQLITE_READONLY:
                return  # what may only be read is read
            if kind != sqlite3.SQLITE_BUSY or attempt == _ATTEMPTS - 1:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _is_workspace(db: sqlite3.Connection) -> bool:
    found = db.execute("PRAGMA application_id").fetchone()[0]
    return bool(found == APPLICATION and _version(db) > 0)


def _is_empty(db: sqlite3.Connection) -> bool:
    """Whether nobody has written to the file yet."""
    marks = [
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    ]
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return not any(marks) and not tables


def _statements(script: str) -> Iterator[str]:
    """The statements of a script. `executescript` would end the transaction around it."""
    waiting = ""
    for line in script.splitlines(keepends=True):
        waiting += line
        if sqlite3.complete_statement(waiting):
            yield waiting
            waiting = ""
    if waiting.strip():
        yield waiting
