"""Enrichers: sources that are asked not for the query, but for single works by their DOI.

They are asked when the list is complete, and they do not change it: their records fill gaps of the
hits that the answer shows. So they add no hit, move none, and are counted neither among the records
received nor in the totals.
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
from metasearch.dedup.hits import fill_gaps
from metasearch.engine.results import SearchContext
from metasearch.engine.scheduler import collect_until
from metasearch.engine.source import SourceRun
from metasearch.errors import SourceError, TimedOut
from metasearch.events import Answer, Grown, SearchEvent, SourceProgress, SourceReport
from metasearch.message import message
from metasearch.record import Hit, Record

log = logging.getLogger("metasearch")

#: Works that one enricher is asked for in one search, at most.
MOST = 100
#: Failures after which it is not asked for further works.
FAILURES = 3
#: DOIs that may wait in the inbox before enrichers have to wait.
WAITING = 32

#: Where enrichers put each DOI of which something is known now; None is the end of an enricher.
Inbox = asyncio.Queue[tuple["Enricher", str | None]]


def lacks(hit: Hit) -> bool:
    """Whether an enricher is asked for a hit: with a DOI, but without a known open PDF."""
    record = hit.record
    return bool(record.doi) and not (record.open_access and record.pdf_url)


@dataclass(slots=True)
class Enricher(SourceRun):
    """What is known of one enricher while it is asked. `known`: DOI -> its record of the work."""

    known: dict[str, Record] = field(default_factory=dict)
    _asked: int = 0
    _unknown: int = 0  # works that it does not know
    _others: int = 0  # answers about another work than it was asked for
    _failures: int = 0

    def report(self) -> SourceReport:
        """The status and the counts as of now; `count` is of the works that it knows."""
        notes = list(self.notes)
        if self._unknown:
            notes.append(
                message(
                    "it knows nothing of {unknown} of {asked} work(s)",
                    unknown=self._unknown,
                    asked=self._asked,
                )
            )
        if self._others:
            notes.append(
                message(
                    "{others} answer(s) were about another work, and left out", others=self._others
                )
            )
        return SourceReport(
            source=self.name,
            status=self.status,
            count=len(self.known),
            seconds=round(self.seconds, 4),
            query=message("{number} work(s) by DOI", number=self._asked) if self._asked else "",
            notes=tuple(dict.fromkeys(notes)),
            error=self.error,
            cached=self.cached,
            spared=self.spared,
        )

    def late(self, seconds: float, limit: float) -> None:
        """Fail, because the search is over after `seconds` and its limit was `limit`."""
        self.seconds = seconds
        self.fail(
            TimedOut(
                self.name, message("not done with all works within {limit} s", limit=f"{limit:g}")
            )
        )

    def skip(self) -> None:
        """Note that it is not asked, because no hit needs it."""
        self.status = "skipped"
        self.notes.append(message("no hit here needs it"))

    async def ask(self, works: Sequence[str], context: SearchContext, inbox: Inbox) -> None:
        """Ask for works, as many at once as the source allows; an error becomes the status of this
        source.

        `inbox`: is filled with the DOI of each work that it knows, and with None at the end.
        """
        loop = asyncio.get_running_loop()
        try:
            requests = [
                (doi, plan_enrichment(doi, self.spec, context.shared.settings.env))
                for doi in works[:MOST]
            ]
            await self._ask_all(requests, context, inbox)
        except SourceError as error:  # nothing was asked: its key is missing
            self.fail(error)
        if self.status == "running":
            self.status = "ok" if self.known else "empty"
        if len(works) > MOST and self._asked:
            self.notes.append(
                message(
                    "it was asked for the first {most} works only, of {works}",
                    most=MOST,
                    works=len(works),
                )
            )
        self.seconds = loop.time() - context.began
        await inbox.put((self, None))

    async def _ask_all(
        self, requests: Sequence[tuple[str, Request]], context: SearchContext, inbox: Inbox
    ) -> None:
        left = iter(requests)

        async def work() -> None:
            for doi, request in left:
                self._asked += 1
                if await self._learns(doi, request, context):
                    await inbox.put((self, doi))
                if self._failures >= FAILURES:
                    return

        async with asyncio.TaskGroup() as group:
            for _ in range(min(len(requests), self.spec.limits.concurrency)):
                group.create_task(work(), name=f"enrich {self.name}")

    async def _learns(self, doi: str, request: Request, context: SearchContext) -> bool:
        """Ask for one work; returns whether it is known now."""
        try:
            record = await self._record(doi, request, context)
        except SourceError as error:
            self._note_failure(error)
            return False
        except Exception as exc:
            self._note_failure(self.as_failure(exc, context))
            return False
        if record is None:
            return False
        self.known[doi] = record
        return True

    def _note_failure(self, error: SourceError) -> None:
        self._failures += 1
        if self.error is None:
            self.fail(error)

    async def _record(self, doi: str, request: Request, context: SearchContext) -> Record | None:
        """The source's record of the work; None where it has none."""
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
        """The records of an answer; none where there is no such work."""
        records: tuple[Record, ...] = ()
        if page.status != 404:
            records = (await self.read(page, MOST_RECORDS, context)).records
        if context.resolved.options.cache and not records:
            await context.shared.fetcher.keep_empty(page, self.spec.limits)
        return records


class Enrichers:
    """All enrichers of a search, and hits with what they know; `each`: the most trusted first."""

    def __init__(self, each: Sequence[Enricher]) -> None:
        self._each = each

    def add_to(self, plain: Answer) -> Answer:
        """The answer with what is known by now, and the reports of the enrichers; counts and totals
        stay those of the sources.
        """
        reports = tuple(enricher.report() for enricher in self._each)
        missing = any(report.failed or report.status == "running" for report in reports)
        return replace(
            plain,
            hits=tuple(map(self._with_all, plain.hits)),
            sources=plain.sources + reports,
            complete=plain.complete and not missing,
        )

    def _with_all(self, hit: Hit) -> Hit:
        """The hit with all that is known of it, in whatever order the answers came."""
        if not lacks(hit):
            return hit
        doi, there = hit.record.doi, {record.source for record in hit.records}
        for enricher in self._each:
            record = enricher.known.get(doi or "")
            if record is not None and record.source not in there:
                hit = fill_gaps(hit, record)
        return hit

    async def ask(
        self, shown: Sequence[Hit], context: SearchContext, send: Callable[..., Awaitable[None]]
    ) -> None:
        """Ask all for the hits that the answer shows, until the deadline. `send`: is called with
        events, as soon as something is known.
        """
        loop = asyncio.get_running_loop()
        of_doi: dict[str, list[Hit]] = defaultdict(list)
        for hit in filter(lacks, shown):
            of_doi[hit.record.doi or ""].append(hit)
        if not of_doi:
            for enricher in self._each:
                enricher.skip()
            await send(*(SourceProgress(enricher.report()) for enricher in self._each))
            return
        inbox: Inbox = asyncio.Queue(WAITING)
        sent: set[tuple[str, str]] = set()

        async def collect() -> None:
            running = len(self._each)
            while running:
                enricher, doi = await inbox.get()
                running -= doi is None
                if doi is not None:
                    sent.add((enricher.name, doi))
                grown = self._grown(of_doi[doi] if doi else ())
                await send(SourceProgress(enricher.report()), *grown)

        async def late() -> None:
            log.info("search %s: its deadline was reached while hits were enriched", context.search)

        works = list(of_doi)
        asking = {
            f"enrich {enricher.name}": enricher.ask(works, context, inbox)
            for enricher in self._each
        }
        await collect_until(context.deadline, asking, collect(), late)
        events: list[SearchEvent] = []
        last: set[str] = set()
        for enricher in self._each:
            if enricher.status == "running":
                enricher.late(loop.time() - context.began, context.deadline - context.began)
                events.append(SourceProgress(enricher.report()))
            last |= {doi for doi in enricher.known if (enricher.name, doi) not in sent}
        await send(*events, *self._grown(hit for doi in sorted(last) for hit in of_doi[doi]))

    def _grown(self, hits: Iterable[Hit]) -> list[Grown]:
        return [Grown(self._with_all(hit)) for hit in hits]
