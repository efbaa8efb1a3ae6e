"""What takes far longer than usual: given up, or asked a second time. Time is simulated, unless a
socket is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from metasearch.adapters.fetch import history
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.history import ENOUGH, HEDGE_COST, LATE_FLOOR
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.errors import BadAnswer, ConnectFailed, SourceError, TimedOut
from tests.adapters.fetch.loopback import Loopback, raw, reply
from tests.adapters.fetch.timeless import timeless, took

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


async def known(
    requests: int, limits: Limits = LIMITS, *, hedging: bool = True
) -> tuple[Source, Fetcher]:
    """A source that has answered so often, each time as quickly as usual."""
    transport = Source()
    clock = asyncio.get_running_loop().time
    it = Fetcher(transport, monotonic=clock, patience=0, hedging=hedging)
    for number in range(requests):
        await it.fetch(asked(number), limits)
    transport.sent = 0
    return transport, it


# Given up


@timeless
async def test_what_is_far_past_its_usual_time_is_given_up() -> None:
    """Long before the source's timeout; the error says so, and the breaker does not hold it against
    the source."""
    transport, it = await known(ENOUGH)
    transport.plan = [(NEVER, 200)]
    began = asyncio.get_running_loop().time()
    with pytest.raises(
        TimedOut, match=r"within 2\.0 s, far past its usual time: 95 % .* within 0\.1 s"
    ) as caught:
        await it.fetch(asked(), LIMITS)

    assert asyncio.get_running_loop().time() - began == pytest.approx(LATE_FLOOR)
    assert "Ask again" in caught.value.advice
    assert caught.value.url == "https://x.example/works?q=0"
    assert transport.cancelled == 1
    state = it.state("db")
    assert (state.state, state.failures) == ("ok", 1)
    assert "far past" in (state.last_error or "")


@timeless
async def test_an_unknown_source_gets_all_its_time() -> None:
    """Too few answers tell nothing."""
    transport, it = await known(ENOUGH - 1)
    transport.plan = [(7.9, 200)]

    assert await took(it.fetch(asked(), LIMITS)) == pytest.approx(7.9)


@timeless
async def test_a_slow_day_costs_one_exchange() -> None:
    """After the first late one the source's timeout counts, also for those that wait at the same
    moment."""
    transport, it = await known(ENOUGH)
    transport.plan = [(6.0, 200)] * (ENOUGH + 20)
    at_once = await asyncio.gather(
        *(it.fetch(asked(n), LIMITS) for n in range(5)), return_exceptions=True
    )
    assert [type(one) for one in at_once].count(TimedOut) == 1
    assert [type(one) for one in at_once].count(Page) == 4

    while transport.plan:
        assert (await it.fetch(asked(), LIMITS)).status == 200
    assert it.state("db").p95_ms == 6000


@timeless
async def test_the_source_s_timeout_and_the_deadline_come_first() -> None:
    """What is usual never gives more time than they do."""
    transport, it = await known(ENOUGH)
    transport.plan = [(NEVER, 200)] * 2
    loop = asyncio.get_running_loop()
    for seconds, limits, deadline in (
        (1.0, replace(LIMITS, timeout=1.0), None),
        (0.5, LIMITS, loop.time() + 1.5),
    ):
        began = loop.time()
        with pytest.raises(TimedOut, match="no whole answer"):
            await it.fetch(asked(), limits, deadline=deadline)
        assert loop.time() - began == pytest.approx(seconds)


# Asked a second time


@timeless
async def test_a_second_request_rescues_a_slow_one() -> None:
    """It goes out at twice the usual time; the first whole answer wins, the other request is
    cancelled."""
    transport, it = await known(HEDGE_COST)
    transport.plan = [(NEVER, 200), (USUAL, 200)]

    assert await took(it.fetch(asked(), LIMITS)) == pytest.approx(3 * USUAL)
    assert (transport.sent, transport.cancelled) == (2, 1)
    state = it.state("db")
    assert (state.requests, state.hedges, state.failures) == (HEDGE_COST + 1, 1, 0)
    assert (state.p50_ms, state.p95_ms) == (100, 100)


@timeless
async def test_the_first_may_still_win() -> None:
    """Its answer is taken if it comes before that of the second."""
    transport, it = await known(HEDGE_COST)
    transport.plan = [(2.5 * USUAL, 200), (NEVER, 200)]
    page = await it.fetch(asked(), LIMITS)

    assert page.body == b"answer 1"
    assert (transport.sent, transport.cancelled) == (2, 1)


@timeless
async def test_at_most_two_in_a_hundred_requests_are_doubled() -> None:
    """A source whose every tenth answer is slow is not asked ten per cent more."""
    transport, it = await known(0)
    for number in range(1000):
        transport.plan = [(1.0 if number % 10 == 9 and number > 100 else USUAL, 200)]
        await it.fetch(asked(number), LIMITS)

    assert 1 <= it.state("db").hedges <= 20
    assert transport.sent == 1000 + it.state("db").hedges


@pytest.mark.parametrize(
    ("limits", "request_", "hedging"),
    [
        (LIMITS, asked(method="POST"), True),
        (replace(LIMITS, requests=1.9), asked(), True),
        (replace(LIMITS, requests=5, per=3.0), asked(), True),
        (replace(LIMITS, concurrency=1), asked(), True),
        (LIMITS, asked(), False),
    ],
    ids=["not a GET", "few requests a second", "fewer still", "one at once", "switched off"],
)
@timeless
async def test_some_are_never_asked_twice(limits: Limits, request_: Request, hedging: bool) -> None:
    """Tight limits, requests that may do something, and where it is switched off."""
    transport, it = await known(2 * HEDGE_COST, limits, hedging=hedging)
    transport.plan = [(1.5, 200)]
    await it.fetch(request_, limits)

    assert transport.sent == 1


@pytest.mark.parametrize("trouble", [429, 500])
@timeless
async def test_a_source_in_trouble_is_not_asked_twice(trouble: int) -> None:
    """Not in the hour after it refused a request, nor while its last request failed."""
    transport, it = await known(2 * HEDGE_COST)
    transport.plan = [(USUAL, trouble), (1.5, 200)]
    with pytest.raises(SourceError):
        await it.fetch(asked(), LIMITS)
    await asyncio.sleep(LIMITS.pause)
    await it.fetch(asked(), LIMITS)

    assert transport.sent == 2
    assert it.state("db").state == "ok"


@timeless
async def test_no_second_request_without_time_for_it() -> None:
    """What is left before the deadline must hold a usual answer."""
    transport, it = await known(HEDGE_COST)
    transport.plan = [(NEVER, 200)]
    with pytest.raises(TimedOut):
        await it.fetch(asked(), LIMITS, deadline=asyncio.get_running_loop().time() + 2.9 * USUAL)

    assert transport.sent == 1


@pytest.mark.parametrize(
    "bad", [429, 503, ConnectFailed("db", "broke"), BadAnswer("db", "not HTTP")]
)
@timeless
async def test_one_bad_end_waits_for_the_other_request(bad: int | SourceError) -> None:
    """Whichever of the two fails or is refused, the answer of the other one counts."""
    for plan in ([(2.5 * USUAL, bad), (USUAL, 200)], [(4 * USUAL, 200), (USUAL, bad)]):
        transport, it = await known(HEDGE_COST)
        transport.plan = plan
        assert (await it.fetch(asked(), LIMITS)).status == 200
        assert transport.sent == 2
        assert it.state("db").state == ("paused" if bad == 429 else "ok")


@timeless
async def test_two_bad_ends_are_told_as_the_first() -> None:
    """The error of the request that was sent first."""
    transport, it = await known(HEDGE_COST)
    transport.plan = [
        (4 * USUAL, BadAnswer("db", "the first")),
        (USUAL, BadAnswer("db", "the second")),
    ]
    with pytest.raises(BadAnswer, match="the first"):
        await it.fetch(asked(), LIMITS)


@timeless
async def test_who_leaves_takes_both_requests_along() -> None:
    """Nothing is left running, and both slots are free again."""
    limits = replace(LIMITS, concurrency=2)
    transport, it = await known(HEDGE_COST, limits)
    transport.plan = [(NEVER, 200)] * 2
    waiter = asyncio.ensure_future(it.fetch(asked(), limits))
    await asyncio.sleep(3 * USUAL)
    assert transport.sent == 2
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    await asyncio.sleep(0.01)

    assert transport.cancelled == 2
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert await took(
        asyncio.gather(*(it.fetch(asked(n), limits) for n in range(2)))
    ) == pytest.approx(USUAL)


# Over real sockets


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


@pytest.mark.parametrize(
    "leave", [lambda waiter: waiter.cancel(), None], ids=["cancelled", "deadline"]
)
async def test_the_server_sees_that_we_have_gone(
    leave: Callable[[asyncio.Task[Page]], Any] | None,
) -> None:
    """When the last who waits leaves, or the time is over, the connection is closed: it need not go
    on working."""
    hung = Hung()
    server = await asyncio.start_server(hung, "127.0.0.1", 0)
    netloc = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    it = Fetcher(HttpTransport(allow=frozenset({netloc})), patience=0)
    deadline = None if leave else asyncio.get_running_loop().time() + 0.2
    request = Request(source="db", url=f"http://{netloc}/works")
    waiter = asyncio.ensure_future(it.fetch(request, LIMITS, deadline=deadline))
    async with asyncio.timeout(5):
        await hung.asked.wait()
        assert not hung.left.is_set()
        if leave:
            leave(waiter)
        with pytest.raises((asyncio.CancelledError, TimedOut)):
            await waiter
        await hung.left.wait()
    await it.close()
    server.close()
    await server.wait_closed()


async def test_a_second_request_over_a_real_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """One connection hangs, the next one is answered; nothing is left open."""
    monkeypatch.setattr(history, "HEDGE_FLOOR", 0.01)
    monkeypatch.setattr(history, "LATE_FLOOR", 60.0)
    async with Loopback({"/works": reply(), "/hung": raw(b"", then="hang")}) as server:
        it = Fetcher(HttpTransport(allow=frozenset({server.netloc})), patience=0)
        for number in range(HEDGE_COST):
            params = (("q", str(number)),)
            await it.fetch(Request(source="db", url=server.url("/works"), params=params), LIMITS)
        waiter = asyncio.ensure_future(
            it.fetch(Request(source="db", url=server.url("/hung")), LIMITS)
        )
        async with asyncio.timeout(5):
            while len(server.seen) <= HEDGE_COST:
                await asyncio.sleep(0)
            server.routes["/hung"] = reply(b"[]")
            assert (await waiter).body == b"[]"
        assert [seen.target for seen in server.seen[HEDGE_COST:]] == ["/hung", "/hung"]
        assert it.state("db").hedges == 1
        await it.close()
