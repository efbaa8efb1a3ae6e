"""A search while it runs: ask all sources a round, take the pages in as they come, rank, tell; go
deeper if need be.

The only place where tasks are started. A source's failure becomes a status at its own boundary
(`query_run.py`, `enriching.py`); the other sources never notice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from metasearch.engine.answers import AnswerCache
from metasearch.engine.context import SearchContext, Shared
from metasearch.engine.enriching import Enricher, Enrichers
from metasearch.engine.query_run import QueryRun, RecordBatch
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.results import Listing
from metasearch.engine.source import SourceRun, collect_until
from metasearch.errors import TimedOut
from metasearch.events import (
    Answer,
    Change,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.loop.lag import GRACE, lag
from metasearch.record import Hit

log = logging.getLogger("metasearch")

#: Seconds between two `Order` events while sources are still answering.
ORDER_EVERY = 0.15
#: Events that may wait for a slow reader, and stretches of pages that may wait to be merged, before
#: sources are made to wait. What waits at the deadline is merged at one go, so it must not be much.
BACKLOG, WAITING = 256, 32

Inbox = asyncio.Queue[tuple[QueryRun, RecordBatch | None]]
Outbox = asyncio.Queue[SearchEvent | None]


class Run:
    """What one search does, whoever waits for it.

    Args:
        shared: Of the engine.
        resolved: What is asked for.

    Attributes:
        whole: All that was found, once the search is over.
    """

    def __init__(self, shared: Shared, resolved: ResolvedSearch) -> None:
        self.id = secrets.token_hex(6)
        self.resolved = resolved
        self.whole: Answer | None = None
        self.task: asyncio.Task[None] | None = None
        self._shared = shared
        sources = [QueryRun(it.name, it.spec, notes=[*it.notes]) for it in resolved.sources]
        enrichers = [Enricher(it.name, it.spec) for it in resolved.enrichers]
        self._sources = sources
        self._enrichers = Enrichers(enrichers)
        self._asked: tuple[SourceRun, ...] = (*sources, *enrichers)
        self._turns = shared.scheduler.turns()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._began = 0.0
        self._queueing: asyncio.Timeout | None = None  # while the list is prepared in turns
        self._out: Outbox | None = None
        self._untold: deque[SearchEvent] = deque()
        weights = {source.name: source.spec.weight for source in sources}
        self._list = Listing(resolved, weights, shared.position_store)

    def start(self, out: Outbox | None = None) -> asyncio.Task[None]:
        """Begin; events go to `out`, where somebody reads them, and None at the end."""
        self._out = out
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self.task = asyncio.create_task(self._run(), name=f"search {self.id}")
        return self.task

    def started(self) -> Started:
        """The event at the beginning."""
        names = tuple(it.name for it in self._asked)
        return Started(self.id, self.resolved.text, names, self.resolved.seconds)

    def so_far(self) -> Answer:
        """All that was found; while the search runs, what is there as of now."""
        if self.whole is not None:
            return self.whole
        seconds = self._loop.time() - self._began if self._loop is not None else 0.0
        return self._enrichers.added(
            self._list.whole(self._list.hits(), self._reports(), seconds, over=False)
        )

    async def soon(self) -> Answer:
        """The same, made in steps, so that the loop does not stall; the whole, where nobody is
        being asked any more.

        Whoever calls this has waited long enough, and stands in no line with searches that have
        time left.
        """
        for _ in self._list.preparing():
            await asyncio.sleep(0)
        while not self.over and all(it.status != "running" for it in self._asked):
            self._hasten()
            await asyncio.sleep(0)
        return self.so_far()

    def ended(self) -> Answer:
        """All that was found, once it has ended in one way or another.

        Raises:
            MetasearchError: What the search could not go on without.
        """
        assert self.task is not None
        if not self.task.cancelled():
            self.task.result()
            return self.so_far()
        for it in self._asked:
            if it.status == "running":  # else whoever waits for all to end would wait for ever
                it.fail(TimedOut(it.name, "no whole answer before the search was ended"))
        return self.so_far()

    @property
    def over(self) -> bool:
        """Whether it has ended, in one way or another."""
        return self.task is not None and self.task.done()

    @property
    def ending(self) -> bool:
        """Whether it has been told to stop, so that it will not be whole."""
        return self.task is not None and self.task.cancelling() > 0

    # ---------------------------------------------------------------- the run

    async def _run(self) -> None:
        try:
            with lag().watched():
                await self._drive()
        except asyncio.CancelledError:  # the reader is gone, nobody waits for the end
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
        context = SearchContext(self.id, resolved, shared, self._turns, began)
        await self._tell(self.started())
        await self._ask_round(self._sources, context)
        hits = self._list.settle()
        while loop.time() < context.deadline and (deeper := self._deeper(hits)):
            await self._ask_round(deeper, context)
            hits = self._list.settle()
        whole = self._list.whole(hits, self._reports(), loop.time() - began)
        self._keep(whole)  # as it is without enrichers, for they are asked for what one page shows
        if self._enrichers:
            await self._enrichers.ask(resolved.page(whole).hits, context, self._tell)
            whole = replace(self._enrichers.added(whole), seconds=round(loop.time() - began, 4))
        self.whole = whole
        await self._tell(Finished(resolved.page(whole)))

    def _reports(self) -> tuple[SourceReport, ...]:
        return tuple(source.report() for source in self._sources)

    def _deeper(self, hits: Sequence[Hit]) -> list[QueryRun]:
        """Those who are to be asked for another round: all that have one, where the page needs it,
        else none.
        """
        failed = any(
            source.error for source in self._sources
        )  # what is missing is missing because of that
        needed = not self._list.reaches() or (self._list.slid(hits) and not failed)
        return [source for source in self._sources if source.more] if needed else []

    async def _ask_round(self, sources: Sequence[QueryRun], context: SearchContext) -> None:
        """Ask these sources for a round, and take in what comes until the deadline; those that are
        late have failed.
        """
        inbox: Inbox = asyncio.Queue(WAITING)
        for source in sources:
            source.again()
        try:
            await self._ask(sources, context, inbox)
        except (
            ExceptionGroup
        ) as group:  # of all tasks only the loading can fail, and then nothing can be compared
            error = group.exceptions[0]
            raise error from error.__cause__
        while not inbox.empty():  # what came in the last moment counts
            self._take(*inbox.get_nowait())
            await asyncio.sleep(0)  # each is a stretch, and the loop has others to serve
        for source in sources:
            if source.status == "running":
                source.late(
                    asyncio.get_running_loop().time() - context.began, self.resolved.seconds
                )
                self._note(SourceProgress(source.report()))
        self._note(*self._changes())
        await self._prepare(context.deadline)

    async def _prepare(self, deadline: float) -> None:
        """Merge and score what is new, in turns; from the deadline on it waits for no others that
        compute.
        """
        steps = self._list.preparing()
        try:
            async with asyncio.timeout_at(deadline) as self._queueing:
                for _ in steps:
                    await self._turns.next()
        except TimeoutError:
            for _ in steps:
                await asyncio.sleep(0)
        finally:
            self._queueing = None

    def _hasten(self) -> None:
        """Have `_prepare` wait for no others from now on."""
        now = asyncio.get_running_loop().time()
        # Where it has been told so already it must not be told again: each time puts the moment off
        # by a cycle of the loop.
        if self._queueing is not None and (self._queueing.when() or 0.0) > now:
            self._queueing.reschedule(now)

    async def _ask(self, sources: Sequence[QueryRun], context: SearchContext, inbox: Inbox) -> None:
        """Ask all at once and load meanwhile what the strategy needs; whatever is late is
        cancelled.
        """
        asking = {f"ask {it.name}": _into(inbox, it, context) for it in sources}
        strategy = context.resolved.strategy
        if strategy.loads:
            asking[f"load {strategy.name}"] = context.shared.warmup.load(strategy)

        async def late() -> None:
            log.info("search %s: deadline of %g s reached", self.id, self.resolved.seconds)
            await self._last_moment(inbox, sources)

        await collect_until(
            context.deadline, asking, lambda: self._collect(inbox, len(sources)), late
        )

    async def _last_moment(self, inbox: Inbox, sources: Sequence[QueryRun]) -> None:
        """Take in what came in time and is not read yet, before all other searches; for a moment
        only.
        """
        stalled = lag().stalled  # then nobody knows yet what has come
        self._turns.hurry()
        try:
            async with asyncio.timeout(GRACE):
                while any(it.status == "running" and (it.reading or stalled) for it in sources):
                    self._take(*await inbox.get())
        except TimeoutError:
            pass

    async def _collect(self, inbox: Inbox, running: int) -> None:
        """Take pages in as they come; one task does this, so that dedup needs no locks."""
        loop = asyncio.get_running_loop()
        ordered = 0.0
        while running:
            source, page = await inbox.get()
            self._take(source, page)
            running -= page is None
            if self._out is None:
                continue
            self._note(*self._changes(), SourceProgress(source.report()))
            if not running or (page is not None and loop.time() - ordered >= ORDER_EVERY):
                ordered = loop.time()
                self._note(Order(tuple(self._list.order())))
            await self._tell()

    def _take(self, source: QueryRun, page: RecordBatch | None) -> None:
        """Count and merge a page; None is the end of the source's round."""
        if page is None:
            source.finish()
            return
        source.count += len(page.kept)
        self._list.insert(page.kept)

    # ---------------------------------------------------------------- telling

    def _changes(self) -> list[Change]:
        return self._list.changes() if self._out is not None else []

    def _note(self, *events: SearchEvent) -> None:
        if self._out is not None:
            self._untold.extend(events)

    async def _tell(self, *events: SearchEvent) -> None:
        """Hand all events to the reader; one that is cancelled at the deadline stays untold and
        goes out later.
        """
        self._note(*events)
        while self._untold and self._out is not None:
            await self._out.put(self._untold[0])
            self._untold.popleft()

    def _keep(self, whole: Answer) -> None:
        """For those who ask for the same list in the next minute."""
        answer_cache, resolved = self._shared.answer_cache, self.resolved
        if answer_cache is None or not resolved.options.cache:
            return
        deep = resolved.options.start > 0
        if not deep:
            answer_cache.drop((resolved.name, True))  # it went on from another first page
        if not any(source.old_pages for source in self._sources):
            answer_cache.keep((resolved.name, deep), whole)


def known(answer_cache: AnswerCache | None, resolved: ResolvedSearch) -> Answer | None:
    """The page from what was answered in the last minute, where all of it is there.

    The first page comes from a first page only: a list whose end was asked for holds more than it
    would.
    """
    if answer_cache is None or not resolved.options.cache or resolved.enrichers:
        return None
    for deep in (True, False) if resolved.options.start else (False,):
        whole = answer_cache.get((resolved.name, deep))
        if whole is None:
            continue
        further = whole.paging.next
        if further is None or resolved.places <= further.start:
            return resolved.page(whole)
    return None


async def _into(inbox: Inbox, source: QueryRun, context: SearchContext) -> None:
    async def give(page: RecordBatch | None) -> None:
        await inbox.put((source, page))

    await source.ask_round(context, give)
