"""Errors as clients see them."""

from __future__ import annotations

import asyncio
import io

import pytest
from aiohttp import web
from lxml import html

from metasearch.server.problem import KINDS, Problem
from metasearch.server.search import OFFERED
from tests import cases

HTML = {"Accept": "text/html"}


async def problem(response) -> dict:
    """The JSON body of an error answer."""
    return await response.json(content_type="application/problem+json")


async def test_query_syntax(client):
    """The place of the mistake and one suggestion."""
    response = await client.get("/search", params={"q": "mice AND (birds", "format": "json"})
    found = await problem(response)

    assert response.status == 400
    assert (found["type"], found["title"]) == (
        "urn:metasearch:problem:query-syntax",
        "The query cannot be read",
    )
    assert (found["query"], found["position"], found["length"]) == ("mice AND (birds", 9, 1)
    assert found["suggestion"]
    assert found["errors"][0]["parameter"] == "q"
    assert found["instance"] == "/search"


async def test_query_syntax_as_a_page(client):
    """The page marks the character and keeps what was typed in the form."""
    response = await client.get("/search", params={"q": "mice AND (birds <b>"}, headers=HTML)
    shown = html.document_fromstring(await response.text())

    assert response.status == 400
    assert shown.findtext(".//h1") == "The query cannot be read"
    assert shown.xpath("//*[@class='caret']//u/text()") == ["("]
    assert "mice AND (birds <b>)" in shown.xpath("//main//a//text()")
    assert shown.find(".//input[@name='q']").get("value") == "mice AND (birds <b>"


async def test_missing_query(client):
    """A program that forgets the query is told so."""
    found = await problem(await client.get("/search?format=json"))

    assert found["errors"] == [{"parameter": "q", "reason": "missing; give a query"}]


async def test_unknown_source(client):
    """Near misses help."""
    found = await problem(await client.get("/search?q=mice&sources=alpah&format=json"))

    assert (found["type"], found["near_misses"]) == (
        "urn:metasearch:problem:unknown-source",
        ["alpha"],
    )
    assert found["errors"][0]["parameter"] == "sources"


@cases.each("query", ["format=docx", "format=<script>", "format=table"])
async def test_unknown_format(client, query):
    """406 lists what there is."""
    response = await client.get(f"/search?q=mice&{query}")
    found = await problem(response)

    assert response.status == 406
    assert {"format": "ris", "media_type": "application/x-research-info-systems"} in found[
        "allowed"
    ]
    assert [each["format"] for each in found["allowed"]] == list(OFFERED)


async def test_unacceptable_accept(client):
    """Nothing that the client would take is 406 too."""
    response = await client.get("/search?q=mice", headers={"Accept": "image/png"})

    assert response.status == 406


async def test_repeated_parameters(client):
    """Each mistake names its parameter."""
    response = await client.get("/search?q=a&q=b&count=0&format=json")

    assert {"q", "count"} == {it["parameter"] for it in (await problem(response))["errors"]}
    assert (await client.get("/search?q=a&format=json&format=csv")).status == 400


@cases.each(
    ("path", "status", "title"), [("/nowhere", 404, "Not Found"), ("/static/x", 404, "Not Found")]
)
async def test_not_found(client, path, status, title):
    """What is not there is a problem like any other."""
    response = await client.get(path)

    assert {
        "type": "about:blank",
        "title": title,
        "status": status,
        "instance": path,
    } == await problem(response)


async def test_not_found_as_a_page(client):
    """A browser gets a page, with the way back."""
    response = await client.get("/nowhere", headers=HTML)
    shown = html.document_fromstring(await response.text())

    assert (response.status, shown.findtext(".//h1")) == (404, "Not Found")
    assert "/" in shown.xpath("//main//a/@href")


async def test_wrong_method(client):
    """405 says what would work."""
    response = await client.post("/plan", data={"q": "mice"})

    assert (response.status, response.headers["Allow"]) == (405, "GET,HEAD")
    assert (await problem(response))["title"] == "Method Not Allowed"


async def test_too_large_a_body(aiohttp_free_client):
    """413 in the same form, whoever raises it."""
    response = await aiohttp_free_client.post("/echo", data=io.BytesIO(b"x" * 2_000_000))

    assert response.status == 413
    assert (await problem(response))["type"] == "about:blank"


@pytest.fixture
async def aiohttp_free_client(engine):
    """A server with one more route, which reads a body."""
    from aiohttp.test_utils import TestClient, TestServer

    from metasearch.server.app import make_app

    async def echo(request: web.Request) -> web.Response:
        return web.Response(body=await request.read())

    app = make_app(lambda: engine)
    app.router.add_post("/echo", echo)
    async with TestClient(TestServer(app)) as client:
        yield client


@pytest.mark.parametrize("headers", [None, HTML])
async def test_inner_faults_stay_inside(client, engine, caplog, headers):
    """500 with an id that leads to the log, and no word of what happened."""
    engine.fault = RuntimeError("a secret detail")
    response = await client.get("/search?q=mice", headers=headers)
    body = await response.text()

    assert response.status == 500
    assert "secret" not in body
    assert "Traceback" not in body
    assert "search s1" in caplog.text
    assert "a secret detail" in caplog.text


async def test_fault_names_the_search(client, engine, caplog):
    """The id of the answer is the id of the log."""
    engine.fault = RuntimeError("x")
    found = await problem(await client.get("/search?q=mice&format=json"))

    assert found["search_id"] == "s1"


@cases.each("query", ["%ff%fe", "a%00b", "%ed%a0%80", "%22", "a" * 3000, "(" * 500, "%F0%9F%90%AD"])
@cases.each("headers", [None, HTML])
async def test_odd_bytes_in_the_query(client, query, headers):
    """No query makes the server stumble."""
    response = await client.session.get(
        str(client.make_url("/search")) + "?q=" + query, headers=headers
    )

    assert response.status in (200, 400)


@cases.each("kind", sorted(KINDS))
def test_titles_are_the_same_for_all_problems_of_a_type(kind):
    """The title says what kind of problem it is, the detail says which."""
    first, second = Problem(400, kind, "one"), Problem(400, kind, "two")

    assert first.title == second.title == first.object("/")["title"]
    assert f"urn:metasearch:problem:{kind}" == first.object("/")["type"]


async def test_errors_are_not_stored(client):
    """A mended configuration shows at once."""
    response = await client.get("/search?format=json")

    assert (response.headers["Cache-Control"], response.headers["Vary"]) == ("no-store", "Accept")


async def test_concurrent_faults_do_not_mix(client, engine, caplog):
    """Each of many failing requests names its own search."""
    engine.fault = RuntimeError("x")
    answers = await asyncio.gather(*(client.get("/search?q=mice&format=json") for _ in range(5)))

    assert {f"s{n}" for n in range(1, 6)} == {(await problem(it))["search_id"] for it in answers}
