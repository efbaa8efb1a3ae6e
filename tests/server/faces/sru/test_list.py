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
from metasearch.engine.run import Run
from metasearch.server.app import make_app
from metasearch.settings import Settings
from tests.server.faces.sru.answers import get, texts


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


async def test_a_repeated_search_asks_no_source(tmp_path, monkeypatch):
    """As YAZ repeats it for each page, with another number of records: one search is run."""
    begun = []
    start = Run.start

    def counted(run, *given):
        begun.append(run)
        return start(run, *given)

    monkeypatch.setattr(Run, "start", counted)

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(0.0, False) as demo,
            Engine(replace(demo.settings(), cache_dir=tmp_path)) as running,
        ):
            yield running

    async with TestClient(TestServer(make_app(engine))) as client:
        for maximum in (0, 1, 10, 100):
            await get(client, version="1.2", query="gambling", maximumRecords=maximum)
        root = await get(client, query="gambling", startRecord=6, facetLimit="5:year")

    assert len(begun) == 1
    assert texts(root, "//s2:recordPosition")[0] == "6"
    assert set(texts(root, "//ms:answer/ms:source/@cached")) == {"true"}


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
    inner = await (await served.get("/search?q=gambling&format=json")).json()

    (report,) = found.sources
    assert (report.status, report.error, report.unread) == ("ok", None, 0)
    records = {record.source_id: record for hit in found.hits for record in hit.records}
    works = {hit["id"]: hit for hit in inner["hits"]}
    assert {hit["id"] for hit in everything["hits"]} | set(works) <= set(records)
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
