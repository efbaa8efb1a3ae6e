"""What each source answers to a query, for programs that keep its records, or count its hits, and
need no merged list. The requests, limits, turns, single flights and the page cache are those of a
search.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from metasearch import regular_files
from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import SourcesLike
from metasearch.adapters.translate.plan import Plan
from metasearch.dedup import DedupStrategy
from metasearch.engine.options import (
    LAST_PLACE,
    MAX_PER_SOURCE,
    SearchOptions,
    check,
)
from metasearch.engine.resolve import ChosenSource, ResolvedSearch
from metasearch.engine.results import EngineState, SearchContext
from metasearch.engine.source import Inbox, PageFetch, QueryRun
from metasearch.errors import SourceError
from metasearch.events import SourceReport
from metasearch.loop import GRACE, lag
from metasearch.message import message
from metasearch.query import terms
from metasearch.record import Record
from metasearch.settings import Settings

#: A source and the variables of the environment -> its request. Raises SourceError: it cannot be
#: asked.
Planner = Callable[[AdapterSpec, Mapping[str, str]], Plan]
#: Keeps a page; may take a moment, and raises OSError where it cannot.
Keep = Callable[[Page], None]
#: Terms of a query up to which records are filtered on the loop: each takes some 10 µs a record.
FEW_TERMS = 20
#: Records that one source can be asked for.
MOST_RECORDS = LAST_PLACE


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A request that was made of a source, or of the page cache in its place; it holds no secret.

    Attributes:
        method: "GET" or "POST".
        body: Of a POST: its form fields as pairs, or its text under the name "".
        fetched_at: When its page was fetched, in Unix time; None where no page came.
        cached: Whether the page was in the cache.
    """

    method: str
    url: str
    body: tuple[tuple[str, str], ...] = ()
    fetched_at: float | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAnswer:
    """What one source answered.

    Attributes:
        report: How it fared. Its `total` is None where the source does not say it; 0 where it
            answered that it has nothing.
        records: In its order; none where its hits were only counted.
        requests: What it was asked, in order.
        asked_at: When the oldest page of the answer was fetched, in Unix time; None where no page
            came.
        exact: Whether the total is of the whole query: no clause was lost or applied here.
    """

    source: str
    label: str
    report: SourceReport
    records: tuple[Record, ...] = ()
    requests: tuple[SentRequest, ...] = ()
    asked_at: float | None = None
    exact: bool = True
    spec: str = ""


class Inquirer(Protocol):
    """What of an `Engine` is needed to ask its sources one by one."""

    registry: Registry
    settings: Settings
    strategy: DedupStrategy

    async def ready(self, sources: SourcesLike | None = None) -> None: ...

    def inquiry(self, options: SearchOptions, *, record: Path | None = None) -> Inquiry: ...


class Inquiry:
    """One query for sources that are asked one by one. `keep`: keeps every page that is used, in a
    thread; None keeps none.
    """

    def __init__(
        self, shared: EngineState, resolved: ResolvedSearch, keep: Keep | None = None
    ) -> None:
        self._shared = shared
        self._resolved = resolved
        self._keep = keep
        self._sources = {named.name: named for named in resolved.sources}

    @property
    def query(self) -> str:
        """The query in metasearch's syntax, its years included."""
        return self._resolved.text

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources that can be asked, groups expanded."""
        return tuple(self._sources)

    async def records(
        self,
        source: str,
        most: int,
        *,
        spec: AdapterSpec | None = None,
        planner: Planner | None = None,
        whole: bool = False,
    ) -> SourceAnswer:
        """Ask a source for its first records; its failure is in the report, with the records that
        had come before.

        `most`: records that are wanted, up to `MOST_RECORDS`. `spec`: the source as it is asked
        here, where that is another way than for a query. `planner`: makes the request in place of
        that for the query. `whole`: where it says that it has more than `most`, no more than the
        first of them are asked for. Raises UsageError: `most` is outside its limits.
        """
        check("per_source", most, 1, MOST_RECORDS)
        rounds = math.ceil(most / MAX_PER_SOURCE)
        run = _SourceInquiry.of(self._sources[source], self._keep)
        run.spec, run.planner = spec or run.spec, planner
        depth = math.ceil(most / rounds)
        context = self._context(run, replace(self._resolved, depth=depth, reach=most))
        await self._within(
            run, context, partial(self._rounds, run, context, most if whole else None)
        )
        return run.answer()

    async def count(self, source: str) -> SourceAnswer:
        """Ask a source how many hits it has, by one request for as few records as it can be asked
        for. It is not sent again where there is no answer.
        """
        run = _SourceInquiry.of(self._sources[source], self._keep, counts=True)
        context = self._context(run, replace(self._resolved, depth=1, reach=1), again=False)
        await self._within(run, context, partial(run.ask_round, context, _unread()))
        return run.answer()

    def _context(
        self, run: _SourceInquiry, resolved: ResolvedSearch, *, again: bool = True
    ) -> SearchContext:
        began = asyncio.get_running_loop().time()
        return SearchContext(
            run.id,
            resolved,
            self._shared,
            self._shared.scheduler.turns(),
            began,
            began + resolved.seconds,
            again,
        )

    async def _rounds(self, run: _SourceInquiry, context: SearchContext, fewer: int | None) -> None:
        """`fewer`: where there are more records, no further rounds are asked for."""
        inbox = _unread()
        await run.ask_round(context, inbox)
        while run.more and asyncio.get_running_loop().time() < context.deadline:
            if fewer is not None and (run.total or 0) > fewer:
                break
            await run.ask_round(context, inbox)

    async def _within(
        self, run: _SourceInquiry, context: SearchContext, ask: Callable[[], Awaitable[None]]
    ) -> None:
        """Ask until the deadline; a page that came in time is read after it."""
        try:
            with lag().watch():
                async with asyncio.timeout_at(context.deadline + GRACE):
                    await context.turns.next()  # to translate a query takes milliseconds
                    await ask()
        except TimeoutError:
            seconds = asyncio.get_running_loop().time() - context.began
            run.late(seconds, context.resolved.seconds)
        run.settle()


def _unread() -> Inbox:
    """An inbox for batches that nobody merges: only the ends of rounds are put into it."""
    return asyncio.Queue()


@dataclass(slots=True)
class _SourceInquiry(QueryRun):
    """A source that is asked for a query alone.

    Attributes:
        id: For the log, and for turns at the source.
        keep: Keeps every page; None keeps none.
        records: What it gave; none where its hits are only counted.
        planner: As in `Inquiry.records`.
    """

    id: str = field(default_factory=lambda: secrets.token_hex(6))
    keep: Keep | None = None
    records: list[Record] = field(default_factory=list)
    planner: Planner | None = None

    @classmethod
    def of(cls, named: ChosenSource, keep: Keep | None, *, counts: bool = False) -> _SourceInquiry:
        return cls(named.name, named.spec, notes=[*named.notes], keep=keep, counts=counts)

    async def _plan(self, context: SearchContext) -> Plan:
        if self.planner is None:
            return await super(_SourceInquiry, self)._plan(context)
        return self.planner(self.spec, context.shared.settings.env)

    async def fetch(self, request: Request, context: SearchContext) -> Page:
        """See `SourceRun.fetch`; the page is kept in the folder. Raises SourceError: there is no
        answer, or the page cannot be kept.
        """
        page = await QueryRun.fetch(self, request, context)
        if self.keep is not None:
            try:
                await asyncio.to_thread(self.keep, page)
            except OSError as exc:
                raise SourceError(
                    request.source,
                    message("its answer cannot be recorded: {why}", why=regular_files.why(exc)),
                    url=request.log_url,
                    advice=message("Name a folder that can be written to."),
                ) from exc
        return page

    async def _put(
        self, records: Sequence[Record], wanted: int, context: SearchContext, inbox: Inbox
    ) -> None:
        if self.counts:
            kept = list(records)
        elif self._filters_long(context):
            kept = []
            await context.turns.apart(
                lambda _given_up: kept.extend(self._keep_fitting(records, wanted))
            )
        else:
            kept = self._keep_fitting(records, wanted)
        self.count += len(kept)
        self.seconds = asyncio.get_running_loop().time() - context.began
        if not self.counts:
            self.records += kept

    def _filters_long(self, context: SearchContext) -> bool:
        """Whether comparing a few records with what is not searched takes longer than a turn."""
        if self.plan is None or self.plan.residual is None:
            return False
        return any(islice(terms(context.resolved.query, negated=True), FEW_TERMS, None))

    def settle(self) -> None:
        """Settle the status; a failure stays one."""
        if self.status != "running":
            return
        nothing = not (self.count or self.filtered or self.unread)
        if nothing and self.total is None:
            self.total = 0
        has_some = bool(self.total) or not nothing if self.counts else bool(self.count)
        self.status = "ok" if has_some else "empty"

    def answer(self) -> SourceAnswer:
        plan = self.plan
        dates = [page.fetched_at for page in self.asked if page.fetched_at is not None]
        return SourceAnswer(
            source=self.name,
            label=self.spec.label,
            report=self.report(),
            records=tuple(self.records),
            requests=tuple(map(_request_of, self.asked)),
            asked_at=min(dates, default=None),
            exact=not self.left_out
            and (plan is None or (plan.residual is None and not plan.notes)),
            spec=self.spec.digest,
        )


def _request_of(asked: PageFetch) -> SentRequest:
    request = asked.request
    text = (("", request.content),) if request.content else ()
    return SentRequest(
        method=request.method,
        url=request.log_url,
        body=(*public(request.body), *text),
        fetched_at=asked.fetched_at,
        cached=asked.cached,
    )
