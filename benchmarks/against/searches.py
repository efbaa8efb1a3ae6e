"""What whole searches give: of the demo, and of simulated databases over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import orjson

from benchmarks import upstreams
from benchmarks.against import plain
from benchmarks.against.in_order import InOrder, plainly, searched
from benchmarks.against.moved import moved
from benchmarks.against.things import Outcome, changes
from benchmarks.sides import CROSSREF, MIXED
from metasearch.demo import EXAMPLE_QUERIES, replay_settings
from metasearch.engine.engine import Engine, transport_of
from metasearch.errors import SourceError
from metasearch.events import Answer, SearchEvent
from metasearch.record import Record
from metasearch.settings import Settings

parse, _ = moved("parse", "PageContent|Parsed")
DemoTransport = moved("DemoTransport")
write_json, _ = moved("write", "answer_object")
fold, ndjson = moved("fold", "ndjson")
FORMATS, _ = moved("FORMATS", "READABLE")

#: Seconds that nothing here reaches.
PATIENCE = 120.0


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    """The object of an answer without seconds."""
    kept = {name: it for name, it in answer.items() if name not in ("seconds", "merge_seconds")}
    kept["sources"] = [
        {name: it for name, it in report.items() if name != "seconds"}
        for report in answer["sources"]
    ]
    return kept


def folded(answer: Answer, events: Iterable[SearchEvent]) -> dict[str, Any]:
    """The JSON of an answer, without seconds; its events must amount to the same.

    Raises:
        AssertionError: They do not.
    """
    said: dict[str, Any] = untimed(orjson.loads(write_json(answer)))
    told = untimed(fold(orjson.loads(ndjson(event)) for event in events))
    found = list(islice(plain.differences(said, told), 3))
    assert not found, f"the events do not amount to the answer: {found}"
    return said


def read(pages: Iterable[Any], registry: Any) -> Iterator[Record]:
    """The records of pages, as far as they can be read."""
    for page in pages:
        try:
            yield from parse(page, registry.spec(page.request.source)).records
        except SourceError:
            continue


async def of_search(
    name: str, engine: Engine, transport: InOrder, query: str, at_once: int = 1, **options: Any
) -> AsyncIterator[Outcome]:
    """The answer to a query, its hits in all that they hold, and the changes of the list."""
    answer, events = await searched(engine, transport, query, **options)
    yield Outcome(f"{name}: answer", plain.written(folded(answer, events)))
    yield Outcome(f"{name}: hits", plain.written(answer.hits))
    if not options.keys() - {"per_source"}:
        records = read(transport.pages, engine.registry)
        yield Outcome(f"{name}: changes", plain.written(changes(records, at_once)))


async def plain_answer(
    name: str, engine: Engine, transport: InOrder, query: str, rows: int, *, limited: bool = False
) -> AsyncIterator[Outcome]:
    """The answer to a query without events: of all hits, or of the first ten."""
    options = {"limit": 10} if limited else {}
    answer = await plainly(engine, transport, query, per_source=rows, **options)
    said = untimed(orjson.loads(write_json(answer)))
    yield Outcome(f"{name}: plain{', limit' if limited else ''}", plain.written(said))


# --------------------------------------------------------------------------- the demo

#: Further options that the demo is searched with, each with a few of its queries.
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "separate": {"versions": "separate"},
    "merge": {"versions": "merge"},
    "newest": {"sort": "-date"},
    "first seen": {"sort": "first-seen"},
    "a page": {"start": 5, "limit": 5},
    "limit": {"limit": 7},
    "facets": {"facets": "year,type,source"},
    "filtered": {"filter": "year:1990-2020"},
}
#: Formats that answers of the demo are written in.
WRITTEN = ("ris", "bibtex", "csv", "csl-json", "marcxml", "mods", "nbib", "endnote-xml")


async def demo() -> AsyncIterator[Outcome]:
    """All example queries, without sockets."""
    transport = InOrder(DemoTransport())
    settings = replace(replay_settings(), timeout=PATIENCE)
    for query in EXAMPLE_QUERIES:
        # A new engine each, because one remembers which of its sources fails.
        async with Engine(settings, transport=transport) as engine:
            async for outcome in of_search(query, engine, transport, query):
                yield outcome
        async with Engine(settings, transport=transport) as engine:
            async for outcome in plain_answer(query, engine, transport, query, 20):
                yield outcome
    for title, options in OPTIONS.items():
        for query in EXAMPLE_QUERIES[:4]:
            async with Engine(settings, transport=transport) as engine:
                name = f"{query}, {title}"
                async for outcome in of_search(name, engine, transport, query, **options):
                    yield outcome
    for query in EXAMPLE_QUERIES[:4]:
        async with Engine(settings, transport=transport) as engine:
            answer, _ = await searched(engine, transport, query)
            for name in WRITTEN:
                data = FORMATS[name].write(answer.hits)
                yield Outcome(f"{query}: as {name}", plain.written(data.decode().split("\n")))


# --------------------------------------------------------------------------- simulated databases

#: Faults of the simulated databases that do not depend on time, in the mock's words.
FAULTS = ("1 fault=drift", "3 fault=gbk", "4 fault=malformed", "6 fault=html", "8 fault=404")


class Searched(NamedTuple):
    """Ten databases, and how they are searched.

    Attributes:
        speaks: What they speak, in words.
        shapes: Of each.
        queries: How many.
        rows: Records asked from each.
        faults: Of some of them.
        at_once: Records that are merged between two looks at what has changed.
    """

    speaks: str
    shapes: Sequence[str]
    queries: int
    rows: int = 20
    faults: Sequence[str] = ()
    at_once: int = 10

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.speaks}{', faults' if self.faults else ''}, 10 x {self.rows}"


SEARCHED = (
    *(Searched(shape, (shape,) * 10, 20) for shape in upstreams.SHAPES),
    Searched("mixed", MIXED, 12),
    Searched("mixed", MIXED, 6, faults=FAULTS, at_once=1),
    Searched("crossref", CROSSREF, 3, faults=FAULTS, at_once=1),
    Searched("mixed", MIXED, 2, rows=100, at_once=40),
    Searched("crossref", CROSSREF, 2, rows=100, at_once=40),
)


async def databases() -> AsyncIterator[Outcome]:
    """Ten simulated databases over HTTP, of each shape and mixed; some of them broken."""
    for it in SEARCHED:
        words = [word for fault in it.faults for word in ("--set", fault)]
        with upstreams.mock(len(it.shapes), *words) as base:
            settings = upstreams.settings(base, it.shapes, timeout=PATIENCE)
            settings = replace(settings, timeout=PATIENCE)
            place = base.removeprefix("http://").encode()
            queries = upstreams.some(upstreams.queries(), it.queries)
            # An engine leaves a source alone that failed: then each query has its own.
            for some in [[query] for query in queries] if it.faults else [queries]:
                async for outcome in _of_databases(it, settings, some):
                    # The port is another one in every run.
                    value = outcome.value.replace(place, b"databases.invalid")
                    yield outcome._replace(value=value)


async def _of_databases(
    it: Searched, settings: Settings, queries: Sequence[str]
) -> AsyncIterator[Outcome]:
    """What some queries give, with events and without, by two engines."""
    streams, plains = (InOrder(transport_of(settings)) for _ in range(2))
    async with (
        Engine(settings, transport=streams) as engine,
        Engine(settings, transport=plains) as other,
    ):
        for number, query in enumerate(queries):
            name = f"{it.name}, {query}"
            async for outcome in of_search(
                name, engine, streams, query, it.at_once, per_source=it.rows
            ):
                yield outcome
            async for outcome in plain_answer(
                name, other, plains, query, it.rows, limited=number % 2 == 1
            ):
                yield outcome
