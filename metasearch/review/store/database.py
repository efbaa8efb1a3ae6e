"""An open workspace file: statements, transactions, and the tables of this release.

Several processes of one host may have it open (SQLite's write-ahead log); it must not lie on a
network drive. A commit is on the disk when `transaction` returns (`synchronous = FULL`).
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message
from metasearch.opening import NoRegularFile, sqlite_kind
from metasearch.workspace.store.failures import unusable
from metasearch.workspace.store.migrating import check, migrate

#: Seconds that a statement waits for another process.
PATIENCE = 60.0
#: Seconds after which a transaction asks again whether it may begin: one of a person, and one of a
#: long job, which lets the other go first. SQLite itself waits up to 0.1 s between two attempts,
#: and so seldom meets the pause between two portions of a job.
_ASKS_AGAIN, _LETS_OTHERS = 0.002, 0.02
#: Kibibytes of pages that a connection keeps at most: those that an addition of records changes.
CACHE = 32_768
#: Pages of the log (4 KiB each) after which they are written into the file itself.
CHECKPOINT = 8_000
#: Strategies hold what a person has not published yet.
_OWNER_ONLY = 0o600
#: What a statement raises.
_WRONG = (sqlite3.Error, UnicodeEncodeError, OverflowError)
#: Bytes of the write-ahead log that are kept for the next changes, after a large one.
_LARGEST_LOG = 64 << 20


class Database:
    """A workspace file, for one thread at a time.

    `path`: made where it does not exist, with its folder; only its owner may read it. `read_only`:
    whether nothing is written; the file must exist and be of this release. `ending`: set where the
    program ends: long jobs of this connection stop between two portions. A connection that has one
    is that of a long job: its transactions begin after those of others. `inside`: how many
    transactions are open, one inside the other. Raises WorkspaceError: it cannot be used, is no
    workspace, or is of a newer release.
    """

    def __init__(
        self, path: Path, *, read_only: bool = False, ending: threading.Event | None = None
    ) -> None:
        self.path = path
        self.ending = ending
        self._read_only = read_only
        self._refused = False
        self.inside = 0
        self._reads = False
        self._afterwards: list[Callable[[], object]] = []
        try:
            _prepare(path, make=not read_only)
        except (OSError, ValueError) as exc:
            raise unusable(path, exc) from exc
        self._open(read_only=read_only)

    def _open(self, *, read_only: bool = False) -> None:
        path = self.path
        try:
            address = f"{path.absolute().as_uri()}{'?mode=ro' if read_only else ''}"
            self._db = sqlite3.connect(
                address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
        except (ValueError, sqlite3.Error) as exc:
            raise unusable(path, exc) from exc
        self._db.row_factory = sqlite3.Row
        try:
            self._db.execute(f"PRAGMA cache_size = -{CACHE}")
            self._db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
            self._db.execute("PRAGMA trusted_schema = OFF")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG}")
            if not read_only:
                migrate(self._db, path)
            check(self._db, path)
            self._db.execute("PRAGMA foreign_keys = ON")
        except sqlite3.Error as exc:
            self._db.close()
            raise unusable(path, exc) from exc
        except BaseException:
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
        """All rows of a statement. Raises UsageError: a value cannot be saved; here and below."""
        try:
            return self._db.execute(sql, values).fetchall()
        except _WRONG as exc:
            raise self._told(exc) from exc

    def one(self, sql: str, *values: object) -> sqlite3.Row | None:
        """The first row; None where there is none."""
        try:
            row: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
        except _WRONG as exc:
            raise self._told(exc) from exc
        return row

    def value(self, sql: str, *values: object) -> Any:
        """The first column of the first row; None where there is none."""
        row = self.one(sql, *values)
        return None if row is None else row[0]

    def rows(self, sql: str, *values: object) -> Iterator[sqlite3.Row]:
        """The rows one by one, for results that memory should not hold."""
        try:
            yield from self._db.execute(sql, values)
        except _WRONG as exc:
            raise self._told(exc) from exc

    def run(self, sql: str, *values: object) -> int:
        """Run a statement that changes something; returns the id of the row that it inserted."""
        try:
            return self._db.execute(sql, values).lastrowid or 0
        except _WRONG as exc:
            raise self._told(exc) from exc

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each of many rows."""
        try:
            self._db.executemany(sql, rows)
        except _WRONG as exc:
            raise self._told(exc) from exc

    def _told(self, exc: Exception) -> MetasearchError:
        """What has gone wrong with a statement, as an error with advice."""
        # No context manager: thousands of short statements would spend more on it than on SQLite.
        if isinstance(exc, sqlite3.Error):
            is_read_only = sqlite_kind(exc) == sqlite3.SQLITE_READONLY
            self._refused |= is_read_only and not self._read_only
            return unusable(self.path, exc)
        return UsageError(
            message("a text or a number cannot be saved: {reason}", reason=str(exc)),
            advice=message("Texts are Unicode, and numbers have at most 18 digits."),
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is done inside happens, or nothing of it. One inside another happens with the
        outer one, and is taken back alone if an exception leaves it.
        """
        if self._reads:
            raise RuntimeError("nothing is written inside `snapshot`")
        point = f"inside_{self.inside}" if self.inside else ""
        if point:
            self.run(f"SAVEPOINT {point}")
        else:
            self._begin()
        self.inside += 1
        planned = len(self._afterwards)
        try:
            yield
            self.run(f"RELEASE {point}" if point else "COMMIT")
            done, self._afterwards = self._afterwards, self._afterwards if point else []
        except BaseException:
            # After a full disk SQLite has taken all of it back already.
            if self._db.in_transaction:
                with suppress(sqlite3.Error):
                    self._db.execute(f"ROLLBACK TO {point}" if point else "ROLLBACK")
                    if point:
                        self._db.execute(f"RELEASE {point}")
            del self._afterwards[planned:]
            raise
        finally:
            self.inside -= 1
        if not point:
            for function in done:
                function()

    def afterwards(self, function: Callable[[], object]) -> None:
        """Call a function when the transaction has happened; never where it is taken back."""
        self._afterwards.append(function)

    def _begin(self) -> None:
        """Begin a transaction that writes, as soon as no other one does."""
        if self._refused:
            # A file that could not be written when it was opened is only read until it is opened
            # anew.
            self._db.close()
            self._open()
            self._refused = False
        pause = _ASKS_AGAIN if self.ending is None else _LETS_OTHERS
        end = time.monotonic() + PATIENCE
        try:
            self._db.execute("PRAGMA busy_timeout = 0")
            while True:
                try:
                    self._db.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as exc:
                    if exc.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                        raise
                    if time.monotonic() > end:
                        raise
                    time.sleep(pause)
                else:
                    return
        except sqlite3.Error as exc:
            raise self._told(exc) from exc
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")

    @contextmanager
    def beside(self, path: Path, name: str) -> Iterator[None]:
        """Inside, statements read the tables of another file as `name.table`. No transaction is
        open when it begins or ends.
        """
        self.run(f"ATTACH ? AS {name}", f"{path.absolute().as_uri()}?mode=ro")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._db.execute(f"DETACH {name}")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, whatever others write meanwhile; nothing is
        written. Inside a transaction it changes nothing.
        """
        if self.inside or self._reads:
            yield
            return
        self.run("BEGIN")
        self._reads = True
        try:
            yield
        finally:
            self._reads = False
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")

    def backup_to(self, target: sqlite3.Connection) -> None:
        """Copy the whole as it is now, while others go on writing. Raises sqlite3.Error: of the
        target or of this file.
        """
        # At once: a copy in parts begins anew whenever another process has written.
        self._db.backup(target, pages=-1)


def _prepare(path: Path, *, make: bool) -> None:
    """Check that the file, where it exists, is a regular one, as SQLite would wait for a pipe; and
    make it where it does not exist.

    It is not opened: whoever closes a file loses all locks that the process has on it, also those
    of SQLite (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY))
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        what = "it is a folder" if stat.S_ISDIR(mode) else "it is a pipe, a socket or a device"
        raise NoRegularFile(path, what)
