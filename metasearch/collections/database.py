"""The SQLite file of a collection: its tables, marks and lock.

The FTS5 table stores its text. A contentless table would be half as large, but deleting a record
from it needs exactly the text that was inserted, by whatever version of this program. A large file
is better than a collection that finds deleted records.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

from metasearch import opening
from metasearch.collections.texts import COLUMNS
from metasearch.errors import CollectionError
from metasearch.message import message

#: What a collection was filled from.
Kind = Literal["files", "oai"]
#: The application id of our SQLite files ("mssh"), and the version of their tables.
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
#: Part of the transaction that makes the tables, so that no file is left without a kind.
_KINDS: Mapping[Kind, str] = {
    kind: f"INSERT INTO meta VALUES ('kind', '{kind}');"  # noqa: S608
    for kind in ("files", "oai")
}


def check(db: sqlite3.Connection, path: Path) -> None:
    """Check that an open file is a collection that this version can read. Raises CollectionError:
    it is not; sqlite3.Error: it is not an SQLite file, or broken.
    """
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise CollectionError(
            str(path),
            message("the file is not a collection of metasearch"),
            advice=message("Move it out of the folder of collections."),
        )
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise CollectionError(
            str(path),
            message(
                "it has version {version}, and this program reads version {own}",
                version=version,
                own=VERSION,
            ),
            advice=message("Use the newer program, or remove the collection and fill it again."),
        )


def make(db: sqlite3.Connection, kind: Kind) -> None:
    """Make the tables of a collection in an empty file."""
    try:
        db.executescript(
            f"BEGIN;{_TABLES}{_KINDS[kind]}PRAGMA application_id = {APPLICATION};PRAGMA "
            f"user_version = {VERSION};COMMIT"
        )
    except sqlite3.OperationalError as exc:
        if "fts5" in str(exc):
            raise CollectionError(
                "sqlite3",
                message("this Python's SQLite has no FTS5"),
                advice=message("Use a Python whose SQLite has it."),
            ) from exc
        raise


def lock(path: Path, held: ExitStack) -> None:
    """Lock the collection until `held` is closed. The lock is one of SQLite's on a separate file,
    and ends with the process.
    """
    held_file = sqlite3.connect(path.with_suffix(".lock"), timeout=0, isolation_level=None)
    held.callback(held_file.close)
    try:
        held_file.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as exc:
        if "locked" not in str(exc):
            raise
        raise CollectionError(
            str(path),
            message("another process is writing to this collection"),
            advice=message("Try again when it has finished."),
        ) from exc


def regular(path: Path) -> None:
    """Check that the files of a collection, where they exist, are regular files. Raises
    NoRegularFile: one is a device, pipe or socket, which SQLite would wait for or write to.
    """
    for place in (path, path.with_suffix(".lock")):
        with suppress(FileNotFoundError):
            opening.opened(place).close()


def unusable(path: Path, cause: Exception) -> CollectionError:
    """The error for a file that cannot be used."""
    if "unable to open database file" in str(cause):  # SQLite gives no reason
        try:
            with suppress(FileNotFoundError):
                regular(path)
        except OSError as exc:
            cause = exc
    reason = opening.why(cause)
    advice = message(
        "Check free space and the owner of the file; or remove the collection, and fill it again."
    )
    return CollectionError(
        str(path), message("the collection cannot be used: {reason}", reason=reason), advice=advice
    )
