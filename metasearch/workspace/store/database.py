"""An open workspace file: statements, transactions, and the tables of this release.

Several processes of one host may have it open (SQLite's write-ahead log); it must not lie on a
network drive. A commit is on the disk when `transaction` returns (`synchronous = FULL`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from metasearch import opening
from metasearch.errors import WorkspaceError
from metasearch.message import message

#: The application id of a workspace ("msws").
APPLICATION = 0x6D737773
#: Seconds that a statement waits for another process.
PATIENCE = 20.0
#: Strategies hold what a person has not published yet.
_OWNER_ONLY = 0o600


class Database:
    """A workspace file, for one thread at a time.

    Args:
        path: Made where it does not exist, with its folder; only its owner may read it.
        read_only: Whether nothing is written; the file must exist.

    Raises:
        WorkspaceError: It cannot be used, is no workspace, or is of a newer release.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._inside = 0
        try:
            _regular(path)
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists():
                    os.close(os.open(path, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
            address = f"{path.absolute().as_uri()}{'?mode=ro' if read_only else ''}"
            self._db = sqlite3.connect(
                address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as exc:
            raise unusable(path, exc) from exc
        self._db.row_factory = sqlite3.Row
        try:
            self._db.execute("PRAGMA foreign_keys = ON")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA trusted_schema = OFF")
            if not read_only:
                self._migrate()
            self._check()
        except sqlite3.Error as exc:
            self._db.close()
            raise unusable(path, exc) from exc
        except WorkspaceError:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # ---------------------------------------------------------------- statements

    def all(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a statement.

        Raises:
            WorkspaceError: The file cannot be used; here and below.
        """
        return self._tried(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> sqlite3.Row | None:
        """The first row; None where there is none."""
        row: sqlite3.Row | None = self._tried(sql, values).fetchone()
        return row

    def value(self, sql: str, *values: object) -> Any:
        """The first column of the first row; None where there is none."""
        row = self._tried(sql, values).fetchone()
        return None if row is None else row[0]

    def rows(self, sql: str, *values: object) -> Iterator[sqlite3.Row]:
        """The rows one by one, for results that memory should not hold."""
        try:
            yield from self._tried(sql, values)
        except sqlite3.Error as exc:
            raise unusable(self.path, exc) from exc

    def run(self, sql: str, *values: object) -> int:
        """Run a statement that changes something; returns the id of the row that it inserted."""
        return self._tried(sql, values).lastrowid or 0

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each of many rows."""
        try:
            self._db.executemany(sql, rows)
        except sqlite3.Error as exc:
            raise unusable(self.path, exc) from exc

    def _tried(self, sql: str, values: Sequence[object]) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, values)
        except sqlite3.Error as exc:
            raise unusable(self.path, exc) from exc

    def transaction(self) -> AbstractContextManager[None]:
        """All that is done inside happens, or nothing of it; one inside another belongs to it."""
        return self._within("BEGIN IMMEDIATE")

    def snapshot(self) -> AbstractContextManager[None]:
        """All that is read inside is of one moment, while others go on writing."""
        return self._within("BEGIN")

    @contextmanager
    def _within(self, begin: str) -> Iterator[None]:
        if self._inside:
            self._inside += 1
            try:
                yield
            finally:
                self._inside -= 1
            return
        self._tried(begin, ())
        self._inside = 1
        try:
            yield
            self._tried("COMMIT", ())
        except BaseException:
            if self._db.in_transaction:
                self._db.rollback()
            raise
        finally:
            self._inside = 0

    def backup_to(self, target: sqlite3.Connection) -> None:
        """Copy the whole as it is now, while others go on writing."""
        self._db.backup(target, pages=1_000)

    # ---------------------------------------------------------------- tables

    def _migrate(self) -> None:
        """Make the tables, or bring those of an earlier release to this one's."""
        known = _migrations()
        if self._version() >= len(known):
            return
        self._check(empty=True)  # the file of another program stays as it is
        self._db.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            self._check(empty=True)
            for number, sql in enumerate(known[self._version() :], self._version() + 1):
                for statement in _statements(sql):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number}")
            self._db.execute(f"PRAGMA application_id = {APPLICATION}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _check(self, *, empty: bool = False) -> None:
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION and not (empty and not tables and not application):
            raise WorkspaceError(
                str(self.path),
                message("the file is not a workspace of metasearch"),
                advice=message("Name another file, or one that does not exist yet."),
            )
        version, own = self._version(), len(_migrations())
        if version > own:
            raise WorkspaceError(
                str(self.path),
                message(
                    "it has version {version}, and this program knows versions up to {own}",
                    version=version,
                    own=own,
                ),
                advice=message("Use the newer release of metasearch that has written it."),
            )


def _migrations() -> list[str]:
    """The statements of each version, from 1."""
    folder = files("metasearch.workspace.store") / "migrations"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda it: it.name
    )
    return [file.read_text("utf-8") for file in found]


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


def _regular(path: Path) -> None:
    """Check that the file, where it exists, is a regular one: SQLite would wait for a pipe."""
    try:
        opening.opened(path).close()
    except FileNotFoundError:
        return


def unusable(path: Path, cause: Exception) -> WorkspaceError:
    """The error for a file that cannot be used now."""
    text = str(cause)
    if "full" in text:
        advice = message("Free some space; what was saved before is there, and nothing of this is.")
    elif "locked" in text or "busy" in text:
        advice = message("Another process is writing to it; try again when it has finished.")
    elif "malformed" in text or "not a database" in text:
        advice = message("Run `metasearch workspace check`, or go back to a backup.")
    else:
        advice = message("Check that the file exists, who owns it, and the free space.")
    return WorkspaceError(
        str(path),
        message("the workspace cannot be used: {reason}", reason=opening.why(cause)),
        advice=advice,
    )
