"""What the searches of one checkout give, as a list of digests that another checkout's are compared
with.

    python -m benchmarks.against.outcome [--package CHECKOUT] [--part NAME] [--only TEXT]

prints a line for each thing that was computed: digest, bytes of JSON, name. `--package` takes the
package `metasearch` of another checkout; this checkout gives the benchmarks. `--only` takes the
things whose name holds the text, and `--values` writes their JSON as well. `equality.py` compares
two checkouts and shows where they differ.

Nothing depends on time: where the events of a search are read, its databases answer one after the
other, in the order of asking, and seconds are left out. Changes of the list are those of dedup
alone, for records in a fixed order; of whole searches the answer counts, which its events must
amount to as well. An answer without events is computed by another engine, because one remembers its
answers, every other one with a limit.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import sys
import tomllib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchmarks import upstreams
from benchmarks.against import plain
from benchmarks.against.checkouts import start
from benchmarks.against.in_order import InOrder, plainly, searched
from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.dedup import DEFAULT, OnlineDedup, fingerprint
from metasearch.demo import EXAMPLE_QUERIES, replayed
from metasearch.demo.transport import DemoTransport
from metasearch.engine.engine import Engine, transport_of
from metasearch.errors import MetasearchError, SourceError
from metasearch.evaluate import datasets
from metasearch.events import Answer, SearchEvent
from metasearch.formats.answer import write as write_json
from metasearch.formats.events import fold, ndjson
from metasearch.formats.registry import FORMATS
from metasearch.record import Record
from metasearch.settings import Settings

DATA = upstreams.ROOT.parent / "shared" / "data"
PAYLOADS = DATA / "payloads"
#: What the tests say of the payloads: which source each belongs to.
EXPECTED = upstreams.ROOT / "tests" / "payloads"
#: Seconds that nothing here reaches.
PATIENCE = 120.0


class Outcome(NamedTuple):
    """One thing that was computed: what it is called, and its value as JSON."""

    name: str
    value: bytes


# --------------------------------------------------------------------------- whole searches


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


def changes(records: Iterable[Record], at_once: int = 1) -> list[list[Any]]:
    """What each so many records change in the list of a search."""
    dedup, told, coming = OnlineDedup(DEFAULT), [], iter(records)
    while some := list(islice(coming, at_once)):
        for record in some:
            dedup.insert(record, fingerprint(record))
        told.append(dedup.changes())
    return told


def read(pages: Iterable[Page], registry: Registry) -> Iterator[Record]:
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
    settings = replace(replayed(), timeout=PATIENCE)
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
MIXED = tuple(upstreams.SHAPES[number % len(upstreams.SHAPES)] for number in range(10))


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


_CROSSREF = ("crossref",) * 10
SEARCHED = (
    *(Searched(shape, (shape,) * 10, 20) for shape in upstreams.SHAPES),
    Searched("mixed", MIXED, 12),
    Searched("mixed", MIXED, 6, faults=FAULTS, at_once=1),
    Searched("crossref", _CROSSREF, 3, faults=FAULTS, at_once=1),
    Searched("mixed", MIXED, 2, rows=100, at_once=40),
    Searched("crossref", _CROSSREF, 2, rows=100, at_once=40),
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


# --------------------------------------------------------------------------- payloads

#: Families that have no database of their own in the payloads' table.
FAMILIES = ("sru", "oai", "solr", "elasticsearch", "opensearch", "searxng", "primo", "vufind")
#: Folder of payloads that no test names -> the source that reads it, where its name is another.
FOLDERS = {"sru": "any-sru"}


class Payload(NamedTuple):
    """A stored answer of a database, and which source it is read as."""

    file: str
    source: str
    status: int = 200
    step: str = ""


def payloads() -> list[Payload]:
    """All files of the index. The tests say what source most of them belong to; others are read as
    the source that their folder is named after."""
    known: dict[str, Payload] = {}
    for path in sorted(EXPECTED.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        source = table.get("source", path.stem)
        source = f"any-{source}" if source in FAMILIES else source
        for file, wanted in table.get("files", {}).items():
            known[file] = Payload(file, source, wanted.get("status", 200), wanted.get("step", ""))
    with (PAYLOADS / "INDEX.tsv").open(encoding="utf-8", newline="") as rows:
        files = [
            row["file"] for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    for file in dict.fromkeys(files):
        folder = file.partition("/")[0]
        known.setdefault(file, Payload(file, FOLDERS.get(folder, folder)))
    return [known[file] for file in sorted(known)]


async def pages() -> AsyncIterator[Outcome]:
    """All stored answers: records, notes, totals, errors; and what the records of all of them make
    of one list."""
    if not PAYLOADS.is_dir():
        return
    address = "http://127.0.0.1/"
    registry = Registry(
        Settings(sources={f"any-{it}": {"extends": it, "url": address} for it in FAMILIES})
    )
    names = set(registry.names())
    records: list[Record] = []
    for it in payloads():
        if it.source not in names:
            continue
        request = Request(
            source=it.source,
            url="https://a.example/esearch.fcgi",
            step=it.step,
            size=2000,
            wanted=2000,
        )
        page = Page(request=request, status=it.status, body=(PAYLOADS / it.file).read_bytes())
        try:
            parsed = parse(page, registry.spec(it.source))
        except MetasearchError as error:
            said = {"error": type(error).__name__, "message": str(error)}
            yield Outcome(f"{it.file}", plain.written(said))
            continue
        records += parsed.records
        yield Outcome(f"{it.file}", plain.written(parsed))
    for number, told in enumerate(changes(records, at_once=20)):
        yield Outcome(f"changes {number}", plain.written(told))


# --------------------------------------------------------------------------- labelled sets

#: Labelled sets with more records are cut there.
MOST_RECORDS = 6_000


async def sets() -> AsyncIterator[Outcome]:
    """Labelled sets: works, their ids, all fields and all evidence; and the changes on the way."""
    for path in labelled():
        found = datasets.read(path)
        records = list(found.records)[:MOST_RECORDS]
        for versions in ("separate", "group"):
            dedup = OnlineDedup(DEFAULT, versions=versions)
            dedup.extend(map(fingerprint, records))
            name = f"{found.name}, {versions}"
            yield Outcome(f"{name}: clusters", plain.written(sorted(dedup.clusters())))
            hits = sorted(dedup.hits(), key=lambda hit: hit.id)
            for number, some in enumerate(pieces(hits, 100)):
                yield Outcome(f"{name}: hits {100 * number}", plain.written(some))
            yield Outcome(f"{name}: passed over", plain.written(dedup.passed_over))
        told = changes(records, at_once=10)
        for number, some in enumerate(pieces(told, 100)):
            yield Outcome(f"{found.name}: changes {100 * number}", plain.written(some))


def labelled() -> list[Path]:
    """The labelled sets that are here, by name."""
    folders = [it for it in (DATA / "dedup", DATA / "neardup") if it.is_dir()]
    paths = [path for folder in folders for path in sorted(folder.iterdir())]
    return [path for path in paths if path.suffix != ".md" and datasets.skipped(path) is None]


def pieces(values: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """The values, so many at a time."""
    for begin in range(0, len(values), size):
        yield values[begin : begin + size]


# --------------------------------------------------------------------------- command

PARTS: Mapping[str, Callable[[], AsyncIterator[Outcome]]] = {
    "demo": demo,
    "payloads": pages,
    "sets": sets,
    "databases": databases,
}


async def outcomes(parts: Iterable[str]) -> AsyncIterator[Outcome]:
    """All that the parts compute, each under the name of its part."""
    for part in parts:
        if part == "databases" and not upstreams.MOCK.exists():
            continue
        async for outcome in PARTS[part]():
            yield outcome._replace(name=f"{part}: {outcome.name}")


async def tell(parts: Sequence[str], only: str, *, values: bool) -> None:
    """Print the lines."""
    out = sys.stdout.buffer
    async for name, value in outcomes(parts):
        if only in name:
            # A name is of one line, and so is JSON.
            line = f"{plain.digest(value)} {len(value)} {name}\n".encode()
            out.write(line + value + b"\n" if values else line)
            out.flush()


def main() -> int:
    """Print the outcomes of this package, or of that of another checkout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--package", type=Path, metavar="CHECKOUT")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--values", action="store_true")
    options = parser.parse_args()
    parts = options.part or list(PARTS)
    if options.package is not None:
        words = ["--only", options.only, *(["--values"] if options.values else [])]
        chosen = [word for part in parts for word in ("--part", part)]
        return start(options.package, "benchmarks.against.outcome", *chosen, *words).wait()
    asyncio.run(tell(parts, options.only, values=options.values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
