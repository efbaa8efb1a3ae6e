"""A session is held by one worker; the others pass its commands on."""

from __future__ import annotations

import asyncio
import sys

import pytest
from lxml import etree

from metasearch.server.site import SHARED
from tests.server.fake import FakeEngine
from tests.server.protocols.pazpar2.answers import (
    PATH,
    ask,
    begun,
    finished,
    first,
    number,
    refused,
)
from tests.server.workers.test_workers import pair, worker

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need Unix-domain sockets")

KEYS = ("0123456789abcdef", "fedcba9876543210")


async def test_any_worker_answers_for_a_session(folder):
    """Its search runs in the worker whose number the token has."""
    async with pair(folder) as ((left, _), (right, engine)):
        session = await begun(right)
        assert session.endswith(".1")
        await ask(left, "search", session=session, query="mice")
        root = await finished(left, session)
        whole = await ask(left, "record", session=session, id="alpha:alpha-1")
        error = await refused(left, "record", session=session, id="nope")
        await ask(left, "stop", session=session)

    assert number(root, "merged") == 2
    assert first(whole, "recid") == "alpha:alpha-1"
    assert error == (7, "nope")
    assert len(engine.searches) == 1


async def test_a_held_answer_is_passed_on(folder):
    """It may take as long as a search."""
    async with pair(folder) as ((left, _), (right, engine)):
        engine.gate = asyncio.Event()
        session = await begun(right)
        await ask(left, "search", session=session, query="mice")
        held = asyncio.create_task(ask(left, "show", session=session, block=1))
        await asyncio.sleep(0.2)
        assert not held.done()
        engine.gate.set()
        async with asyncio.timeout(60):
            assert number(await held, "merged") > 0


async def test_a_long_query_is_passed_on(folder):
    """As long as a query may be, in characters that take most bytes."""
    async with pair(folder) as ((left, _), (right, engine)):
        session = await begun(right)
        query = " or ".join(["\U0001d400" * 8] * 1_000)
        form = {"command": "search", "session": session, "query": query}
        async with left.post(PATH, data=form) as response:
            assert response.status == 200, await response.text()

    assert len(engine.searches) == 1


async def test_a_busy_worker_says_so_through_another_one(folder):
    """The status and `Retry-After` are its own."""
    async with pair(folder, max_searches=1) as ((left, _), (right, engine)):
        engine.gate = asyncio.Event()
        sessions = [await begun(right) for _ in range(2)]
        await ask(left, "search", session=sessions[0], query="mice")
        given = {"command": "search", "session": sessions[1], "query": "owls"}
        async with left.get(PATH, params=given) as response:
            root = etree.fromstring(await response.read())

    assert (response.status, root.get("code")) == (503, "12")
    assert int(response.headers["Retry-After"]) >= 1


async def test_a_worker_that_is_gone_takes_its_sessions_along(folder):
    """The answer is that there is no such session, whoever is asked."""
    async with worker(folder, 0, FakeEngine()) as left:
        async with worker(folder, 1, FakeEngine()) as right:
            session = await begun(right)
            await ask(left, "ping", session=session)
        assert await refused(left, "ping", session=session) == (1, session)
        assert (await refused(left, "ping", session="x.7"))[0] == 1


async def test_a_worker_that_fails_is_an_error_of_the_protocol(folder, monkeypatch):
    """Its log has the details."""
    async with pair(folder) as ((left, _), (right, _)):
        session = await begun(right)
        monkeypatch.setattr("metasearch.server.protocols.pazpar2.handler.COMMANDS", {"stat": None})
        code, detail = await refused(left, "stat", session=session)

    assert (code, detail) == (6, "the worker of this session failed")


async def test_keys_hold_across_workers(folder):
    """The worker that holds the session checks whose it is."""
    async with (
        worker(folder, 0, FakeEngine(), KEYS) as left,
        worker(folder, 1, FakeEngine(), KEYS) as right,
    ):

        async def status(client, key: str, **given: str) -> tuple[int, bytes]:
            headers = {"Authorization": f"Bearer {key}"}
            async with client.get(PATH, params=given, headers=headers) as response:
                return response.status, await response.read()

        _, body = await status(right, KEYS[0], command="init")
        session = first(etree.fromstring(body), "session")
        own, _ = await status(left, KEYS[0], command="ping", session=session)
        other, _ = await status(left, KEYS[1], command="ping", session=session)

    assert (own, other) == (200, 417)


async def test_a_request_is_counted_where_it_comes_in(folder):
    """Once, by the worker that is responsible for the client."""
    async with pair(folder, rate_limit=2, trusted_proxies=("127.0.0.1",)) as (
        (left, _),
        (right, _),
    ):
        for client in (left, right):
            client.session.headers["X-Forwarded-For"] = "203.0.113.9"
        session = await begun(right)
        await ask(left, "search", session=session, query="mice")
        await ask(left, "show", session=session)
        root = await ask(right, "search", 429, session=session, query="mice")
        assert root.get("code") == "12"
        assert len(left.app[SHARED].limiter) + len(right.app[SHARED].limiter) == 1
