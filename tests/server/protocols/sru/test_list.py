"""The list in front of the demo: that of /search, page by page, also to metasearch as a client.
Other clients: tests/clients/test_sru.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp.test_utils import TestClient, TestServer

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.engine.options import SearchOptions
from metasearch.engine.run import SearchRun
from metasearch.server.app import make_app
from metasearch.server.protocols.sru.handler import MOST_LISTS, Lists
from metasearch.settings import Settings
from tests.server.protocols.sru.answers import get, texts


@pytest.fixture
async def served() -> AsyncIterator[TestClient]:
    """A client of a server in front of the demo, whose databases answer at once; its engine is
    `engine` of the application."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with DemoDatabases(0.0, False) as demo, Engine(demo.settings()) as running:
            yield running

    async with TestClient(TestServer(make_app(engine))) as client:
        yield client


def address(client: TestClient, path: str = "/sru") -> str:
    """The absolute address."""
    return f"http://127.0.0.1:{client.port}{path}"


async def test_the_same_list_as_search(served):
    """Ids and order are those of /search, page by page; the pages after the first one come from
    the finished answer."""
    listed = await (await served.get("/search?q=gambling&format=json")).json()
    ids, start, pages = [], 1, 0
    while start:
        root = await get(
            served, version="1.2", query="gambling", startRecord=start, maximumRecords=7
        )
        ids += texts(root, "//zs:recordIdentifier")
        start = int((texts(root, "zs:nextRecordPosition") or ["0"])[0])
        pages += 1

    first = [hit["id"] for hit in listed["hits"]]
    assert ids[: len(first)] == first
    assert len(ids) == len(set(ids)) == int(texts(root, "zs:numberOfRecords")[0])
    assert pages >= len(ids) // 7


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[SearchRun]:
    """Every search that is run, and not answered from an earlier one."""
    runs: list[SearchRun] = []
    start = SearchRun.start

    def counted(run, *given):
        runs.append(run)
        return start(run, *given)

    monkeypatch.setattr(SearchRun, "start", counted)
    return runs


async def test_a_repeated_search_asks_no_source(tmp_path, begun):
    """As YAZ repeats it for each page, with another number of records: one search is run."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(0.0, False) as demo,
            Engine(replace(demo.settings(), cache_dir=tmp_path)) as running,
        ):
            yield running

    async with TestClient(TestServer(make_app(engine))) as client:
        for maximum in (0, 1, 10, 20):
            await get(client, version="1.2", query="gambling", maximumRecords=maximum)
        root = await get(client, query="gambling", startRecord=6, facetLimit="5:year")

    assert len(begun) == 1
    assert texts(root, "//s2:recordPosition")[0] == "6"
    assert set(texts(root, "//ms:answer/ms:source/@cached")) == {"true"}


async def test_record_by_record_while_a_source_fails(begun):
    """As Koha asks, of a server without a cache: one search is run, and every answer names what
    failed. /search asks again."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with DemoDatabases(0.0) as demo, Engine(demo.settings()) as running:
            yield running

    async with TestClient(TestServer(make_app(engine))) as client:
        settings = {"version": "1.1", "query": "gambling", "x__timeout": "4"}
        roots = [
            await get(client, **settings, startRecord=max(1, place), maximumRecords=min(1, place))
            for place in range(11)
        ]
        assert len(begun) == 1
        plain = await client.get("/search?q=gambling&timeout=4&format=json")
        listed = await plain.json()

    assert len(begun) == 2
    identifiers = [texts(root, "//marc:controlfield[@tag='001']") for root in roots[1:]]
    assert [name for names in identifiers for name in names] == [
        hit["id"] for hit in listed["hits"][:10]
    ]
    failed = [texts(root, "//ms:source[ms:error]/@name") for root in roots]
    assert failed[0]
    assert failed == [failed[0]] * 11


async def test_a_client_of_fixed_steps_gets_every_work(served):
    """As srupy asks, a hundred at a time: the list is that of /search with as many."""
    everything = await (await served.get("/search?q=gambling&format=json&count=100")).json()
    root = await get(served, query="gambling", maximumRecords=100)

    ids = texts(root, "//s2:recordIdentifier")
    assert ids == [hit["id"] for hit in everything["hits"]]
    assert len(ids) == 52
    assert texts(root, "s2:numberOfRecords") == ["52"]
    assert texts(root, "s2:nextRecordPosition") == []


async def test_steps_of_any_size_lose_no_work(served):
    """`startRecord` rises by `maximumRecords`, whatever `nextRecordPosition` says."""
    for step in (7, 20, 30, 50):
        ids, start = [], 1
        while start <= 52:
            root = await get(
                served, version="1.2", query="gambling", startRecord=start, maximumRecords=step
            )
            ids += texts(root, "//zs:recordIdentifier")
            start += step
        assert len(ids) == len(set(ids)) == 52, step


async def test_pages_of_different_sizes_are_pages_of_one_list(served):
    """As somebody asks in yaz-client: how many, the first thirty, then five at a time. The first
    page decides how many records of each source the list is made of."""
    ids = []
    for start, maximum in ((1, 0), (1, 30), (31, 5), (36, 5), (41, 20)):
        root = await get(
            served, version="1.2", query="gambling", startRecord=start, maximumRecords=maximum
        )
        ids += texts(root, "//zs:recordIdentifier")

    assert len(ids) == len(set(ids)) == 52


def test_the_lists_that_are_remembered_are_bounded():
    """Those of one user are not those of another; the one used longest ago is forgotten first."""
    lists = Lists()
    first = SearchOptions(query="gene", limit=50)
    later = replace(first, start=50)
    assert lists.depth("ann", first, 50) == 50
    assert lists.depth("ann", later, 20) == 50
    assert lists.depth("bob", later, 20) == 20
    assert lists.depth("ann", replace(later, filter="type:book"), 20) == 20

    for number in range(MOST_LISTS):
        lists.depth("ann", replace(first, query=f"gene {number}"), 50)
    assert len(lists) == MOST_LISTS
    assert lists.depth("ann", later, 20) == 20


async def test_metasearch_asks_metasearch(served):
    """A metasearch of a metasearch: no work is lost, and each leads back to its first sources."""
    url = address(served)
    outer = Settings(
        sources={"inner": {"extends": "sru", "url": url}},
        default_sources=("inner",),
        allow=frozenset({url.split("/")[2]}),
        per_source=100,
    )
    async with Engine(outer) as engine:
        found = await engine.search("gambling")
    everything = await (await served.get("/search?q=gambling&format=json&count=100")).json()

    (report,) = found.sources
    assert (report.status, report.error, report.unread) == ("ok", None, 0)
    records = {record.source_id: record for hit in found.hits for record in hit.records}
    works = {hit["id"]: hit for hit in everything["hits"]}
    assert set(works) == set(records)
    for name, work in works.items():
        record = records[name]
        assert record.title == work["title"]
        assert [author.family or author.name for author in record.authors] == [
            author["family"] or author["name"] for author in work["authors"]
        ]
        for field in ("subtitle", "year", "doi", "venue", "type", "language", "abstract"):
            assert getattr(record, field) == work[field], (field, name)
        assert set(record.issn) == set(work["issn"])
        assert set(record.isbn) == set(work["isbn"])
        assert record.ids.get("pmid") == work["ids"].get("pmid")
    root = await get(served, query="gambling", maximumRecords=100)
    assert len(texts(root, "//ms:hit")) == len(works) >= 20
    for name in texts(root, "//ms:hit/@id"):
        held = texts(root, f"//ms:hit[@id='{name}']/ms:source/@name")
        in_marc = texts(
            root,
            f"//marc:record[marc:controlfield[@tag='001']='{name}']"
            "/marc:datafield[@tag='035']/marc:subfield",
        )
        assert held == [source["source"] for source in works[name]["sources"]]
        assert [text.partition(")")[0].lstrip("(") for text in in_marc] == held
