"""Waiting for a coroutine where nothing can be awaited."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

import metasearch
from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.errors import UsageError
from metasearch.loop.blocking import completed

PLACE = contextvars.ContextVar("PLACE", default="nowhere")


async def thread() -> int:
    """Where it runs."""
    await asyncio.sleep(0)
    return threading.get_ident()


def test_without_a_loop_it_runs_here() -> None:
    """No thread is needed, so that Ctrl-C works as in any program."""
    assert completed(thread) == threading.get_ident()


async def test_with_a_loop_it_runs_elsewhere() -> None:
    """As in a notebook; the caller's context goes with it."""

    async def place() -> str:
        return PLACE.get()

    PLACE.set("here")

    assert completed(thread) != threading.get_ident()
    assert completed(place) == "here"


async def test_errors_come_back() -> None:
    """As they were raised."""

    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        completed(fail)


async def test_an_interrupt_ends_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stops the cell of a notebook has nothing going on behind it."""
    ended = threading.Event()
    begun = threading.Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupted(*_: object) -> None:
        begun.wait(5)
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.Future.result", interrupted)

    with pytest.raises(KeyboardInterrupt):
        completed(endless)
    assert ended.is_set()


async def test_search_sync_where_a_loop_runs() -> None:
    """It asks the databases and gives their answer, also to one whose own loop serves them
    meanwhile."""
    async with DemoDatabases(latency=0, faults=False) as demo:
        settings = demo.settings()
        answer = await asyncio.to_thread(
            metasearch.search_sync, EXAMPLE_QUERIES[0], settings=settings, limit=3
        )

    assert len(answer.hits) == 3


async def test_search_sync_tells_what_is_wrong() -> None:
    """A usage error is raised, as from `search` itself."""
    with pytest.raises(UsageError, match="limit"):
        metasearch.search_sync("jazz", limit=-1)
