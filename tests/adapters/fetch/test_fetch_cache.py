"""Pages that are older than they should be: answered at once, renewed behind, or standing in for a
source in need."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from metasearch.adapters.fetch import fetch as fetch_module
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.health import FAILURES, SourceState
from metasearch.adapters.fetch.page_cache import NEGATIVE_SECONDS
from metasearch.cache import MemoryStore
from metasearch.errors import (
    AccessDenied,
    ConnectFailed,
    ServerFault,
    SourceError,
    TimedOut,
    TooLarge,
)
from tests.adapters.fetch.test_fetch import DOWN, LIMITS, Clock, Script, asked, fetcher, until
from tests.cases import each

HOUR = 3600.0
OLD = replace(LIMITS, grace=0)


async def kept(
    transport: Script, age: float, query: str = "x", **rest: Any
) -> tuple[Fetcher, Clock]:
    """A fetcher that has fetched a page `age` seconds ago."""
    clock = Clock()
    it = fetcher(transport, MemoryStore(), clock=clock, **rest)
    await it.fetch(asked(query), LIMITS)
    await it.finish_writes()
    clock.now += age
    return it, clock


async def rested(it: Fetcher) -> None:
    """When nothing goes on in the background any more."""
    await until(lambda: not it._renewals)
    await it.finish_writes()


# Stale while revalidate


async def test_an_ageing_page_is_answered_at_once_and_renewed_behind() -> None:
    """The source is silent, and yet the page is there, with its age; who asks afterwards has the
    new one."""
    transport = Script({"body": b"old"}, {"body": b"new"})
    it, _ = await kept(transport, 90)
    transport.gate.clear()
    page = await it.fetch(asked(), LIMITS)

    assert (page.body, page.cached) == (b"old", True)
    assert page.note == "from the cache, 90 s old; a newer answer is being fetched"
    transport.gate.set()
    await rested(it)
    page = await it.fetch(asked(), LIMITS)
    assert (page.body, page.cached, page.note) == (b"new", True, "")
    assert len(transport.sent) == 2
    await it.close()


async def test_a_page_is_renewed_by_one_request() -> None:
    """However many ask for it meanwhile."""
    transport = Script()
    it, _ = await kept(transport, 90)
    transport.gate.clear()
    pages = [await it.fetch(asked(), LIMITS) for _ in range(5)]
    await until(lambda: len(transport.sent) == 2)

    assert all("newer" in page.note for page in pages)
    assert len(transport.sent) == 2
    await it.close()


async def test_so_many_pages_are_renewed_at_once_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others are answered all the same, and do not claim to be renewed."""
    monkeypatch.setattr(fetch_module, "RENEWALS", 2)
    transport = Script()
    it, clock = await kept(transport, 0)
    for query in "abc":
        await it.fetch(asked(query), LIMITS)
    await it.finish_writes()
    clock.now += 90
    transport.gate.clear()
    notes = [(await it.fetch(asked(query), LIMITS)).note for query in "abc"]
    await until(lambda: len(transport.sent) == 6)

    assert notes[:2] == ["from the cache, 90 s old; a newer answer is being fetched"] * 2
    assert notes[2] == "from the cache, 90 s old"
    await it.close()


async def test_closing_ends_renewals() -> None:
    """No task is left, and the transport is closed after them."""
    transport = Script()
    it, _ = await kept(transport, 90)
    transport.gate.clear()
    await it.fetch(asked(), LIMITS)
    await until(lambda: len(transport.sent) == 2)
    await it.close()

    assert transport.cancelled == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_who_wants_no_cache_is_given_no_old_page() -> None:
    """Nothing is read, nothing renewed: the source is asked, and its failure is told."""
    transport = Script(200, 200, DOWN)
    it, clock = await kept(transport, 90)
    page = await it.fetch(asked(), LIMITS, use_cache=False)
    assert (page.cached, page.note) == (False, "")
    clock.now += HOUR
    with pytest.raises(ConnectFailed):
        await it.fetch(asked(), LIMITS, use_cache=False)

    assert not it._renewals


async def test_a_renewal_that_fails_costs_nothing() -> None:
    """The old page goes on being the answer, and the failure is known of the source."""
    transport = Script(200, 429)
    it, _ = await kept(transport, 90)
    await it.fetch(asked(), LIMITS)
    await rested(it)

    assert it.state("db").state == "paused"
    assert (await it.fetch(asked(), LIMITS)).note == "from the cache, 90 s old"
    assert len(transport.sent) == 2


async def test_what_the_cache_gave_is_counted() -> None:
    """Pages in time, pages past it, and those that stood in for a source in need; a page from the
    source is none."""
    transport = Script(200, DOWN)
    it, clock = await kept(transport, 1)
    assert it.state("db").requests == 1
    await it.fetch(asked(), LIMITS)
    await it.fetch(asked(), LIMITS)
    clock.now += 90
    await it.fetch(asked(), LIMITS)
    await rested(it)
    clock.now += HOUR
    await it.fetch(asked(), LIMITS)

    state = it.state("db")
    assert (state.fresh, state.stale, state.spared) == (2, 1, 1)
    assert it.state("other") == SourceState("other")


# Stale if error


@each(
    ("fault", "reason"),
    [
        (DOWN, "no connection"),
        (500, "the database answered 500"),
        ({"status": 429, "retry_after": 20.0}, "too many requests: asked to wait for 20 s"),
        (TimedOut("db", "no whole answer within 5 s"), "no whole answer within 5 s"),
        (
            {"body": b"<html><title>Just a moment...</title></html>", "content_type": "text/html"},
            "Cloudflare",
        ),
    ],
)
async def test_an_old_page_stands_in_for_a_source_that_cannot_be_asked(
    fault: Any, reason: str
) -> None:
    """With its age and the reason in words; the source's state is that of the failure."""
    transport = Script({"body": b"old"}, fault)
    it, _ = await kept(transport, 3 * HOUR)
    page = await it.fetch(asked(), OLD)

    assert (page.body, page.cached) == (b"old", True)
    assert page.note.startswith("from the cache, 3 h old, because ")
    assert page.spare
    assert reason in page.note
    # A silence that was shorter than the source's timeout says nothing about the source.
    assert isinstance(fault, TimedOut) or it.state("db").last_error is not None
    with pytest.raises(SourceError):
        await it.fetch(asked("never kept"), OLD)


async def test_an_old_page_stands_in_while_the_breaker_is_open() -> None:
    """Nothing is sent, and the page is there at once."""
    transport = Script(200, 500)
    it, _ = await kept(transport, 3 * HOUR)
    for number in range(FAILURES):
        with pytest.raises(ServerFault):
            await it.fetch(asked(str(number)), OLD)
    sent = len(transport.sent)
    page = await it.fetch(asked(), OLD)

    assert "3 h old, because left alone for" in page.note
    assert len(transport.sent) == sent


async def test_an_old_page_comes_before_the_deadline_of_a_source_that_hangs() -> None:
    """Whoever waits gets it in time, and the request is given up."""
    transport = Script()
    it, _ = await kept(transport, 3 * HOUR)
    transport.gate.clear()
    page = await it.fetch(asked(), OLD, deadline=asyncio.get_running_loop().time() + 0.2)

    assert page.note == "from the cache, 3 h old, because the database did not answer in time"
    assert transport.cancelled == 1


@each("fault", [AccessDenied("db", 401), TooLarge("db", 9)])
async def test_what_waiting_does_not_mend_is_told(fault: SourceError) -> None:
    """An old page would hide that a key is missing."""
    it, _ = await kept(Script(200, fault), 3 * HOUR)
    with pytest.raises(type(fault)):
        await it.fetch(asked(), OLD)


async def test_a_page_is_too_old_after_a_day() -> None:
    """Then the failure is the answer."""
    it, clock = await kept(Script(200, DOWN), 24 * HOUR)
    assert (await it.fetch(asked(), OLD)).note.startswith("from the cache, 24 h old")
    clock.now += HOUR
    with pytest.raises(ConnectFailed):
        await it.fetch(asked(), OLD)


async def test_a_stand_in_grows_no_younger() -> None:
    """It is not kept anew, so its age goes on."""
    it, clock = await kept(Script(200, DOWN), 3 * HOUR)
    await it.fetch(asked(), OLD)
    await it.finish_writes()
    clock.now += HOUR

    assert (await it.fetch(asked(), OLD)).note.startswith("from the cache, 4 h old")


async def test_a_source_that_is_well_again_is_believed() -> None:
    """The new page replaces the old one."""
    transport = Script({"body": b"old"}, {"body": b"new"})
    it, _ = await kept(transport, 3 * HOUR)
    page = await it.fetch(asked(), OLD)

    assert (page.body, page.cached, page.note) == (b"new", False, "")


# Negative answers


async def test_a_404_is_kept_for_a_minute() -> None:
    """And is never an answer after that, not even in need."""
    transport = Script(404, DOWN)
    limits = replace(LIMITS, ttl=HOUR)
    clock = Clock()
    it = fetcher(transport, MemoryStore(), clock=clock)
    await it.fetch(asked(), limits)
    await it.finish_writes()
    clock.now += NEGATIVE_SECONDS - 1
    assert (await it.fetch(asked(), limits)).cached
    clock.now += 1
    with pytest.raises(ConnectFailed):
        await it.fetch(asked(), limits)


async def test_an_answer_without_hits_is_kept_for_a_minute() -> None:
    """Whoever has read it says so, before or after it was written."""
    transport = Script()
    limits = replace(LIMITS, ttl=HOUR)
    clock = Clock()
    it = fetcher(transport, MemoryStore(), clock=clock)
    await it.keep_empty(await it.fetch(asked(), limits), limits)
    await it.finish_writes()
    clock.now += NEGATIVE_SECONDS - 1
    assert (await it.fetch(asked(), limits)).cached
    clock.now += 1
    assert not (await it.fetch(asked(), limits)).cached


async def test_an_old_page_that_turns_out_to_be_empty_goes() -> None:
    """One that was renewed in the background and read by nobody, for example."""
    transport = Script()
    limits = replace(LIMITS, ttl=HOUR)
    it, _ = await kept(transport, NEGATIVE_SECONDS)
    page = await it.fetch(asked(), limits)
    assert page.cached
    await it.keep_empty(page, limits)

    assert not (await it.fetch(asked(), limits)).cached


async def test_nothing_is_kept_for_a_source_without_a_cache() -> None:
    """Not even that there was nothing."""
    store = MemoryStore()
    limits = replace(LIMITS, ttl=0)
    it = fetcher(Script(), store)
    await it.keep_empty(await it.fetch(asked(), limits), limits)
    await it.finish_writes()

    assert (await store.stats()).entries == 0


async def test_pages_are_counted_by_source() -> None:
    """What is kept bears the name of its source."""
    store = MemoryStore()
    it = fetcher(Script(), store)
    for source in ("one", "two"):
        await it.fetch(asked(source=source), LIMITS)
    await it.finish_writes()

    assert set((await store.stats()).tags) == {"one", "two"}
