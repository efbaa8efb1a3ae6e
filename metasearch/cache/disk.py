"""The store on disk: two threads over one SQLite file; nothing wrong there reaches a search."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import diskcache

from metasearch.cache import pages
from metasearch.cache.store import CacheStats
from metasearch.deflated import deflated, inflated
from metasearch.errors import CacheError

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


class _Asked(NamedTuple):
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
        self._cache: pages.Pages | None = None
        self._retired: list[pages.Pages] = []
        self._problem: CacheError | None = None
        self._renewed = self._closed = False
        self._busy_until = 0.0
        self._writes = self._hits = self._misses = 0
        #: What this turn of the loop asks for; None before somebody asks.
        self._asked: list[_Asked] | None = None

    @property
    def folder(self) -> Path:
        """Where its files lie; not there before the first use."""
        return self._path

    def __repr__(self) -> str:
        return f"<DiskStore {self._path}{': out of order' if self._problem else ''}>"

    async def get(self, key: str) -> bytes | None:
        """See `Store`.

        Those of one turn of the loop are read together, as a search looks for the pages of all its
        sources in one: the way to a thread and back takes more CPU than to find nothing.
        """
        loop = asyncio.get_running_loop()
        together = self._asked
        if together is None or together[0].found.get_loop() is not loop:  # that one has ended
            together = self._asked = []
            loop.call_soon(self._read, loop, together)
        asked = _Asked(key, loop.create_future())
        together.append(asked)
        value = await asked.found
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
        measured = await self._run(self._reader, self._measure)
        entries, size, tags = measured or (0, 0, {})
        problem = str(self._problem) if self._problem else None
        busy = measured is None and problem is None and not self._closed
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

    def _read(self, loop: asyncio.AbstractEventLoop, asked: list[_Asked]) -> None:
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
        return await asyncio.get_running_loop().run_in_executor(
            executor, self._guarded, work, *args
        )

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
            if pages.is_busy(exc):
                return None
            self._begin_anew(exc)
            return self._guarded(work, *args)  # a second failure gives up
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

    def _opened(self) -> pages.Pages:
        with self._opening:
            if self._cache is None:
                if time.monotonic() < self._busy_until:
                    raise diskcache.Timeout
                _own_folder(self._path)
                try:
                    self._cache = pages.Pages(self._path, self._size_limit)
                except sqlite3.OperationalError as exc:
                    if pages.is_busy(exc):
                        self._busy_until = time.monotonic() + BUSY_PAUSE
                    raise
            return self._cache

    def _get_all(self, loop: asyncio.AbstractEventLoop, asked: list[_Asked]) -> None:
        """Reads values. What is not there is told first, and together: its callers have to ask a
        source. What is there is told one by one, as each takes a moment to decompress.
        """
        rows = [self._guarded(self._row, each.key) for each in asked]
        missing = [each for each, row in zip(asked, rows, strict=True) if row is None]
        with suppress(RuntimeError):  # the loop has ended: nobody waits
            if missing:
                loop.call_soon_threadsafe(_tell, missing, None)
            for each, row in zip(asked, rows, strict=True):
                if row is not None:
                    value = self._guarded(self._value, each.key, row)
                    loop.call_soon_threadsafe(_tell, [each], value)

    def _row(self, key: str) -> bytes | None:
        cache = self._opened()
        with self._deleted_if_unreadable(key):
            row: bytes | None = cache.get(key)
            return row
        return None

    def _value(self, key: str, row: bytes) -> bytes | None:
        with self._deleted_if_unreadable(key):
            return inflated(row, LARGEST_VALUE)
        return None

    @contextmanager
    def _deleted_if_unreadable(self, key: str) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, sqlite3.DataError):
            self._writer.submit(self._guarded, self._delete, key)

    def _set(self, key: str, value: bytes, ttl: float, tag: str) -> None:
        cache = self._opened()
        row = deflated(value)
        if len(row) < pages.LARGEST_ROW:
            cache.write(key, row, ttl, tag)
        if self._writes % UPKEEP_EVERY == 0:
            cache.upkeep()
        self._writes += 1

    def _delete(self, key: str) -> None:
        self._opened().delete(key)

    def _measure(self) -> tuple[int, int, dict[str, tuple[int, int]]]:
        return self._opened().measure()

    def _clear(self) -> bool:
        self._opened().clear()
        return True

    def _close(self) -> None:
        for cache in (*self._retired, self._cache):
            if cache is not None:
                with suppress(sqlite3.Error):
                    cache.close()


def _tell(asked: list[_Asked], value: bytes | None) -> None:
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
