"""What pz2.js sends on the demo page of pazpar2 (indexdata/pazpar2 6b9898b, www/jsdemo), sent again
to the simulated databases, and read as it reads.

The requests were recorded in Chromium 156: search, the second page, a work, another order, a
subject, an author, a source, a query that cannot be read, a query that is posted.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from lxml import etree

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from tests.server.protocols.pazpar2.answers import PATH, first, number, texts
from tests.server.test_demo import QUERY, started

#: Parameters behind "command" and "session", as pz2.js writes them; "" is what it sends for a
#: window without a name.
SHOW = {"start": "0", "num": "20", "sort": "relevance", "block": "1", "type": "xml"}
WINDOW = {"windowid": ""}
LISTS = {"name": "xtargets,subject,author", **WINDOW}
TARGETS = {"block": "1", **WINDOW}


class JsDemo:
    """The demo page: its requests, and what it keeps of the answers."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._session: dict[str, str] = {}

    async def send(self, command: str, **parameters: str) -> Any:
        """The document of a request; an error element is raised, as pz2.js does."""
        given = {"command": command, **parameters, **self._session}
        headers = {"Accept": "*/*", "Referer": "http://127.0.0.1/index.html"}
        async with self._client.get(PATH, params=given, headers=headers) as response:
            root = etree.fromstring(await response.read())
        if root.tag == "error":
            raise RuntimeError(f"{root.get('msg')}: {root.text}")
        assert response.status == 200
        return root

    async def init(self) -> None:
        """A session, and the state of its search, which is none yet."""
        root = await self.send("init")
        assert first(root, "status") == "OK"
        assert first(root, "protocol") == "1"
        assert float(first(root, "keepAlive")) > 0
        self._session = {"session": first(root, "session")}
        assert number(await self.send("stat", **WINDOW), "activeclients") == 0

    async def search(self, query: str, **parameters: str) -> Any:
        """A search; the four polls go on until no source is active. Returns the last list."""
        parameters = {"query": query, **WINDOW, "sort": "relevance", **parameters}
        assert first(await self.send("search", **parameters), "status") == "OK"
        show, self.stat, self.termlist, self.bytarget = await asyncio.gather(
            self.polled("show", **SHOW, **WINDOW),
            self.polled("stat", **WINDOW),
            self.polled("termlist", **LISTS),
            self.targets(),
        )
        return show

    async def polled(self, command: str, **parameters: str) -> Any:
        for _ in range(1_000):
            root = await self.send(command, **parameters)
            if number(root, "activeclients") == 0:
                return root
            await asyncio.sleep(0.05)
        raise AssertionError("the search does not end")

    async def targets(self) -> Any:
        root = await self.send("bytarget", **TARGETS)
        while "Client_Working" in texts(root, "target/state"):
            await asyncio.sleep(0.05)
            root = await self.send("bytarget", **TARGETS)
        assert first(root, "status") == "OK"
        return root

    def terms(self, name: str) -> list[tuple[str, int]]:
        """(name, frequency) of a list."""
        listed = self.termlist.xpath(f"list[@name='{name}']/term")
        return [(first(each, "name"), number(each, "frequency")) for each in listed]


@pytest.fixture
async def page():
    """The page in front of databases that answer at once."""
    async with started(0.05, faults=False) as client:
        demo = JsDemo(client)
        await demo.init()
        yield demo


async def test_search(page):
    """The list, the state of the sources, and the lists of terms."""
    show = await page.search(QUERY)

    shown = [first(work, "md-title") for work in show.iter("hit")]
    assert 1 < len(shown) == number(show, "num") <= 20
    assert number(show, "merged") >= len(shown)
    assert number(show, "total") >= number(show, "merged")
    assert len(set(texts(show, "hit/recid"))) == len(shown)
    assert all(recid.isalnum() for recid in texts(show, "hit/recid"))
    assert number(page.stat, "records") == sum(map(int, texts(page.bytarget, "target/records")))
    assert number(page.stat, "clients") == len(texts(page.bytarget, "target"))
    assert page.terms("xtargets")[0][0].endswith("(simulated)")
    assert page.terms("author")[0][1] >= page.terms("author")[-1][1]


async def test_pages_and_orders(page):
    """`showPage`, and another order without another search."""
    show = await page.search(QUERY)
    second = await page.send("show", **{**SHOW, "start": "20"}, **WINDOW)
    ids = texts(show, "hit/recid") + texts(second, "hit/recid")
    newest = await page.send("show", **{**SHOW, "sort": "date:0", "num": "50"}, **WINDOW)

    assert len(set(ids)) == len(ids) == number(show, "merged") > 20
    years = [int(year) for year in texts(newest, "hit/md-date")]
    assert years == sorted(years, reverse=True)
    assert set(texts(newest, "hit/recid")) == set(ids)


async def test_a_work(page):
    """What the page shows of it: the first location must be there, with a name."""
    show = await page.search(QUERY)
    recid = texts(show, "hit/recid")[0]
    root = await page.send("record", id=recid, **WINDOW)

    assert first(root, "recid") == recid
    assert first(root, "md-title") == first(show, "md-title")
    locations = root.findall("location")
    assert locations
    assert locations[0].get("name").endswith("(simulated)")
    assert locations[0].get("id").startswith("demo-")
    assert first(root, "md-electronic-url").startswith("http")


async def test_narrowed_by_an_author_and_by_a_source(page):
    """The page adds `and au="..."` to the query, with the blank that stands behind the name, and
    `filter=pz:id=...`."""
    await page.search(QUERY)
    name, frequency = page.terms("author")[0]
    show = await page.search(f'{QUERY} and au="{name} "')
    assert number(show, "merged") >= 1
    assert frequency >= 1
    family = name.split(",")[0]
    assert all(
        any(family in author for author in texts(work, ".//md-author")) for work in show.iter("hit")
    )

    await page.search(QUERY)
    target = page.termlist.xpath("list[@name='xtargets']/term/id")[0].text
    show = await page.search(QUERY, filter=f"pz:id={target}")
    assert texts(page.bytarget, "target/id") == [target]
    assert set(texts(show, "hit/location/@id")) == {target}


async def test_narrowed_by_a_limit(page):
    """As MKWS 1.1.0 does, whose `filter` is empty where none is chosen: the query stays, and the
    list holds the works of a value.
    """
    whole = await page.search(QUERY)
    name, frequency = page.terms("author")[0]
    escaped = name.replace(",", "\\,")
    show = await page.search(QUERY, filter="", limit=f"author={escaped}")

    assert number(show, "merged") == frequency < number(whole, "merged")
    assert name in texts(show, "hit[1]//md-author")


async def test_errors_are_shown(page):
    """As "message: detail"."""
    with pytest.raises(RuntimeError, match="Malformed parameter value: query: There is nothing"):
        await page.search(f"{QUERY} and (")


async def test_the_list_is_that_of_search():
    """The same works in the same order, at the end of the search, however it is asked for."""
    async with started(0.05, faults=False) as client:
        async with client.get("/search", params={"q": QUERY, "format": "json"}) as response:
            ours = [each["id"] for each in (await response.json())["hits"]]
        cached = await _listed(client, QUERY)
    async with started(0.05, faults=False) as client:
        fresh = await _listed(client, QUERY)
        filtered = await _listed(client, QUERY, limit="date=2020")
        given = {"q": QUERY, "filter": "year:2020", "format": "json"}
        async with client.get("/search", params=given) as response:
            of_2020 = [each["id"] for each in (await response.json())["hits"]]

    assert cached == fresh == ours
    assert filtered == of_2020
    assert 0 < len(of_2020) < len(ours)


async def _listed(client: Any, query: str, **parameters: str) -> list[str]:
    page = JsDemo(client)
    await page.init()
    await page.search(query, **parameters)
    return texts(await page.send("show", **{**SHOW, "num": "200"}), "hit/recid")


async def test_the_search_ends_at_its_deadline():
    """A source that is late is reported as failed, and clients stop asking."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases({"demo-crossref": 60.0}, False) as demo,
            Engine(replace(demo.settings(), timeout=4.0)) as running,
        ):
            yield running

    async with TestClient(TestServer(make_app(engine))) as client:
        page = JsDemo(client)
        await page.init()
        began = asyncio.get_running_loop().time()
        await page.search(QUERY)
        seconds = asyncio.get_running_loop().time() - began

    assert 3.9 < seconds < 50
    late = page.bytarget.xpath("target[id='demo-crossref']")[0]
    assert first(late, "state") == "Client_Error"
    assert first(late, "diagnostic") == "2"
    assert first(page.stat, "progress") == "1.00"
    assert number(page.stat, "error") == 1


WITHOUT_FACES = """
import asyncio, sys
from aiohttp.test_utils import TestClient, TestServer
from metasearch.server.app import make_app
from tests.server.fake import FakeEngine

def faces():
    return any(name.startswith("metasearch.server.protocols.pazpar2") for name in sys.modules)

async def main():
    engine = FakeEngine()
    async with TestClient(TestServer(make_app(lambda: engine))) as client:
        await (await client.get("/search?q=mice&format=json")).read()
        before = faces()
        await (await client.get("/pazpar2/search.pz2?command=init")).read()
        print(before, faces())

asyncio.run(main())
"""


@pytest.mark.slow
def test_the_face_is_imported_by_its_first_request():
    """Start-up and a plain JSON search do without."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_FACES],
        cwd=Path(__file__).resolve().parents[4],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["False", "True"]
