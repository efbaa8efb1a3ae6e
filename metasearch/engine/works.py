"""Works that were shown, by their ids: what a client asks for again after its search is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from metasearch.bib.work_ids import is_hit_id
from metasearch.formats import hits as kept_hits
from metasearch.record import Hit

if TYPE_CHECKING:
    from metasearch.cache import Store

_log = logging.getLogger(__name__)

#: Seconds for which a work is kept that was shown, and one in a basket.
KEPT, KEPT_IN_BASKET = 24 * 3600.0, 90 * 24 * 3600.0
#: Works of one call of `keep`, the first ones; bytes of one work, and of all works in memory where
#: there is no cache on disk. A work of ten records takes some 20 kB.
MOST_WORKS, LARGEST, MEMORY = 500, 1 << 20, 1 << 24
#: What the works are counted under in the cache.
TAG = "works that were shown"


class ShownWorks:
    """Keeps whole hits for a day, in the cache: all workers of a server have the same ones, and
    they outlast a restart. Without a cache they are kept in memory.

    A face keeps what it shows where its clients ask for a work by its id; a search by itself keeps
    nothing here. A work in a basket is kept longer, beside what is kept for a day: to show its page
    does not shorten that. `store`: the cache; its maker closes it. None keeps the works in memory.
    """

    def __init__(self, store: Store | None) -> None:
        self._given = store

    @cached_property
    def _store(self) -> Store:
        if self._given is not None:
            return self._given
        from metasearch.cache import MemoryStore  # and diskcache with it, which takes 20 ms

        return MemoryStore(MEMORY)

    async def keep(self, hits: Iterable[Hit], seconds: float = KEPT) -> list[Hit]:
        """Keep works under their ids; a work that is kept already is replaced.

        `hits`: `MOST_WORKS` of them at most. `seconds`: for how long; `KEPT`, or longer. Returns
        further ones, and those larger than `LARGEST` bytes: they are not kept, which the log
        reports, too.
        """
        left_out: list[Hit] = []
        kept = further = 0
        for hit in hits:
            if kept >= MOST_WORKS:
                further += 1
                left_out.append(hit)
                continue
            await asyncio.sleep(0)  # a list of hundreds takes as many milliseconds
            value = kept_hits.write(hit)
            if len(value) > LARGEST:
                _log.warning("%s has %d bytes: not kept to be shown again", hit.id, len(value))
                left_out.append(hit)
                continue
            kept += 1
            await self._set(hit.id, value, seconds)
        if further:
            _log.warning("%d works beyond %d are not kept to be shown again", further, MOST_WORKS)
        return left_out

    async def renew(self, hits: Iterable[Hit], seconds: float) -> None:
        """Keep works so long from now on; those renewed in the last day are passed over."""
        due = [hit for hit in hits if await self._store.get(_renewed(hit.id)) is None]
        await self.keep(due, seconds)

    async def find(self, hit_id: str) -> Hit | None:
        """The work last kept under this id; None if there is none, or its time is over."""
        if not is_hit_id(hit_id):
            return None
        for key in (_key(hit_id), _long_key(hit_id)):
            value = await self._store.get(key)
            if value is None:
                continue
            try:
                return kept_hits.read(value)
            except ValueError as exc:
                _log.warning("the kept work %s was deleted: %s", hit_id, exc)
                await self._store.delete(key)
        return None

    async def _set(self, hit_id: str, value: bytes, seconds: float) -> None:
        if seconds <= KEPT:
            await self._store.set(_key(hit_id), value, seconds, tag=TAG)
            return
        await self._store.set(_long_key(hit_id), value, seconds, tag=TAG)
        await self._store.set(_renewed(hit_id), b"1", KEPT, tag=TAG)


def _key(hit_id: str) -> str:
    return f"work:{hit_id}"


def _long_key(hit_id: str) -> str:
    return f"work of a basket:{hit_id}"


def _renewed(hit_id: str) -> str:
    """Of what says that the work was kept long, less than a day ago."""
    return f"renewed work:{hit_id}"
