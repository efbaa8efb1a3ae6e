"""Works that were shown, by their ids: what a client asks for again after its search is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from metasearch.bib.work_ids import is_hit_id
from metasearch.formats import hits as kept_hits
from metasearch.record import Hit

if TYPE_CHECKING:
    from metasearch.cache import Store

_log = logging.getLogger(__name__)

#: Seconds for which a work is kept.
KEPT = 24 * 3600.0
#: Works of one call of `keep`, the first ones; bytes of one work, and of all works in memory where
#: there is no cache on disk. A work of ten records takes some 20 kB.
MOST_WORKS, LARGEST, MEMORY = 500, 1 << 20, 1 << 24
#: What the works are counted under in the cache.
TAG = "works that were shown"


class ShownWorks:
    """Keeps whole hits for a day, in the cache: all workers of a server have the same ones, and
    they outlast a restart. Without a cache they are kept in memory.

    A face keeps what it shows where its clients ask for a work by its id; a search by itself keeps
    nothing here.

    Args:
        store: The cache; its maker closes it. None keeps the works in memory.
    """

    def __init__(self, store: Store | None) -> None:
        self._given = store

    @cached_property
    def _store(self) -> Store:
        if self._given is not None:
            return self._given
        from metasearch.cache import MemoryStore  # and diskcache with it, which takes 20 ms

        return MemoryStore(MEMORY)

    async def keep(self, hits: Iterable[Hit]) -> None:
        """Keep works under their ids; a work that is kept already is replaced.

        Args:
            hits: `MOST_WORKS` of them at most; further ones, and those larger than `LARGEST` bytes,
                are not kept, which the log reports.
        """
        kept: list[Awaitable[None]] = []
        further = 0
        for hit in hits:
            if len(kept) >= MOST_WORKS:
                further += 1
                continue
            value = kept_hits.write(hit)
            if len(value) > LARGEST:
                _log.warning("%s has %d bytes: not kept to be shown again", hit.id, len(value))
                continue
            kept.append(self._store.set(_key(hit.id), value, KEPT, tag=TAG))
        if further:
            _log.warning("%d works beyond %d are not kept to be shown again", further, MOST_WORKS)
        await asyncio.gather(*kept)

    async def find(self, hit_id: str) -> Hit | None:
        """The work that was kept under this id; None if there is none, or that is a day ago.

        Args:
            hit_id: Any text; what is no id of a hit is not looked up.
        """
        if not is_hit_id(hit_id):
            return None
        value = await self._store.get(_key(hit_id))
        if value is None:
            return None
        try:
            return kept_hits.read(value)
        except ValueError as exc:
            _log.warning("the kept work %s was deleted: %s", hit_id, exc)
            await self._store.delete(_key(hit_id))
            return None


def _key(hit_id: str) -> str:
    return f"work:{hit_id}"
