"""The demo without sockets gives what the demo gives."""

from __future__ import annotations

import asyncio

import pytest

from metasearch.adapters.request import Request
from metasearch.demo import DemoDatabases, replay_settings
from metasearch.demo.server import DemoTransport
from metasearch.engine.engine import Engine
from metasearch.errors import TimedOut, TooLarge
from tests.adapters.fetch.timeless import timeless
from tests.cases import each


@each("query", ["gambling harms", "title:jazz year:1980-1995", "沉水植物 水质"])
async def test_the_same_hits_come_without_sockets(query: str):
    """All kinds of databases are asked, by GET and by POST, the failing one too."""
    async with Engine(replay_settings(), transport=DemoTransport()) as engine:
        here = await engine.search(query)
    async with DemoDatabases(latency=0) as demo, Engine(demo.settings()) as engine:
        there = await engine.search(query)

    assert [hit.id for hit in here.hits] == [hit.id for hit in there.hits]
    assert here.hits
    assert {report.source: report.status for report in here.sources} == {
        report.source: report.status for report in there.sources
    }


async def test_another_address_is_not_answered():
    """Nothing is sent anywhere."""
    with pytest.raises(ValueError, match="no address of the demo"):
        await DemoTransport().send(
            Request(source="x", url="https://example.org/"), timeout=1, max_bytes=1
        )


def slow_request() -> Request:
    """To the database that takes three seconds."""
    table = replay_settings().sources["demo-slow"]
    return Request(
        source="demo-slow", url=table["url"], params=(("q", "learning"), ("format", "json"))
    )


@timeless
async def test_a_database_takes_its_time():
    """The latency is that of the demo, scaled."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    page = await DemoTransport(latency=0.5).send(slow_request(), timeout=60, max_bytes=1_000_000)

    assert loop.time() - began == pytest.approx(1.5)
    assert page.status == 200


async def test_a_database_that_takes_too_long_is_not_waited_for():
    """The error and its words are those of a request over HTTP."""
    with pytest.raises(TimedOut, match=r"no whole answer within 0\.01 s"):
        await DemoTransport(latency=1.0).send(slow_request(), timeout=0.01, max_bytes=1_000_000)


async def test_an_answer_that_is_too_large_is_not_given():
    with pytest.raises(TooLarge):
        await DemoTransport().send(slow_request(), timeout=1, max_bytes=100)
