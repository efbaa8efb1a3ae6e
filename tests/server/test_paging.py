"""Pages over HTTP: parameters, links, and a list that is read to its end in each of its
forms."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from lxml import etree, html

from metasearch.events import NextPage, Paging, Totals
from tests.cases import each
from tests.server.fake import answer, hit
from tests.server.test_demo import started

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def engine(engine):
    """An engine whose list goes on."""
    known = Totals(seen=2, least=2, most=900, estimate=700, reliable=True, basis="2 of 3 records")
    paging = Paging(20, 2, NextPage(22, 2))
    engine.answer = replace(answer(hit(21), hit(22)), paging=paging, totals=known)
    return engine


@each("text", ["-1", "10000", "2.5", "ten", "9" * 30])
async def test_bad_start(client, text):
    """A start is a whole number below the last place."""
    response = await client.get(f"/search?q=mice&start={text}&format=json")

    assert response.status == 400
    assert (await response.json())["errors"][0]["parameter"] == "start"


async def test_start_and_count_go_too_far(client):
    """Together they end at the last place."""
    response = await client.get("/search?q=mice&start=9990&count=11&format=json")

    assert "10,000" in (await response.json())["errors"][0]["reason"]
    assert (await client.get("/search?q=mice&start=9990&count=10&format=json")).status == 200


async def test_json_says_where_the_next_page_is(client):
    """As numbers, as an address with all other parameters, and in a header in the same format;
    totals are there."""
    response = await client.get("/search?q=mice&start=20&count=2&versions=merge&format=json")
    found = await response.json()

    link = "/search?q=mice&start=22&count=2&versions=merge"
    assert found["paging"] == {
        "start": 20,
        "count": 2,
        "next": {"start": 22, "count": 2, "link": link},
    }
    assert found["totals"]["estimate"] == 700
    assert response.headers["Link"] == f'<{client.make_url(link)}&format=json>; rel="next"'


@each("form", ["ndjson", "sse"])
async def test_streams_say_the_same_at_their_end(client, form):
    """The address in `done` is that of the JSON answer."""
    whole = await (await client.get("/search?q=mice&start=20&count=2&format=json")).json()
    told = (
        await (await client.get(f"/search?q=mice&start=20&count=2&format={form}")).text()
    ).strip()
    done = orjson.loads(told.splitlines()[-1].removeprefix("data: "))

    assert done["event"] == "done"
    assert (done["paging"], done["totals"]) == (whole["paging"], whole["totals"])


@each("form", ["ris", "csv", "bibtex"])
async def test_files_have_the_header(client, form):
    """So that a program can read on."""
    response = await client.get(f"/search?q=mice&start=20&count=2&format={form}")

    assert f'start=22&count=2&format={form}>; rel="next"' in response.headers["Link"]


async def test_the_last_page_has_no_link(client, engine):
    """Neither as a header nor in the answer nor on the page."""
    engine.answer = replace(engine.answer, paging=Paging(20, 2))
    response = await client.get("/search?q=mice&start=20&count=2&format=json")
    page = html.document_fromstring(
        await (await client.get("/search?q=mice&start=20&count=2&format=html")).text()
    )

    assert "Link" not in response.headers
    assert (await response.json())["paging"]["next"] is None
    assert page.xpath("//nav[@id='pages']//a/@rel") == ["prev"]


async def test_a_feed_has_its_pages(client):
    """As OpenSearch and RFC 5005 tell them."""
    feed = etree.fromstring(
        await (await client.get("/search?q=mice&start=20&count=2&format=atom")).read()
    )
    links = {it.get("rel"): it.get("href") for it in feed.findall(f"{ATOM}link")}

    assert links["next"].endswith("start=22&count=2&format=atom")
    assert "start" not in links["first"]
    assert [feed.findtext(f"{{http://a9.com/-/spec/opensearch/1.1/}}{name}") for name in
            ("totalResults", "startIndex", "itemsPerPage")] == ["700", "21", "2"]  # fmt: skip


async def test_the_page_has_links_and_totals(client):
    """To the page before and the next one; another search from its form begins at the beginning."""
    response = await client.get("/search?q=mice&start=20&count=2&format=html")
    page = html.document_fromstring(await response.text())
    links = {it.get("rel"): it.get("href") for it in page.xpath("//nav[@id='pages']//a[@rel]")}

    assert links == {
        "prev": "/search?q=mice&start=18&count=2&format=html",
        "next": "/search?q=mice&start=22&count=2&format=html",
    }
    assert "About 700 works in all: " in page.text_content()
    assert page.xpath("//meta[@name='startIndex']/@content") == ["21"]
    assert page.xpath("//input[@name='start']") == []


async def test_a_page_beyond_the_end(client, engine):
    """It says so, instead of claiming that there is nothing."""
    engine.answer = replace(engine.answer, hits=(), paging=Paging(500, 2))
    page = await (await client.get("/search?q=mice&start=500&count=2&format=html")).text()

    assert "The list ends before this page." in page


async def test_following_the_page_reads_the_whole_list():
    """In a browser, from database to link: every work once, as in the JSON answer of all of
    them."""
    async with started(0.0, faults=False) as client:
        whole = await (
            await client.get("/search?q=machine+learning&per_source=20&format=json")
        ).json()
        address, shown, requests = (
            "/search?q=machine+learning&count=10&per_source=20&wait=30&format=html",
            [],
            0,
        )
        while address and requests < 20:
            page = html.document_fromstring(await (await client.get(address)).text())
            shown += page.xpath("//ol[@class='hits']/li/@value")
            address = next(iter(page.xpath("//a[@rel='next']/@href")), None)
            requests += 1

    assert len(shown) == len(set(shown))
    assert len(shown) >= len(whole["hits"])
    assert requests > 2
