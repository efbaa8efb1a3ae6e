"""`Store`, which keeps bytes under a key for a while: in memory, and on disk in a file that an
attacker may have written.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import diskcache
from diskcache.core import DEFAULT_SETTINGS, METADATA

from metasearch.errors import CacheError
from metasearch.regular_files import deflate, inflate

__all__ = ["CacheStats", "DiskStore", "MemoryStore", "Store"]


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a store holds and how it was used.

    Attributes:
        entries: Values that are kept, expired ones included until the next upkeep.
        problem: Why the store keeps nothing any more; None while it works.
        busy: Nothing could be counted, because another process has the file.
        tags: Tag -> (values, their bytes as they are kept); at most a thousand, the largest first.
    """

    entries: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0
    problem: str | None = None
    tags: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    busy: bool = False


class Store(Protocol):
    """Bytes under keys. No method raises because of the store's own troubles."""

    async def get(self, key: str) -> bytes | None:
        """The value, or None."""
        ...

    async def set(self, key: str, value: bytes, ttl: float, tag: str = "") -> None:
        """Keeps a value for `ttl` seconds, if it can; `tag` is what it is counted under."""
        ...

    async def delete(self, key: str) -> None:
        """Deletes a value."""
        ...

    async def stats(self) -> CacheStats:
        """Numbers for people."""
        ...

    async def clear(self) -> bool:
        """Deletes everything; returns whether that could be done."""
        ...

    async def close(self) -> None:
        """Closes files and threads."""
        ...


class MemoryStore:
    """Keeps values in a dictionary, the oldest going first; for tests and for a process without a
    disk. `size_limit`: bytes of values that are kept at most. `clock`: seconds.
    """

    def __init__(
        self, size_limit: int = 1 << 26, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size_limit = size_limit
        self._clock = clock
        self._rows: dict[str, tuple[float, bytes, str]] = {}
        self._size = self._hits = self._misses = 0

    async def get(self, key: str) -> bytes | None:
        until, value, _ = self._rows.get(key, (0.0, b"", ""))
        if self._clock() >= until:
            self._drop(key)
            self._misses += 1
            return None
        self._hits += 1
        return value

    async def set(self, key: str, value: bytes, ttl: float, tag: str = "") -> None:
        self._drop(key)
        if ttl <= 0 or len(value) > self._size_limit:
            return
        self._rows[key] = (self._clock() + ttl, value, tag)
        self._size += len(value)
        while self._size > self._size_limit:
            self._drop(next(iter(self._rows)))

    async def delete(self, key: str) -> None:
        self._drop(key)

    async def stats(self) -> CacheStats:
        tags: dict[str, tuple[int, int]] = {}
        for _, value, tag in self._rows.values():
            values, size = tags.get(tag, (0, 0))
            tags[tag] = (values + 1, size + len(value))
        return CacheStats(len(self._rows), self._size, self._hits, self._misses, tags=tags)

    async def clear(self) -> bool:
        self._rows.clear()
        self._size = 0
        return True

    async def close(self) -> None:
        """Nothing is held."""

    def _drop(self, key: str) -> None:
        _, value, _ = self._rows.pop(key, (0.0, b"", ""))
        self._size -= len(value)


#: Largest stored value, compressed. Everything lies inside the SQLite file: files beside it are
#: slower and less safe.
LARGEST_ROW = 1 << 24
#: Tags that are counted one by one.
MOST_TAGS = 1000
#: Seconds that an access waits for another process.
LOCK_TIMEOUT = 1.0


class SafeDisk(diskcache.Disk):  # type: ignore[misc]  # the package is not typed
    """Text keys and bytes, and no pickle, whatever a row claims (CVE-2025-69872)."""

    def put(self, key: Any) -> tuple[Any, bool]:
        if type(key) is not str:
            raise TypeError("keys are text")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        if not raw:
            raise ValueError("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        if read or type(value) is not bytes or len(value) >= self.min_file_size:
            raise TypeError("values are bytes and lie in the database")
        return super().store(value, False, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        if mode != diskcache.core.MODE_RAW or filename is not None or type(value) is not bytes:
            raise ValueError("a row that is not plain bytes")
        return value

    def remove(self, file_path: Any) -> None:
        """Removes nothing: we write no files, so a row that names one is a forgery."""


class CacheFile(diskcache.Cache):  # type: ignore[misc]  # as above
    """A cache that believes no row of its file, and leaves no connection open where the file is not
    ours.

    Only documented calls of diskcache are used, and plain SQLite on a connection of our own; `_con`
    is the one exception (docs/decisions/0005). `folder`: where the file lies. `size_limit`: bytes
    that the file may take, roughly. Raises sqlite3.DatabaseError: the file cannot be used; see
    `is_busy`.
    """

    def __init__(self, folder: Path, size_limit: int) -> None:
        self._file = folder / diskcache.core.DBNAME
        options = {**_OPTIONS, "size_limit": size_limit}
        if self._file.exists():
            with closing(_connect(self._file)) as connection:
                _check_lock(connection)
                _check_settings(connection, options)
        try:
            super().__init__(str(folder), timeout=LOCK_TIMEOUT, disk=SafeDisk, **options)
        except BaseException:
            self.close()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        """diskcache's connection of this thread, with a limit on what SQLite returns of a row.

        A limit belongs to a connection, and diskcache has no public way to its own: its queries
        return the file name in a row, which could be a forged one of a gigabyte.
        """
        return _with_limit(super()._con)

    def write(self, key: str, row: bytes, seconds: float, tag: str) -> None:
        with self.transact():
            self._correct_size()
            self.set(key, row, expire=seconds, tag=tag)

    def upkeep(self) -> None:
        """Deletes what has expired, and the oldest values where the file is too large. Raises
        diskcache.Timeout: another process has the file.
        """
        with self.transact():
            self._correct_size()
        self.cull()

    def measure(self) -> tuple[int, int, dict[str, tuple[int, int]]]:
        """Counts what the file holds; the numbers that diskcache keeps in it may be forged. Returns
        rows; bytes of the file; tag -> (rows, bytes of their values), the largest first.
        """
        with closing(_connect(self._file)) as connection:
            ((rows,),) = connection.execute("SELECT COUNT(*) FROM Cache")
            ((pages,),) = connection.execute("PRAGMA page_count")
            ((page_size,),) = connection.execute("PRAGMA page_size")
            # As bytes, because SQLite takes whatever is called text for UTF-8.
            tags = connection.execute(
                "SELECT CAST(tag AS BLOB), COUNT(*), TOTAL(LENGTH(value)) FROM Cache"
                " WHERE LENGTH(tag) < 100 GROUP BY 1 ORDER BY 3 DESC LIMIT ?",
                (MOST_TAGS,),
            ).fetchall()
        by_tag = {tag.decode(errors="replace"): (count, int(size)) for tag, count, size in tags}
        return int(rows), int(pages) * int(page_size), by_tag

    def _correct_size(self) -> None:
        """Sets the size of files beside the database, of which there are none, whatever the file
        claims: diskcache adds it to the size of the file, and culls by the sum.
        """
        self.reset("size", 0)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file; what Python itself objects to has no code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


#: Every setting, named, so that a file can choose none.
_OPTIONS: Mapping[str, Any] = DEFAULT_SETTINGS | {
    "disk_min_file_size": LARGEST_ROW,
    "eviction_policy": "least-recently-stored",
    "statistics": 0,
    "tag_index": 0,
    "sqlite_synchronous": 0,  # a cache may lose its file to a power cut; it begins anew
}


def _with_limit(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, on which a row that claims to be larger than ours is an error."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW + 4096)
    return connection


def _connect(file: Path) -> sqlite3.Connection:
    """A connection of our own, without transactions that begin by themselves."""
    return _with_limit(sqlite3.connect(file, timeout=LOCK_TIMEOUT, isolation_level=None))


def _check_lock(connection: sqlite3.Connection) -> None:
    """Fails where another process has the file: diskcache waits a minute for it while it opens, and
    a search cannot. Raises sqlite3.OperationalError: after `LOCK_TIMEOUT`.
    """
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


def _check_settings(connection: sqlite3.Connection, options: Mapping[str, Any]) -> None:
    """Checks the settings in a file before diskcache obeys them: it takes their names for
    attributes and pragmas. Raises sqlite3.DatabaseError: the file is no database, or its settings
    are not those that we write.
    """
    try:
        rows = connection.execute("SELECT key, value FROM Settings LIMIT 100").fetchall()
    except sqlite3.OperationalError as exc:
        if str(exc).startswith("no such table"):
            return  # another process has just made the file
        raise
    for key, value in rows:
        if key == "size_limit" or key in METADATA:
            ours = type(value) is int
        else:
            ours = key in options and value == options[key]
        if not ours:
            raise sqlite3.DatabaseError("its settings are not ours")


# The store on disk: two threads over one SQLite file; nothing wrong there reaches a search.

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

#: Largest value after decompression.
LARGEST_VALUE = 1 << 26
#: Values that are read together at most: more rows would lie in memory at once.
MOST_TOGETHER = 8
#: Writes between two rounds of upkeep, in which expired and surplus entries go.
UPKEEP_EVERY = 128
#: Seconds after which a file that was too busy to be opened is tried again.
BUSY_PAUSE = 10.0


class _LookUp(NamedTuple):
    """A key that is looked up, and who waits for its value."""

    key: str
    found: asyncio.Future[bytes | None]


class DiskStore:
    """Keeps compressed values in a folder of one's own, by diskcache.

    Two threads do all the work, one reads and one writes, so that no access to the disk ever holds
    up the event loop and no read waits behind a write. Nothing is opened before the first use.
    `path`: the folder; the files lie in `pages` below it, which no other user may enter. Never on a
    network drive, and never shared between users. `size_limit`: bytes on disk, roughly.
    """

    def __init__(self, path: Path, size_limit: int = 1 << 30) -> None:
        self._path = path / "pages"
        self._size_limit = size_limit
        self._reader: Executor = ThreadPoolExecutor(1, "metasearch-cache-read")
        self._writer: Executor = ThreadPoolExecutor(1, "metasearch-cache-write")
        self._opening = threading.Lock()
        self._cache: CacheFile | None = None
        self._retired: list[CacheFile] = []
        self._problem: CacheError | None = None
        self._renewed = self._closed = False
        self._busy_until = 0.0
        self._writes = self._hits = self._misses = 0
        #: What this turn of the loop asks for; None before somebody asks.
        self._asked: list[_LookUp] | None = None

    @property
    def folder(self) -> Path:
        """Where its files lie; not there before the first use."""
        return self._path

    def __repr__(self) -> str:
        return f"<DiskStore {self._path}{': out of order' if self._problem else ''}>"

    async def get(self, key: str) -> bytes | None:
        # Those of one turn of the loop are read together, as a search looks for the pages of all
        # its sources in one: the way to a thread and back takes more CPU than to find nothing.
        loop = asyncio.get_running_loop()
        together = self._asked
        if together is None or together[0].found.get_loop() is not loop:  # that one has ended
            together = self._asked = []
            loop.call_soon(self._read, loop, together)
        asked = _LookUp(key, loop.create_future())
        together.append(asked)
        value = await asked.found
        if value is None:
            self._misses += 1
        else:
            self._hits += 1
        return value

    async def set(self, key: str, value: bytes, ttl: float, tag: str = "") -> None:
        if ttl > 0 and len(value) <= LARGEST_VALUE:
            await self._run(self._writer, self._set, key, value, ttl, tag)

    async def delete(self, key: str) -> None:
        await self._run(self._writer, self._delete, key)

    async def stats(self) -> CacheStats:
        measured = await self._run(self._reader, self._measure)
        entries, size, tags = measured or (0, 0, {})
        problem = str(self._problem) if self._problem else None
        busy = measured is None and problem is None and not self._closed
        return CacheStats(entries, size, self._hits, self._misses, problem, tags, busy)

    async def clear(self) -> bool:
        return bool(await self._run(self._writer, self._clear))

    async def close(self) -> None:
        """A closed store finds nothing and keeps nothing."""
        if self._closed:
            return
        self._closed = True
        # SQLite connections belong to the thread that opened them, so each thread closes its own.
        loop = asyncio.get_running_loop()
        for executor in (self._reader, self._writer):
            await loop.run_in_executor(executor, self._close)
            executor.shutdown(wait=False)

    def _read(self, loop: asyncio.AbstractEventLoop, asked: list[_LookUp]) -> None:
        if self._asked is asked:
            self._asked = None
        if self._closed or self._problem is not None:
            _tell(asked, None)
            return
        for start in range(0, len(asked), MOST_TOGETHER):
            self._reader.submit(self._get_all, loop, asked[start : start + MOST_TOGETHER])

    async def _run(self, executor: Executor, work: Callable[..., _T], *args: Any) -> _T | None:
        if self._closed or self._problem is not None:
            return None
        return await asyncio.get_running_loop().run_in_executor(executor, self._guard, work, *args)

    # Everything below runs in one of the two threads.

    def _guard(self, work: Callable[..., _T], *args: Any) -> _T | None:
        """The only place where the cache's failures are caught."""
        if self._problem is not None:
            return None
        try:
            return work(*args)
        except diskcache.Timeout:
            return None  # another process is busy with the file
        except sqlite3.DatabaseError as exc:
            if is_busy(exc):
                return None
            self._begin_anew(exc)
            return self._guard(work, *args)  # a second failure gives up
        except Exception as exc:
            self._give_up(exc)
            return None

    def _begin_anew(self, cause: sqlite3.DatabaseError) -> None:
        """Deletes a file that is not, or no more, our database; once, then it gives up."""
        with self._opening:
            again, self._renewed = self._renewed, True
            if not again:
                if self._cache is not None:
                    self._retired.append(self._cache)
                    self._cache = None
                for name in ("cache.db", "cache.db-wal", "cache.db-shm"):
                    with suppress(OSError):
                        (self._path / name).unlink(missing_ok=True)
        if again:
            self._give_up(cause)
            return
        _log.info("the page cache in %s was broken (%s) and begins anew", self._path, cause)
        try:
            self._open()
        except Exception as exc:
            self._give_up(exc)

    def _give_up(self, cause: Exception) -> None:
        with self._opening:
            if self._problem is not None:
                return
            self._problem = CacheError(f"the page cache in {self._path} cannot be used: {cause}")
            self._problem.__cause__ = cause
        _log.warning("%s. %s", self._problem, self._problem.advice)

    def _open(self) -> CacheFile:
        with self._opening:
            if self._cache is None:
                if time.monotonic() < self._busy_until:
                    raise diskcache.Timeout
                _own_folder(self._path)
                try:
                    self._cache = CacheFile(self._path, self._size_limit)
                except sqlite3.OperationalError as exc:
                    if is_busy(exc):
                        self._busy_until = time.monotonic() + BUSY_PAUSE
                    raise
            return self._cache

    def _get_all(self, loop: asyncio.AbstractEventLoop, asked: list[_LookUp]) -> None:
        """Reads values. What is not there is told first, and together: its callers have to ask a
        source. What is there is told one by one, as each takes a moment to decompress.
        """
        rows = [self._guard(self._row, each.key) for each in asked]
        missing = [each for each, row in zip(asked, rows, strict=True) if row is None]
        with suppress(RuntimeError):  # the loop has ended: nobody waits
            if missing:
                loop.call_soon_threadsafe(_tell, missing, None)
            for each, row in zip(asked, rows, strict=True):
                if row is not None:
                    value = self._guard(self._value, each.key, row)
                    loop.call_soon_threadsafe(_tell, [each], value)

    def _row(self, key: str) -> bytes | None:
        cache = self._open()
        with self._delete_if_unreadable(key):
            row: bytes | None = cache.get(key)
            return row
        return None

    def _value(self, key: str, row: bytes) -> bytes | None:
        with self._delete_if_unreadable(key):
            return inflate(row, LARGEST_VALUE)
        return None

    @contextmanager
    def _delete_if_unreadable(self, key: str) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, sqlite3.DataError):
            self._writer.submit(self._guard, self._delete, key)

    def _set(self, key: str, value: bytes, ttl: float, tag: str) -> None:
        cache = self._open()
        row = deflate(value)
        if len(row) < LARGEST_ROW:
            cache.write(key, row, ttl, tag)
        if self._writes % UPKEEP_EVERY == 0:
            cache.upkeep()
        self._writes += 1

    def _delete(self, key: str) -> None:
        self._open().delete(key)

    def _measure(self) -> tuple[int, int, dict[str, tuple[int, int]]]:
        return self._open().measure()

    def _clear(self) -> bool:
        self._open().clear()
        return True

    def _close(self) -> None:
        for cache in (*self._retired, self._cache):
            if cache is not None:
                with suppress(sqlite3.Error):
                    cache.close()


def _tell(asked: list[_LookUp], value: bytes | None) -> None:
    for each in asked:
        if not each.found.done():
            each.found.set_result(value)


def _own_folder(path: Path) -> None:
    """Makes a folder that only its owner may enter; refuses one of another user."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise OSError("it is not a folder")
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            raise OSError("it belongs to another user")
        if stat.S_IMODE(status.st_mode) != 0o700:
            path.chmod(0o700)


# Keeps bytes under a key for a while: `Store`, on disk (`DiskStore`) and in memory (`MemoryStore`).
# A cache must not harm a search. So nothing here raises into it: a value that cannot be read is a
# miss and is deleted, a file that is broken is begun anew, and a store that cannot work logs that
# once and is silent from then on. No byte of the cache is ever unpickled.
