"""One source in one search: what it is asked, a round of records at a time, and how it fares.

A round is what a search wants of each source at once: the records up to `depth`, then up to
twice that, and so on. The requests are those of one long answer, page after page; a round only says
where to stop for now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from metasearch.adapters.parse.parse import Parsed, most_of
from metasearch.adapters.parse.records import STEP
from metasearch.adapters.request import Page, Request
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.dedup import Fingerprint, fingerprint
from metasearch.engine.context import SearchContext
from metasearch.engine.source import SourceRun
from metasearch.errors import Drifted, NotRead, SourceError, TimedOut
from metasearch.events import SourceReport
from metasearch.query import Query, matches, terms
from metasearch.record import Record

#: Terms above which a query is translated in a thread: a thousand take some 60 ms a source.
MANY_TERMS = 100


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """Records of a source, fit to be taken in.

    Attributes:
        kept: The records that are wanted now, with their fingerprints.
        filtered: How many were wanted and left out, because they do not fit the query.
        beyond: Records that only a later round wants, as they were parsed.
    """

    kept: tuple[tuple[Record, Fingerprint], ...]
    filtered: int
    beyond: tuple[Record, ...] = ()


def record_batch(
    records: Sequence[Record], edge: int, wanted: int, residual: Query | None = None
) -> RecordBatch:
    """Cut records to what is wanted, filter what their source could not, and fingerprint the rest.

    Args:
        records: Of one source.
        edge: Position of the last record that is wanted now.
        wanted: Position of the last one that is wanted at all.
        residual: What the records have to be filtered by.
    """
    edge = min(edge, wanted)
    kept = [record for record in records if record.position <= edge]
    here = len(kept)
    beyond = (
        tuple(it for it in records if edge < it.position <= wanted) if here < len(records) else ()
    )
    if residual is not None:
        # None means that the record lacks the field: it is kept, for nothing speaks against it.
        kept = [record for record in kept if matches(residual, record) is not False]
    return RecordBatch(
        tuple((record, fingerprint(record)) for record in kept), here - len(kept), beyond
    )


Give = Callable[[RecordBatch | None], Awaitable[None]]


@dataclass(slots=True)
class QueryRun(SourceRun):
    """What is known of a source while it is asked for the query, and how that goes on."""

    plan: Plan | None = None
    count: int = 0
    total: int | None = None
    unread: int = 0
    filtered: int = 0
    _came: float | None = None  # when the page came that is being read
    _own: float = 0.0  # seconds that pages were here before they were read
    _edge: int = 0
    _next: Request | None = None
    _held: tuple[Record, ...] = ()
    _ids: set[str] = field(default_factory=set)  # of the records of this round
    _last: set[str] = field(default_factory=set)  # of those of the round before

    # ---------------------------------------------------------------- what is known

    @property
    def more(self) -> bool:
        """Whether there is another round to ask for."""
        return self.error is None and (self._next is not None or bool(self._held))

    def report(self) -> SourceReport:
        """How it fares, as of now."""
        notes = list(self.notes)
        if self.filtered:
            notes.append(
                f"{self.filtered} record(s) were left out by what this source could not search"
            )
        if self.unread:
            notes.append(f"{self.unread} record(s) could not be read")
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
    def reading(self) -> bool:
        """Whether a page of it is here that is not read yet."""
        return self._came is not None

    def finish(self) -> None:
        """The round has ended; a failure stays one."""
        if self.status == "running":
            self.status = "ok" if self.count else "empty"

    def late(self, seconds: float, limit: float) -> None:
        """The search is over, and this source is not done."""
        self.seconds = seconds
        self.fail(self._judged(TimedOut(self.name, f"no whole answer within {limit:g} s"), seconds))

    def _judged(self, error: TimedOut, seconds: float) -> SourceError:
        """Whose fault it is that the time is over: ours, where its pages lay here for longer than
        it was waited for.
        """
        own = self._own
        if self._came is not None:
            own += asyncio.get_running_loop().time() - self._came
        elif own <= seconds / 2:
            return error
        words = (
            f"its answers lay here for {own:.1f} s of {seconds:.1f} s: this server was too "
            f"busy to read them in time"
        )
        return NotRead(self.name, words, url=error.url)

    # ---------------------------------------------------------------- asking

    def again(self) -> None:
        """Another round is about to be asked for."""
        self.status = "running"

    async def ask_round(self, context: SearchContext, give: Give) -> None:
        """Ask for one more round, page after page; whatever goes wrong here stays here.

        Args:
            context: What to ask with.
            give: Takes each page as it comes, and None at the end.
        """
        loop = asyncio.get_running_loop()
        deep = self._edge > 0
        self._edge += context.resolved.depth
        self._ids = set()
        try:
            if self.plan is None:
                self.plan = await self._planned(context)
                self.notes += self.plan.notes
                self._next = self.plan.request
            if self._held:
                held, self._held = self._held, ()
                await self._give_all(held, context.resolved.reach, context, give)
            while self._next is not None and self._next.start < self._edge:
                await self._ask(self._next, context, give)
        except TimedOut as error:
            self.fail(self._judged(error, loop.time() - context.began))
        except SourceError as error:
            self.fail(error)
        except Exception as exc:
            self.fail(self.unexpected(exc, context))
        self._stop_where_it_repeats(deep)
        self.seconds = loop.time() - context.began
        await give(None)

    async def _planned(self, context: SearchContext) -> Plan:
        """The request of this source; a long query is translated in a thread."""
        wanted = (
            context.resolved.query,
            self.spec,
            context.resolved.reach,
            context.shared.settings.env,
            context.resolved.depth,
        )
        if (
            next(islice(terms(context.resolved.query, negated=True), MANY_TERMS, None), None)
            is None
        ):
            return plan(*wanted)
        made: list[Plan] = []
        await context.turns.apart(lambda _given_up: made.append(plan(*wanted)))
        return made[0]

    async def _ask(self, request: Request, context: SearchContext, give: Give) -> None:
        """Ask for one page, read it and give what it holds; `_next` is what follows."""
        page = await self.fetch(request, context)
        loop = asyncio.get_running_loop()
        self._came = loop.time()
        try:
            parsed = await self._read(page, context, give)
        except SourceError:
            self._came = None
            raise
        self._own += loop.time() - self._came
        self._came = None
        self.unread += len(parsed.unread)
        self.notes += parsed.notes
        if parsed.drifted is not None:
            self.fail(Drifted(self.name, *parsed.drifted, url=request.shown))
        self._next = parsed.next
        nothing = not (parsed.records or parsed.unread) and self._next is None
        if nothing and context.resolved.options.cache:
            await context.shared.fetcher.found_nothing(page, self.spec.limits)

    async def _read(self, page: Page, context: SearchContext, give: Give) -> Parsed:
        """Read a page a stretch at a time, and give the records of each; what is not light is read
        in a thread.
        """
        wanted = page.request.wanted
        await context.turns.next()
        given = 0

        async def take(records: tuple[Record, ...]) -> None:
            nonlocal given
            given += len(records)
            await self._give(records, wanted, context, give)

        reading = await self.read(page, most_of(page.request), context, take)
        if reading.parsed.total is not None:
            self.total = reading.parsed.total
        await self._give_all(reading.parsed.records[given:], wanted, context, give)
        return reading.parsed

    async def _give_all(
        self, records: Sequence[Record], wanted: int, context: SearchContext, give: Give
    ) -> None:
        """Give records a stretch at a time, each in a turn; the first at once, and be there
        none.
        """
        for start in range(0, max(1, len(records)), STEP):
            if start:
                await context.turns.next()
            await self._give(records[start : start + STEP], wanted, context, give)

    async def _give(
        self, records: Sequence[Record], wanted: int, context: SearchContext, give: Give
    ) -> None:
        assert self.plan is not None
        found = record_batch(records, self._edge, wanted, self.plan.residual)
        self.filtered += found.filtered
        self._held += found.beyond
        self._ids.update(record.source_id for record, _ in found.kept if record.source_id)
        # To cut texts into words, or to import what signs them, takes milliseconds in which the
        # loop would stall.
        await context.shared.warmup.prepare(
            context.resolved.strategy, context.resolved.chain, [it for _, it in found.kept]
        )
        self.seconds = asyncio.get_running_loop().time() - context.began
        await give(found)

    def _stop_where_it_repeats(self, deep: bool) -> None:
        """A server that does not heed where a page is to begin would be asked for ever."""
        if deep and self._ids and self._ids <= self._last:
            self._next, self._held = None, ()
            self.notes.append("it gave the same records again, so it was not asked for more")
        self._last = self._ids
