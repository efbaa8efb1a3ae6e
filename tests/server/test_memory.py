"""A server gives memory back when it has worked and nobody asks any more."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest

from metasearch import garbage_collection
from metasearch.server import process
from metasearch.server.process import (
    BUSY,
    IDLE,
    LOOK,
    WORTH,
    spare_memory,
    tidy,
)
from tests.adapters.fetch.timeless import timeless

WORK = 2 * IDLE * LOOK


@timeless
async def test_after_work_and_only_once() -> None:
    """Neither while it computes a little nor again and again while it is idle."""
    spent, given, computed = [0.0], [], 0.0
    task = asyncio.create_task(tidy(lambda: given.append(spent[0]), lambda: spent[0]))
    await asyncio.sleep(2.5 * LOOK)
    assert not given, "it has not computed yet"

    while computed < 2 * WORTH:
        spent[0] += WORK
        computed += WORK
        await asyncio.sleep(LOOK)
        assert not given, "it computes"

    await asyncio.sleep(5 * LOOK)
    assert given == [spent[0]]

    spent[0] += 2 * WORTH
    await asyncio.sleep(3 * LOOK)
    much, idle = spent[0], spent[0]
    assert given == [spent[0] - 2 * WORTH, much, idle]
    task.cancel()


@timeless
async def test_a_server_that_is_never_idle_collects_garbage(monkeypatch) -> None:
    """Once in a while; what is free it gives back at every look."""
    spent, given, collected = [0.0], [], []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(spent[0]))
    task = asyncio.create_task(tidy(lambda: given.append(spent[0]), lambda: spent[0]))
    await asyncio.sleep(LOOK / 2)
    for _ in range(5):
        spent[0] += BUSY / 2
        await asyncio.sleep(LOOK)
    task.cancel()

    assert collected == [BUSY, 2 * BUSY]
    assert given == [BUSY / 2 * turn for turn in range(1, 6)]


@pytest.fixture
def _as_before() -> Iterator[None]:
    """The garbage collector is afterwards as it was."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_as_before")
@pytest.mark.parametrize("glibc", [True, False])
async def test_a_process_that_serves(monkeypatch, glibc: bool) -> None:
    """Where the C library is another one, garbage alone is collected."""
    told: list[tuple[int, int]] = []

    class Libc:
        def mallopt(self, parameter: int, value: int) -> None:
            told.append((parameter, value))

    monkeypatch.setattr(process, "_glibc", lambda: Libc() if glibc else None)
    before = len(asyncio.all_tasks())
    async with spare_memory():
        assert gc.get_threshold() == garbage_collection.SERVING
        assert len(asyncio.all_tasks()) == before + 1
    await asyncio.sleep(0)

    assert len(asyncio.all_tasks()) == before
    assert len(told) == 3 * glibc


def test_of_other_systems_nothing_is_asked(monkeypatch) -> None:
    """Their C libraries cannot even be loaded so."""
    monkeypatch.setattr("sys.platform", "win32")

    assert process._glibc() is None
