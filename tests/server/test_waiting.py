"""Soft deadlines over HTTP: `wait`, and pages that show what is there and ask again by
themselves."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from lxml import html

from metasearch.server.pages.results import REFRESH
from metasearch.settings import Settings
from tests.server.fake import FakeEngine, answer, hit, late, report
from tests.test_waiting import FAST, SLOW, asked, engine

RUNNING = replace(
    answer(hit(), reports=[report("alpha"), report("beta", "running", count=0, total=None)]),
    complete=False,
)


@pytest.fixture
def gate():
    """What the slow database waits for."""
    return asyncio.Event()


@pytest.fixture
def marshes(gate):
    """(an engine with a database that answers at once and one that waits for the gate, what they
    are asked)"""

    async def slow(_):
        await gate.wait()
        return SLOW

    return engine({"alpha": FAST, "beta": slow})


async def until_alpha(client, address):
    """The answer once alpha is done, however slow this machine is, asking as often as that
    takes."""
    while True:
        response = await client.get(address)
        body = await response.json()
        if body["sources"][0]["status"] != "running":
            return response, body


async def test_json_at_the_soft_deadline_and_after_it(serve, marshes, gate):
    """What is there is no-store, without a tag and says who is running; the rest comes without a
    second request."""
    made, upstreams = marshes
    client = await serve(made)
    response, body = await until_alpha(client, "/search?q=marsh&wait=0.05&format=json")

    assert response.status == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers
    assert "Link" not in response.headers
    assert body["complete"] is False
    assert body["paging"]["next"] is None
    assert [it["status"] for it in body["sources"]] == ["ok", "running"]
    assert {it["title"] for it in body["hits"]} == {"Salt marsh birds", "Reeds"}

    gate.set()
    response = await client.get("/search?q=marsh&format=json")
    body = await response.json()
    assert body["complete"] is True
    assert "ETag" in response.headers
    assert {it["title"] for it in body["hits"]} == {"Salt marsh birds", "Reeds", "Peat"}
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


async def test_the_page_asks_again_until_all_have_ended(serve, marshes, gate):
    """Without a script, and without asking a database twice."""
    made, upstreams = marshes
    client = await serve(made, page_wait=0.05)
    await until_alpha(client, "/search?q=marsh&wait=0.05&format=json")
    page = html.fromstring(await (await client.get("/search?q=marsh&format=html")).text())

    assert page.xpath("//meta[@http-equiv='refresh']/@content") == [str(REFRESH)]
    (told,) = page.xpath("//p[@class='notice']")
    assert told.text_content().startswith("1 source is still being asked: ")
    assert "beta" in told.text_content()
    assert told.xpath("a/@href") == ["/search?q=marsh&start=0&format=html"]
    assert len(page.xpath("//ol[@class='hits']/li")) == 2
    assert not page.xpath("//*[@role='alert']")

    gate.set()
    while (
        page := html.fromstring(await (await client.get("/search?q=marsh&format=html")).text())
    ).xpath("//meta[@http-equiv='refresh']"):
        assert asked(upstreams) == {"alpha": 1, "beta": 1}
    assert len(page.xpath("//ol[@class='hits']/li")) == 3
    assert not page.xpath("//p[@class='notice']")
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


async def test_a_client_that_leaves_ends_the_search(serve, marshes):
    """Before the soft deadline, with nobody else waiting."""
    made, upstreams = marshes
    client = await serve(made)
    leaving = asyncio.ensure_future(client.get("/search?q=marsh&wait=10&format=json"))
    while len(upstreams.asked) < 2:
        await asyncio.sleep(0.001)
    leaving.cancel()
    while upstreams.cancelled != ["beta"]:
        await asyncio.sleep(0.001)


async def test_a_server_that_stops_ends_what_goes_on(serve, marshes):
    """No search outlives it."""
    made, upstreams = marshes
    client = await serve(made)
    await client.get("/search?q=marsh&sources=beta&wait=0.001&format=json")
    while not upstreams.asked:
        await asyncio.sleep(0.001)
    assert upstreams.cancelled == []
    await client.close()
    assert upstreams.cancelled == ["beta"]


@pytest.mark.parametrize(
    ("address", "settings", "wait"),
    [
        ("q=m&format=json", {}, None),
        ("q=m&format=html", {}, 3.0),
        ("q=m&format=html&timeout=2", {}, 2.0),
        ("q=m&format=html&wait=8", {}, 8.0),
        ("q=m&format=json&wait=99", {}, 15.0),
        ("q=m&format=json", {"wait": 5.0}, 5.0),
        ("q=m&format=html", {"wait": 5.0}, 5.0),
        ("q=m&format=json&wait=", {}, None),
    ],
)
async def test_how_long_is_waited(serve, address, settings, wait):
    """As the request says, else the configuration, else a page's own time; never longer than the
    timeout."""
    fake = FakeEngine(settings=Settings(**settings))
    client = await serve(fake)
    await client.get(f"/search?{address}")

    assert fake.asked[0]["wait"] == wait


@pytest.mark.parametrize("wait", ["0", "-1", "soon", "nan", "1e3"])
async def test_what_is_no_time_to_wait(client, wait):
    """It is named, and nothing is asked."""
    response = await client.get(f"/search?q=mice&format=json&wait={wait}")

    assert response.status == 400
    assert "is not a positive number of seconds" in (await response.json())["errors"][0]["reason"]


async def test_wait_stays_in_links_and_form(client):
    """Another format, and another search from the same page, wait as long."""
    page = await (await client.get("/search?q=gene&wait=1.5&format=html")).text()

    assert "/search?q=gene&amp;wait=1.5&amp;format=ris" in page
    assert '<input type="hidden" name="wait" value="1.5">' in page


async def test_only_what_is_finished_is_counted(serve):
    """Whoever comes back for the rest counts, not everybody who was given a part."""
    fake = FakeEngine(RUNNING)
    client = await serve(fake)
    await client.get("/search?q=mice&wait=1&format=json")
    assert (
        'requests_total{outcome="ok",source="alpha"'
        not in await (await client.get("/metrics")).text()
    )
    fake.answer = answer(hit())
    await client.get("/search?q=mice&wait=1&format=json")
    assert (
        'metasearch_source_requests_total{outcome="ok",source="alpha"} 1.0'
        in await (await client.get("/metrics")).text()
    )


async def test_nothing_yet_is_no_error(serve):
    """Where all are still running, the answer is empty and says so."""
    nothing = replace(
        answer(reports=[report("alpha", "running", count=0, total=None)]), complete=False
    )
    client = await serve(FakeEngine(nothing))
    response = await client.get("/search?q=mice&wait=1&format=json")
    page = await (await client.get("/search?q=mice&format=html")).text()

    assert response.status == 200
    assert "No work has arrived yet." in page


async def test_a_failure_is_told_beside_those_that_run(serve):
    """Both are named, each for what it is."""
    mixed = replace(RUNNING, sources=(late("alpha"), RUNNING.sources[1]))
    client = await serve(FakeEngine(mixed))
    page = html.fromstring(await (await client.get("/search?q=mice&format=html")).text())

    (alert,) = page.xpath("//*[@role='alert']")
    assert "Alpha" in alert.text_content()
    assert "Beta" not in alert.text_content()
    assert "Beta" in page.xpath("//p[@class='notice']")[0].text_content()
