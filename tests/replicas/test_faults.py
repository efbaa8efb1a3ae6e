"""What a real server does to two replicas when it is killed, stopped, full, read-only or closed to
them."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from metasearch.adapters.fetch.rate_limiter import SharedLimiter
from metasearch.adapters.spec import Limits
from metasearch.replicas import connection
from metasearch.replicas import connection as batches
from metasearch.replicas.connection import RedisConnection
from tests.replicas.servers import Server, replica, running

pytestmark = pytest.mark.redis
#: Starts at a source, and the seconds in which they lie.
MOST, PER = 6, 0.5


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes come soon."""
    monkeypatch.setattr(connection, "PROBE", 0.2)


class Replicas:
    """Two replicas that want to send as many requests to one source as they may.

    Attributes:
        starts: When requests started: which replica, and the moment.
    """

    def __init__(self, url: str, concurrency: int = 50) -> None:
        limits = Limits(requests=MOST, per=PER, concurrency=concurrency)
        self.sharing = [replica(RedisConnection(url)) for _ in range(2)]
        self.limiters = [SharedLimiter("db", limits, one) for one in self.sharing]
        self.starts: list[tuple[int, float]] = []
        self.errors: list[BaseException] = []
        self._tasks = [
            asyncio.create_task(self._send(number)) for number in (0, 1) for _ in range(3)
        ]

    async def _send(self, number: int) -> None:
        while True:
            async with self.limiters[number].hold_place():
                self.starts.append((number, time.monotonic()))
                await asyncio.sleep(0.01)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self.errors = [
            found
            for found in await asyncio.gather(*self._tasks, return_exceptions=True)
            if not isinstance(found, asyncio.CancelledError)
        ]
        for one in self.sharing:
            await one.close()

    async def more(self, count: int) -> None:
        """Waits until each replica has started so many further requests."""
        before = [sum(who == number for who, _ in self.starts) for number in (0, 1)]
        async with asyncio.timeout(60):
            while any(
                sum(who == number for who, _ in self.starts) < before[number] + count
                for number in (0, 1)
            ):
                await asyncio.sleep(0.01)

    async def all_are(self, mode: str) -> None:
        async with asyncio.timeout(60):
            while {one.state.mode for one in self.sharing} != {mode}:
                await asyncio.sleep(0.01)


@pytest_asyncio.fixture
async def replicas(server: Server) -> AsyncIterator[Replicas]:
    both = Replicas(server.url)
    yield both
    await both.close()
    assert both.errors == []


def most_in_a_window(starts: list[tuple[int, float]], window: float) -> int:
    """The most starts in any window of so many seconds."""
    moments = sorted(moment for _, moment in starts)
    return max(sum(0 <= later - first < window for later in moments) for first in moments)


async def test_two_replicas_keep_one_limit(replicas: Replicas) -> None:
    """No window holds more than one start beyond the limit; both have their share."""
    await replicas.more(12)

    # Half of the period: a busy machine begins some requests late. test_starts.py is exact.
    assert most_in_a_window(replicas.starts, PER / 2) <= MOST + 1
    assert {one.state.mode for one in replicas.sharing} == {"shared"}


FAULTS: dict[str, tuple[Callable[[Server], None], Callable[[Server], None]]] = {
    "killed": (Server.kill, Server.start),
    "stopped": (lambda it: it.signal(signal.SIGSTOP), lambda it: it.signal(signal.SIGCONT)),
    "read-only": (
        lambda it: it.set("REPLICAOF", "127.0.0.1", "1"),
        lambda it: it.set("REPLICAOF", "NO", "ONE"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_the_server_costs_nothing_but_sharing(
    server: Server, replicas: Replicas, fault: str
) -> None:
    """Requests go on, with each replica's part of the limit, and share again when it is over."""
    begin, end = FAULTS[fault]
    await replicas.more(2)
    begin(server)
    await replicas.all_are("away")
    replicas.starts.clear()
    await replicas.more(4)
    for number in (0, 1):
        own = [start for start in replicas.starts if start[0] == number]
        assert most_in_a_window(own, PER / 2) <= MOST // 2 + 1

    end(server)
    await replicas.all_are("shared")
    await replicas.more(2)


async def test_a_full_server_keeps_limits_until_it_refuses(
    server: Server, replicas: Replicas
) -> None:
    """Limits need a few bytes, which it still has; when it refuses a pause, it is away, until it
    has room again."""
    await replicas.more(2)
    server.set("CONFIG", "SET", "maxmemory", "1")
    replicas.starts.clear()
    await replicas.more(4)
    assert most_in_a_window(replicas.starts, PER / 2) <= MOST + 1

    for one in replicas.sharing:
        one.tell("db", "limited", 30.0)
    await replicas.all_are("away")
    assert replicas.sharing[0].state.reason == "it is full"
    await replicas.more(2)
    server.set("CONFIG", "SET", "maxmemory", "0")
    await replicas.all_are("shared")


async def test_a_wrong_password_costs_nothing_but_sharing(tmp_path: Path) -> None:
    """From the first request on."""
    with running(tmp_path, "--requirepass", "right") as server:
        both = Replicas(server.url.replace("redis://", "redis://:wrong@"))
        await both.more(2)

        assert {one.state.mode for one in both.sharing} == {"away"}
        assert "password" in both.sharing[0].state.reason
        await both.close()
        assert both.errors == []


async def test_one_connection_holds_over_replicas(server: Server) -> None:
    """A source that allows one request at a time has one, whoever sends it."""
    both = Replicas(server.url, concurrency=1)
    running_now, most = 0, 0

    async def send(limiter: SharedLimiter) -> None:
        nonlocal running_now, most
        for _ in range(4):
            async with limiter.hold_place():
                running_now += 1
                most = max(most, running_now)
                await asyncio.sleep(0.03)
                running_now -= 1

    for task in both._tasks:
        task.cancel()
    await asyncio.gather(*(send(limiter) for limiter in both.limiters for _ in range(2)))
    await both.close()
    assert most == 1


@pytest.mark.slow
async def test_places_of_a_killed_replica_are_back_within_fifteen_seconds(server: Server) -> None:
    """Nobody gives them back; they end."""
    dead, alive = replica(RedisConnection(server.url)), replica(RedisConnection(server.url))
    limits = Limits(requests=1000, concurrency=1)
    lost = SharedLimiter("db", limits, dead).hold_place()
    await lost.__aenter__()
    assert dead._leases._renewing is not None
    dead._leases._renewing.cancel()  # what kill -9 ends, too
    began = time.monotonic()
    async with SharedLimiter("db", limits, alive).hold_place():
        took = time.monotonic() - began
    dead._leases._held.clear()
    await dead.close()
    await alive.close()
    assert took < 15


async def test_connections_that_were_closed_meanwhile_cost_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that was started again between two commands is not away: what was not used for a
    while is looked at first.
    """
    monkeypatch.setattr(batches, "_UNUSED", -1.0)
    shared = RedisConnection(server.url)
    assert await shared.command("SET", "a", "1")
    server.kill()
    server.start()
    await asyncio.sleep(0.1)  # the loop hears of it

    assert await shared.command("SET", "a", "2") == b"OK"
    assert shared.state.failures == 0
    await shared.close()
