"""The databases run on loopback sockets, with their latencies, and leave nothing behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from metasearch.demo import DemoDatabases, DemoTransport, replay_settings
from metasearch.engine.engine import Engine
from metasearch.server.app import engine_and_examples
from metasearch.settings import Settings
from tests.cases import each
from tests.demo.given import WORKS, catalogue

SOUND = {"demo-crossref", "demo-openalex", "demo-arxiv", "demo-pubmed", "demo-library"}


async def test_the_settings_name_every_database_and_its_port():
    """Each table extends a shipped spec and points to a port that is allowed."""
    async with DemoDatabases(latency=0) as demo:
        tables = demo.settings_tables()

        assert tables.keys() == {*SOUND, "demo-slow", "demo-failing"}
        assert demo.allow == {table["url"].split("/")[2] for table in tables.values()}
        assert len(demo.allow) == len(tables)
        assert tables["demo-crossref"]["extends"] == "crossref"
        assert "simulated" in tables["demo-crossref"]["label"]


async def test_without_faults_only_sound_databases_run():
    """`faults=False` leaves the slow and the failing one out."""
    async with DemoDatabases(latency=0, faults=False) as demo:
        assert demo.settings_tables().keys() == SOUND


async def test_settings_know_the_databases_and_nothing_else():
    """What a search with them asks, allows and knows is the demo's; other settings stay."""
    own = Settings(
        timeout=7.0,
        sources={"mine": {"extends": "sru"}},
        env={"KEY": "secret"},
        allow=frozenset({"h:1"}),
    )
    async with DemoDatabases(latency=0, faults=False) as demo:
        made = demo.settings(own)

        assert made.sources.keys() == SOUND == set(made.default_sources or ())
        assert made.allow == demo.allow
        assert made.cache_dir is None
        assert not made.env
        assert made.timeout == 7.0


async def test_databases_answer_over_http():
    """A GET and a POST reach the database; the failing one fails."""
    async with DemoDatabases(latency=0) as demo, aiohttp.ClientSession() as session:
        urls = {name: table["url"] for name, table in demo.settings_tables().items()}
        async with session.get(
            urls["demo-crossref"], params={"query.bibliographic": "jazz gambling", "rows": "3"}
        ) as got:
            crossref = await got.json()
        async with session.get(
            urls["demo-pubmed"], params={"term": "psychedelics", "retmode": "json"}
        ) as got:
            ids = (await got.json())["esearchresult"]["idlist"]
        fetch = urls["demo-pubmed"].replace("esearch", "efetch")
        async with session.post(
            fetch, data={"db": "pubmed", "id": ",".join(ids), "retmode": "xml"}
        ) as got:
            articles = await got.text()
        async with session.get(urls["demo-failing"], params={"query": "jazz"}) as got:
            assert got.status == 400

        assert len(crossref["message"]["items"]) == 3
        assert articles.count("<PubmedArticle>") == len(ids) == 20


@pytest.mark.slow
async def test_leaving_does_not_wait_for_a_slow_answer():
    """The demo closes at once while the slow database is still thinking, and its ports are
    closed."""
    async with asyncio.timeout(60):
        async with DemoDatabases(latency=600.0) as demo:
            allowed = demo.allow
            address = demo.settings_tables()["demo-slow"]["url"].split("/")[2]
            reader, writer = await asyncio.open_connection(*address.split(":"))
            writer.write(
                b"GET /search/publ/api?q=learning&format=json HTTP/1.1\r\nHost: demo\r\n\r\n"
            )
            await writer.drain()
        assert await reader.read() == b""
        writer.close()

    for address in allowed:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(*address.split(":"))
    assert demo.settings_tables() == {}
    assert demo.allow == frozenset()


async def test_any_number_of_demos_runs_side_by_side():
    """The system chooses every port, so none is taken; each demo answers at its own."""
    async with (
        DemoDatabases(latency=0) as one,
        DemoDatabases(latency=0) as other,
        DemoDatabases(latency=0, faults=False) as third,
        aiohttp.ClientSession() as session,
    ):
        every = [*one.allow, *other.allow, *third.allow]
        for demo in (one, other, third):
            async with session.get(
                demo.settings_tables()["demo-crossref"]["url"], params={"rows": "1"}
            ) as got:
                assert got.status == 200

    assert len(set(every)) == len(every) == 2 * 7 + 5


async def test_no_address_of_a_run_is_in_what_is_replayed():
    """A plan and a replay know the databases by names that no run changes and no resolver knows."""
    rest = replay_settings()
    async with DemoDatabases(latency=0) as demo:
        tables = demo.settings_tables()
        renamed = {
            name: next(table["url"].replace(origin, said) for origin,
            said in demo.recorded_as.items()
                       if table["url"].startswith(f"{origin}/"))
            for name, table in tables.items()
        }  # fmt: skip

    assert {name: table["url"] for name, table in rest.sources.items()} == renamed
    assert all(url.startswith(f"http://{name}.invalid/") for name, url in renamed.items())
    assert rest.allow == frozenset()


@pytest.mark.slow
def test_importing_the_demo_is_cheap():
    """Neither aiohttp nor lxml is loaded before the databases start."""
    code = (
        "import sys, metasearch.demo; print(sorted({'aiohttp', 'lxml', 'jieba', 'rich'} & "
        "set(sys.modules)))"
    )

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "[]"


async def test_the_failing_database_says_each_time_that_it_is_meant():
    """The second and the third search ask it again, and are told the same, not that it is
    limited."""
    async with DemoDatabases(latency=0) as demo, Engine(demo.settings()) as engine:
        answers = [
            await engine.search(words, sources=["demo-failing"])
            for words in ("jazz", "gambling", "jazz")
        ]

    for answer in answers:
        (report,) = answer.sources
        assert report.status == "error"
        assert "fails on purpose" in str(report.error)


async def test_the_first_page_is_about_what_was_asked():
    """`jazz` begins with works about jazz: their title says so, and they are filed or summarised
    under it."""
    async with DemoDatabases(latency=0, faults=False) as demo, Engine(demo.settings()) as engine:
        jazz = await engine.search("jazz")
        harms = await engine.search("gambling harms")

    assert all("jazz" in hit.record.title.lower() for hit in jazz.hits[:12])
    assert all("gambling harm" in hit.record.title.lower() for hit in harms.hits[:5])
    assert sum(bool(hit.record.abstract) for hit in (*jazz.hits[:10], *harms.hits[:10])) >= 18


async def test_another_catalogue_is_what_the_databases_hold(tmp_path: Path) -> None:
    """Of any subject, and no database is slow or fails; nothing speaks of the built-in works."""
    file = catalogue(tmp_path)
    async with DemoDatabases(latency=0, catalogue=file) as demo, Engine(demo.settings()) as engine:
        tables = demo.settings_tables()
        found = await engine.search("knots OR brackets OR modem OR jazz OR title")

    assert tables.keys() == {*SOUND, "demo-dblp"}
    assert all("of the 5 works of own.jsonl" in table["coverage"] for table in tables.values())
    assert len(found.hits) == len(WORKS)
    assert not any(report.failed for report in found.sources)


@each("faults", [True, False])
async def test_faults_of_another_catalogue_are_asked_for(tmp_path: Path, faults: bool) -> None:
    async with DemoDatabases(latency=0, faults=faults, catalogue=catalogue(tmp_path)) as demo:
        names = demo.settings_tables().keys()

    assert ("demo-failing" in names) == ("demo-slow" in names) == faults


async def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    """A process that goes on has the works of the file that is there now."""
    before = replay_settings(catalogue=catalogue(tmp_path))
    after = replay_settings(catalogue=catalogue(tmp_path, {"title": "Another"}))

    assert "of the 5 works" in before.sources["demo-dblp"]["coverage"]
    assert "of the 1 works" in after.sources["demo-dblp"]["coverage"]


async def test_the_same_hits_of_another_catalogue_come_without_sockets(tmp_path: Path) -> None:
    """A replay of them, too, knows whose works they are."""
    file = catalogue(tmp_path)
    settings = replay_settings(Settings(demo_catalogue=file))
    transport = DemoTransport(catalogue=settings.demo_catalogue)
    async with Engine(settings, transport=transport) as engine:
        here = await engine.search("visual")
    async with DemoDatabases(latency=0, catalogue=file) as demo, Engine(demo.settings()) as engine:
        there = await engine.search("visual")

    assert [hit.id for hit in here.hits] == [hit.id for hit in there.hits]
    assert here.hits


def test_the_notice_of_another_catalogue_names_its_file(tmp_path: Path) -> None:
    """And there are no example queries, which would find nothing."""
    settings = Settings(demo_catalogue=catalogue(tmp_path))

    _, examples, notice = engine_and_examples(settings, demo=True)

    assert examples == ()
    assert "the 5 works of own.jsonl" in notice
    assert "gambling" not in notice
