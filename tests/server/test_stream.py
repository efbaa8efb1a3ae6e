"""Searches as they run: NDJSON and server-sent events."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson
import pytest
from aiohttp import ClientError

from metasearch.formats.answer import answer_object
from metasearch.formats.events import fold
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit, late, report

SSE = "/search?q=mice&format=sse"


def events(body: str) -> Iterator[dict[str, str]]:
    """The server-sent events of a body as {"event", "id", "data"}; comments and `retry` are passed
    over."""
    for block in body.split("\n\n"):
        fields = dict(
            line.split(": ", 1)
            for line in block.splitlines()
            if not line.startswith((":", "retry:"))
        )
        if fields:
            yield fields


async def read_until(response, end: bytes) -> bytes:
    """What comes up to and with `end`."""
    async with asyncio.timeout(60):
        return await response.content.readuntil(end)


async def test_ndjson_folds_to_the_answer(client, engine):
    """The lines of the stream amount to exactly the JSON answer."""
    response = await client.get("/search?q=mice&format=ndjson")
    lines = [orjson.loads(line) for line in (await response.read()).splitlines()]

    assert response.headers["Content-Type"] == "application/x-ndjson"
    assert answer_object(engine.searches[0].answer) == fold(lines)
    assert (lines[0]["event"], lines[-1]["event"]) == ("start", "done")


async def test_sse_folds_to_the_answer(client, engine):
    """The data of the events amounts to exactly the JSON answer."""
    response = await client.get(SSE)
    found = list(events(await response.text()))

    assert answer_object(engine.searches[0].answer) == fold(
        orjson.loads(it["data"]) for it in found
    )
    assert [it["event"] for it in found] == [orjson.loads(it["data"])["event"] for it in found]
    assert [f"s1-{n}" for n in range(1, len(found) + 1)] == [it["id"] for it in found]


@each("name", ["ndjson", "sse"])
async def test_nothing_between_may_hold_a_stream_back(client, name):
    """Streams are neither stored nor buffered."""
    response = await client.get(f"/search?q=mice&format={name}")

    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert response.headers["Vary"] == "Accept"


@each(("name", "end"), [("ndjson", b"\n"), ("sse", b"\n\n")])
async def test_first_bytes_come_before_any_source_has_answered(client, engine, name, end):
    """The stream begins at once."""
    engine.gate = asyncio.Event()
    response = await client.get(f"/search?q=mice&format={name}")
    first = await read_until(response, end)

    assert not engine.gate.is_set()
    assert (b'"event":"start"' if name == "ndjson" else b"retry: 1000") in first


async def test_a_partial_stream_ends_with_done(serve):
    """A failed source is told in the last event, as in the JSON answer."""
    client = await serve(FakeEngine(answer(hit(), reports=[report("alpha"), late("beta")])))
    lines = (await (await client.get("/search?q=mice&format=ndjson")).read()).splitlines()

    assert False is orjson.loads(lines[-1])["complete"]


@each("name", ["ndjson", "sse"])
async def test_a_reader_that_goes_away_ends_the_search(serve, engine, name):
    """Nobody listens: the search is closed, and with it its requests."""
    engine.gate = asyncio.Event()
    client = await serve(engine, grace=0.0)
    response = await client.get(f"/search?q=mice&format={name}")
    await read_until(response, b"start")
    response.close()

    async with asyncio.timeout(60):
        await engine.searches[0].closed.wait()


async def test_silence_is_broken_by_comments(serve, engine):
    """While nothing happens, comment lines keep the connection open."""
    engine.gate = asyncio.Event()
    client = await serve(engine, ping=0.01)
    response = await client.get(SSE)

    assert (await read_until(response, b": ping\n: ping\n")).endswith(b"\n\n: ping\n: ping\n")


@dataclass
class EventSource:
    """Reads an event stream as the WHATWG's HTML standard says (9.2.6), but hands on events without
    data, too.

    Browsers drop those; httpx-sse and other clients give them to the program, where they are no
    JSON.
    """

    retry: int | None = None
    last_id: str = ""
    events: list[tuple[str, str, str]] = field(default_factory=list)

    def read(self, stream: bytes) -> EventSource:
        kind, data, lines = "", [], re.split(r"\r\n|\n|\r", stream.decode("utf-8-sig"))
        some = False
        for line in lines[:-1]:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line and some:
                self.events.append((kind or "message", "\n".join(data), self.last_id))
                kind, data, some = "", [], False
            elif not line:
                # httpx-sse keeps the last id, and takes any empty line behind it for the end of an
                # event.
                self.events.append(("message", "", self.last_id))
            elif name == "event":
                kind, some = value, True
            elif name == "data":
                some = data.append(value) is None
            elif name == "id" and "\0" not in value:
                self.last_id, some = value, True
            elif name == "retry" and value.isascii() and value.isdigit():
                self.retry, some = int(value), True
        return self


@pytest.mark.parametrize("last", [None, "s1-2"])
async def test_issue_14_10_every_event_of_a_stream_has_data_the_first_one_too(serve, engine, last):
    """Neither the time to come back nor a comment is an event without data; the first event is a
    JSON object."""
    engine.gate = asyncio.Event()
    client = await serve(engine, ping=0.01, retry=1234)
    response = await client.get(SSE)
    begun = await read_until(response, b": ping\n")
    engine.gate.set()
    whole = begun + await response.read()
    if last:
        whole = await (await client.get(SSE, headers={"Last-Event-ID": last})).read()

    source = EventSource().read(whole)

    assert source.retry == 1234
    assert [orjson.loads(data)["event"] for _, data, _ in source.events] == [
        kind for kind, _, _ in source.events
    ]
    assert (source.events[0][2], source.events[-1][0]) == ("s1-3" if last else "s1-1", "done")


async def test_a_reader_that_comes_back_gets_the_rest(serve, engine):
    """A broken stream goes on after the last event that was seen; the search is not made again."""
    engine.gate = asyncio.Event()
    client = await serve(engine, grace=60.0)
    broken = await client.get(SSE)
    await read_until(broken, b"id: s1-1\n")
    broken.close()
    engine.gate.set()
    resumed = list(events(await (await client.get(SSE, headers={"Last-Event-ID": "s1-1"})).text()))

    assert (len(engine.searches), engine.searches[0].started) == (1, 1)
    assert resumed[0]["id"] == "s1-2"
    assert resumed[-1]["event"] == "done"


async def test_two_readers_of_one_search(client, engine):
    """While one reader follows a search, another can come in late and gets all of the rest."""
    engine.gate = asyncio.Event()
    first = await client.get(SSE)
    await read_until(first, b"id: s1-1\n")
    second = await client.get(SSE, headers={"Last-Event-ID": "s1-1"})
    engine.gate.set()
    one, two = await asyncio.gather(first.text(), second.text())

    assert [it["id"] for it in events(two)] == [it["id"] for it in list(events(one))[1:]]


async def test_a_finished_search_can_still_be_continued(client, engine):
    """The events of a finished search are kept for a while."""
    whole = list(events(await (await client.get(SSE)).text()))
    resumed = list(events(await (await client.get(SSE, headers={"Last-Event-ID": "s1-3"})).text()))

    assert whole[3:] == resumed
    assert len(engine.searches) == 1


@pytest.mark.parametrize(
    "last", ["s1-999", "s1-x", "s1-", "unknown-1", "nonsense", "s1-٣", "s1--1"]
)
async def test_nothing_to_continue(client, engine, last):
    """204 tells a browser to stop asking; no search is started."""
    await (await client.get(SSE)).read()
    response = await client.get(SSE, headers={"Last-Event-ID": last})

    assert (response.status, len(engine.searches)) == (204, 1)


async def test_whoever_has_seen_done_is_sent_away(client, engine):
    """A browser that reconnects after the end is told that this was the end."""
    found = list(events(await (await client.get(SSE)).text()))
    response = await client.get(SSE, headers={"Last-Event-ID": found[-1]["id"]})

    assert response.status == 204


async def test_a_search_that_was_given_up_cannot_be_continued(serve, engine):
    """After everybody has left and the search was closed there is no rest."""
    engine.gate = asyncio.Event()
    client = await serve(engine, grace=0.0)
    broken = await client.get(SSE)
    await read_until(broken, b"id: s1-1\n")
    broken.close()
    async with asyncio.timeout(60):
        await engine.searches[0].closed.wait()
    response = await client.get(SSE, headers={"Last-Event-ID": "s1-1"})

    assert (response.status, len(engine.searches)) == (204, 1)


async def test_a_fault_cuts_an_ndjson_stream_off(client, engine, caplog):
    """A stream that cannot be finished ends without its last chunk; the log has the search's id,
    the client nothing."""
    engine.fault = RuntimeError("a secret detail")
    response = await client.get("/search?q=mice&format=ndjson")
    first = await read_until(response, b"\n")
    with pytest.raises(ClientError):
        await response.read()

    assert b'"event":"start"' in first
    assert "search s1 failed" in caplog.text


async def test_a_fault_ends_an_event_stream_without_done(client, engine, caplog):
    """The stream ends, the browser comes back, and is told that there is no more."""
    engine.fault = RuntimeError("a secret detail")
    body = await (await client.get(SSE)).text()
    again = await client.get(SSE, headers={"Last-Event-ID": "s1-1"})

    assert [it["event"] for it in events(body)] == ["start"]
    assert again.status == 204
    assert "search s1 failed" in caplog.text


@each("name", ["ndjson", "sse"])
async def test_mistakes_are_told_before_the_stream_begins(client, engine, name):
    """A query that cannot be read is a 400, not a stream."""
    response = await client.get(f"/search?q=%28mice&format={name}")

    assert (response.status, response.content_type) == (400, "application/problem+json")


@each("name", ["ndjson", "sse"])
async def test_head_starts_no_search(client, engine, name):
    """Looking at the headers asks no source."""
    await client.head(f"/search?q=mice&format={name}")

    assert sum(it.started for it in engine.searches) == 0
