"""Who is let in, who waits for a moment, and who is told when to come back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Hashable

import pytest

from metasearch.engine.scheduler import FairScheduler
from metasearch.server.limits.admission import (
    LATEST,
    MOST_BRIEF,
    PATIENCE,
    RETRY_AFTER,
    TARGET,
    TICK,
    Admission,
    Permit,
)
from metasearch.server.problem import Problem
from tests.adapters.fetch.timeless import TimelessLoop, timeless


def admission(most: int = 8) -> Admission:
    """One with so many permits, while no lag is measured."""
    return Admission(most, FairScheduler())


async def filled(it: Admission, user: Hashable = "greedy") -> list[Permit]:
    """All its permits taken."""
    return [await it.enter(user) for _ in range(it.limit.value)]


async def refused(it: Admission, user: Hashable = "anybody") -> int:
    """Whole seconds after which one who is turned away may come back."""
    with pytest.raises(Problem) as caught:
        await it.enter(user)
    assert (caught.value.status, caught.value.kind) == (503, "busy")
    return int(caught.value.headers["Retry-After"])


def seconds() -> float:
    return asyncio.get_running_loop().time()


@timeless
async def test_seats_are_taken_and_released():
    """As many run as there are permits; a permit is left once, however often that is said."""
    it = admission()
    permits = await filled(it)
    assert it.running == 8
    for permit in permits:
        permit.release()
        permit.release()
    with await it.enter("a"):
        assert it.running == 1
    assert it.running == 0


@timeless
async def test_a_seat_that_is_handed_on_outlives_its_block():
    """As that of an event stream does, whose search goes on after its request."""
    it = admission()
    with await it.enter("a") as permit:
        leave = permit.transfer()
    assert it.running == 1
    leave()
    assert it.running == 0


@timeless
async def test_one_who_waits_gets_the_next_seat():
    """A newcomer is let in as soon as a search ends."""
    it = admission()
    permits = await filled(it)
    newcomer = asyncio.create_task(it.enter("a"))
    await asyncio.sleep(PATIENCE / 2)
    permits[0].release()

    assert isinstance(await newcomer, Permit)
    assert it.running == 8


@timeless
async def test_nobody_waits_long():
    """Who is not let in within a moment is told so; and where the line is full, at once."""
    it = admission()
    await filled(it)
    began = seconds()
    waiting = [asyncio.create_task(refused(it, user)) for user in "ab"]
    await asyncio.sleep(0)
    await refused(it, "c")
    assert seconds() == began
    await asyncio.gather(*waiting)
    assert seconds() - began == pytest.approx(PATIENCE)


@timeless
async def test_a_full_line_is_shared_among_users():
    """One who sends much gives up a place to one who sends little, and does not stand before
    them."""
    it = admission()
    permits = await filled(it)
    greedy = [asyncio.create_task(it.enter("greedy")) for _ in range(2)]
    await asyncio.sleep(0)
    modest = asyncio.create_task(it.enter("modest"))
    await asyncio.sleep(0)
    for permit in permits:
        permit.release()
    results = await asyncio.gather(*greedy, modest, return_exceptions=True)

    assert [isinstance(it, Permit) for it in results] == [True, False, True]


@timeless
async def test_who_leaves_while_waiting_costs_no_seat():
    """Be it before the permit came, or in the same moment."""
    it = admission(1)
    (permit,) = await filled(it)
    gone = asyncio.create_task(it.enter("a"))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    late = asyncio.create_task(it.enter("b"))
    await asyncio.sleep(0)
    permit.release()  # it is theirs now
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)

    assert it.running == 0
    assert isinstance(await it.enter("c"), Permit)


@timeless
async def test_when_to_come_back_follows_from_what_is_known():
    """From how long searches take, and how many have been told to come back before; never without
    end."""
    it = admission()
    assert await _after(it, took=0.0, expected=0) == RETRY_AFTER  # nothing is known yet
    few, many = [await _after(admission(), took=2.0, expected=number) for number in (0, 40)]

    assert few == 1
    assert many == pytest.approx(41 * 2.0 / 8, abs=2)
    assert await _after(admission(), took=100.0, expected=100) == LATEST


async def _after(it: Admission, took: float, expected: int) -> int:
    if took:
        permit = await it.enter("a")
        await asyncio.sleep(took)
        permit.release()
    await filled(it)
    waiting = [asyncio.create_task(refused(it, user)) for user in "xy"]  # the line is full
    await asyncio.sleep(0)
    for number in range(expected):
        await refused(it, f"u{number}")
    told = await refused(it)
    await asyncio.gather(*waiting)
    return told


async def be_late(ticks: int) -> None:
    """So many callbacks that compute for a second each."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)
    for _ in range(ticks):
        loop.call_soon(loop.pass_by, 1.0)
        await asyncio.sleep(TICK)


@timeless
async def test_a_loop_that_is_late_lets_nobody_in():
    """The next one is told to come back, before anything is done for them, until the loop is free
    again."""
    it = admission()
    with await it.enter("a"):
        await be_late(20)
        newcomer = asyncio.create_task(refused(it))
        while not newcomer.done():
            await be_late(1)
        assert await newcomer >= 1
        await asyncio.sleep(3)
        assert isinstance(await it.enter("b"), Permit)


@timeless
async def test_a_loop_that_was_late_lets_one_request_in_where_nothing_runs():
    """Be it a search or one that computes for a moment; the second one is told to come back."""
    it = admission()
    with await it.enter("a"):
        await be_late(20)
        assert it.limit.closed
        with pytest.raises(Problem):
            async with it.brief():
                pass

    async with it.brief():
        assert it.limit.closed
        assert it.running == 0
        with pytest.raises(Problem):
            async with it.brief():
                pass
    with await it.enter("b"):
        assert it.limit.closed


@timeless
async def test_seats_become_fewer_while_pages_wait_for_their_turn():
    """Those who have a permit keep it; the next ones are told to come back until fewer run."""
    scheduler = FairScheduler()
    it, loop = Admission(64, scheduler), asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)
    permits = await filled(it)

    async def read_pages() -> None:
        turns = scheduler.turns()
        while True:
            await turns.next()
            loop.pass_by(2 * TARGET / 20)

    readers = [asyncio.create_task(read_pages()) for _ in range(40)]
    await asyncio.sleep(2)
    assert it.running == len(permits) > it.limit.value
    assert await refused(it) >= 1
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)


@timeless
async def test_what_computes_for_a_moment_is_bounded():
    """It takes no permit, but there are only so many at once."""
    it = admission(1)
    await filled(it)
    over = asyncio.Event()

    async def brief() -> None:
        async with it.brief():
            await over.wait()

    tasks = [asyncio.create_task(brief()) for _ in range(MOST_BRIEF)]
    await asyncio.sleep(TICK)
    with pytest.raises(Problem) as caught:
        async with it.brief():
            pass
    assert caught.value.status == 503
    over.set()
    await asyncio.gather(*tasks)
    async with it.brief():
        pass


async def test_large_things_are_written_off_the_loop_one_at_a_time():
    """Small ones in a turn on it."""
    it, here, inside = admission(), threading.get_ident(), []

    def write() -> int:
        inside.append(1)
        assert len(inside) == 1
        inside.pop()
        return threading.get_ident()

    written = await asyncio.gather(*(it.written(write, large=True) for _ in range(5)))
    assert here not in written
    assert await it.written(threading.get_ident, large=False) == here


@timeless
async def test_nothing_ticks_where_nothing_runs():
    """A server that is not asked does not wake up."""
    it = admission()
    (await it.enter("a")).release()
    await asyncio.sleep(1)

    assert it._timer is None
