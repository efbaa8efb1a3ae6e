"""Real clients against the demo: YAZ, ZOOM, other libraries where they are installed, and
metasearch itself."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
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

yaz = pytest.mark.skipif(not shutil.which("yaz-client"), reason="yaz-client is not installed")


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


async def said(*command: str, typed: str = "") -> str:
    """What a program prints."""

    def run() -> str:
        done = subprocess.run(
            command, input=typed, capture_output=True, text=True, timeout=60, check=False
        )
        return done.stdout + done.stderr

    return await asyncio.to_thread(run)


async def yaz_client(*lines: str) -> str:
    """A session of yaz-client."""
    return await said("yaz-client", typed="\n".join([*lines, "quit", ""]))


@yaz
@pytest.mark.parametrize("way", ["sru GET 1.1", "sru GET 1.2", "sru GET 2.0", "sru POST 1.1", ""])
async def test_yaz_client_finds_and_shows(served, way):
    """By GET, by a form, and by SOAP, which is what it sends if nothing is said."""
    out = await yaz_client(
        *filter(None, [way]),
        f"open {address(served)}",
        "querytype cql",
        "find gambling and dc.date >= 2015",
        "show 1+3",
        "show 4+2",
    )

    assert re.search(r"Number of hits: [1-9]", out)
    assert "diagnostic" not in out
    assert "extra records" not in out
    assert re.findall(r"pos=(\d+) schema=info:srw/schema/1/marcxml-v1.1", out) == list("12345")
    ids = re.findall(r'tag="001">(h[0-9a-f]{12})<', out)
    assert len(ids) == len(set(ids)) == 5


@yaz
async def test_yaz_client_explains_scans_and_sorts(served):
    """The other operations, and diagnostics as it prints them."""
    out = await yaz_client(
        "sru GET 1.2",
        f"open {address(served)}",
        "querytype cql",
        "explain",
        "scan dc.type=bo",
        "find gambling sortby dc.date/sort.descending",
        "schema dc",
        "show 1+5",
        "find pica.tit=x",
    )

    assert "http://explain.z3950.org/dtd/2.0/" in out
    assert "book" in out.split("Scan Response")[1]
    years = re.findall(r"<dc:date>(\d{4})", out)
    assert len(years) == 5
    assert years == sorted(years, reverse=True)
    assert "info:srw/diagnostic/1/15" in out
    assert "Unsupported context set" in out


@yaz
async def test_yaz_client_shows_facets(served):
    """Of 2.0, over merged works."""
    out = await yaz_client(
        "sru GET 2.0",
        f"open {address(served)}",
        "querytype cql",
        "facets @attr 1=author @attr 3=3, @attr 1=source @attr 3=9",
        "find gambling",
    )

    assert re.search(r"author \(3\):", out)
    assert re.search(r"demo-crossref\W+[1-9]", out), out


@pytest.mark.skipif(not shutil.which("zoomsh"), reason="zoomsh is not installed")
@pytest.mark.parametrize("way", [["set sru get"], []])
async def test_zoom_pages_through_the_list(served, way):
    """As pazpar2 and Koha ask, which use ZOOM."""
    commands = [*way, f"connect {address(served)}", "search cql:gambling", "show 0 25", "quit"]
    out = await said("zoomsh", *commands)

    ids = re.findall(r'tag="001">(h[0-9a-f]{12})<', out)
    listed = await (await served.get("/search?q=gambling&format=json")).json()
    assert ids == [hit["id"] for hit in listed["hits"]][:25]


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


async def test_sruthi(served):
    """Follows `nextRecordPosition`."""
    sruthi = pytest.importorskip("sruthi")

    records = await asyncio.to_thread(
        lambda: list(sruthi.searchretrieve(address(served), query="gambling"))
    )
    info = await asyncio.to_thread(sruthi.explain, address(served))

    assert len(records) >= 20
    assert info.server["port"] == served.port


async def test_srupy(served):
    """Names neither version nor operation."""
    srupy = pytest.importorskip("srupy")

    records = await asyncio.to_thread(
        lambda: list(srupy.SRUpy(address(served)).get_records(query="gambling"))
    )

    assert len(records) >= 20


def test_the_face_is_loaded_by_its_first_request():
    """Start-up of a server, and a plain search, do not know it."""
    code = (
        "import sys, metasearch.server.app as app\n"
        "assert ('/sru' in dict(app.ROUTES)), app.ROUTES\n"
        "print([name for name in sys.modules if name.startswith('metasearch.server.faces.')])\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert out.stdout.strip() == "[]"
