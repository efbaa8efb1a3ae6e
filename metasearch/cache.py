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
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import diskcache

from metasearch.errors import CacheError

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

#: Largest stored value, compressed. Everything lies inside the SQLite file: files beside it are slower and less safe.
LARGEST_ROW = 1 << 24
#: Largest value after decompression.
LARGEST_VALUE = 1 << 26
#: Writes between two rounds of upkeep, in which expired and surplus entries go.
UPKEEP_EVERY = 128
#: Seconds that an access waits for another process.
LOCK_TIMEOUT = 1.0


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a store holds and how it was used.

    Attributes:
        entries: Values that are kept, expired ones included until the next upkeep.
        bytes: Space that they take.
        hits, misses: Of this process.
        problem: Why the store keeps nothing any more; None while it works.
    """

    entries: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0
    problem: str | None = None


class Store(Protocol):
    """Bytes under keys. No method raises because of the store's own troubles."""

    async def get(self, key: str) -> bytes | None:
        """The value, or None."""
        ...

    async def set(self, key: str, value: bytes, ttl: float) -> None:
        """Keeps a value for `ttl` seconds, or does not if it cannot."""
        ...

    async def delete(self, key: str) -> None:
        """Drops a value."""
        ...

    async def stats(self) -> CacheStats:
        """Numbers for people."""
        ...

    async def clear(self) -> None:
        """Drops everything."""
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
        self._rows: dict[str, tuple[float, bytes]] = {}
        self._size = self._hits = self._misses = 0

    async def get(self, key: str) -> bytes | None:
        """See `Store`."""
        until, value = self._rows.get(key, (0.0, b""))
        if self._clock() >= until:
            self._drop(key)
            self._misses += 1
            return None
        self._hits += 1
        return value

    async def set(self, key: str, value: bytes, ttl: float) -> None:
        """See `Store`."""
        self._drop(key)
        if ttl <= 0 or len(value) > self._size_limit:
            return
        self._rows[key] = (self._clock() + ttl, value)
        self._size += len(value)
        while self._size > self._size_limit:
            self._drop(next(iter(self._rows)))

    async def delete(self, key: str) -> None:
        """See `Store`."""
        self._drop(key)

    async def stats(self) -> CacheStats:
        """See `Store`."""
        return CacheStats(len(self._rows), self._size, self._hits, self._misses)

    async def clear(self) -> None:
        """See `Store`."""
        self._rows.clear()
        self._size = 0

    async def close(self) -> None:
        """Nothing is held."""

    def _drop(self, key: str) -> None:
        _, value = self._rows.pop(key, (0.0, b""))
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
    """A cache that leaves no connection open behind it where its file turns out to be no database."""

    def __init__(self, folder: str, **options: Any) -> None:
        try:
            super().__init__(folder, **options)
        except BaseException:
            self.close()
            raise


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
        self._writes = self._hits = self._misses = 0

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

    async def set(self, key: str, value: bytes, ttl: float) -> None:
        """See `Store`."""
        if ttl > 0 and len(value) <= LARGEST_VALUE:
            await self._run(self._writer, self._set, key, value, ttl)

    async def delete(self, key: str) -> None:
        """See `Store`."""
        await self._run(self._writer, self._delete, key)

    async def stats(self) -> CacheStats:
        """See `Store`."""
        entries, size = await self._run(self._reader, self._measure) or (0, 0)
        problem = str(self._problem) if self._problem else None
        return CacheStats(entries, size, self._hits, self._misses, problem)

    async def clear(self) -> None:
        """See `Store`."""
        await self._run(self._writer, self._clear)

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
            if exc.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                self._begin_anew(exc)
            return None
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
                _own_folder(self._path)
                self._cache = _Pages(
                    str(self._path),
                    timeout=LOCK_TIMEOUT,
                    disk=SafeDisk,
                    disk_min_file_size=LARGEST_ROW,
                    size_limit=self._size_limit,
                    eviction_policy="least-recently-stored",
                    statistics=0,
                    tag_index=0,
                    sqlite_synchronous=0,  # a cache may lose its file to a power cut; it begins anew
                )
            return self._cache

    def _get(self, key: str) -> bytes | None:
        cache = self._opened()
        try:
            row = cache.get(key)
            return None if row is None else _inflated(row)
        except (ValueError, TypeError, zlib.error):
            self._writer.submit(self._guarded, self._delete, key)
            return None

    def _set(self, key: str, value: bytes, ttl: float) -> None:
        cache = self._opened()
        row = zlib.compress(value, 1)
        if len(row) < LARGEST_ROW:
            cache.set(key, row, expire=ttl)
        if self._writes % UPKEEP_EVERY == 0:
            cache.expire()
            cache.cull()
        self._writes += 1

    def _delete(self, key: str) -> None:
        self._opened().delete(key)

    def _measure(self) -> tuple[int, int]:
        cache = self._opened()
        return len(cache), cache.volume()

    def _clear(self) -> None:
        self._opened().clear()

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
