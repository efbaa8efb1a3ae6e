"""`/translate`: a query in the syntaxes of databases that people search by hand."""

from __future__ import annotations

import asyncio
import io

from metasearch.query.syntaxes import TARGETS
from tests.cases import each
from tests.server.fake import FakeEngine


async def test_the_syntaxes_that_are_asked_for(client, engine):
    """Nothing is searched."""
    response = await client.get("/translate", params={"q": "title:marsh*", "to": "wos,cnki"})

    assert response.status == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert await response.json() == {
        "query": "title:marsh*",
        "syntax": "simple",
        "notes": [],
        "translations": [
            {"syntax": "wos", "text": "TI=(marsh*)", "notes": []},
            {
                "syntax": "cnki",
                "text": "TI=('marsh'+'marshes')",
                "notes": [
                    (
                        "CNKI cannot be asked for the beginnings of words: marsh* is written as "
                        "marsh, marshes, and other words that begin so are not found"
                    )
                ],
            },
        ],
    }
    assert engine.asked == []


async def test_all_of_them_by_post(client):
    """A long query fits into the body of a form; `syntax` says what it is in."""
    response = await client.post("/translate", data={"q": "marsh[ti]", "syntax": "pubmed"})
    document = await response.json()

    assert (document["query"], document["syntax"]) == ("title:marsh", "pubmed")
    assert [it["syntax"] for it in document["translations"]] == list(TARGETS)


@each("path", ["/translate", "/translate?q=x&to=sql", "/translate?q=x&syntax=sql"])
async def test_what_cannot_be_translated(client, path):
    """The errors name the parameter."""
    response = await client.get(path)

    assert response.status == 400
    assert (await response.json(content_type="application/problem+json"))[
        "type"
    ] == "urn:metasearch:problem:parameters"


async def test_an_error_in_the_query_says_where(client):
    """As for a search."""
    problem = await (await client.get("/translate?q=(x")).json(
        content_type="application/problem+json"
    )

    assert (problem["type"], problem["position"]) == ("urn:metasearch:problem:query-syntax", 0)


@each(("kind", "status"), [("application/json", 200), ("text/plain", 415)])
async def test_a_body_of_another_kind(client, kind, status):
    """JSON will do; it is not guessed what anything else means."""
    response = await client.post("/translate", data=b'{"q": "x"}', headers={"Content-Type": kind})

    assert response.status == status


async def test_a_body_that_is_too_long(client):
    """Nothing is read of it beyond the limit."""
    body = io.BytesIO(b"q=" + b"x" * 2_000_000)
    response = await client.post(
        "/translate", data=body, headers={"Content-Type": "application/x-www-form-urlencoded"}
    )

    assert response.status == 413


async def test_a_body_that_does_not_come(serve):
    """A client that sends a head and no body does not hold a connection."""
    client = await serve(FakeEngine(), head_timeout=0.2)
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(
        b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nq="
    )
    head = await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    await writer.wait_closed()

    assert b" 408 " in head
