from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace

import asyncio_throttle.throttler
import pytest

from metasearch.adapters import throttle
from metasearch.adapters.spec import Limits
from metasearch.adapters.throttle import FairThrottler, Turnstile

_real_sleep = asyncio.sleep


class Clock:
    """Time that passes only when the throttle sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps = 0

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        await _real_sleep(0)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    it = Clock()
    monkeypatch.setattr(throttle, "time", SimpleNamespace(monotonic=it.monotonic))
    monkeypatch.setattr(asyncio_throttle.throttler, "time", SimpleNamespace(monotonic=it.monotonic))
    monkeypatch.setattr(throttle, "sleep", it.sleep)
    return it


async def starts(throttler: FairThrottler, clock: Clock, count: int) -> list[float]:
    """When so many at once are let through."""
    times = []

    async def one() -> None:
        await throttler.acquire()
        times.append(clock.now)

    await asyncio.gather(*(one() for _ in range(count)))
    return times


@pytest.mark.parametrize(
    ("rate", "period", "most", "window"), [(10, 1.0, 10, 1.0), (2.9, 1.0, 2, 1.0), (0.5, 1.0, 1, 2.0), (1, 3.0, 1, 3.0)]
)
async def test_no_window_holds_more_starts_than_allowed(
    clock: Clock, rate: float, period: float, most: int, window: float
) -> None:
    """In any window of the period lie at most so many starts; fractions are kept, never rounded up."""
    times = await starts(FairThrottler(rate, period), clock, 35)

    assert len(times) == 35
    for first, later in zip(times, times[most:], strict=False):
        assert later - first > window


async def test_the_rate_is_used(clock: Clock) -> None:
    """Being careful costs next to nothing: 40 starts at 10 a second take little more than 3 seconds."""
    times = await starts(FairThrottler(10, 1.0), clock, 40)

    assert times[-1] - times[0] == pytest.approx(3.0, abs=0.1)


async def test_first_come_first_served(clock: Clock) -> None:
    """A newcomer does not pass those who wait."""
    throttler = FairThrottler(1, 1.0)
    order: list[int] = []

    async def one(number: int) -> None:
        await throttler.acquire()
        order.append(number)

    tasks = [asyncio.ensure_future(one(number)) for number in range(5)]
    while len(order) < 2:
        await asyncio.sleep(0)
    tasks += [asyncio.ensure_future(one(number)) for number in range(5, 8)]
    await asyncio.gather(*tasks)

    assert order == list(range(8))


async def test_waiters_do_not_poll(clock: Clock) -> None:
    """One sleep a free slot, however many wait."""
    await starts(FairThrottler(1, 1.0), clock, 50)

    assert clock.sleeps == 49


async def test_a_cancelled_waiter_leaves_the_queue_whole(clock: Clock) -> None:
    """Those behind it get their turn, and no start is lost to it."""
    throttler = FairThrottler(1, 1.0)
    await throttler.acquire()
    tasks = [asyncio.ensure_future(throttler.acquire()) for _ in range(3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[1].cancel()
    await asyncio.wait_for(tasks[2], 5)

    assert clock.now == pytest.approx(1001.0, abs=0.1)


@pytest.mark.parametrize(("rate", "period"), [(0, 1), (-1, 1), (1, -1), (float("nan"), 1)])
def test_a_rate_must_be_positive(rate: float, period: float) -> None:
    """A rate that would never let anybody through is a mistake."""
    with pytest.raises(ValueError, match="positive"):
        FairThrottler(rate, period)


async def test_only_so_many_are_inside_at_once() -> None:
    """The turnstile limits what runs at the same time, whatever the rate."""
    turnstile = Turnstile(Limits(requests=1000, concurrency=3))
    inside = most = 0

    async def one() -> None:
        nonlocal inside, most
        async with turnstile:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(20)))

    assert most == 3


async def test_leaving_the_queue_gives_the_slot_back(clock: Clock) -> None:
    """Who is cancelled while waiting for the rate does not keep others out."""
    turnstile = Turnstile(Limits(requests=1, concurrency=1))
    async with turnstile:
        pass
    waiting = asyncio.ensure_future(turnstile.__aenter__())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    async with asyncio.timeout(5), turnstile:
        pass


async def test_without_patience_nobody_waits() -> None:
    """The switch for tests and replays: the rate is no obstacle."""
    turnstile = Turnstile(Limits(requests=1, per=3600), patience=0)
    async with asyncio.timeout(5):
        for _ in range(20):
            async with turnstile:
                pass
