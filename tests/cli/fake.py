"""An engine that tells what a test gives it, in place of the one that asks databases."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from metasearch.engine.options import OPTIONS, SearchOptions, search_options
from metasearch.engine.resolve import query_of
from metasearch.errors import SourceError, TimedOut
from metasearch.events import (
    Added,
    Answer,
    Counts,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.query import to_text
from metasearch.record import Author, Hit, Reason, Record
from metasearch.settings import Settings


def hit(number: int = 1, **fields: Any) -> Hit:
    """A hit of one record."""
    known: dict[str, Any] = {
        "title": f"Gene drives in island mice, part {number}",
        "authors": (Author("Ada Byron", "Byron", "Ada"),),
        "year": 2021,
        "venue": "Journal of Islands",
        "doi": f"10.5555/islands.{number}",
        "url": f"https://alpha.example.org/{number}",
        "type": "article",
    }
    record = Record(source="alpha", source_id=str(number), position=number, **(known | fields))
    reasons = (Reason(f"alpha ranks it {number}", 0.09, "alpha"),)
    return Hit(
        f"h{number}",
        record,
        (record,),
        {"title": "alpha"},
        score=0.09,
        rank=number,
        reasons=reasons,
    )


def ok(source: str = "alpha", count: int = 1, **fields: Any) -> SourceReport:
    """A source that has answered."""
    return SourceReport(
        source, "ok" if count else "empty", count=count, seconds=0.25, query="gene drives", **fields
    )


def failed(source: str = "beta", count: int = 0, error: SourceError | None = None) -> SourceReport:
    """A source that has not, or not to the end."""
    error = error or TimedOut(source, "no whole answer within 8 s")
    return SourceReport(source, error.outcome, count=count, seconds=8.0, error=error)  # type: ignore[arg-type]


class FakeEngine:
    """Plays one script; `metasearch.engine.engine.Engine` is replaced by it.

    Class attributes are the script, so that a test can set them before the command makes the
    engine.
    """

    hits: ClassVar[Sequence[Hit]] = ()
    reports: ClassVar[Sequence[SourceReport]] = ()
    #: The last source never answers.
    hangs: ClassVar[bool] = False
    #: Seconds that a search has.
    deadline: ClassVar[float] = 15.0
    #: Called when all but the end is told.
    computes: ClassVar[Callable[[], object] | None] = None
    #: Raised while the search runs.
    fault: ClassVar[BaseException | None] = None
    made: ClassVar[list[FakeEngine]] = []

    def __init__(
        self,
        settings: Settings,
        *,
        replay: Path | None = None,
        record: Path | None = None,
        transport: object = None,
    ) -> None:
        self.settings = settings
        self.replay = replay
        self.record = record
        self.transport = transport
        self.asked: dict[str, Any] = {}
        self.closed = False
        self.made.append(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed = True

    def search(self, query: str | SearchOptions, **given: Any) -> FakeSearch:
        options = search_options(query, given)
        self.asked = {name: getattr(options, name) for name in OPTIONS}
        text = to_text(query_of(replace(options, years=None)).query)
        return FakeSearch(self, text, options.limit, options.wait)


class FakeSearch:
    """What `FakeEngine.search` gives."""

    def __init__(
        self, engine: FakeEngine, query: str, limit: int | None, wait: float | None
    ) -> None:
        self.engine = engine
        self.query = query
        self.limit = limit
        self.wait = wait
        self.answer: Answer | None = None
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        yield Started(
            "s1",
            self.query,
            tuple(report.source for report in self.engine.reports),
            self.engine.deadline,
        )
        for it in self.engine.hits:
            yield Added(it)
        for report in self.engine.reports:
            yield SourceProgress(report)
        if type(self.engine).computes is not None:
            await asyncio.sleep(0)
            type(self.engine).computes()
        if self.engine.fault is not None:
            raise self.engine.fault
        if self.engine.hangs:
            print("waiting", file=sys.stderr, flush=True)
            await asyncio.Event().wait()
        yield Order(tuple(it.id for it in self.engine.hits))
        self.answer = self.partial()
        yield Finished(self.answer)

    def partial(self) -> Answer:
        hits, reports = tuple(self.engine.hits), tuple(self.engine.reports)
        received = sum(report.count for report in reports)
        counts = Counts(received, len(hits), received - len(hits))
        complete = not any(report.failed or report.status == "running" for report in reports)
        return Answer(self.query, complete, counts, hits[: self.limit], reports, 1.5)

    async def aclose(self) -> None:
        self.closed = True
