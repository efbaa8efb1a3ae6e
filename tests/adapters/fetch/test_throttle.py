from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace

import asyncio_throttle.throttler
import pytest

from metasearch.adapters.fetch import rate_limiter
from metasearch.adapters.fetch.rate_limiter import BEHIND, FairThrottler, RequestLimiter, RoundRobin
from metasearch.adapters.request import Rate
from metasearch.adapters.spec import Limits
from tests.cases import each

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
    monkeypatch.setattr(rate_limiter, "time", SimpleNamespace(monotonic=it.monotonic))
    monkeypatch.setattr(asyncio_throttle.throttler, "time", SimpleNamespace(monotonic=it.monotonic))
    monkeypatch.setattr(rate_limiter, "sleep", it.sleep)
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
    ("rate", "period", "most", "window"),
    [(10, 1.0, 10, 1.0), (2.9, 1.0, 2, 1.0), (0.5, 1.0, 1, 2.0), (1, 3.0, 1, 3.0)],
)
async def test_no_window_holds_more_starts_than_allowed(
    clock: Clock, rate: float, period: float, most: int, window: float
) -> None:
    """In any window of the period lie at most so many starts; fractions are kept, never rounded
    up."""
    times = await starts(FairThrottler(rate, period), clock, 35)

    assert len(times) == 35
    for first, later in zip(times, times[most:], strict=False):
        assert later - first > window


async def test_the_rate_is_used(clock: Clock) -> None:
    """Being careful costs next to nothing: 40 starts at 10 a second take little more than 3
    seconds."""
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
    await asyncio.wait_for(tasks[2], 60)

    assert clock.now == pytest.approx(1001.0, abs=0.1)


@each(("rate", "period"), [(0, 1), (-1, 1), (1, -1), (float("nan"), 1)])
def test_a_rate_must_be_positive(rate: float, period: float) -> None:
    """A rate that would never let anybody through is a mistake."""
    with pytest.raises(ValueError, match="positive"):
        FairThrottler(rate, period)


async def through(
    limiter: RequestLimiter, asker: str | None = None, order: list[str | None] | None = None
) -> None:
    async with limiter.hold_place(asker):
        if order is not None:
            order.append(asker)


async def test_only_so_many_are_inside_at_once() -> None:
    """The limiter limits what runs at the same time, whatever the rate."""
    limiter = RequestLimiter(Limits(requests=1000, concurrency=3))
    inside = most = 0

    async def one() -> None:
        nonlocal inside, most
        async with limiter.hold_place():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(20)))

    assert most == 3


async def test_leaving_the_queue_gives_the_slot_back(clock: Clock) -> None:
    """Who is cancelled while waiting for the rate does not keep others out."""
    limiter = RequestLimiter(Limits(requests=1, concurrency=1))
    async with limiter.hold_place():
        pass
    waiting = asyncio.ensure_future(through(limiter))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    async with asyncio.timeout(60), limiter.hold_place():
        pass


async def test_without_patience_nobody_waits() -> None:
    """The switch for tests and replays: the rate is no obstacle."""
    limiter = RequestLimiter(Limits(requests=1, per=3600), patience=0)
    async with asyncio.timeout(60):
        for _ in range(20):
            async with limiter.hold_place():
                pass


# Fair between askers


@pytest.mark.parametrize(
    "limits", [Limits(requests=1, per=1.0), Limits(requests=1000, concurrency=1)]
)
async def test_who_wants_one_page_does_not_wait_for_who_wants_fifty(
    clock: Clock, limits: Limits
) -> None:
    """Askers take turns, whatever holds them up; one that comes late waits for one turn of each of
    the others."""
    limiter = RequestLimiter(limits)
    order: list[str | None] = []
    tasks = [asyncio.ensure_future(through(limiter, "many", order)) for _ in range(50)]
    while len(order) < 3:
        await asyncio.sleep(0)
    came = len(order)
    tasks += [
        asyncio.ensure_future(through(limiter, name, order)) for name in ("one", "few", "few")
    ]
    await asyncio.gather(*tasks)

    assert order.index("one") <= came + 3
    assert [index for index, name in enumerate(order) if name == "few"][-1] <= came + 7
    assert order.count("many") == 50


async def test_a_user_with_twenty_searches_does_not_keep_out_another() -> None:
    """Turns go from user to user first, and from search to search within a user."""
    lock = RoundRobin()
    order: list[str] = []

    async def one(user: str | None, search: str) -> None:
        await lock.acquire(search, user)
        order.append(search)
        await asyncio.sleep(0)
        lock.release()

    await lock.acquire("held")
    many = [asyncio.ensure_future(one("greedy", f"g{number}")) for number in range(20)]
    few = [
        asyncio.ensure_future(one(user, name))
        for user, name in (("modest", "m0"), ("modest", "m1"), (None, "n"))
    ]
    await asyncio.sleep(0)
    lock.release()
    await asyncio.gather(*many, *few)

    assert order[:6] == ["g0", "m0", "n", "g1", "m1", "g2"]
    assert order[6:] == [f"g{number}" for number in range(3, 20)]
    assert not lock.held


async def test_searches_that_nobody_waits_for_come_after_all_users() -> None:
    """However long they have waited; alone they go on as any other."""
    lock = RoundRobin()
    order: list[str] = []

    async def one(user: object, search: str) -> None:
        await lock.acquire(search, user)
        order.append(search)
        await asyncio.sleep(0)
        lock.release()

    await lock.acquire("held")
    behind = [asyncio.ensure_future(one(BEHIND, f"b{number}")) for number in range(3)]
    await asyncio.sleep(0)
    others = [asyncio.ensure_future(one(user, f"{user}{at}")) for at in range(2) for user in "uv"]
    await asyncio.sleep(0)
    lock.release()
    await asyncio.gather(*behind, *others)

    assert order == ["u0", "v0", "u1", "v1", "b0", "b1", "b2"]
    assert not lock.held
    assert not lock._lines


async def test_who_leaves_a_user_s_line_leaves_the_others_in_theirs() -> None:
    """Cancelled in any order, nothing of them stays, and those behind them get their turn."""
    lock = RoundRobin()
    await lock.acquire("held")
    waiting = {
        (user, search): asyncio.ensure_future(lock.acquire(search, user))
        for user in "ab"
        for search in ("s", "t")
    }
    await asyncio.sleep(0)
    for gone in (("a", "s"), ("b", "s"), ("b", "t")):
        waiting[gone].cancel()
        await asyncio.sleep(0)
    lock.release()
    await asyncio.wait_for(waiting["a", "t"], 60)
    lock.release()

    assert not lock.held
    assert not lock._lines


async def test_one_asker_s_requests_keep_their_order() -> None:
    """Turns are fair between askers; within one, first come is first served."""
    lock = RoundRobin()
    order: list[tuple[str, int]] = []

    async def one(asker: str, number: int) -> None:
        await lock.acquire(asker)
        await asyncio.sleep(0)
        order.append((asker, number))
        lock.release()

    await asyncio.gather(*(one(asker, number) for asker in "ab" for number in range(4)))

    assert order == [("a", 0), ("a", 1), ("b", 0), ("a", 2), ("b", 1), ("a", 3), ("b", 2), ("b", 3)]


@each("first", ["release", "cancel"])
async def test_a_turn_is_never_lost(first: str) -> None:
    """Who leaves in the moment its turn comes hands it on, and nothing of it stays in the queue."""
    lock = RoundRobin()
    await lock.acquire("held")
    leaving, staying = (asyncio.ensure_future(lock.acquire(asker)) for asker in "ab")
    await asyncio.sleep(0)
    if first == "release":
        lock.release()
        leaving.cancel()
    else:
        leaving.cancel()
        lock.release()
    await asyncio.wait_for(staying, 60)
    lock.release()

    assert leaving.cancelled()
    assert not lock.held
    assert not lock._lines


async def test_one_of_several_requests_leaves() -> None:
    """Its neighbours of the same asker stay in line."""
    lock = RoundRobin()
    await lock.acquire("held")
    waiting = [asyncio.ensure_future(lock.acquire("a")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    await asyncio.sleep(0)
    for task in (waiting[0], waiting[2]):
        lock.release()
        await asyncio.wait_for(task, 60)
    lock.release()

    assert not lock.held


async def test_when_the_next_start_is_due(clock: Clock) -> None:
    """At once while some are left; then when the first of the period is over."""
    limiter = RequestLimiter(Limits(requests=2, per=3600.0, concurrency=4))
    due = [limiter.due]
    for _ in range(2):
        async with limiter.hold_place():
            clock.now += 100
        due.append(limiter.due)

    assert due == [0.0, 0.0, 3400.0]


async def test_of_past_starts_only_those_of_a_period_are_kept(clock: Clock) -> None:
    """However many a source permits, and however long it is asked."""
    throttler = FairThrottler(100_000, 1.0)
    for number in range(500):
        await throttler.acquire()
        throttler.count()
        clock.now += 0.1
        assert len(throttler._starts) <= 22, number


async def test_a_rate_that_the_source_states_is_obeyed_where_it_is_slower(clock: Clock) -> None:
    """Never faster than the spec allows; a source that takes it back gets the spec's again."""
    limiter = RequestLimiter(Limits(requests=10, per=1.0, concurrency=20))
    spans = []
    for stated in (Rate(1, 1.0), Rate(100, 1.0)):
        limiter.obey(stated)
        began = clock.now
        await asyncio.gather(*(through(limiter) for _ in range(5)))
        spans.append(clock.now - began)

    assert spans[0] >= 4
    assert spans[1] < 2
