from __future__ import annotations

import asyncio

import pytest

from metasearch.loop import cancel_all


async def test_a_task_that_loses_a_cancellation_is_cancelled_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a client does that catches everything while it closes its connection."""
    monkeypatch.setattr("metasearch.loop.AGAIN", 0.01)
    lost = 0

    async def deaf() -> None:
        nonlocal lost
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost += 1
                if lost == 3:
                    raise

    task = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await cancel_all((task,))

    assert task.cancelled()
    assert lost == 3


async def test_what_a_task_raises_at_its_end_stops_nothing() -> None:
    """The others are ended as well, and nothing is raised."""

    async def fails() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise OSError("closing failed")

    tasks = [asyncio.create_task(fails()), asyncio.create_task(asyncio.sleep(60))]
    await asyncio.sleep(0)
    await cancel_all(tasks)

    assert all(task.done() for task in tasks)


async def test_nothing_is_ended_at_once() -> None:
    """There may be no task."""
    await cancel_all(())
