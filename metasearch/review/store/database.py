"""An open workspace file, which several processes share: its tables, statements, transactions, work
in portions, leases, and what is told when SQLite or the system refuses something.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import orjson

from metasearch import regular_files
from metasearch.errors import MetasearchError, UsageError, WorkspaceError
from metasearch.message import Message, message
from metasearch.regular_files import NO_RIGHT, NO_SPACE, NoRegularFile, sqlite_kind
from metasearch.review.store.values import moment_text

#: Kinds of SQLite's errors that a sound program does not meet with a sound file.
_MISTAKES = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_AUTH})


def unusable(path: Path, cause: Exception) -> WorkspaceError:
    """The error for a file that cannot be used now."""
    return WorkspaceError(
        str(path),
        message("the workspace cannot be used: {reason}", reason=regular_files.why(cause)),
        advice=_advice(cause),
        status=_status(cause),
    )


def _status(cause: Exception) -> int:
    kind = sqlite_kind(cause)
    if kind == sqlite3.SQLITE_FULL or getattr(cause, "errno", None) in NO_SPACE:
        return 507
    return 500 if kind in _MISTAKES or isinstance(cause, sqlite3.ProgrammingError) else 503


def _advice(cause: Exception) -> Message:
    kind = sqlite_kind(cause)
    system = getattr(cause, "errno", None)
    if kind == sqlite3.SQLITE_FULL or system in NO_SPACE:
        return message("Free some space; what was saved before is there, and nothing of this is.")
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return message("Another process is writing to it; try again when it has finished.")
    if kind in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return message(
            "Go back to a backup, or save what can be read by `metasearch project export`."
        )
    if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM) or system in NO_RIGHT:
        return message(
            "It cannot be written: check who owns the file and its folder, and whether the drive "
            "is read-only."
        )
    if kind == sqlite3.SQLITE_CANTOPEN:
        return message(
            "Check that its folder exists and can be written: SQLite keeps two files beside it "
            "while it is open."
        )
    if kind == sqlite3.SQLITE_IOERR:
        return message(
            "The drive refused to read or write: check its free space, the largest size of a file "
            "(ulimit -f), and that it is no network drive. What was saved before is there."
        )
    if kind in _MISTAKES or isinstance(cause, sqlite3.ProgrammingError):
        return message(
            "Nothing was changed. If `metasearch workspace check` finds no damage, this is a "
            "mistake of metasearch: please report it."
        )
    return message("Check that the file exists, who owns it, and the free space.")


# Brings the tables of a workspace file to those of this release. `migrations/NNNN.sql` makes
# version NNNN of version NNNN - 1; the version of a file is its `user_version`. A file is changed
# to the newest version in one transaction, or stays as it is.

#: The application id of a workspace ("msws").
APPLICATION = 0x6D737773
#: Seconds between two attempts to switch the write-ahead log on, and attempts.
_PAUSE, _ATTEMPTS = 0.05, 400


@cache
def migrations() -> tuple[str, ...]:
    """The statements of each version, from 1."""
    folder = files("metasearch.review.store") / "migrations"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda it: it.name
    )
    return tuple(file.read_text("utf-8") for file in found)


def check_tables(db: sqlite3.Connection, path: Path) -> None:
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
        check_tables(db, path)
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
            check_tables(db, path)
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


# An open workspace file: statements, transactions, and the tables of this release. Several
# processes of one host may have it open (SQLite's write-ahead log); it must not lie on a network
# drive. A commit is on the disk when `transaction` returns (`synchronous = FULL`).

#: Seconds that a statement waits for another process.
PATIENCE = 60.0
#: Seconds after which a transaction asks again whether it may begin: one of a person, and one of a
#: long job, which lets the other go first. SQLite itself waits up to 0.1 s between two attempts,
#: and so seldom meets the pause between two portions of a job.
_ASKS_AGAIN, _LETS_OTHERS = 0.002, 0.02
#: When a commit returns: once it is on the disk. The tests do not wait for the disk.
DURABILITY = "FULL"
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


def column_value(value: object, option: int = 0) -> object:
    """A value as its column has it: lists and objects as JSON, by an `option` of orjson."""
    if isinstance(value, Mapping | list | tuple):
        return orjson.dumps(value, option=option).decode()
    return value


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
            self._db.execute(f"PRAGMA synchronous = {DURABILITY}")
            self._db.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG}")
            if not read_only:
                migrate(self._db, path)
            check_tables(self._db, path)
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
        self._db.close()

    # ---------------------------------------------------------------- statements

    def all(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a statement. Raises UsageError: a value cannot be saved; here and below."""
        try:
            return self._db.execute(sql, values).fetchall()
        except _WRONG as exc:
            raise self._error_of(exc) from exc

    def one(self, sql: str, *values: object) -> sqlite3.Row | None:
        """The first row; None where there is none."""
        try:
            row: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
        except _WRONG as exc:
            raise self._error_of(exc) from exc
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
            raise self._error_of(exc) from exc

    def run(self, sql: str, *values: object) -> int:
        """Run a statement that changes something; returns the id of the row that it inserted."""
        try:
            return self._db.execute(sql, values).lastrowid or 0
        except _WRONG as exc:
            raise self._error_of(exc) from exc

    def insert(self, table: str, /, **columns: object) -> int:
        """Insert a row; returns its id. Lists and objects are kept as JSON."""
        marks = ", ".join("?" * len(columns))
        return self.run(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608, own words
            *map(column_value, columns.values()),
        )

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each of many rows."""
        try:
            self._db.executemany(sql, rows)
        except _WRONG as exc:
            raise self._error_of(exc) from exc

    def _error_of(self, exc: Exception) -> MetasearchError:
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
            raise self._error_of(exc) from exc
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


# Much work on a workspace, done in many short transactions between which others write.

T = TypeVar("T")

#: Seconds that a portion should take, and for how much of them the job then pauses.
LONGEST, PAUSE = 0.03, 0.25
#: Items of a portion: at first, and at most.
FIRST, MOST = 16, 20_000


def portions(
    db: Database, items: Iterable[T], weight: Callable[[T], int] | None = None
) -> Iterator[list[T]]:
    """The items in portions, each for a transaction of its own that takes some `LONGEST` seconds.
    What computes the items runs outside of these transactions.

    Inside a transaction there is no pause, since nobody else can write. `db`: where each portion is
    written. `weight`: how much an item is, where they differ; 1 for each by default. Raises
    WorkspaceError: the program ends.
    """
    size, some, heavy = float(FIRST), list[T](), 0
    waiting = iter(items)
    more = True
    while more:
        for item in waiting:
            some.append(item)
            heavy += 1 if weight is None else weight(item)
            if heavy >= size:
                break
        else:
            more = False
        if not some:
            return
        check_goes_on(db)
        began = time.perf_counter()
        yield some
        took = time.perf_counter() - began
        if heavy >= size or took > LONGEST:  # a small rest says nothing
            size = min(max(1.0, heavy * min(2.0, LONGEST / max(took, 1e-6))), MOST)
        some, heavy = [], 0
        if more and not db.inside:
            let_others(took)


def in_portions(db: Database, portion: Callable[[Database, int], int]) -> None:
    """Call `portion(db, rows)` until there is nothing left to do: it does at most so many rows in
    one transaction, and returns how many they were.
    """
    for some in portions(db, repeat(None)):
        if not portion(db, len(some)):
            return


def let_others(seconds: float) -> None:
    """Let others write, after so many seconds of writing: SQLite knows no queue, and who waits only
    looks now and then whether nobody writes.
    """
    time.sleep(min(seconds, 1.0) * PAUSE)


def check_goes_on(db: Database) -> None:
    """Check that the program does not end. Raises WorkspaceError: it does."""
    if db.ending is not None and db.ending.is_set():
        raise WorkspaceError(
            str(db.path),
            message("the program ends"),
            advice=message("Try again when it has been started again."),
        )


# Leases: one process at a time does what a lease names, and one that was killed loses it in time. A
# lease is a row with a name, a holder and an end. Moments are those of the clock of the host, which
# all processes that have the file open share.

#: Seconds after its end at which a lease that nobody gave back is forgotten.
_FORGOTTEN = 86_400.0


def new_holder() -> str:
    """A name for who takes leases, different from all others."""
    return f"{os.getpid()}-{secrets.token_hex(8)}"


def take_lease(
    db: Database, name: str, holder: str, seconds: float, *, at: float | None = None
) -> bool:
    """Take or renew a lease; returns whether the holder has it now.

    `holder`: of `new_holder`. `seconds`: for which it holds, counted from now; it ends at a whole
    second. `at`: the moment in Unix time; None is now.
    """
    now = time.time() if at is None else at
    with db.transaction():
        row = db.one(
            "INSERT INTO lease (name, holder, until) VALUES (?1, ?2, ?3)"
            " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
            " WHERE lease.until <= ?4 OR lease.until > ?5 OR lease.holder = excluded.holder"
            " RETURNING holder",
            name,
            holder,
            moment_text(now + seconds),
            moment_text(now),
            moment_text(now + 2 * seconds),  # the clock was set back: who knows when it would end
        )
    return row is not None


def holds_lease(db: Database, name: str, holder: str) -> bool:
    """Whether nobody else has taken a lease since the holder did; it may be over."""
    return bool(db.value("SELECT holder FROM lease WHERE name = ?", name) == holder)


def release_lease(db: Database, name: str, holder: str) -> None:
    """Give a lease back; one that somebody else holds stays."""
    with db.transaction():
        db.run(
            "DELETE FROM lease WHERE (name = ? AND holder = ?) OR until <= ?",
            name,
            holder,
            moment_text(time.time() - _FORGOTTEN),
        )
