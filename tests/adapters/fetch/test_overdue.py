"""What takes far longer than usual is given up. Time is simulated, unless a socket is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.health import ENOUGH, LATE_FLOOR
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.errors import SourceError, TimedOut
from tests.adapters.fetch.timeless import timeless, took
from tests.cases import each

LIMITS = Limits(requests=1000, concurrency=10, timeout=8, ttl=0)
USUAL = 0.1
NEVER = 1e6


class Source:
    """A transport: each request takes the seconds, and ends with the status or error, that `plan`
    holds for it."""

    def __init__(self) -> None:
        self.plan: list[tuple[float, int | SourceError]] = []
        self.sent = 0
        self.cancelled = 0

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.sent += 1
        number = self.sent
        seconds, end = self.plan.pop(0) if self.plan else (USUAL, 200)
        try:
            async with asyncio.timeout(timeout):
                await asyncio.sleep(seconds)
        except TimeoutError:
            raise TimedOut("db", f"no whole answer within {timeout:g} s") from None
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(end, SourceError):
            raise end
        return Page(request=request, status=end, body=f"answer {number}".encode())

    async def close(self) -> None: ...


def asked(number: int = 0, **rest: Any) -> Request:
    return Request(source="db", url="https://x.example/works", params=(("q", str(number)),), **rest)


async def known(requests: int, limits: Limits = LIMITS) -> tuple[Source, Fetcher]:
    """A source that has answered so often, each time as quickly as usual."""
    transport = Source()
    clock = asyncio.get_running_loop().time
    fetcher = Fetcher(transport, monotonic=clock, patience=0)
    for number in range(requests):
        await fetcher.fetch(asked(number), limits)
    transport.sent = 0
    return transport, fetcher


@timeless
async def test_what_is_far_past_its_usual_time_is_given_up() -> None:
    """Long before the source's timeout; the error says so, and the breaker does not hold it against
    the source."""
    transport, fetcher = await known(ENOUGH)
    transport.plan = [(NEVER, 200)]
    began = asyncio.get_running_loop().time()
    with pytest.raises(
        TimedOut, match=r"within 2\.0 s, far past its usual time: 95 % .* within 0\.1 s"
    ) as caught:
        await fetcher.fetch(asked(), LIMITS)

    assert asyncio.get_running_loop().time() - began == pytest.approx(LATE_FLOOR)
    assert "Search again" in caught.value.advice
    assert caught.value.url == "https://x.example/works?q=0"
    assert transport.cancelled == 1
    state = fetcher.state("db")
    assert (state.state, state.failures) == ("ok", 1)
    assert "far past" in (state.last_error or "")


@timeless
async def test_an_unknown_source_gets_all_its_time() -> None:
    """Too few answers tell nothing."""
    transport, fetcher = await known(ENOUGH - 1)
    transport.plan = [(7.9, 200)]

    assert await took(fetcher.fetch(asked(), LIMITS)) == pytest.approx(7.9)


@timeless
async def test_a_slow_day_costs_one_exchange() -> None:
    """After the first late one the source's timeout counts, also for those that wait at the same
    moment."""
    transport, fetcher = await known(ENOUGH)
    transport.plan = [(6.0, 200)] * (ENOUGH + 20)
    at_once = await asyncio.gather(
        *(fetcher.fetch(asked(n), LIMITS) for n in range(5)), return_exceptions=True
    )
    assert [type(one) for one in at_once].count(TimedOut) == 1
    assert [type(one) for one in at_once].count(Page) == 4

    while transport.plan:
        assert (await fetcher.fetch(asked(), LIMITS)).status == 200
    assert fetcher.state("db").p95_ms == 6000


@timeless
async def test_the_source_s_timeout_and_the_deadline_come_first() -> None:
    """What is usual never gives more time than they do."""
    transport, fetcher = await known(ENOUGH)
    transport.plan = [(NEVER, 200)] * 2
    loop = asyncio.get_running_loop()
    for seconds, limits, deadline in (
        (1.0, replace(LIMITS, timeout=1.0), None),
        (0.5, LIMITS, loop.time() + 1.5),
    ):
        began = loop.time()
        with pytest.raises(TimedOut, match="no whole answer"):
            await fetcher.fetch(asked(), limits, deadline=deadline)
        assert loop.time() - began == pytest.approx(seconds)


@timeless
async def test_a_client_that_leaves_ends_the_exchange() -> None:
    """Nothing is left running, and the slot is free again."""
    limits = replace(LIMITS, concurrency=1)
    transport, fetcher = await known(ENOUGH, limits)
    transport.plan = [(NEVER, 200)]
    waiter = asyncio.ensure_future(fetcher.fetch(asked(), limits))
    await asyncio.sleep(3 * USUAL)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    await asyncio.sleep(0.01)

    assert (transport.sent, transport.cancelled) == (1, 1)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert await took(fetcher.fetch(asked(1), limits)) == pytest.approx(USUAL)


@timeless
async def test_a_slow_source_is_asked_once() -> None:
    """Nothing is asked twice for one answer, however long it takes."""
    transport, fetcher = await known(5 * ENOUGH)
    transport.plan = [(LATE_FLOOR - USUAL, 200)]
    page = await fetcher.fetch(asked(), LIMITS)

    assert page.body == b"answer 1"
    assert transport.sent == 1


# Over a real socket


class Hung:
    """A server that never answers, and notes when its client has gone."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked.set()
        await reader.read()
        self.left.set()
        writer.close()


@each("leave", [lambda waiter: waiter.cancel(), None], ids=["cancelled", "deadline"])
async def test_the_server_sees_that_we_have_gone(
    leave: Callable[[asyncio.Task[Page]], Any] | None,
) -> None:
    """When the last who waits leaves, or the time is over, the connection is closed: it need not go
    on working."""
    hung = Hung()
    server = await asyncio.start_server(hung, "127.0.0.1", 0)
    netloc = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    fetcher = Fetcher(HttpTransport(allow=frozenset({netloc})), patience=0)
    deadline = None if leave else asyncio.get_running_loop().time() + 0.2
    request = Request(source="db", url=f"http://{netloc}/works")
    waiter = asyncio.ensure_future(fetcher.fetch(request, LIMITS, deadline=deadline))
    async with asyncio.timeout(60):
        await hung.asked.wait()
        assert not hung.left.is_set()
        if leave:
            leave(waiter)
        with pytest.raises((asyncio.CancelledError, TimedOut)):
            await waiter
        await hung.left.wait()
    await fetcher.close()
    server.close()
    await server.wait_closed()
