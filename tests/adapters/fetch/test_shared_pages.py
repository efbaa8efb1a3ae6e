"""Fetchers of several replicas: the page of one is the page of all, and is asked for once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from fakeredis import FakeServer

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Page
from metasearch.cache import MemoryStore
from metasearch.errors import ConnectFailed, ServerFault
from metasearch.replicas import Alone
from metasearch.replicas.pages import RedisPages
from tests.adapters.fetch.test_fetch import DOWN, LIMITS, Clock, Script, asked, outcome, until
from tests.replicas.fake import client, pages


class PagesOnly(Alone):
    """Shares pages and nothing else."""

    def __init__(self, server: FakeServer) -> None:
        self.pages: RedisPages = pages(server)  # type: ignore[assignment]

    async def close(self) -> None:
        """Closes the connection."""
        await self.pages.close()


def fetcher(transport: Script, server: FakeServer, **rest: Any) -> Fetcher:
    """One replica, with a cache of its own."""
    made: dict[str, Any] = {"patience": 0, "sharing": PagesOnly(server)} | rest
    return Fetcher(transport, MemoryStore(), **made)


async def landed(it: Fetcher) -> None:
    """When nothing goes on in the background any more."""
    await until(lambda: not it._renewals)
    await it.finish_writes()


async def test_the_page_of_one_replica_is_found_by_the_other() -> None:
    """It is as good as one of its own, and is kept there, too."""
    server, source = FakeServer(), Script({"body": b"page", "content_type": "a/b", "total": 7})
    one, other = fetcher(source, server), fetcher(source, server)
    await one.fetch(asked(), LIMITS)
    await landed(one)
    found = await other.fetch(asked(), LIMITS)
    await landed(other)
    server.connected = False
    again = await other.fetch(asked(), LIMITS)
    for each in (one, other):
        await each.close()

    assert len(source.sent) == 1
    for page in (found, again):
        facts = page.body, page.content_type, page.total, page.cached, page.note
        assert facts == (b"page", "a/b", 7, True, "")
    assert other.state("db").fresh == 2


async def test_requests_at_the_same_time_are_sent_once() -> None:
    """By whoever was first; within one replica they go together as ever."""
    server, source = FakeServer(), Script({"body": b"page"})
    source.gate.clear()
    replicas = [fetcher(source, server) for _ in range(3)]
    waiting = [outcome(each.fetch(asked(), LIMITS)) for each in replicas for _ in range(2)]
    await until(lambda: source.sent)
    await asyncio.sleep(0.1)
    source.gate.set()
    found = await asyncio.gather(*waiting)
    for each in replicas:
        await each.close()

    assert len(source.sent) == 1
    assert {page.body for page in found} == {b"page"}
    assert sum(page.cached for page in found) == 4


async def test_a_failure_is_not_shared() -> None:
    """The next one asks for itself, and gets what it gets."""
    server, source = FakeServer(), Script(DOWN, {"body": b"page"})
    source.gate.clear()
    one, other = fetcher(source, server), fetcher(source, server)
    first = outcome(one.fetch(asked(), LIMITS, again=False))
    await until(lambda: source.sent)
    second = outcome(other.fetch(asked(), LIMITS, again=False))
    await asyncio.sleep(0.1)
    source.gate.set()
    failed, page = await asyncio.gather(first, second, return_exceptions=True)
    for each in (one, other):
        await each.close()

    assert isinstance(failed, ConnectFailed)
    assert isinstance(page, Page)
    assert (page.body, page.cached) == (b"page", False)


async def test_a_page_that_is_not_kept_does_not_hold_up_the_others() -> None:
    """A 400 is an answer for the one that asked."""
    server, source = FakeServer(), Script(400)
    one, other = fetcher(source, server), fetcher(source, server)
    for each in (one, other):
        assert (await asyncio.wait_for(each.fetch(asked(), LIMITS), 60)).status == 400
        await landed(each)
    for each in (one, other):
        await each.close()
    assert len(source.sent) == 2


async def test_a_search_that_leaves_lets_the_others_ask() -> None:
    """Its request ends, and so does its flight."""
    server, source, free = FakeServer(), Script(), Script({"body": b"page"})
    source.gate.clear()
    one, other = fetcher(source, server), fetcher(free, server)
    leaving = outcome(one.fetch(asked(), LIMITS))
    await until(lambda: source.sent)
    waiting = outcome(other.fetch(asked(), LIMITS))
    await asyncio.sleep(0.1)
    assert not free.sent
    leaving.cancel()
    assert (await asyncio.wait_for(waiting, 60)).body == b"page"
    for each in (one, other):
        await each.close()


async def test_half_of_the_time_is_left_to_ask() -> None:
    """Whoever waits for a replica that does not come asks the source before its own deadline."""
    server, source, free = FakeServer(), Script(), Script({"body": b"page"})
    source.gate.clear()
    one, other = fetcher(source, server), fetcher(free, server)
    stuck = outcome(one.fetch(asked(), LIMITS))
    await until(lambda: source.sent)
    deadline = asyncio.get_running_loop().time() + 3.0
    page = await other.fetch(asked(), LIMITS, deadline=deadline)
    stuck.cancel()
    for each in (one, other):
        await each.close()
    assert (page.body, page.cached) == (b"page", False)


async def test_who_wants_no_cache_shares_no_page() -> None:
    """It neither finds nor leaves one, nor a flight; nor does a login, or a source without a
    ttl."""
    server, source = FakeServer(), Script({"body": b"page"})
    one = fetcher(source, server)
    await one.fetch(asked(), LIMITS, use_cache=False)
    await one.fetch(asked(private=True), LIMITS)
    await one.fetch(asked(), replace(LIMITS, ttl=0))
    await landed(one)
    assert await client(server).keys("*") == []
    await one.close()


async def test_an_ageing_page_is_renewed_by_one_replica() -> None:
    """The others take over what it gets."""
    server, source = FakeServer(), Script({"body": b"old"}, {"body": b"new"})
    clocks = Clock(), Clock()
    one, other = (fetcher(source, server, clock=clock) for clock in clocks)
    for each in (one, other):
        await each.fetch(asked(), LIMITS)
        await landed(each)
    for clock in clocks:
        clock.now += 90
    await client(server).flushall()  # as old as theirs, it would be
    for each in (one, other):
        assert (await each.fetch(asked(), LIMITS)).body == b"old"
        await landed(each)
    found = [await each.fetch(asked(), LIMITS) for each in (one, other)]
    for each in (one, other):
        await each.close()

    assert len(source.sent) == 2
    assert [page.body for page in found] == [b"new", b"new"]


async def test_clocks_that_differ_do_not_matter() -> None:
    """The age is told by one clock, that of the server."""
    server, source = FakeServer(), Script({"body": b"page"})
    early, late = Clock(), Clock()
    late.now += 3600
    one, other = fetcher(source, server, clock=late), fetcher(source, server, clock=early)
    await one.fetch(asked(), LIMITS)
    await landed(one)
    page = await other.fetch(asked(), LIMITS)
    assert (page.cached, page.note) == (True, "")
    assert early.now - 60 < page.fetched_at <= early.now
    for each in (one, other):
        await each.close()


async def test_what_is_forgotten_is_forgotten_by_all() -> None:
    """And what is known to be empty is kept by nobody for longer than a minute."""
    server, source = FakeServer(), Script({"body": b"page"})
    limits = replace(LIMITS, ttl=3600)
    one, other = fetcher(source, server), fetcher(source, server)
    page = await one.fetch(asked(), limits)
    await one.keep_empty(page, limits)
    await landed(one)
    (name,) = await client(server).keys("ms:{v1}:page:*")
    assert 0 < await client(server).pttl(name) <= 60_000
    await one.forget(asked(), ServerFault("s", 500))
    assert not (await other.fetch(asked(), limits)).cached
    for each in (one, other):
        await each.close()


async def test_a_spare_page_stands_in_as_ever() -> None:
    """Where nobody has a newer one and the source is down."""
    server, source = FakeServer(), Script({"body": b"old"}, ServerFault("db", 500))
    clock = Clock()
    it = fetcher(source, server, clock=clock)
    await it.fetch(asked(), LIMITS)
    await landed(it)
    await client(server).flushall()
    clock.now += 7200
    page = await it.fetch(asked(), LIMITS)
    assert (page.body, page.spare) == (b"old", True)
    await landed(it)
    assert await client(server).keys("*") == []
    await it.close()


async def test_closing_ends_flights() -> None:
    """A replica that stops leaves nothing that others wait for."""
    server, source = FakeServer(), Script()
    source.gate.clear()
    it = fetcher(source, server)
    waiting = outcome(it.fetch(asked(), LIMITS))
    await until(lambda: source.sent)
    assert len(await client(server).keys("*")) == 1
    await it.close()
    await asyncio.wait([waiting])
    waiting.exception()
    assert await client(server).keys("*") == []
