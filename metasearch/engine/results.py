"""The merged list of a search while it grows: hits, their positions, and the answer of them; the
answers and works that an engine keeps.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.bib.work_ids import is_hit_id
from metasearch.dedup import Fingerprint, OnlineDedup
from metasearch.engine.facets import FacetCounts, sort_hits
from metasearch.engine.options import LAST_PLACE
from metasearch.engine.pages import Positions, PositionStore, number_passing, passing_name, totals
from metasearch.engine.rank import Ranking
from metasearch.engine.resolve import ResolvedSearch
from metasearch.engine.scheduler import FairScheduler, Turns, Warmup
from metasearch.engine.scores import STRETCH, stretches
from metasearch.events import Answer, Change, Facets, NextPage, Paging, SourceReport
from metasearch.formats import hits as kept_hits
from metasearch.message import message
from metasearch.record import Hit, Record
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.cache import Store


T = TypeVar("T")

#: Rounds of asking without a further work that passes the filters, after which a page ends: few may
#: pass, and every round is a request to each source. The next page goes on from there.
FRUITLESS_ROUNDS = 10


class _Stopwatch:
    """Adds up the seconds that `with` blocks took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += perf_counter() - self._began


class Listing:
    """The list: synchronous, owned by one task; `position_store` remembers lists."""

    def __init__(
        self, resolved: ResolvedSearch, weights: Mapping[str, float], position_store: PositionStore
    ) -> None:
        self._resolved = resolved
        self._position_store = position_store
        self._dedup = OnlineDedup(resolved.chain, weights, resolved.versions)
        self._ranking = Ranking(resolved.query, weights, resolved.options.rank)
        self._sort = resolved.options.sort
        #: Key of a record -> its number among all that were received; for "first-seen" only.
        self._arrival: dict[str, int] = {}
        #: Ids of the hits that `to_rerank` has seen.
        self._seen: set[str] = set()
        self._notes: list[str] = []
        self._positions = Positions()
        self._rounds = 0
        self._resumed = False  # whether the list was begun by an earlier search
        filters = resolved.filters
        self._passing_name = passing_name(resolved.name, filters) if filters else None
        self._passes = filters.passes()
        self._numbers = Positions()  # of the hits that pass the filters
        self._most_passing = 0
        self._fruitless = 0  # rounds in a row without a further hit that passes the filters
        self._given_up = False  # the page ends although it is not full
        #: None where no facet is asked for.
        self.facet_counts = resolved.facet_counts()
        self._watch = _Stopwatch()  # for merging and ranking

    def insert(self, batch: Iterable[tuple[Record, Fingerprint]]) -> None:
        with self._watch:
            for record, print_ in batch:
                self._dedup.insert(record, print_)
                if self._sort == "first-seen":
                    self._arrival.setdefault(record.key, len(self._arrival))

    def prepare_in_steps(self) -> Generator[None, None, None]:
        """Merge and score what is new, ahead of `snapshot`; yields after each stretch of that."""
        making = self._dedup.make_hits()
        while self._score_stretch(islice(making, STRETCH)) == STRETCH:
            yield

    def _score_stretch(self, hits: Iterable[Hit]) -> int:
        with self._watch:
            return self._read(list(hits))

    def _read(self, hits: Sequence[Hit]) -> int:
        """Read hits ahead for the ranking and the facets; returns how many hits there were."""
        if self.facet_counts is not None:
            self.facet_counts.add(hits)
        return self._ranking.prepare(hits)

    def changes(self) -> list[Change]:
        """What happened to the hits since the last call; these hits are read ahead, so that `order`
        and `facets` have little left to do.
        """
        with self._watch:
            changes = self._dedup.changes()
            self._read([change.hit for change in changes])
            return changes

    def passes(self, hit: Hit) -> bool:
        return self._passes(hit)

    def facets(self) -> Facets | None:
        """The facets of all hits; None where none is asked for."""
        if self.facet_counts is None:
            return None
        with self._watch:
            return self.facet_counts.count(self._all_hits())

    def snapshot(
        self, reports: tuple[SourceReport, ...], *, settle: bool = False
    ) -> Generator[None, None, Answer]:
        """The answer with all hits of the records that are there at the first step, as if the page
        were the whole list. Yields after each stretch.

        Hits with a place keep it, others follow by rank. To `settle`, at the end of a round, gives
        each new hit its place behind all that have one; before that it is not known where the list
        goes on. The places are given in one step, so that two searches for pages of one list do not
        mix them.
        """
        counts = self._dedup.counts
        hits = yield from (
            self._measure(self._settle_in_steps()) if settle else self._list_in_steps()
        )
        goes_on = settle and any(report.more for report in reports)
        return Answer(
            query=self._resolved.text,
            complete=not any(report.failed or report.status == "running" for report in reports),
            counts=counts,
            hits=tuple(hits),
            sources=reports,
            seconds=0.0,
            merge_seconds=round(self._watch.seconds, 4),
            dedup=self._resolved.strategy.name,
            sort=self._sort,
            paging=Paging(
                next=NextPage(self._positions.place_after(self._rounds)) if goes_on else None
            ),
            totals=totals(counts, reports),
            notes=tuple(dict.fromkeys(self._notes)),
        )

    def _list_in_steps(self) -> Generator[None, None, list[Hit]]:
        positions = self._seats()
        everything = self._all_hits()
        seated, fresh = positions.seat(everything)
        ranked = yield from self._ranking.rank_in_steps(fresh, everything)
        ordered = sort_hits(ranked, self._sort, self._arrival)
        seated |= dict(enumerate(ordered, len(positions)))
        return (yield from self._arrange_in_steps(seated, len(fresh)))

    def _seats(self) -> Positions:
        if self._resolved.options.start and not self._rounds:
            # Hits on earlier pages of the list have their places already.
            return self._position_store.get(self._resolved.name) or self._positions
        return self._positions

    def _all_hits(self) -> list[Hit]:
        return list(self._dedup.make_hits())

    def _sort_fresh(self, fresh: Iterable[Hit], everything: Iterable[Hit]) -> list[Hit]:
        """Hits without a position, in the order in which they get one."""
        return sort_hits(self._ranking.rank(fresh, everything), self._sort, self._arrival)

    def order(self) -> list[str]:
        """The ids of that list, of the hits that pass the filters."""
        with self._watch:
            everything = self._all_hits()
            seated, fresh = self._seats().seat(everything)
            if self._sort == "relevance":
                ids = self._ranking.ids(fresh, everything)
            else:
                ids = [hit.id for hit in self._sort_fresh(fresh, everything)]
            ids = [seated[place].id for place in sorted(seated)] + ids
            return ids if self._passing_name is None else self._order_of_passing(everything, ids)

    def _order_of_passing(self, everything: Sequence[Hit], ids: Sequence[str]) -> list[str]:
        """The ids of the hits that pass, in the order of their own numbers."""
        passing = {hit.id: hit for hit in everything if self._passes(hit)}
        numbers = None
        if self._resolved.options.start or self._rounds:
            numbers = self._position_store.get(self._passing_name)
        listed = [passing[name] for name in ids if name in passing]
        seated, fresh = (numbers or Positions()).seat(listed)
        return [seated[place].id for place in sorted(seated)] + [hit.id for hit in fresh]

    def to_rerank(self, most: int) -> list[Hit]:
        """The best of the hits that came since the last call, best first, `most` of them."""
        with self._watch:
            everything = self._all_hits()
            fresh = [hit for hit in everything if hit.id not in self._seen]
            self._seen.update(hit.id for hit in fresh)
            return self._ranking.rank(fresh, everything)[:most]

    def rerank(self, nearness: Mapping[str, float] | None) -> None:
        """Have hits score for how near they are to the query; None where that came too late."""
        if nearness is None:
            self._notes.append(message("rerank: not done, because the time of the search was over"))
        else:
            self._ranking.add_nearness(nearness)

    def _settle_in_steps(self) -> Generator[None, None, list[Hit]]:
        everything = self._all_hits()
        _, fresh = self._earlier_list().seat(everything)
        ranked = yield from self._ranking.rank_in_steps(fresh, everything)
        self._positions = self._earlier_list()
        seated, unseated = self._positions.seat(everything)
        if unseated != fresh:  # meanwhile another search has given places to some of them
            ranked = self._ranking.rank(unseated, everything)
        self._settle(seated, sort_hits(ranked, self._sort, self._arrival))
        return (yield from self._arrange_in_steps(seated, len(ranked)))

    def _earlier_list(self) -> Positions:
        """The list as the searches for its earlier pages have left it, and those for this page."""
        if not self._resolved.options.start:
            return self._positions
        known = self._position_store.get(self._resolved.name)
        self._resumed = known is not None if self._rounds == 0 else self._resumed
        return known or self._positions

    def _settle(self, seated: dict[int, Hit], fresh: Sequence[Hit]) -> None:
        """Give places to new hits, which are put in order, and remember them."""
        resolved, position_store = self._resolved, self._position_store
        # The first round has as many places as a source has records in it, so a client that adds
        # the size of a page to `start` misses no hit.
        least = 0 if self._rounds else resolved.depth
        self._positions.settle(self._rounds, seated, fresh, least)
        self._rounds += 1
        if resolved.options.start:
            position_store.keep(resolved.name, self._positions)
        else:
            position_store.begin(resolved.name, self._positions)
        if self._passing_name is not None:
            # Now and not with the page: the numbers depend on the rounds that were read, not on the
            # page that a search was for.
            listed = (hit for _, hit in sorted(seated.items()))
            self._number([hit for hit in listed if self._passes(hit)], self._passing_name)

    def _measure(self, steps: Generator[None, None, T]) -> Generator[None, None, T]:
        """The same steps; the seconds that each takes count as merging and ranking."""
        while True:
            with self._watch:
                try:
                    next(steps)
                except StopIteration as end:
                    result: T = end.value
                    return result
            yield

    def _number(self, passing: Sequence[Hit], name: Hashable) -> None:
        """Number the hits that pass the filters after a round.

        A first round without any, and every ten rounds without a further one, take as many numbers
        as a round has records: so a page that stays empty has a page behind it, and the numbers
        are the same in every process.
        """
        resolved = self._resolved
        self._fruitless = 0 if len(passing) > self._most_passing else self._fruitless + 1
        self._most_passing = max(len(passing), self._most_passing)
        fruitless = self._fruitless == FRUITLESS_ROUNDS
        leaves_empty = fruitless or (self._rounds == 1 and not passing)
        self._numbers, _ = number_passing(
            passing,
            name,
            self._position_store,
            anew=not resolved.options.start,
            round_=self._rounds - 1,
            empty=resolved.depth if leaves_empty else 0,
        )
        if fruitless:
            self._fruitless = 0
            self._given_up = self._numbers.place_after(self._rounds - 1) >= resolved.options.start

    def needs_round(self, hits: Sequence[Hit], failed: bool) -> bool:
        """Whether the page needs another round. `hits`: the list, as it was settled.
        `failed`: whether a source has failed: what is missing may be missing because of that.
        """
        if self._passing_name is not None:
            known = self._numbers.place_after(self._rounds)
            return known < self._resolved.places and not self._given_up
        if self._positions.place_after(self._rounds) < self._resolved.places:
            return True
        # A hit that stood on this page when the list was begun may come in the next round; that is
        # tried once.
        resumed, self._resumed = self._resumed, False
        if failed or not resumed:
            return False
        start, limit = self._resolved.options.start, self._resolved.options.limit
        return self._positions.lacks(start, start + (limit or LAST_PLACE), hits)

    def _arrange_in_steps(
        self, seated: dict[int, Hit], fresh: int
    ) -> Generator[None, None, list[Hit]]:
        """The hits by place, each with its place as its rank; `fresh` of them are ranked already.
        Yields after each stretch.
        """
        if fresh < len(seated):
            again = yield from self._ranking.rank_in_steps(seated.values())
            ranked = {hit.id: hit for hit in again}
            seated = {place: ranked[hit.id] for place, hit in seated.items()}
        return [
            hit if hit.rank == place + 1 else replace(hit, rank=place + 1)
            for place, hit in sorted(seated.items())
        ]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of a search at one moment.

    Attributes:
        whole: The answer with all hits.
        over: Whether the search has ended: then the list goes on behind its last page only, and its
            numbers are remembered.
    """

    whole: Answer
    over: bool

    def page(
        self, resolved: ResolvedSearch, counts: FacetCounts | None
    ) -> Generator[None, None, Answer]:
        """The page that a search asks for; yields after each stretch of counting. `counts`: of its
        facets; None where it asks for none.
        """
        if counts is not None:
            for some in stretches(self.whole.hits):
                counts.add(some)
                yield
        return resolved.page(self.whole, counts, over=self.over)


# What the searches of one engine share and remember: answers of the last minute, works that were
# shown; and what one search hands to the sources that it asks.

# Answers of the last minute: the same search again, and the next page of it, asks no source.

#: Seconds for which an answer is returned again; one that is not for every search, for repeats.
FRESH, FOR_REPEATS = 60.0, 20.0
#: Answers, and hits in all of them, that are kept at most.
MOST_ANSWERS, MOST_HITS = 128, 5_000


@dataclass(frozen=True, slots=True)
class _CachedAnswer:
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
        self._kept: dict[Hashable, _CachedAnswer] = {}
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
                return resolved.page(whole, resolved.facet_counts())
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
        self._kept[search] = _CachedAnswer(self._clock() + seconds, answer, for_repeats)
        self._hits += len(answer.hits)
        while len(self._kept) > MOST_ANSWERS or self._hits > MOST_HITS:
            self.drop(next(iter(self._kept)))

    def drop(self, search: Hashable) -> None:
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


class WorkStore:
    """Keeps whole hits for a day, in the cache: all workers of a server have the same ones, and
    they outlast a restart. Without a cache they are kept in memory.

    What is shown to clients that ask for a work by its id is kept; a search by itself keeps
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
        due = [hit for hit in hits if await self._store.get(_renewal_key(hit.id)) is None]
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

    async def keep_list(self, search: str, hits: Sequence[Hit]) -> None:
        """Keep which works a search listed, in their order, for as long as a work. Of the search
        only a digest is kept.
        """
        ids = "\n".join(hit.id for hit in hits[:MOST_WORKS])
        await self._store.set(_list_key(search), ids.encode(), KEPT, tag=TAG)

    async def find_list(self, search: str) -> list[str]:
        """The ids of the works that a search listed; none where it is not kept."""
        value = await self._store.get(_list_key(search))
        return value.decode().split("\n") if value else []

    async def _set(self, hit_id: str, value: bytes, seconds: float) -> None:
        if seconds <= KEPT:
            await self._store.set(_key(hit_id), value, seconds, tag=TAG)
            return
        await self._store.set(_long_key(hit_id), value, seconds, tag=TAG)
        await self._store.set(_renewal_key(hit_id), b"1", KEPT, tag=TAG)


def _key(hit_id: str) -> str:
    return f"work:{hit_id}"


def _list_key(search: str) -> str:
    return f"list:{hashlib.sha256(search.encode()).hexdigest()}"


def _long_key(hit_id: str) -> str:
    return f"work of a basket:{hit_id}"


def _renewal_key(hit_id: str) -> str:
    """Of what says that the work was kept long, less than a day ago."""
    return f"renewed work:{hit_id}"


@dataclass(frozen=True, slots=True)
class EngineState:
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
    shared: EngineState
    turns: Turns
    began: float
    deadline: float
    again: bool = True
