"""A search while it runs: it asks all sources for a round, merges the pages as they come, ranks the
list, and sends events; where the page needs more, it asks for another round.

The failure of a source becomes its status where the source is asked (`source.py`, `enriching.py`);
the other sources go on.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import TypeVar

from metasearch.adapters.fetch.rate_limiter import BEHIND
from metasearch.engine.enrichment import Enricher, Enrichers
from metasearch.engine.facets import FacetCounts
from metasearch.engine.resolve import ResolvedSearch
from metasearch.engine.results import EngineState, Listing, SearchContext, Snapshot
from metasearch.engine.scheduler import collect_until
from metasearch.engine.scores import all_at_once
from metasearch.engine.source import Inbox, QueryRun, RecordBatch, SourceRun
from metasearch.errors import TimedOut
from metasearch.events import (
    Added,
    Answer,
    Change,
    Facets,
    FacetsChanged,
    Finished,
    Grown,
    Joined,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.loop import GRACE, ignore_failure, lag
from metasearch.message import message
from metasearch.record import Hit


class Growth:
    """Counts the changes of a search, and wakes all who wait for one. `changes`: how many changes
    there were. `records`: whether records have been received.
    """

    def __init__(self) -> None:
        self.changes = 0
        self.records = False
        self._awaited: asyncio.Event | None = None  # while somebody waits

    def count_change(self, *, records: bool = False) -> None:
        self.changes += 1
        self.records = self.records or records
        if self._awaited is not None:
            self._awaited.set()
            self._awaited = None

    async def after(self, changes: int, until: float | None) -> None:
        """Wait until there are more changes than these, or until a loop time; None is never."""
        try:
            async with asyncio.timeout_at(until):
                while self.changes <= changes:
                    if self._awaited is None:
                        self._awaited = asyncio.Event()
                    await self._awaited.wait()
        except TimeoutError:
            pass


# When the facets of a running search are counted and sent. Counting takes time, so this is done at
# most every `EVERY` seconds; what changes in between is counted when the time has come, also if no
# further records arrive. A slow reader gets no second facets before the first are read.

#: Seconds between two counts.
EVERY = 0.25


class FacetEvents:
    """The facets of one search; synchronous, owned by its task."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._sent: Facets | None = None
        self._place = 0  # of the newest facets among all events
        self._stale = False  # whether hits have changed since the last count
        self._next = 0.0

    @property
    def due(self) -> float | None:
        """Loop time of the next count; None where nothing has changed since the last one."""
        return self._next if self._stale else None

    def request_count(self) -> None:
        """Have the facets counted when their time has come."""
        self._stale = self._wanted

    def count(
        self, facets: Callable[[], Facets | None], now: float, noted: int, read: int
    ) -> FacetsChanged | None:
        """The event to send now; None where it is not time yet, or the facets are as they were."""
        if not self._stale or now < self._next:
            return None
        self._next = now + EVERY
        if read < self._place:
            return None
        self._stale = False
        event = self.event_for(facets())
        if event is not None:
            self._place = noted + 1
        return event

    def event_for(self, facets: Facets | None) -> FacetsChanged | None:
        """The event for these facets; None where they are those that were sent last."""
        if facets is None or facets == self._sent:
            return None
        self._sent = facets
        return FacetsChanged(facets)


T = TypeVar("T")

log = logging.getLogger("metasearch")

#: Seconds between two `Order` events while sources are still answering; with more hits than
#: `ORDERED_AT_ONCE` in proportion more, because all are ranked anew.
ORDER_EVERY, ORDERED_AT_ONCE = 0.15, 500
#: Events that may wait for a slow reader, and stretches of pages that may wait to be merged, before
#: sources have to wait. What waits at the deadline is merged at once, so it must not be much.
BACKLOG, WAITING = 256, 32

#: Events for the reader of a search; None is the end.
Outbox = asyncio.Queue[SearchEvent | None]


def longer(hits: int) -> float:
    """How many times as long to wait until a list of so many hits is ranked anew."""
    return max(1.0, hits / ORDERED_AT_ONCE)


class SearchRun:
    """One search while it runs, for one caller or several.

    Attributes:
        whole: The answer with all hits; None until the search is over.
        task: Does the search; None until that is started.
        growth: Changes with the list, with the report of a source, and at the end.
    """

    def __init__(self, shared: EngineState, resolved: ResolvedSearch) -> None:
        self.id = secrets.token_hex(6)
        self.resolved = resolved
        self.whole: Answer | None = None
        self.task: asyncio.Task[None] | None = None
        self.growth = Growth()
        self._shared = shared
        sources = [
            QueryRun(named.name, named.spec, notes=[*named.notes]) for named in resolved.sources
        ]
        enrichers = [Enricher(named.name, named.spec) for named in resolved.enrichers]
        self._sources = sources
        self._enrichers = Enrichers(enrichers) if enrichers else None
        self._asked: tuple[SourceRun, ...] = (*sources, *enrichers)
        self._turns = shared.scheduler.turns(behind=resolved.options.user is BEHIND)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._began = 0.0
        self._reranking = False  # while a thread compares meanings
        self._queueing: asyncio.Timeout | None = None  # while steps wait for a turn
        self._out: Outbox | None = None
        self._unsent: deque[SearchEvent] = deque()
        self._sent = 0  # events that were put into `_out`
        self._facets = FacetEvents(wanted=bool(resolved.facets))
        self._ordered = float("-inf")  # loop time of the last `Order`
        self._orders_every = ORDER_EVERY
        self._shown: set[str] = set()  # ids that were sent, where filters hold others back
        weights = {source.name: source.spec.weight for source in sources}
        self._list = Listing(
            resolved, weights, shared.position_store
        )  # until `whole` is made of it
        self._counts = self._list.facet_counts

    def start(self, out: Outbox | None = None) -> asyncio.Task[None]:
        """Start the search. `out` gets the events, and None at the end; None: they are not read."""
        self._out = out
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self.task = asyncio.create_task(self._run(), name=f"search {self.id}")
        self.task.add_done_callback(self._end)
        return self.task

    def _end(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():  # a failure is raised where the answer is asked for
            ignore_failure(task)
        if self.whole is not None:
            # To free what a long list was made of takes milliseconds, and now nobody waits for it.
            del self._list
        self.growth.count_change()

    def start_event(self) -> Started:
        names = tuple(source.name for source in self._asked)
        return Started(self.id, self.resolved.text, names, self.resolved.seconds)

    def facet_counts(self, resolved: ResolvedSearch) -> FacetCounts | None:
        """What counts the facets of a search: that of the run, where it is the run's own search,
        so that nothing is counted twice; else a new one.
        """
        return self._counts if resolved is self.resolved else resolved.facet_counts()

    def snapshot(self) -> Generator[None, None, Snapshot]:
        """What is known: at the end, or as of now; yields after each stretch of computing."""
        if self.whole is not None:
            return Snapshot(self.whole, over=True)
        # What the list settles while it is read, it reports no more to the reader of the events.
        self._note(*self._changes())
        yield from self._list.prepare_in_steps()
        self._note(*self._changes())
        # All of this as of one moment: records may come between the steps.
        seconds = self._loop.time() - self._began if self._loop is not None else 0.0
        over = self.over
        whole = yield from self._list.snapshot(self._reports())
        yield
        whole = self._with_enrichment(replace(whole, seconds=round(seconds, 4)))
        return Snapshot(whole, over)

    def _with_enrichment(self, plain: Answer) -> Answer:
        return plain if self._enrichers is None else self._enrichers.add_to(plain)

    def _page(self, whole: Answer) -> Answer:
        """The page that the run's own search asks for."""
        return self.resolved.page(whole, self._counts)

    @property
    def is_closing(self) -> bool:
        """Whether all sources are done and the end, or a further round, is about to come."""
        return not self._reranking and all(source.status != "running" for source in self._asked)

    async def soon(self) -> Snapshot:
        """As `snapshot`; the whole answer, where all sources are done.

        The caller's time is over, so this waits for no turns.
        """
        for _ in self._list.prepare_in_steps():
            await asyncio.sleep(0)
        while not self.over and self.is_closing:  # `closing` ends where meanings are compared, too
            self._skip_turns()
            await asyncio.sleep(0)
        return all_at_once(self.snapshot())

    def result(self) -> Snapshot:
        """What a search has found that has finished, failed or was cancelled. Raises
        MetasearchError: the error with which the search failed.
        """
        assert self.task is not None
        if not self.task.cancelled():
            self.task.result()
        for source in self._asked:
            if source.status == "running":  # else a caller that waits for all would never return
                source.fail(
                    TimedOut(source.name, message("no whole answer before the search was ended"))
                )
        return all_at_once(self.snapshot())

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.task is not None and self.task.done()

    @property
    def is_ending(self) -> bool:
        """Whether it is being cancelled, so that its answer will not be whole."""
        return self.task is not None and self.task.cancelling() > 0

    # ---------------------------------------------------------------- the run

    async def _run(self) -> None:
        try:
            with lag().watch():
                await self._drive()
        except asyncio.CancelledError as error:  # there is no reader any more
            # A group of tasks keeps the error, whose traceback holds the group and all records.
            error.__traceback__ = None
            raise
        except BaseException:
            if self._out is not None:
                await self._out.put(None)
            raise
        if self._out is not None:
            await self._out.put(None)

    async def _drive(self) -> None:
        loop = asyncio.get_running_loop()
        resolved, shared, began = self.resolved, self._shared, self._began
        deadline = began + resolved.seconds
        context = SearchContext(self.id, resolved, shared, self._turns, began, deadline)
        if self._out is not None:
            await self._send(self.start_event())
        await self._ask_round(self._sources, context)
        await self._rerank(deadline)
        whole = await self._settle_list(deadline)
        while loop.time() < deadline and (deeper := self._deeper(whole.hits)):
            for source in deeper:
                source.status = "running"
            self.growth.count_change()
            await self._ask_round(deeper, context)
            await self._rerank(deadline)
            whole = await self._settle_list(deadline)
        await asyncio.sleep(0)  # a long list takes milliseconds to rank, and its page some more
        whole = replace(whole, seconds=round(loop.time() - began, 4))
        fresh = not any(source.old_pages for source in self._sources)
        shared.answer_cache.keep_answer(resolved, whole, fresh=fresh)
        if self._enrichers is not None:
            await self._enrichers.ask(self._page(whole).hits, context, self._send_enrichment)
            whole = replace(self._enrichers.add_to(whole), seconds=round(loop.time() - began, 4))
        self.whole = whole
        if self._out is not None:
            answer = self._page(whole)
            if (final := self._facets.event_for(answer.facets)) is not None:
                self._note(final)
            await self._send(Finished(answer))

    async def _settle_list(self, deadline: float) -> Answer:
        return await self._in_turns(self._list.snapshot(self._reports(), settle=True), deadline)

    def _reports(self) -> tuple[SourceReport, ...]:
        return tuple(source.report() for source in self._sources)

    def _deeper(self, hits: Sequence[Hit]) -> list[QueryRun]:
        """The sources for another round: all that have one, where the page needs it, else none."""
        failed = any(source.error for source in self._sources)
        if not self._list.needs_round(hits, failed):
            return []
        return [source for source in self._sources if source.more]

    async def _ask_round(self, sources: Sequence[QueryRun], context: SearchContext) -> None:
        """Ask these sources for a round, and merge until the deadline; late ones have failed."""
        inbox: Inbox = asyncio.Queue(WAITING)
        try:
            await self._ask(sources, context, inbox)
        # Of all tasks only the loading can fail, and then nothing can be compared.
        except ExceptionGroup as group:
            error = group.exceptions[0]
            raise error from error.__cause__
        while not inbox.empty():  # what came in the last moment counts
            self._take(*inbox.get_nowait())
            await asyncio.sleep(0)  # each is a stretch, and the loop has others to serve
        for source in sources:
            if source.status == "running":
                seconds = asyncio.get_running_loop().time() - context.began
                source.late(seconds, self.resolved.seconds)
                self._note(SourceProgress(source.report()))
                self.growth.count_change()
        self._note(*self._changes())
        # Merge and score what is new.
        await self._in_turns(self._list.prepare_in_steps(), context.deadline)

    async def _in_turns(self, steps: Generator[None, None, T], deadline: float) -> T:
        """The result of steps that are taken in turns; from the deadline on without turns."""
        waits = True
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            if not waits:
                await asyncio.sleep(0)
            elif self._turns.over():
                waits = await self._has_turn(deadline)

    async def _has_turn(self, deadline: float) -> bool:
        """Wait for a turn; whether there was one before the deadline."""
        try:
            async with asyncio.timeout_at(deadline) as self._queueing:
                await self._turns.next()
        except TimeoutError:
            return False
        finally:
            self._queueing = None
        return True

    async def _rerank(self, deadline: float) -> None:
        """Where it is asked for, have a thread compare the meaning of the query with that of the
        new hits, before they get their places; until the deadline, at least `GRACE` seconds.
        """
        options = self.resolved.options
        if not options.rerank or options.sort != "relevance":
            return
        # Not at the top: ordinary searches do without it.
        from metasearch.engine.rank import MOST_HITS, nearness

        hits = self._list.to_rerank(MOST_HITS)
        if not hits:
            return
        near: dict[str, float] = {}

        def compare(given_up: Callable[[], bool]) -> None:
            if not given_up():
                near.update(nearness(self.resolved.query, hits))

        until = max(deadline, asyncio.get_running_loop().time() + GRACE)
        self._reranking = True
        self.growth.count_change()
        try:
            async with asyncio.timeout_at(until):
                await self._turns.apart(compare)
        except TimeoutError:
            self._list.rerank(None)
            return
        finally:
            self._reranking = False
        self._list.rerank(near)
        if self._out is not None:
            self._note_order()

    def _skip_turns(self) -> None:
        """Have `_in_turns` wait for no turns from now on, if it waits for one."""
        now = asyncio.get_running_loop().time()
        # Not twice: each call would put the moment off by a cycle of the loop.
        if self._queueing is not None and (self._queueing.when() or 0.0) > now:
            self._queueing.reschedule(now)

    async def _ask(self, sources: Sequence[QueryRun], context: SearchContext, inbox: Inbox) -> None:
        """Ask all at once while the strategy loads; at the deadline the rest is cancelled."""
        asking = {f"ask {source.name}": source.ask_round(context, inbox) for source in sources}
        strategy = context.resolved.strategy
        if strategy.loads:
            asking[f"load {strategy.name}"] = context.shared.warmup.load(strategy)

        async def late() -> None:
            log.info("search %s: deadline of %g s reached", self.id, self.resolved.seconds)
            await self._last_moment(inbox, sources)

        await collect_until(context.deadline, asking, self._collect(inbox, len(sources)), late)

    async def _last_moment(self, inbox: Inbox, sources: Sequence[QueryRun]) -> None:
        """Merge what came in time and is unread, before other searches; `GRACE` seconds at most."""
        stalled = lag().is_stalled  # then answers may be here that no source has seen yet
        self._turns.hurry()

        def is_missing() -> bool:
            running = [source for source in sources if source.status == "running"]
            return any(stalled or source.is_reading for source in running)

        try:
            async with asyncio.timeout(GRACE):
                while is_missing():
                    self._take(*await inbox.get())
        except TimeoutError:
            pass

    async def _collect(self, inbox: Inbox, running: int) -> None:
        """Merge batches as they come, until the rounds of all sources have ended; one task does
        this, so that dedup needs no locks.
        """
        loop = asyncio.get_running_loop()
        while running:
            source, batch = await self._next_batch(inbox)
            self._take(source, batch)
            running -= batch is None
            if self._out is None:
                continue
            self._note(*self._changes(), SourceProgress(source.report()))
            now = loop.time()
            if not running or (batch is not None and now - self._ordered >= self._orders_every):
                self._ordered = now
                self._note_order()
            if batch is not None:
                self._facets.request_count()
            self._note_facets()
            await self._send()

    async def _next_batch(self, inbox: Inbox) -> tuple[QueryRun, RecordBatch | None]:
        """The next batch; facets whose time comes meanwhile are sent."""
        while True:
            if (due := self._facets.due) is None:
                return await inbox.get()
            try:
                async with asyncio.timeout_at(due):
                    return await inbox.get()
            except TimeoutError:
                self._note_facets()
                await self._send()

    def _take(self, source: QueryRun, batch: RecordBatch | None) -> None:
        """Count and merge a batch; None is the end of the source's round."""
        if batch is not None:
            source.count += len(batch)
            self._list.insert(batch)
        elif source.status == "running":  # a failure stays one
            source.status = "ok" if source.count else "empty"
        self.growth.count_change(records=bool(batch))

    # ---------------------------------------------------------------- events

    def _changes(self) -> list[Change]:
        if self._out is None:
            return []
        changes = self._list.changes()
        if not self.resolved.filters:
            return changes
        return [shown for change in changes if (shown := self._filter_change(change)) is not None]

    def _filter_change(self, change: Change) -> Change | None:
        """A change as a reader sees it from whom filters hold hits back; None if it sees none.

        A hit that was sent and no longer passes is sent on as it grows: it is in no `Order`, and
        not in the answer.
        """
        hit, passes = change.hit, self._list.passes(change.hit)
        sent = hit.id in self._shown
        if isinstance(change, Joined):
            absorbed = tuple(name for name in change.absorbed if name in self._shown)
            self._shown.difference_update(absorbed)
            if not (passes or sent or absorbed):
                return None
            self._shown.add(hit.id)
            if absorbed:
                return Joined(hit, absorbed)
        elif not (passes or sent):
            return None
        self._shown.add(hit.id)
        return Grown(hit) if sent else Added(hit)

    async def _send_enrichment(self, *events: SearchEvent) -> None:
        self.growth.count_change()
        await self._send(*events)

    def _note_order(self) -> None:
        ids = self._list.order()
        self._orders_every = ORDER_EVERY * longer(len(ids))
        self._note(Order(tuple(ids)))

    def _note_facets(self) -> None:
        if self._loop is None or self._out is None:
            return
        noted = self._sent + len(self._unsent)
        read = self._sent - self._out.qsize()
        event = self._facets.count(self._list.facets, self._loop.time(), noted, read)
        if event is not None:
            self._note(event)

    def _note(self, *events: SearchEvent) -> None:
        if self._out is not None:
            self._unsent.extend(events)

    async def _send(self, *events: SearchEvent) -> None:
        """Send all events to the reader; what the deadline cuts off is sent later."""
        self._note(*events)
        while self._unsent and self._out is not None:
            await self._out.put(self._unsent[0])
            self._unsent.popleft()
            self._sent += 1
