"""Keeps bytes under a key for a while: `Store`, on disk (`DiskStore`) and in memory (`MemoryStore`).

A cache must not harm a search. So nothing here raises into it: a value that cannot be read is a miss and is deleted, a
file that is broken is begun anew, and a store that cannot work says so once in the log and is silent from then on. No
byte of the cache is ever unpickled.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import diskcache
from diskcache.core import DEFAULT_SETTINGS, METADATA

from metasearch.errors import CacheError

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

#: Largest stored value, compressed. Everything lies inside the SQLite file: files beside it are slower and less safe.
LARGEST_ROW = 1 << 24
#: Largest value after decompression.
LARGEST_VALUE = 1 << 26
#: Tags that are told apart in the numbers.
MOST_TAGS = 1000
#: Writes between two rounds of upkeep, in which expired and surplus entries go.
UPKEEP_EVERY = 128
#: Seconds that an access waits for another process.
LOCK_TIMEOUT = 1.0
#: Seconds after which a file that was too busy to be opened is tried again.
BUSY_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a store holds and how it was used.

    Attributes:
        entries: Values that are kept, expired ones included until the next upkeep.
        bytes: Space that they take.
        hits, misses: Of this process.
        problem: Why the store keeps nothing any more; None while it works.
        busy: Nothing could be counted, because another process has the file.
        tags: Tag -> (values, their bytes as they are kept); at most `MOST_TAGS`, the largest first.
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
        """Keeps a value for `ttl` seconds, or does not if it cannot; `tag` is what it is counted under."""
        ...

    async def delete(self, key: str) -> None:
        """Drops a value."""
        ...

    async def stats(self) -> CacheStats:
        """Numbers for people."""
        ...

    async def clear(self) -> bool:
        """Drops everything; says whether that could be done."""
        ...

    async def close(self) -> None:
        """Lets go of files and threads."""
        ...


class MemoryStore:
    """Keeps values in a dictionary, the oldest going first; for tests and for a process without a disk.

    Args:
        size_limit: Bytes of values that are kept at most.
        clock: Seconds.
    """

    def __init__(self, size_limit: int = 1 << 26, clock: Callable[[], float] = time.monotonic) -> None:
        self._size_limit = size_limit
        self._clock = clock
        self._rows: dict[str, tuple[float, bytes, str]] = {}
        self._size = self._hits = self._misses = 0

    async def get(self, key: str) -> bytes | None:
        """See `Store`."""
        until, value, _ = self._rows.get(key, (0.0, b"", ""))
        if self._clock() >= until:
            self._drop(key)
            self._misses += 1
            return None
        self._hits += 1
        return value

    async def set(self, key: str, value: bytes, ttl: float, tag: str = "") -> None:
        """See `Store`."""
        self._drop(key)
        if ttl <= 0 or len(value) > self._size_limit:
            return
        self._rows[key] = (self._clock() + ttl, value, tag)
        self._size += len(value)
        while self._size > self._size_limit:
            self._drop(next(iter(self._rows)))

    async def delete(self, key: str) -> None:
        """See `Store`."""
        self._drop(key)

    async def stats(self) -> CacheStats:
        """See `Store`."""
        tags: dict[str, tuple[int, int]] = {}
        for _, value, tag in self._rows.values():
            values, size = tags.get(tag, (0, 0))
            tags[tag] = (values + 1, size + len(value))
        return CacheStats(len(self._rows), self._size, self._hits, self._misses, tags=tags)

    async def clear(self) -> bool:
        """See `Store`."""
        self._rows.clear()
        self._size = 0
        return True

    async def close(self) -> None:
        """Nothing is held."""

    def _drop(self, key: str) -> None:
        _, value, _ = self._rows.pop(key, (0.0, b"", ""))
        self._size -= len(value)


class SafeDisk(diskcache.Disk):  # type: ignore[misc]  # the package is not typed
    """Text keys and bytes, and no pickle either way, whatever a row says of itself (CVE-2025-69872)."""

    def put(self, key: Any) -> tuple[Any, bool]:
        """The key as it is stored."""
        if type(key) is not str:
            raise TypeError("keys are text")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        """The key as it was given."""
        if not raw:
            raise ValueError("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        """The columns for a value."""
        if read or type(value) is not bytes or len(value) >= self.min_file_size:
            raise TypeError("values are bytes and lie in the database")
        return super().store(value, False, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """The value of a row."""
        if mode != diskcache.core.MODE_RAW or filename is not None or type(value) is not bytes:
            raise ValueError("a row that is not plain bytes")
        return value

    def remove(self, file_path: Any) -> None:
        """Removes nothing: we write no files, so a row that names one is a forgery, and could name any file."""


class _Pages(diskcache.Cache):  # type: ignore[misc]  # as above
    """A cache that trusts no row of its file, and leaves no connection behind it where that is no file of ours."""

    def __init__(self, folder: Path, size_limit: int) -> None:
        options = {**_OPTIONS, "size_limit": size_limit}
        _check_settings(folder, options)
        try:
            super().__init__(str(folder), timeout=LOCK_TIMEOUT, disk=SafeDisk, **options)
        except BaseException:
            self.close()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._con
        # A row that claims to be larger than what we write is an error, not that much memory.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW + 4096)
        return connection

    @property
    def _sql_retry(self) -> Callable[..., sqlite3.Cursor]:
        """As in diskcache, which waits for a minute while it opens; a search cannot."""
        execute: Callable[..., sqlite3.Cursor] = self._sql
        latest = time.monotonic() + LOCK_TIMEOUT

        def patiently(*args: Any) -> sqlite3.Cursor:
            while True:
                try:
                    return execute(*args)
                except sqlite3.OperationalError as exc:
                    if not _is_busy(exc) or time.monotonic() >= latest:
                        raise
                time.sleep(0.001)

        return patiently

    def __len__(self) -> int:
        """Rows; counted, because the number that diskcache keeps may be made up."""
        ((rows,),) = self._sql("SELECT COUNT(*) FROM Cache").fetchall()
        return int(rows)

    def volume(self) -> int:
        """Bytes of the file; there are no others."""
        ((pages,),) = self._sql("PRAGMA page_count").fetchall()
        return int(self._page_size * pages)

    def tags(self) -> dict[str, tuple[int, int]]:
        """Tag -> (rows, bytes of their values), the largest first."""
        rows = self._sql(
            "SELECT CAST(tag AS BLOB), COUNT(*), TOTAL(LENGTH(value)) FROM Cache"
            " WHERE LENGTH(tag) < 100 GROUP BY 1 ORDER BY 3 DESC LIMIT ?",
            (MOST_TAGS,),
        )
        # As bytes, because SQLite takes whatever is called text for UTF-8.
        return {tag.decode(errors="replace"): (count, int(size)) for tag, count, size in rows.fetchall()}


def _is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file; what Python itself objects to has no code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


#: Every setting, named, so that a file can choose none.
_OPTIONS: Mapping[str, Any] = DEFAULT_SETTINGS | {
    "disk_min_file_size": LARGEST_ROW,
    "eviction_policy": "least-recently-stored",
    "statistics": 0,
    "tag_index": 0,
    "sqlite_synchronous": 0,  # a cache may lose its file to a power cut; it begins anew
}


def _check_settings(folder: Path, options: Mapping[str, Any]) -> None:
    """Look at the settings in a file before diskcache obeys them: it takes their names for attributes and pragmas.

    Raises:
        sqlite3.DatabaseError: The file is no database, or its settings are not those that we write.
    """
    file = folder / diskcache.core.DBNAME
    if not file.exists():
        return
    with closing(sqlite3.connect(file, timeout=LOCK_TIMEOUT, isolation_level=None)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW + 4096)
        try:
            rows = connection.execute("SELECT key, value FROM Settings LIMIT 100").fetchall()
        except sqlite3.OperationalError as exc:
            if str(exc).startswith("no such table"):
                return  # somebody has just made it
            raise
    for key, value in rows:
        numeric = key == "size_limit" or key in METADATA
        if (type(value) is not int) if numeric else (key not in options or value != options[key]):
            raise sqlite3.DatabaseError("its settings are not ours")


class DiskStore:
    """Keeps compressed values in a folder of one's own, by diskcache.

    Two threads do all the work, one reads and one writes, so that no access to the disk ever holds up the event loop
    and no read waits behind a write. Nothing is opened before the first use.

    Args:
        path: The folder; the files lie in `pages` below it, which nobody else may enter. Never on a network drive, and
            never shared between users.
        size_limit: Bytes on disk, roughly.
    """

    def __init__(self, path: Path, size_limit: int = 1 << 30) -> None:
        self._path = path / "pages"
        self._size_limit = size_limit
        self._reader: Executor = ThreadPoolExecutor(1, "metasearch-cache-read")
        self._writer: Executor = ThreadPoolExecutor(1, "metasearch-cache-write")
        self._opening = threading.Lock()
        self._cache: Any = None
        self._retired: list[Any] = []
        self._problem: CacheError | None = None
        self._renewed = self._closed = False
        self._busy_until = 0.0
        self._writes = self._hits = self._misses = 0

    @property
    def folder(self) -> Path:
        """Where its files lie; not there before the first use."""
        return self._path

    def __repr__(self) -> str:
        return f"<DiskStore {self._path}{': out of order' if self._problem else ''}>"

    async def get(self, key: str) -> bytes | None:
        """See `Store`."""
        value = await self._run(self._reader, self._get, key)
        if value is None:
            self._misses += 1
        else:
            self._hits += 1
        return value

    async def set(self, key: str, value: bytes, ttl: float, tag: str = "") -> None:
        """See `Store`."""
        if ttl > 0 and len(value) <= LARGEST_VALUE:
            await self._run(self._writer, self._set, key, value, ttl, tag)

    async def delete(self, key: str) -> None:
        """See `Store`."""
        await self._run(self._writer, self._delete, key)

    async def stats(self) -> CacheStats:
        """See `Store`."""
        found = await self._run(self._reader, self._measure)
        entries, size, tags = found or (0, 0, {})
        problem = str(self._problem) if self._problem else None
        busy = found is None and problem is None and not self._closed
        return CacheStats(entries, size, self._hits, self._misses, problem, tags, busy)

    async def clear(self) -> bool:
        """See `Store`."""
        return bool(await self._run(self._writer, self._clear))

    async def close(self) -> None:
        """See `Store`. A closed store finds nothing and keeps nothing."""
        if self._closed:
            return
        self._closed = True
        # SQLite connections belong to the thread that opened them, so each thread closes its own.
        loop = asyncio.get_running_loop()
        for executor in (self._reader, self._writer):
            await loop.run_in_executor(executor, self._close)
            executor.shutdown(wait=False)

    async def _run(self, executor: Executor, work: Callable[..., _T], *args: Any) -> _T | None:
        if self._closed or self._problem is not None:
            return None
        return await asyncio.get_running_loop().run_in_executor(executor, self._guarded, work, *args)

    # Everything below runs in one of the two threads.

    def _guarded(self, work: Callable[..., _T], *args: Any) -> _T | None:
        """The only place where the cache's failures are caught."""
        if self._problem is not None:
            return None
        try:
            return work(*args)
        except diskcache.Timeout:
            return None  # another process is busy with the file
        except sqlite3.DatabaseError as exc:
            if _is_busy(exc):
                return None
            self._begin_anew(exc)
            return self._guarded(work, *args)  # a second failure gives up
        except Exception as exc:
            self._give_up(exc)
            return None

    def _begin_anew(self, cause: sqlite3.DatabaseError) -> None:
        """Deletes a file that is not, or not any more, our database; once, then the store gives up."""
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
            self._opened()
        except Exception as exc:
            self._give_up(exc)

    def _give_up(self, cause: Exception) -> None:
        with self._opening:
            if self._problem is not None:
                return
            self._problem = CacheError(f"the page cache in {self._path} cannot be used: {cause}")
            self._problem.__cause__ = cause
        _log.warning("%s. %s", self._problem, self._problem.advice)

    def _opened(self) -> Any:
        with self._opening:
            if self._cache is None:
                if time.monotonic() < self._busy_until:
                    raise diskcache.Timeout
                _own_folder(self._path)
                try:
                    self._cache = _Pages(self._path, self._size_limit)
                except sqlite3.OperationalError as exc:
                    if _is_busy(exc):
                        self._busy_until = time.monotonic() + BUSY_PAUSE
                    raise
            return self._cache

    def _get(self, key: str) -> bytes | None:
        cache = self._opened()
        try:
            row = cache.get(key)
            return None if row is None else _inflated(row)
        except (ValueError, TypeError, zlib.error, sqlite3.DataError):
            self._writer.submit(self._guarded, self._delete, key)
            return None

    def _set(self, key: str, value: bytes, ttl: float, tag: str) -> None:
        cache = self._opened()
        row = zlib.compress(value, 1)
        if len(row) < LARGEST_ROW:
            cache.set(key, row, expire=ttl, tag=tag)
        if self._writes % UPKEEP_EVERY == 0:
            cache.expire()
            cache.cull()
        self._writes += 1

    def _delete(self, key: str) -> None:
        self._opened().delete(key)

    def _measure(self) -> tuple[int, int, dict[str, tuple[int, int]]]:
        cache = self._opened()
        return len(cache), cache.volume(), cache.tags()

    def _clear(self) -> bool:
        self._opened().clear()
        return True

    def _close(self) -> None:
        for cache in (*self._retired, self._cache):
            if cache is not None:
                with suppress(sqlite3.Error):
                    cache.close()


def _inflated(row: bytes) -> bytes:
    inflater = zlib.decompressobj()
    value = inflater.decompress(row, LARGEST_VALUE)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("cut short, too large, or not one value")
    return value


def _own_folder(path: Path) -> None:
    """Makes a folder that only its owner may enter; refuses one that somebody else has put there."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise OSError("it is not a folder")
    if hasattr(os, "getuid"):
        if found.st_uid != os.getuid():
            raise OSError("it belongs to somebody else")
        if stat.S_IMODE(found.st_mode) != 0o700:
            path.chmod(0o700)
