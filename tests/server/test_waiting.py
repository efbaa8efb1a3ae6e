"""Soft deadlines over HTTP: `wait`, and pages that show what is there and where the rest is."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from lxml import html

from metasearch.settings import Settings
from tests.cases import each
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


async def test_the_page_shows_what_has_arrived(serve, marshes, gate):
    """And where the rest is, for browsers with a script and without; no database is asked twice,
    and nothing reloads by itself.
    """
    made, upstreams = marshes
    client = await serve(made, page_wait=0.05)
    await until_alpha(client, "/search?q=marsh&wait=0.05&format=json")

    async def shown():
        return html.fromstring(await (await client.get("/search?q=marsh&format=html")).text())

    page = await shown()
    (aside,) = page.xpath("//noscript")
    assert page.xpath("//meta[@http-equiv]") == []
    assert "Still being asked: beta." in aside.text_content()
    assert aside.xpath(".//a[.='Show what has arrived']/@href") == [
        "/search?q=marsh&format=html#results"
    ]
    (updates,) = page.xpath("//*[@data-updates]/@data-updates")
    assert updates.startswith("/updates?q=marsh&worker=0&lang=en&seen=")
    assert len(page.xpath("//ol[@id='hits']/li")) == 2
    assert page.xpath("//*[@id='failures']/*") == []

    gate.set()
    while (page := await shown()).xpath("//noscript"):
        assert asked(upstreams) == {"alpha": 1, "beta": 1}
    assert len(page.xpath("//ol[@id='hits']/li")) == 3
    assert page.xpath("//*[@data-updates]") == []
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


@each(
    ("address", "settings", "wait"),
    [
        ("q=m&format=json", {}, None),
        ("q=m&format=html", {}, 1.0),
        ("q=m&format=html&timeout=1&wait=2", {}, 1.0),
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


@each("wait", ["0", "-1", "soon", "nan", "1e3"])
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

    (failures,) = page.xpath("//*[@id='failures']")
    assert "Alpha" in failures.text_content()
    assert "Beta" not in failures.text_content()
    assert "Beta" in page.xpath("//noscript")[0].text_content()
