"""`Search` in the hands of a program: awaited, iterated, and as a coroutine for what takes nothing
else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import metasearch
from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.search import Search
from metasearch.settings import Settings

QUERY = EXAMPLE_QUERIES[0]


@pytest.fixture
async def settings() -> AsyncIterator[Settings]:
    """Settings that know databases which answer at once."""
    async with DemoDatabases(latency=0, faults=False) as demo:
        yield demo.settings()


@pytest.fixture
async def slow() -> AsyncIterator[Settings]:
    """Settings that know databases which answer in minutes."""
    async with DemoDatabases(latency=100, faults=False) as demo:
        yield demo.settings()


def test_asyncio_run_takes_a_search() -> None:
    """In a program without a loop, one line is enough."""
    guarded = {
        "x": {"extends": "crossref", "url": "http://127.0.0.1:9/"}
    }  # no private address is asked

    answer = asyncio.run(
        metasearch.search(QUERY, settings=Settings(sources=guarded, shipped=False))
    )

    assert [type(report.error).__name__ for report in answer.sources] == ["NotAllowed"]


async def test_a_task_takes_a_search(settings: Settings) -> None:
    """`create_task` and `TaskGroup.create_task` give the answer, and the search can be awaited
    again."""
    search = metasearch.search(QUERY, settings=settings)

    async with asyncio.TaskGroup() as group:
        alone = asyncio.create_task(search)
        grouped = group.create_task(metasearch.search(QUERY, settings=settings))

    assert (await alone).hits
    assert [hit.id for hit in grouped.result().hits] == [hit.id for hit in alone.result().hits]
    assert await search == alone.result()


async def test_several_searches_are_gathered(settings: Settings) -> None:
    """`gather` and `wait_for` give the answers in their order."""
    found = await asyncio.gather(
        metasearch.search(QUERY, settings=settings, limit=1),
        metasearch.search(QUERY, settings=settings, limit=2),
    )

    assert [len(answer.hits) for answer in found] == [1, 2]
    assert (
        len((await asyncio.wait_for(metasearch.search(QUERY, settings=settings, limit=3), 60)).hits)
        == 3
    )


async def test_two_tasks_wait_for_one_search(settings: Settings) -> None:
    """Each of them goes on by itself, and both get the answer."""
    search = metasearch.search(QUERY, settings=settings)

    tasks = [asyncio.create_task(search) for _ in range(3)]

    first, *others = await asyncio.gather(*tasks)
    assert first.hits
    assert others == [first, first]


async def failing_beside(search: Search) -> None:
    """A group in which something else fails while the search goes on."""
    async with asyncio.TaskGroup() as group:
        group.create_task(search)
        await asyncio.sleep(0.1)
        raise ValueError


@pytest.mark.parametrize("way", ["wait_for", "timeout", "cancel", "group"])
async def test_whoever_stops_waiting_ends_the_search(slow: Settings, way: str) -> None:
    """A timeout, a cancelled task and a group that fails leave nothing running."""
    search = metasearch.search(QUERY, settings=slow, timeout=60)

    if way == "wait_for":
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(search, 0.1)
    elif way == "timeout":
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await asyncio.create_task(search)
    elif way == "cancel":
        task = asyncio.create_task(search)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        with pytest.raises(ExceptionGroup):
            await failing_beside(search)

    assert search.answer is None
    assert search._run.task is None or search._run.task.done()
    assert search._driven == {}


async def test_a_task_that_never_ran_leaves_nothing_open(slow: Settings) -> None:
    """Cancelled before its first step, a search has asked nobody."""
    search = metasearch.search(QUERY, settings=slow)
    task = asyncio.create_task(search)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task

    assert search._run.task is None


@pytest.mark.parametrize("error", [KeyError, KeyError("x")])
async def test_a_coroutine_by_hand(settings: Settings, error: type[Exception] | Exception) -> None:
    """`throw` takes an exception or its class, and `close` before the first step does no harm."""
    search = metasearch.search(QUERY, settings=settings)
    assert isinstance(search, Search)
    search.close()

    with pytest.raises(KeyError):
        search.throw(error)

    assert search._driven == {}
    assert (await search).hits
