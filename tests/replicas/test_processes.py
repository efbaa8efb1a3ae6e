"""Replicas in processes of their own, and a real server: what is asked of a source, and what
becomes of that when one of them fails.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import Process
from collections import Counter
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.adapters.fetch.loopback import Loopback, reply
from tests.replicas.asking import fetched, replica
from tests.replicas.servers import Server

pytestmark = pytest.mark.redis

QUERIES = ("gambling", "harms", "wetlands")


@pytest.fixture
async def source() -> AsyncIterator[Loopback]:
    """A database that takes a moment for each answer."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.3)
        writer.write(reply(b"page", Connection="close"))
        await writer.drain()

    async with Loopback({"/db": answer}) as it:
        yield it


async def started(server: Server, url: str, seconds: float, *queries: str) -> Process:
    """A replica that has begun to ask."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.replicas.asking", server.url, url, str(seconds), *queries),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"asking\n"
    return process


async def told(process: Process) -> list[list[object]]:
    """What it has got."""
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    found: list[list[object]] = json.loads(out)
    return found


async def until(condition: Callable[[], object]) -> None:
    """Waits for it."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def times(source: Loopback) -> Counter[str]:
    """How often each query came."""
    return Counter(parse_qs(urlsplit(seen.target).query)["q"][0] for seen in source.seen)


async def test_equal_requests_of_two_processes_are_sent_once(
    server: Server, source: Loopback
) -> None:
    """Both get all pages; the server is told no query."""
    redis = pytest.importorskip("redis")
    url = source.url("/db")
    both = [await started(server, url, 20, *QUERIES) for _ in range(2)]
    answers = [await told(process) for process in both]
    with redis.Redis(port=server.port) as client:
        names = list(client.keys("*"))

    assert times(source) == dict.fromkeys(QUERIES, 1)
    assert all(body == "page" for answer in answers for body, _ in answer)
    assert sum(cached is True for answer in answers for _, cached in answer) == len(QUERIES)
    assert any(b":page:" in name for name in names)
    assert not any(query.encode() in name for name in names for query in QUERIES)


async def test_a_replica_that_is_killed_holds_nobody_up(server: Server, source: Loopback) -> None:
    """Whoever waits for its page asks after half of its own time, and has it in time."""
    silent = asyncio.Event()

    async def answer(writer: asyncio.StreamWriter) -> None:
        if len(source.seen) == 1:
            await silent.wait()
        writer.write(reply(b"page", Connection="close"))
        await writer.drain()

    source.routes["/db"] = answer
    url = source.url("/db")
    process = await started(server, url, 20, "gambling")
    await until(lambda: source.seen)
    process.kill()
    await process.wait()
    it = replica(server.url, url)
    found = await fetched(it, url, "gambling", 4.0)
    await it.close()

    assert found == ("page", False)
    assert times(source) == {"gambling": 2}


@pytest.mark.parametrize("fault", ["slow", "dead", "full", "read-only", "locked"])
async def test_a_server_that_fails_costs_no_page(
    fault: str, server: Server, source: Loopback
) -> None:
    """Neither those under way nor those that are asked for then."""
    url = source.url("/db")
    it = replica(server.url, url)
    first = asyncio.create_task(fetched(it, url, "gambling", 20.0))
    await until(lambda: source.seen)
    match fault:
        case "slow":
            server.signal(signal.SIGSTOP)
        case "dead":
            server.kill()
        case "full":
            server.set("CONFIG", "SET", "maxmemory", "1")
        case "read-only":
            server.set("REPLICAOF", "127.0.0.1", "1")
        case "locked":
            server.set("CONFIG", "SET", "requirepass", "another")  # holds for new connections
            await it.sharing.connection._client.connection_pool.disconnect()  # type: ignore[attr-defined]
    found = [await first, await fetched(it, url, "harms", 20.0)]
    assert found == [("page", False)] * 2
    assert await fetched(it, url, "gambling", 20.0) == ("page", True)  # its own cache
    await it.close()
