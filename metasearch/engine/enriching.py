"""Enrichers: sources that are asked not for the query, but for what they know of single works, by
their DOI.

They come when the list is made and stand outside it: what they say is laid over the hits that the
answer shows. So they add no hit, move none, and are counted neither among the records received nor
in the totals.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from metasearch.adapters.parse.parse import MOST_RECORDS
from metasearch.adapters.request import Page, Request
from metasearch.adapters.translate.plan import plan_enrichment
from metasearch.dedup.fill_gaps import filled
from metasearch.engine.context import SearchContext
from metasearch.engine.scheduler import collect_until
from metasearch.engine.source import SourceRun
from metasearch.errors import SourceError, TimedOut
from metasearch.events import Answer, Grown, SearchEvent, SourceProgress, SourceReport
from metasearch.record import Hit, Record

log = logging.getLogger("metasearch")

#: Works that one enricher is asked for in one search, at most.
MOST = 100
#: So many works it may fail at before it is not asked for the others.
FAILURES = 3
#: News that may wait to be told before enrichers are made to wait.
WAITING = 32

#: Takes the DOI of which something is known now.
Told = Callable[[str], Awaitable[None]]
Inbox = asyncio.Queue[tuple["Enricher", str | None]]


def lacks(hit: Hit) -> bool:
    """Whether an enricher is asked for a hit: it has a DOI, and nobody says all of where it can be
    read.
    """
    record = hit.record
    return bool(record.doi) and not (record.open_access and record.pdf_url)


@dataclass(slots=True)
class Enricher(SourceRun):
    """What is known of one enricher while it is asked.

    Attributes:
        known: DOI -> what it said of the work.
    """

    known: dict[str, Record] = field(default_factory=dict)
    _asked: int = 0
    _unknown: int = 0  # works of which it says that it knows nothing
    _others: int = 0  # answers about another work than it was asked for
    _failures: int = 0

    def report(self) -> SourceReport:
        """How it fares, as of now; `count` is of the works that it knows."""
        notes = list(self.notes)
        if self._unknown:
            notes.append(f"it knows nothing of {self._unknown} of {self._asked} work(s)")
        if self._others:
            notes.append(f"{self._others} answer(s) were about another work, and left out")
        return SourceReport(
            source=self.name,
            status=self.status,
            count=len(self.known),
            seconds=round(self.seconds, 4),
            query=f"{self._asked} work(s) by DOI" if self._asked else "",
            notes=tuple(dict.fromkeys(notes)),
            error=self.error,
            cached=self.cached,
            spared=self.spared,
        )

    def late(self, seconds: float, limit: float) -> None:
        """The search is over, and this enricher is not done."""
        self.seconds = seconds
        self.fail(TimedOut(self.name, f"not done with all works within {limit:g} s"))

    def spare(self) -> None:
        """No hit needs it."""
        self.status = "skipped"
        self.notes.append("no hit here needs it")

    async def ask(self, works: Sequence[str], context: SearchContext, told: Told) -> None:
        """Ask for works, as many at once as the source allows; whatever goes wrong here stays here.

        Args:
            works: Their DOIs; at least one.
            context: What to ask with.
            told: Called when something is known of a work.
        """
        loop = asyncio.get_running_loop()
        try:
            requests = [
                (doi, plan_enrichment(doi, self.spec, context.shared.settings.env))
                for doi in works[:MOST]
            ]
            await self._ask_all(requests, context, told)
        except SourceError as error:  # nothing was asked: its key is missing
            self.fail(error)
        if self.status == "running":
            self.status = "ok" if self.known else "empty"
        if len(works) > MOST and self._asked:
            self.notes.append(f"it was asked for the first {MOST} works only, of {len(works)}")
        self.seconds = loop.time() - context.began

    async def _ask_all(
        self, requests: Sequence[tuple[str, Request]], context: SearchContext, told: Told
    ) -> None:
        left = iter(requests)

        async def work() -> None:
            for doi, request in left:
                self._asked += 1
                if await self._learns(doi, request, context):
                    await told(doi)
                if self._failures >= FAILURES:
                    return

        async with asyncio.TaskGroup() as group:
            for _ in range(min(len(requests), self.spec.limits.concurrency)):
                group.create_task(work(), name=f"enrich {self.name}")

    async def _learns(self, doi: str, request: Request, context: SearchContext) -> bool:
        """Ask for one work; whether something is known of it now."""
        try:
            record = await self._record(doi, request, context)
        except SourceError as error:
            self._failed(error)
            return False
        except Exception as exc:
            self._failed(self.unexpected(exc, context))
            return False
        if record is None:
            return False
        self.known[doi] = record
        return True

    def _failed(self, error: SourceError) -> None:
        self._failures += 1
        if self.error is None:
            self.fail(error)

    async def _record(self, doi: str, request: Request, context: SearchContext) -> Record | None:
        """What the source says of the work; None where it does not know it."""
        page = await self.fetch(request, context)
        await context.turns.next()
        records = await self._read(page, context)
        for record in records:
            if record.doi == doi:
                return replace(record, position=0, source_id=record.source_id or doi)
        self._others += bool(records)
        self._unknown += not records
        return None

    async def _read(self, page: Page, context: SearchContext) -> tuple[Record, ...]:
        """The records of an answer, none where it says that there is no such work."""
        records: tuple[Record, ...] = ()
        if page.status != 404:
            records = (await self.read(page, MOST_RECORDS, context)).records
        if context.resolved.options.cache and not records:
            await context.shared.fetcher.found_nothing(page, self.spec.limits)
        return records


class Enrichers:
    """All enrichers of one search, and what the hits become by them.

    Args:
        each: In the order in which they are believed.
    """

    def __init__(self, each: Sequence[Enricher]) -> None:
        self._each = each

    def __len__(self) -> int:
        return len(self._each)

    def added(self, plain: Answer) -> Answer:
        """The answer with what is known by now, and how they fare; counts and totals stay those of
        the sources.
        """
        if not self._each:
            return plain
        reports = tuple(it.report() for it in self._each)
        return replace(
            plain,
            hits=tuple(map(self._with_all, plain.hits)),
            sources=plain.sources + reports,
            complete=plain.complete
            and not any(it.failed or it.status == "running" for it in reports),
        )

    def _with_all(self, hit: Hit) -> Hit:
        """The hit with all that is known of it, in whatever order it was said."""
        if not lacks(hit):
            return hit
        doi, there = hit.record.doi, {record.source for record in hit.records}
        for enricher in self._each:
            record = enricher.known.get(doi or "")
            if record is not None and record.source not in there:
                hit = filled(hit, record)
        return hit

    async def ask(
        self, shown: Sequence[Hit], context: SearchContext, tell: Callable[..., Awaitable[None]]
    ) -> None:
        """Ask all for the hits that the answer shows, until the deadline.

        Args:
            shown: Of the finished list.
            context: What to ask with.
            tell: Takes the events, as something is known.
        """
        loop = asyncio.get_running_loop()
        of_doi: dict[str, list[Hit]] = defaultdict(list)
        for hit in filter(lacks, shown):
            of_doi[hit.record.doi or ""].append(hit)
        if not of_doi:
            for it in self._each:
                it.spare()
            await tell(*(SourceProgress(it.report()) for it in self._each))
            return
        inbox: Inbox = asyncio.Queue(WAITING)
        heard: set[tuple[str, str]] = set()

        async def collect() -> None:
            running = len(self._each)
            while running:
                enricher, doi = await inbox.get()
                running -= doi is None
                if doi is not None:
                    heard.add((enricher.name, doi))
                grown = self._grown(of_doi[doi] if doi else ())
                await tell(SourceProgress(enricher.report()), *grown)

        async def late() -> None:
            log.info("search %s: its deadline was reached while hits were enriched", context.search)

        works = list(of_doi)
        asking = {f"enrich {it.name}": _into(inbox, it, works, context) for it in self._each}
        await collect_until(context.deadline, asking, collect(), late)
        events: list[SearchEvent] = []
        for it in self._each:
            if it.status == "running":
                it.late(loop.time() - context.began, context.deadline - context.began)
                events.append(SourceProgress(it.report()))
        last = {doi for it in self._each for doi in it.known if (it.name, doi) not in heard}
        await tell(*events, *self._grown(hit for doi in sorted(last) for hit in of_doi[doi]))

    def _grown(self, hits: Iterable[Hit]) -> list[Grown]:
        return [Grown(self._with_all(hit)) for hit in hits]


async def _into(
    inbox: Inbox, enricher: Enricher, works: Sequence[str], context: SearchContext
) -> None:
    async def told(doi: str) -> None:
        await inbox.put((enricher, doi))

    await enricher.ask(works, context, told)
    await inbox.put((enricher, None))
