"""What the searches of one engine share and remember: answers of the last minute, works that were
shown; and what one search hands to the sources that it asks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.bib.work_ids import is_hit_id
from metasearch.engine.pages import PositionStore
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.scheduler import FairScheduler, Turns, Warmup
from metasearch.events import Answer
from metasearch.formats import hits as kept_hits
from metasearch.record import Hit
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.cache import Store


# Answers of the last minute: the same search again, and the next page of it, asks no source.

#: Seconds for which an answer is returned again; one that is not for every search, for repeats.
FRESH, FOR_REPEATS = 60.0, 20.0
#: Answers, and hits in all of them, that are kept at most.
MOST_ANSWERS, MOST_HITS = 128, 5_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """An answer that is kept. `until`: when it is too old, by the clock of the cache.
    `for_repeats`: whether it is for repeats alone.
    """

    until: float
    answer: Answer
    for_repeats: bool


class AnswerCache:
    """Whole answers by search, whatever page of them was asked for; the oldest is forgotten first.

    A search that is a repeat (`SearchOptions.repeat`) gets the list of the search before it, also
    where a source failed: the works that a client asks for one by one are those of one list. Other
    searches ask again then, because the source may do better. `clock`: monotonic seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, repeats_only: bool = False
    ) -> None:
        self._clock = clock
        self._repeats_only = repeats_only
        self._kept: dict[Hashable, _Kept] = {}
        self._hits = 0

    def page(self, resolved: ResolvedSearch) -> Answer | None:
        """The page that a search asks for, where an answer holds all of it.

        A first page comes from a first page only: a list whose end was asked for holds more than
        the first page would.
        """
        if not resolved.options.cache or resolved.enrichers:
            return None
        for deep in (True, False) if resolved.options.start else (False,):
            whole = self.get((resolved.name, deep), repeat=resolved.options.repeat)
            if whole is None:
                continue
            further = whole.paging.next
            known = further.start if further is not None else resolved.places
            if resolved.filters and further is not None:
                known = sum(map(resolved.filters.passes(), whole.hits))
            if resolved.places <= known:
                return resolved.page(whole)
        return None

    def keep_answer(self, resolved: ResolvedSearch, whole: Answer, *, fresh: bool) -> None:
        """Keep the answer to a search for its other pages.

        `whole`: all hits, without what enrichers know of them: they are asked for one page only.
        `fresh`: whether every page of a source was in its time; else the answer is kept for repeats
        alone.
        """
        if not resolved.options.cache:
            return
        deep = resolved.options.start > 0
        if not deep:
            self.drop((resolved.name, True))  # it continued another first page
        repeat = resolved.options.repeat
        if fresh or repeat:
            self.keep((resolved.name, deep), whole, fresh=fresh, repeat=repeat)

    def get(self, search: Hashable, *, repeat: bool = False) -> Answer | None:
        """The answer, its sources marked as cached; None where there is none, it is too old, or it
        is kept for repeats and this is none.
        """
        kept = self._kept.get(search)
        if kept is None or self._clock() >= kept.until:
            self.drop(search)
            return None
        if kept.for_repeats and not repeat:
            return None
        answer = kept.answer
        sources = tuple(replace(report, cached=True) for report in answer.sources)
        return replace(answer, seconds=0.0, merge_seconds=0.0, sources=sources)

    def keep(
        self, search: Hashable, answer: Answer, *, fresh: bool = True, repeat: bool = False
    ) -> None:
        """Keep an answer: for all searches if it is whole, else for repeats alone. `repeat`:
        whether the search may be repeated; else only a whole answer is kept.
        """
        self.drop(search)
        for_repeats = self._repeats_only or not (answer.complete and fresh)
        # Without a hit there is no list to go on with, and a source may answer when asked again.
        if for_repeats and not (repeat and answer.hits):
            return
        if len(answer.hits) > MOST_HITS:
            return
        seconds = FOR_REPEATS if for_repeats else FRESH
        self._kept[search] = _Kept(self._clock() + seconds, answer, for_repeats)
        self._hits += len(answer.hits)
        while len(self._kept) > MOST_ANSWERS or self._hits > MOST_HITS:
            self.drop(next(iter(self._kept)))

    def drop(self, search: Hashable) -> None:
        """Forget an answer, if there is one."""
        kept = self._kept.pop(search, None)
        if kept is not None:
            self._hits -= len(kept.answer.hits)


# Works that were shown, by their ids: what a client asks for again after its search is over.

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


# What the searches of one engine share, and what one search hands to the sources that it asks.


@dataclass(frozen=True, slots=True)
class Shared:
    """What the searches of one engine share.

    Attributes:
        answer_cache: Answers of the last minute.
        position_store: The lists that were shown last.
    """

    settings: Settings
    fetcher: Fetcher
    warmup: Warmup
    scheduler: FairScheduler
    answer_cache: AnswerCache
    position_store: PositionStore


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What all sources of a search are asked with.

    Attributes:
        search: Id of the search, for the log.
        began: When the search began, in `loop.time()` seconds.
        deadline: When it ends, in the same seconds.
        again: Whether a request is sent again where the source does not answer.
    """

    search: str
    resolved: ResolvedSearch
    shared: Shared
    turns: Turns
    began: float
    deadline: float
    again: bool = True
