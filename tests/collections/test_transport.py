"""A collection is a source like any other: named without configuration, planned, asked, paged,
parsed and merged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.collections import search as collections
from metasearch.collections.search import (
    CollectionTransport,
    PageOrder,
    page_order,
)
from metasearch.collections.store import Collection
from metasearch.engine.engine import Engine
from metasearch.errors import BadAnswer, NotAllowed, SpecError, TimedOut, TooLarge, UnknownSource
from metasearch.query import And, Not, Or, Query, Term, Years
from metasearch.query import parse as parse_query
from metasearch.record import Author, Record
from metasearch.settings import Settings
from tests.adapters.fetch.loopback import Loopback, reply
from tests.cases import each, sample


def fill(folder: Path, *records: Record, name: str = "refs") -> None:
    with Collection.open(folder, name, "files") as collection, collection.transaction():
        for record in records:
            collection.put(record.source_id, record)


def work(number: int = 1, **fields: Any) -> Record:
    known = {
        "source_id": f"k{number}",
        "title": f"Gene drives in island mice, part {number}",
        "authors": (Author("Ada Byron", "Byron", "Ada"),),
        "year": 2000 + number,
        "type": "article",
        "language": "en",
        "doi": f"10.5555/islands.{number}",
    }
    return Record(source="x", **(known | fields))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    fill(
        tmp_path,
        *(work(n) for n in range(1, 31)),
        work(40, title="沉水植物与水质", type="thesis", language="zh"),
    )
    return Settings(collections_dir=tmp_path)


# --------------------------------------------------------------------------- which there are


def test_every_collection_is_a_source_and_asked_by_default(settings: Settings) -> None:
    registry = Registry(settings)

    assert "refs" in registry.names()
    assert registry.default()[-1] == "refs"
    assert registry.spec("refs").label == "Collection refs"


def test_the_configuration_may_leave_collections_out(tmp_path: Path, settings: Settings) -> None:
    """All of them, or one; they can be named all the same. What it lists as sources is asked as
    listed."""
    one = {"refs": {"default": False}}

    for kept in (
        Settings(collections_dir=tmp_path, collections_by_default=False),
        Settings(collections_dir=tmp_path, sources=one),
        Settings(collections_dir=tmp_path, default_sources=("crossref",)),
    ):
        assert "refs" not in Registry(kept).default()
        assert "refs" in Registry(kept).names()


def test_the_configuration_may_change_one(tmp_path: Path, settings: Settings) -> None:
    registry = Registry(Settings(collections_dir=tmp_path, sources={"refs": {"weight": 0.5}}))

    assert registry.spec("refs").weight == 0.5
    assert registry.spec("refs").request.url == "collection:refs"


def test_a_shipped_source_is_not_hidden(tmp_path: Path) -> None:
    fill(tmp_path, work(), name="crossref")
    registry = Registry(Settings(collections_dir=tmp_path))

    assert registry.collections == []
    assert registry.spec("crossref").request.url.startswith("https://")


def test_where_only_configured_sources_count_collections_do_not(
    tmp_path: Path, settings: Settings
) -> None:
    """The demo shows nobody's own files."""
    with pytest.raises(UnknownSource):
        Registry(Settings(collections_dir=tmp_path, shipped=False)).spec("refs")


@each(
    "url",
    [
        "collection:../secret",
        "collection:/etc/passwd",
        "collection:{any}",
        "collection:",
        "collection:A",
        "file:///x",
    ],
)
def test_no_url_leads_out_of_the_folder(url: str) -> None:
    with pytest.raises(SpecError, match=r"request\.url"):
        Registry(Settings(sources={"mine": {"extends": "collection", "url": url}})).spec("mine")


# --------------------------------------------------------------------------- what is asked


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("gene drives", '"gene" AND "drives"'),
        ('title:"gene drives" OR author:byron', 'title : "gene drives" OR author : "byron"'),
        ("gene NOT title:mice", '"gene" NOT title : "mice"'),
        ("gen*", '"gen" *'),
        ("doi:10.5555/islands.1", 'doi : "10.5555/islands.1"'),
        (Term("thesis", "type"), 'type : "thesis"'),
        (Or((Term("de", "language"), Term("7", "title"))), 'language : "de" OR title : "7"'),
        ("gene AND NEAR", '"gene" AND "NEAR"'),
    ],
)
def test_dialect(settings: Settings, query: str | Query, sent: str) -> None:
    """FTS5's own syntax, https://www.sqlite.org/fts5.html#full_text_query_syntax; every text in
    quotes."""
    made = plan(
        parse_query(query) if isinstance(query, str) else query, Registry(settings).spec("refs")
    )

    assert dict(made.request.params)["query"] == sent
    assert made.residual is None
    assert made.notes == ()


@pytest.mark.parametrize(
    ("query", "count"),
    sample(
        [
            ("gene drives", 30),
            ("title:part AND title:7", 1),
            ("author:byron", 31),
            ("水质", 1),
            (Term("thesis", "type"), 1),
            (Term("en", "language"), 30),
            (And((Term("gene"), Not(Term("en", "language")))), 0),
            (And((Or((Term("thesis", "type"), Term("7", "title"))), Term("ada", "author"))), 2),
            ("doi:10.5555/islands.7", 1),
            ("mic*", 30),
            (Years(2003, 2005), 3),
            (Term('gene" OR "x'), 0),
            (Term('x"*: NEAR(a b) ^ - + {title} :', "title"), 0),
        ],
        4,
    ),
)
async def test_searches(settings: Settings, query: str | Query, count: int) -> None:
    """Through the engine, as any source is asked."""
    async with Engine(settings) as engine:
        answer = await engine.search(query, sources=["refs"], limit=100)

    assert answer.sources[0].error is None
    assert answer.sources[0].count == count


async def test_years_and_pages(settings: Settings) -> None:
    """A range of years, and more records than a page holds."""
    async with Engine(settings) as engine:
        few = await engine.search("gene", sources=["refs"], years=Years(2003, 2005))
        deep = await engine.search("gene", sources=["refs"], per_source=10, start=20, limit=10)

    assert sorted(hit.record.year or 0 for hit in few.hits) == [2003, 2004, 2005]
    assert len(deep.hits) == 10


async def test_records_are_whole_and_merge_with_others(tmp_path: Path) -> None:
    """A local record and a remote one of the same work are one hit of two sources."""
    fill(tmp_path, work(1, abstract="Local words"), work(2))
    item = {
        "DOI": "10.5555/islands.1",
        "title": ["Gene drives in island mice, part 1"],
        "type": "journal-article",
    }
    body = orjson.dumps({"status": "ok", "message": {"total-results": 1, "items": [item]}})
    async with Loopback({"/works": reply(body)}) as server:
        settings = Settings(
            collections_dir=tmp_path,
            allow=frozenset({server.netloc}),
            sources={"remote": {"extends": "crossref", "url": server.url("/works")}},
        )
        async with Engine(settings) as engine:
            answer = await engine.search("gene drives", sources=["refs", "remote"])

    assert [report.status for report in answer.sources] == ["ok", "ok"]
    merged = next(hit for hit in answer.hits if len(hit.records) == 2)
    assert merged.sources == ("refs", "remote")
    assert merged.record.abstract == "Local words"
    assert merged.record.authors[0].family == "Byron"
    assert len(answer.hits) == 2


# --------------------------------------------------------------------------- what goes wrong


def request(url: str = "collection:refs", **params: str) -> Request:
    return Request(source="refs", url=url, params=tuple(params.items()))


async def send(
    folder: Path | None, asked: Request, *, timeout: float = 5, max_bytes: int = 1 << 20
) -> Page:
    return await CollectionTransport(folder).send(asked, timeout=timeout, max_bytes=max_bytes)


@pytest.mark.parametrize(
    "url", ["collection:../refs", "collection:REFS", "collection://refs", "collection:"]
)
async def test_a_url_that_names_no_collection(tmp_path: Path, url: str) -> None:
    with pytest.raises(NotAllowed):
        await send(tmp_path, request(url))


async def test_without_a_folder_there_are_none() -> None:
    with pytest.raises(NotAllowed):
        await send(None, request())


async def test_what_cannot_be_read_is_the_source_s_error_and_names_no_path(tmp_path: Path) -> None:
    """A client of a server learns that the collection is broken, and not where it lies."""
    (tmp_path / "refs.sqlite").write_bytes(b"broken")

    with pytest.raises(BadAnswer) as caught:
        await send(tmp_path, request())

    assert str(tmp_path) not in f"{caught.value} {caught.value.advice}"


async def test_a_page_that_is_too_large(tmp_path: Path) -> None:
    fill(tmp_path, work(1, abstract="x" * 5000))

    with pytest.raises(TooLarge):
        await send(tmp_path, request(), max_bytes=1000)


async def test_the_deadline_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits gets an answer in time, and the thread is told to stop."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(*_: object, stop: Any, **__: object) -> bytes:
        while not stop():
            pass
        loop.call_soon_threadsafe(stopped.set)
        return b""

    monkeypatch.setattr(collections, "search", slow)

    with pytest.raises(TimedOut):
        await send(tmp_path, request(), timeout=0.01)
    await asyncio.wait_for(stopped.wait(), 60)


@each(
    ("params", "asked"),
    [
        ({}, PageOrder()),
        ({"query": '"x"', "years": "2020"}, PageOrder('"x"', 2020, 2020)),
        ({"years": "2020-2021"}, PageOrder("", 2020, 2021)),
        ({"years": "2020-"}, PageOrder("", 2020, None)),
        ({"years": "-2021"}, PageOrder("", None, 2021)),
        ({"years": "soon-later", "start": "-1", "size": "many"}, PageOrder()),
        ({"start": "40", "size": "999999"}, PageOrder(start=40, size=1000)),
        ({"start": "9" * 30}, PageOrder()),
        ({"sort": "date"}, PageOrder(newest=True)),
        ({"sort": "title"}, PageOrder()),
    ],
)
def test_parameters(params: dict[str, str], asked: PageOrder) -> None:
    assert page_order(params) == asked


# --------------------------------------------------------------------------- reading


def page_of(body: bytes) -> Page:
    return Page(
        request=Request(source="refs", url="collection:refs", size=20, wanted=40), body=body
    )


@pytest.fixture
def spec(settings: Settings) -> Iterator[Any]:
    return Registry(settings).spec("refs")


def test_a_page_is_read(spec: Any) -> None:
    """What is no record is counted, and its neighbours are kept."""
    parsed = parse(
        page_of(b'{"total":50,"records":[{"title":"A"},null,{"title":1},{"title":"B"}]}'), spec
    )

    assert [(it.title, it.position, it.source) for it in parsed.records] == [
        ("A", 1, "refs"),
        ("B", 4, "refs"),
    ]
    assert [it.position for it in parsed.unread] == [2, 3]
    assert parsed.total == 50
    assert parsed.next is not None
    assert (parsed.next.start, dict(parsed.next.params)) == (4, {}) or parsed.next.start == 4


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b'{"total":"1","records":[]}', b'{"records":{}}']
)
def test_what_no_collection_has_written(spec: Any, body: bytes) -> None:
    """It is an error or empty, never a record."""
    try:
        parsed = parse(page_of(body), spec)
    except BadAnswer:
        return
    assert parsed.records == ()
