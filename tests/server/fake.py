"""An engine that answers from a script, and what it answers with."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Never, Self

from metasearch.adapters.fetch.health import Pause, SourceState
from metasearch.adapters.spec import (
    AdapterSpec,
    Auth,
    Dialect,
    Limits,
    PagingScheme,
    RequestTemplate,
)
from metasearch.adapters.specs.specfile import names_of
from metasearch.engine.facets import FacetCounts, facet_names, parse_filters
from metasearch.engine.options import OPTIONS, SearchOptions, search_options
from metasearch.engine.rank import RANKS
from metasearch.engine.resolve import query_of
from metasearch.engine.results import WorkStore
from metasearch.engine.scheduler import FairScheduler
from metasearch.errors import TimedOut, UnknownSource, UsageError
from metasearch.events import (
    Added,
    Answer,
    Counts,
    FacetsChanged,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.message import message
from metasearch.query import to_text
from metasearch.record import Author, Hit, Match, Reason, Record
from metasearch.replicas import SharingState
from metasearch.server.cookies import Cookies
from metasearch.server.site import Site
from metasearch.server.visit import Changes, Preferences, Visit
from metasearch.settings import Settings


def spec(name: str, **changes: Any) -> AdapterSpec:
    """A spec with what a server shows of it."""
    known: dict[str, Any] = {
        "label": name.title(),
        "homepage": f"https://{name}.example.org/",
        "default": True,
        "request": RequestTemplate(f"https://{name}.example.org/api"),
        "query": Dialect(),
        "paging": PagingScheme(),
        "limits": Limits(),
        "shapes": (),
    }
    return AdapterSpec(name=name, **(known | changes))


def record(source: str = "alpha", position: int = 1, **fields: Any) -> Record:
    """A record with the usual fields."""
    known: dict[str, Any] = {
        "source_id": f"{source}-{position}",
        "url": f"https://{source}.example.org/{position}",
        "title": "Gene drives in island mice",
        "authors": (Author("Ada Byron", "Byron", "Ada"), Author("Bo Li", "Li", "Bo")),
        "year": 2021,
        "venue": "Journal of Islands",
        "volume": "12",
        "issue": "3",
        "pages": "101-110",
        "doi": "10.5555/islands.1",
        "type": "article",
        "abstract": "Mice were counted twice.",
    }
    return Record(source=source, position=position, **(known | fields))


def hit(number: int = 1, **fields: Any) -> Hit:
    """A hit that two sources have."""
    left, right = record("alpha", number, **fields), record("beta", number + 1, **fields)
    return Hit(
        id=f"alpha:alpha-{number}",
        record=left,
        records=(left, right),
        provenance={"title": "alpha", "doi": "beta"},
        matches=(Match("doi", "same", 1.0, "same DOI", left.key, right.key),),
        score=1.0 / number,
        rank=number,
        reasons=(Reason(message(RANKS, source="alpha", position=number), 0.09, "alpha"),),
    )


def visit(
    base: str = "http://127.0.0.1:8080",
    *,
    basket: Sequence[str] = (),
    here: str = "/search?q=gene+drive",
    **preferences: Any,
) -> Visit:
    """A request for a page."""
    return Visit(
        Site(base),
        Preferences(**preferences),
        here,
        Cookies(bytes(32)),
        "visitor",
        tuple(basket),
        Changes(),
    )


def report(source: str, status: Any = "ok", **fields: Any) -> SourceReport:
    """How a source fared."""
    return SourceReport(
        source=source,
        status=status,
        **({"count": 1, "total": 40, "seconds": 0.25, "query": "q"} | fields),
    )


def answer(*hits: Hit, reports: Sequence[SourceReport] | None = None) -> Answer:
    """A finished answer."""
    sources = tuple(reports) if reports is not None else (report("alpha"), report("beta"))
    return Answer(
        query="gene drive",
        complete=not any(it.failed for it in sources),
        counts=Counts(2 * len(hits), len(hits), len(hits)),
        hits=hits,
        sources=sources,
        seconds=0.5,
        merge_seconds=0.0031,
    )


def so_far(*hits: Hit, running: Sequence[str] = ("beta",)) -> Answer:
    """An answer as of now, of a search that goes on; for `FakeEngine.snapshots`."""
    reports = [
        report(name, "running" if name in running else "ok", count=0 if name in running else 1)
        for name in ("alpha", "beta")
    ]
    return replace(answer(*hits, reports=reports), complete=False)


def running(source: str = "beta", **fields: Any) -> SourceReport:
    """A source that is still being asked."""
    return report(source, "running", **({"count": 0, "total": None} | fields))


def late(source: str) -> SourceReport:
    """A source that did not answer in time."""
    error = TimedOut(source, message("no whole answer within {seconds} s", seconds=15))
    return report(source, "timeout", error=error, count=0, total=None)


@dataclass
class FakeSearch:
    """A search whose end is known; `gate`, where there is one, holds back everything after the
    first event."""

    id: str
    answer: Answer
    gate: asyncio.Event | None = None
    fault: Exception | None = None
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    started: int = 0
    joins: bool = False
    #: Seconds before a snapshot, and the snapshot: what `growing` yields before the answer.
    snapshots: Sequence[tuple[float, Answer]] = ()
    left: int = 0  # readers of `growing` that have left before the last answer

    async def _run(self) -> AsyncIterator[SearchEvent]:
        self.started += 1
        names = tuple(it.source for it in self.answer.sources)
        yield Started(self.id, self.answer.query, names, 15.0)
        if self.gate:
            await self.gate.wait()
        if self.fault:
            raise self.fault
        for it in self.answer.hits:
            yield Added(replace(it, rank=0, score=0.0, reasons=()))
        for it in self.answer.sources:
            yield SourceProgress(it)
        yield Order(tuple(it.id for it in self.answer.hits))
        if self.answer.facets is not None:
            yield FacetsChanged(self.answer.facets)
        yield Finished(self.answer)

    def __aiter__(self) -> AsyncIterator[SearchEvent]:
        return self._run()

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._finish().__await__()

    async def _finish(self) -> Answer:
        async for _ in self._run():
            pass
        return self.answer

    async def follow(self, every: float) -> AsyncGenerator[Answer]:
        """The snapshots, however often they come, and the answer when the gate is open."""
        assert every > 0
        self.started += 1
        ended = False
        try:
            for seconds, snapshot in self.snapshots:
                await asyncio.sleep(seconds)
                yield snapshot
            if self.gate:
                await self.gate.wait()
            if self.fault:
                raise self.fault
            ended = True
            yield self.answer
        finally:
            self.left += not ended

    async def aclose(self) -> None:
        self.closed.set()


class FakeRegistry:
    """Sources that exist nowhere else."""

    def __init__(self, *specs: AdapterSpec) -> None:
        self.specs = {it.name: it for it in specs}
        self.switches: Mapping[str, bool] = {}

    def names(self) -> list[str]:
        return sorted(self.specs)

    def default(self) -> list[str]:
        return [name for name in self.names() if self.specs[name].default]

    def expand(self, names: Sequence[str]) -> list[str]:
        return ["gamma" if name == "medicine" else name for name in names]

    @property
    def groups(self) -> list[str]:
        return ["all", "default", "general", "medicine"]

    def groups_of(self, name: str) -> list[str]:
        return ["default", "general"] if name in self.default() else ["medicine"]

    def disabled_members(self, names: Sequence[str] | None = None) -> list[str]:
        return []

    def spec(self, name: str) -> AdapterSpec:
        if name not in self.specs:
            raise UnknownSource(name, [known for known in self.specs if known[0] == name[0]])
        return self.specs[name]

    def limits(self, name: str) -> Limits:
        return self.spec(name).limits

    def is_enabled_in_settings(self, name: str) -> bool:
        return self.spec(name).enabled

    def switch(self, switches: Mapping[str, bool]) -> None:
        self.switches = dict(switches)


class FakeEngine:
    """Has the interface of `metasearch.engine.engine.Engine`, and remembers what it was asked."""

    def __init__(self, given: Answer | None = None, *, settings: Settings | None = None) -> None:
        self.settings = settings or Settings(env={"GAMMA_KEY": "hush"})
        self.registry = FakeRegistry(
            spec("alpha"),
            spec("beta"),
            spec("gamma", default=False, auth=(Auth("key", "GAMMA_KEY", required=True),)),
        )
        self.answer = given or answer(hit(1), hit(2, doi="10.5555/islands.2", title="Second"))
        self.gate: asyncio.Event | None = None
        self.fault: Exception | None = None
        self.snapshots: Sequence[tuple[float, Answer]] = ()
        self.states: dict[str, SourceState] = {}
        self.asked: list[dict[str, Any]] = []
        self.searches: list[FakeSearch] = []
        self.heeded: list[Pause] = []
        self.listener: Callable[[Pause], None] | None = None
        self.closed = False
        self.sharing = SharingState()
        self.scheduler = FairScheduler()
        self.works = WorkStore(None)
        self._ids = count(1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.closed = True

    def source_states(self) -> list[SourceState]:
        return [self.states.get(name, SourceState(name)) for name in self.registry.names()]

    async def ready(self, sources: Sequence[str] | None = None) -> None:
        """All specs are there."""

    def pause(self, pause: Pause) -> None:
        self.registry.spec(pause.source)
        self.heeded.append(pause)

    def on_pause(self, listener: Callable[[Pause], None] | None) -> None:
        self.listener = listener

    def lookup(self, *asked: Any, **options: Any) -> Never:
        """It answers searches alone."""
        raise UsageError("no source to ask")

    cite = lookup

    def resolve(self, options: SearchOptions) -> SearchOptions:
        query_of(options)
        return options

    def search(self, query: str | SearchOptions, **given: Any) -> FakeSearch:
        options = search_options(query, given)
        text = to_text(query_of(options).query)
        for name in self.registry.expand([str(it) for it in names_of(options.sources) or ()]):
            self.registry.spec(name)
        self.asked.append({name: getattr(options, name) for name in OPTIONS})
        filters, names = parse_filters(options.filter), facet_names(options.facets)
        hits = self.answer.hits
        answered = replace(
            self.answer,
            query=text,
            hits=tuple(filter(filters.passes(), hits)),
            sort=options.sort,
            filter=str(filters),
            facets=FacetCounts(names, options.facet_limit).count(hits) if names else None,
        )
        search = FakeSearch(
            f"s{next(self._ids)}", answered, self.gate, self.fault, snapshots=self.snapshots
        )
        self.searches.append(search)
        return search
