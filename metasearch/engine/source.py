"""One source in one search: what it is asked, a round of records at a time, and its status.

A round is what a search wants of each source at once: the records up to `depth`, then up to
twice that, and so on. The requests are those of one long answer, page after page; a round only
determines where to stop for now. `enriching.py` asks a source for single works instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from metasearch.adapters.parse.parse import PageContent, PageReading, most_of
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.dedup import Fingerprint, fingerprint
from metasearch.engine.resolve import sort_notes
from metasearch.engine.results import SearchContext
from metasearch.engine.scheduler import MOST, Turns
from metasearch.errors import Drifted, NotRead, SourceError, TimedOut
from metasearch.events import SourceReport, Status
from metasearch.message import message
from metasearch.query import matches, terms
from metasearch.record import Record

log = logging.getLogger("metasearch")

#: Terms above which a query is translated in a thread: a thousand take some 60 ms a source.
MANY_TERMS = 100

#: Takes the records of a stretch.
Take = Callable[[tuple[Record, ...]], Awaitable[None]]
#: Records of one source that are merged in one step, with their fingerprints.
RecordBatch = Sequence[tuple[Record, Fingerprint]]
#: Where the sources of a search put their batches; None is the end of a source's round.
Inbox = asyncio.Queue[tuple["QueryRun", RecordBatch | None]]


@dataclass(slots=True)
class PageFetch:
    """A request that was made of a source.

    `fetched_at`: when its page was fetched, in Unix time, earlier than the search where the page
    was in the cache; None where no page came. `cached`: whether the page was in the cache.
    """

    request: Request
    fetched_at: float | None = None
    cached: bool = False


@dataclass(slots=True)
class SourceRun:
    """What is known of one source while it is asked.

    Attributes:
        seconds: From the start of the search to the last answer of the source.
        error: Why it failed; None where it did not.
        cached: Whether it answered, and every page came from the cache.
        old_pages: Pages from the cache that are past their time, and have a note about that.
        spared: The note that explains why an old page stood in for one that it did not answer.
        asked: The requests that were made of it, in order, with what is known of their pages.
    """

    name: str
    spec: AdapterSpec
    notes: list[str] = field(default_factory=list)
    status: Status = "running"
    seconds: float = 0.0
    error: SourceError | None = None
    cached: bool = False
    old_pages: int = 0
    spared: str = ""
    asked: list[PageFetch] = field(default_factory=list)
    _pages: int = 0

    def fail(self, error: SourceError) -> None:
        """Note why the source failed; what it answered before stays."""
        # An answer may be kept for long, and what led to the error holds whole pages.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        self.error = error
        self.status = error.outcome  # type: ignore[assignment]

    def as_failure(self, exc: Exception, context: SearchContext) -> SourceError:
        """An error of this program as a failure of the source: the other sources go on."""
        log.exception("search %s: %s failed unexpectedly", context.search, self.name)
        return SourceError(
            self.name,
            message("unexpected {name} while reading the answer", name=type(exc).__name__),
        )

    async def fetch(self, request: Request, context: SearchContext) -> Page:
        """Ask for one page, and count it. Raises SourceError: there is no answer."""
        options = context.resolved.options
        asked = PageFetch(request)
        self.asked.append(asked)
        page = await context.shared.fetcher.fetch(
            request,
            self.spec.limits,
            deadline=context.deadline,
            use_cache=options.cache,
            env_name=self.spec.key_env,
            asker=context.search,
            user=options.user,
            again=context.again,
        )
        asked.fetched_at, asked.cached = page.fetched_at, page.cached
        self.cached = page.cached and (self.cached or not self._pages)
        self._pages += 1
        if page.note:
            self.old_pages += 1
            self.notes.append(page.note)
        warning = page.budget.warning if page.budget is not None else ""
        if warning and warning not in self.notes:
            self.notes.append(warning)
        if page.spare:
            self.spared = self.spared or page.note
        return page

    async def read(
        self, page: Page, most: int, context: SearchContext, take: Take | None = None
    ) -> PageContent:
        """Read a page to its end: a stretch a turn, or in a thread where it is not light. A page
        that cannot be read is removed from the cache.

        `take`: is called with the records of each stretch but the last one. Raises SourceError: as
        `parse`.
        """
        try:
            reading = PageReading(page, self.spec, most)
            if reading.light:
                await _in_turns(reading, context.turns, take)
            else:
                await context.turns.apart(reading.finish)
        except SourceError as error:
            await context.shared.fetcher.forget(page.request, error)
            raise
        return reading.parsed


async def _in_turns(reading: PageReading, turns: Turns, take: Take | None) -> None:
    """Take the steps of a page, as many as fit into each turn; the records of the last turn are
    left to the caller, as those of the last step are.
    """
    read: list[Record] = []
    try:
        for records in reading:
            read += records
            if turns.over(len(read)):
                some, read = tuple(read), []
                if some and take is not None:
                    await take(some)
                await turns.next(under_way=True)
    except SourceError:  # what was read before counts
        if read and take is not None:
            await take(tuple(read))
        raise


@dataclass(slots=True)
class QueryRun(SourceRun):
    """What is known of a source while it is asked for the query.

    Attributes:
        plan: Its request; None until the query is translated.
        count: Records of it that were merged.
        total: How many hits the source claims to have; None where it does not.
        unread: Records that could not be read.
        filtered: Records that were left out because they do not fit the query.
        counts: Whether only the number of its hits is wanted: nothing follows the first page.
        left_out: Whether it says that it has left out a part of the query.
    """

    plan: Plan | None = None
    count: int = 0
    total: int | None = None
    unread: int = 0
    filtered: int = 0
    counts: bool = False
    left_out: bool = False
    _page_since: float | None = None  # loop time at which the page came that is being read
    _waited: float = 0.0  # seconds that pages were here before they were read
    _edge: int = 0  # position of the last record that this round wants
    _next: Request | None = None
    _held: tuple[Record, ...] = ()  # records that only a later round wants
    _ids: set[str] = field(default_factory=set)  # of the records of this round
    _last_ids: set[str] = field(default_factory=set)  # of those of the round before

    # ---------------------------------------------------------------- what is known

    @property
    def more(self) -> bool:
        """Whether there is another round to ask for."""
        return self.error is None and (self._next is not None or bool(self._held))

    def report(self) -> SourceReport:
        """The status and the counts as of now."""
        notes = list(self.notes)
        if self.filtered:
            notes.append(
                message(
                    "{filtered} record(s) were left out by what this source could not search",
                    filtered=self.filtered,
                )
            )
        if self.unread:
            notes.append(message("{unread} record(s) could not be read", unread=self.unread))
        return SourceReport(
            source=self.name,
            status=self.status,
            count=self.count,
            total=self.total,
            seconds=round(self.seconds, 4),
            query=self.plan.sent if self.plan else "",
            notes=tuple(dict.fromkeys(notes)),
            error=self.error,
            cached=self.cached,
            spared=self.spared,
            unread=self.unread,
            filtered=self.filtered,
            more=self.more and self.status != "running",
        )

    @property
    def is_reading(self) -> bool:
        """Whether a page of it is here that is not read yet."""
        return self._page_since is not None

    def late(self, seconds: float, limit: float) -> None:
        """Fail, because the search is over after `seconds` and its limit was `limit`."""
        self.seconds = seconds
        self.fail(
            self._judge(
                TimedOut(
                    self.name, message("no whole answer within {seconds} s", seconds=f"{limit:g}")
                ),
                seconds,
            )
        )

    def _judge(self, error: TimedOut, seconds: float) -> SourceError:
        """The same error, or NotRead where pages waited here for longer than the search waited for
        the source: then this server was too slow, not the source.
        """
        waited = self._waited
        if self._page_since is not None:
            waited += asyncio.get_running_loop().time() - self._page_since
        elif waited <= seconds / 2:
            return error
        words = message(
            "its answers lay here for {waited} s of {seconds} s: this server was too "
            "busy to read them in time",
            waited=f"{waited:.1f}",
            seconds=f"{seconds:.1f}",
        )
        return NotRead(self.name, words, url=error.url)

    # ---------------------------------------------------------------- asking

    async def ask_round(self, context: SearchContext, inbox: Inbox) -> None:
        """Ask for one more round, page after page; an error becomes the status of this source.
        `inbox`: is filled with the batches as they come, and with None at the end.
        """
        loop = asyncio.get_running_loop()
        deep = self._edge > 0
        self._edge += context.resolved.depth
        self._ids = set()
        try:
            if self.plan is None:
                self.plan = await self._plan(context)
                self.notes += self.plan.notes
                resolved = context.resolved
                self.notes += sort_notes(self.spec, resolved.options.sort, resolved.query)
                self._next = self.plan.request
            if self._held:
                held, self._held = self._held, ()
                await self._put_all(held, context.resolved.reach, context, inbox)
            while self._next is not None and self._next.start < self._edge:
                await self._ask(self._next, context, inbox)
        except TimedOut as error:
            self.fail(self._judge(error, loop.time() - context.began))
        except SourceError as error:
            self.fail(error)
        except Exception as exc:
            self.fail(self.as_failure(exc, context))
        self._stop_where_it_repeats(deep)
        self.seconds = loop.time() - context.began
        await inbox.put((self, None))

    async def _plan(self, context: SearchContext) -> Plan:
        """The request of this source; a long query is translated in a thread."""
        resolved = context.resolved
        wanted = (
            resolved.query,
            self.spec,
            resolved.reach,
            context.shared.settings.env,
            resolved.depth,
        )
        if not any(islice(terms(resolved.query, negated=True), MANY_TERMS, None)):
            return plan(*wanted)
        made: list[Plan] = []
        await context.turns.apart(lambda _given_up: made.append(plan(*wanted)))
        return made[0]

    async def _ask(self, request: Request, context: SearchContext, inbox: Inbox) -> None:
        """Ask for one page, read it and put its records into the inbox; `_next` is what follows."""
        page = await self.fetch(request, context)
        loop = asyncio.get_running_loop()
        self._page_since = loop.time()
        try:
            parsed = await self._read_page(page, context, inbox)
        except SourceError:
            self._page_since = None
            raise
        self._waited += loop.time() - self._page_since
        self._page_since = None
        self.unread += len(parsed.unread)
        self.notes += parsed.notes
        self.left_out = self.left_out or parsed.left_out
        if parsed.drifted is not None:
            self.fail(Drifted(self.name, *parsed.drifted, url=request.log_url))
        self._next = None if self.counts else parsed.next
        nothing = not (parsed.records or parsed.unread) and parsed.next is None
        if nothing and context.resolved.options.cache:
            await context.shared.fetcher.keep_empty(page, self.spec.limits)

    async def _read_page(self, page: Page, context: SearchContext, inbox: Inbox) -> PageContent:
        """Read a page, and put the records of each stretch into the inbox once they are read."""
        wanted = page.request.wanted
        await context.turns.next()
        done = 0

        async def take(records: tuple[Record, ...]) -> None:
            nonlocal done
            done += len(records)
            await self._put(records, wanted, context, inbox)

        parsed = await self.read(page, most_of(page.request), context, take)
        if parsed.total is not None:
            self.total = parsed.total
        await self._put_all(parsed.records[done:], wanted, context, inbox)
        return parsed

    async def _put_all(
        self, records: Sequence[Record], wanted: int, context: SearchContext, inbox: Inbox
    ) -> None:
        """Put as many records at a time as a turn takes, each time but the first in a turn; one
        empty batch for no records.
        """
        for start in range(0, max(1, len(records)), MOST):
            if start:
                await context.turns.next()
            await self._put(records[start : start + MOST], wanted, context, inbox)

    async def _put(
        self, records: Sequence[Record], wanted: int, context: SearchContext, inbox: Inbox
    ) -> None:
        """Cut records to what this round wants, filter what the source could not, fingerprint the
        rest, and put that into the inbox.

        `wanted`: position of the last record that is wanted in any round.
        """
        kept = self._keep_fitting(records, wanted)
        prints = [fingerprint(record) for record in kept]
        strategy, chain = context.resolved.strategy, context.resolved.chain
        # To cut texts into words, or to import what signs them, takes milliseconds in which the
        # loop would stall.
        if prints and (strategy.loads or chain.has_work(prints)):
            await context.shared.warmup.prepare(strategy, chain, prints)
        self.seconds = asyncio.get_running_loop().time() - context.began
        await inbox.put((self, tuple(zip(kept, prints, strict=True))))

    def _keep_fitting(self, records: Sequence[Record], wanted: int) -> list[Record]:
        """The records of this round that fit what the source could not search; those of later
        rounds are held. `records`: as in `_put`. `wanted`: as in `_put`.
        """
        assert self.plan is not None
        edge, residual = min(self._edge, wanted), self.plan.residual
        here = [record for record in records if record.position <= edge]
        if len(here) < len(records):
            self._held += tuple(record for record in records if edge < record.position <= wanted)
        kept = here
        if residual is not None:
            # None means that the record lacks the field: it is kept, because it may fit.
            kept = [record for record in here if matches(residual, record) is not False]
            self.filtered += len(here) - len(kept)
        self._ids.update(record.source_id for record in kept if record.source_id)
        return kept

    def _stop_where_it_repeats(self, deep: bool) -> None:
        """End a source that ignores where a page is to begin: it would be asked for ever."""
        if deep and self._ids and self._ids <= self._last_ids:
            self._next, self._held = None, ()
            self.notes.append(
                message("it gave the same records again, so it was not asked for more")
            )
        self._last_ids = self._ids
