"""`Store`, its numbers, and the store that keeps everything in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


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
