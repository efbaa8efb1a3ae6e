"""The SQLite file of a shelf: its tables, its marks, its lock.

What is searched is a table of FTS5 that keeps its own text: one without content would be half as
large, but to take a record out of it one must know to the letter what was put in, by whichever
version of this program did that; and a shelf that then finds what it no longer has is worse than a
large one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

from metasearch import opening
from metasearch.collections.texts import COLUMNS
from metasearch.errors import ShelfError

#: What a shelf was filled from.
Kind = Literal["files", "oai"]
#: Marks our files among other SQLite files ("mssh"), and the version of the tables in them.
APPLICATION, VERSION = 0x6D737368, 1

_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, root TEXT NOT NULL, size INTEGER NOT NULL,
    changed INTEGER NOT NULL, digest TEXT NOT NULL, lost INTEGER NOT NULL
);
CREATE TABLE records (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, year INTEGER, body BLOB,
    deleted INTEGER NOT NULL DEFAULT 0, datestamp TEXT NOT NULL DEFAULT '',
    run INTEGER NOT NULL DEFAULT 0, file INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX records_by_year ON records (year) WHERE deleted = 0;
CREATE INDEX records_by_file ON records (file);
CREATE VIRTUAL TABLE texts USING fts5(
    {", ".join(COLUMNS)}, tokenize = 'unicode61 remove_diacritics 2'
);
"""
#: One transaction makes a shelf what it is, so that none is left behind that is neither.
_KINDS: Mapping[Kind, str] = {
    kind: f"INSERT INTO meta VALUES ('kind', '{kind}');"  # noqa: S608
    for kind in ("files", "oai")
}


def check(db: sqlite3.Connection, path: Path) -> None:
    """Look whether an open file is a shelf that can be read.

    Raises:
        ShelfError: It is not.
        sqlite3.Error: It is no SQLite file, or broken.
    """
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise ShelfError(
            str(path), "it is no shelf of ours", advice="Move it out of the folder of shelves."
        )
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise ShelfError(
            str(path),
            f"it is of version {version}, and this program reads version {VERSION}",
            advice="Use the newer program, or remove the shelf and fill it again.",
        )


def make(db: sqlite3.Connection, kind: Kind) -> None:
    """Make the tables of a shelf in an empty file."""
    try:
        db.executescript(
            f"BEGIN;{_TABLES}{_KINDS[kind]}PRAGMA application_id = {APPLICATION};PRAGMA "
            f"user_version = {VERSION};COMMIT"
        )
    except sqlite3.OperationalError as exc:
        if "fts5" in str(exc):
            raise ShelfError(
                "sqlite3", "this Python's SQLite has no FTS5", advice="Use one that has."
            ) from exc
        raise


def lock(path: Path, held: ExitStack) -> None:
    """Hold the shelf until `held` is closed: a lock of SQLite's on a file of its own, which ends
    with the process.
    """
    held_file = sqlite3.connect(path.with_suffix(".lock"), timeout=0, isolation_level=None)
    held.callback(held_file.close)
    try:
        held_file.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as exc:
        if "locked" not in str(exc):
            raise
        raise ShelfError(
            str(path),
            "another process is filling this shelf",
            advice="Wait until it is done, then try again.",
        ) from exc


def regular(path: Path) -> None:
    """Look whether what stands in the places of a shelf's files, if anything does, is a regular
    file.

    Raises:
        NoRegularFile: It is something else: SQLite would wait for it, or write to it.
    """
    for place in (path, path.with_suffix(".lock")):
        with suppress(FileNotFoundError):
            opening.opened(place).close()


def unusable(path: Path, cause: Exception) -> ShelfError:
    """What went wrong with a file, as our error."""
    if "unable to open database file" in str(cause):  # SQLite does not say why
        try:
            with suppress(FileNotFoundError):
                regular(path)
        except OSError as exc:
            cause = exc
    reason = opening.why(cause)
    advice = (
        "Look whether the disk is full and the file yours; or remove the shelf, and fill it again."
    )
    return ShelfError(str(path), f"the shelf cannot be used: {reason}", advice=advice)
