"""A loop that stood still is known to have been late, and timeouts wait until what has come is
read."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref

import pytest

from metasearch.loop import GRACE, STALL, TICK, lag, patient
from tests.adapters.fetch.timeless import TimelessLoop, timeless


def block(seconds: float) -> None:
    """What computing on the loop does."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)
    loop.pass_by(seconds)


async def blocked_and_too_late() -> None:
    async with patient(1.0):
        block(3.0)
        await asyncio.sleep(10)


@timeless
async def test_what_was_lost_is_counted():
    """While the loop stands still and afterwards."""
    with lag().watch():
        before = lag().total
        await asyncio.sleep(1)
        assert lag().total == before
        assert not lag().is_stalled
        block(2.0)
        assert lag().total - before == pytest.approx(2.0, abs=2 * TICK)
        assert lag().is_stalled
        await asyncio.sleep(TICK)
        assert lag().total - before == pytest.approx(2.0, abs=2 * TICK)
        assert lag().is_stalled
        await asyncio.sleep(2 * GRACE)
        assert not lag().is_stalled


@timeless
async def test_nobody_watches_nothing_is_late():
    """Without a search there is no timer."""
    with lag().watch(), lag().watch():
        pass
    block(5.0)
    assert (lag().now, lag().is_stalled) == (0.0, False)
    await asyncio.sleep(1)


@timeless
async def test_a_timeout_is_patient_after_a_stall():
    """What came while the loop stood still may be read; then the time is over."""
    loop = asyncio.get_running_loop()
    with lag().watch():
        async with patient(1.0):
            block(3.0)
            await asyncio.sleep(GRACE / 2)
        began = loop.time()
        with pytest.raises(TimeoutError):
            await blocked_and_too_late()
        assert loop.time() - began == pytest.approx(3.0 + GRACE, abs=GRACE)


@timeless
async def test_without_a_stall_a_timeout_is_a_timeout():
    """To the moment."""
    loop = asyncio.get_running_loop()
    with lag().watch():
        began = loop.time()
        with pytest.raises(TimeoutError):
            async with patient(1.0):
                await asyncio.sleep(10)
        assert loop.time() - began == pytest.approx(1.0)


@timeless
async def test_a_loop_that_never_recovers_ends_nevertheless():
    """Patience has an end."""
    loop = asyncio.get_running_loop()

    async def busy() -> None:
        while True:
            block(2 * STALL)
            await asyncio.sleep(0)

    with lag().watch():
        task, began = asyncio.create_task(busy()), loop.time()
        with pytest.raises(TimeoutError):
            async with patient(1.0):
                await asyncio.sleep(100)
        assert loop.time() - began < 1.0 + 8 * GRACE
        task.cancel()


@timeless
async def test_what_was_waited_for_is_freed_at_once():
    """Without the garbage collector, which a server calls rarely: no cycle holds the task, whose
    result is a page.
    """

    class Page:
        pass

    made: list[weakref.ref[Page]] = []

    async def fetched() -> Page:
        page = Page()
        made.append(weakref.ref(page))
        async with patient(1.0):
            await asyncio.sleep(0.5)
        return page

    gc.disable()
    try:
        await asyncio.wait([asyncio.create_task(fetched())])
        await asyncio.sleep(0)
        assert made[0]() is None
    finally:
        gc.enable()


def test_a_closed_loop_is_let_go_of():
    """What is known of a loop goes with it."""

    async def watch() -> None:
        with lag().watch():
            await asyncio.sleep(0)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(watch())
    loop.close()
    gone = weakref.ref(loop)
    del loop
    gc.collect()

    assert gone() is None


async def test_a_real_loop_that_stands_still():
    """Seen on the clock of this machine, too."""
    with lag().watch():
        before = lag().total
        await asyncio.sleep(2 * TICK)
        time.sleep(0.2)
        assert lag().is_stalled
        assert lag().total - before >= 0.2 - 2 * TICK
