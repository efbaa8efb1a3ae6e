"""The list of a search while its events come."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from metasearch.events import Added, Finished, Grown, Joined, Order, SourceProgress, Started
from metasearch.server.protocols.pazpar2.parameters import sort_keys
from metasearch.server.protocols.pazpar2.sessions import SearchProgress
from tests.server.fake import answer, hit, report


@pytest.fixture
def progress() -> SearchProgress:
    """A search that has begun, with three works of which two are in an order."""
    begun = SearchProgress()
    begun.take(Started("s1", "mice", ("alpha", "beta"), 15.0))
    for place in (1, 2):
        begun.take(Added(hit(place)))
    begun.take(Order((hit(2).id, hit(1).id)))
    begun.take(Added(hit(3)))
    return begun


def ids(progress: SearchProgress) -> list[str]:
    return [each.id for each in progress.listed()]


async def test_the_order_of_the_search_holds(progress):
    """A work is listed as soon as it has a place; before the first order all are, as they came."""
    fresh = SearchProgress()
    fresh.take(Added(hit(2)))
    fresh.take(Added(hit(1)))

    assert ids(fresh) == [hit(2).id, hit(1).id]
    assert ids(progress) == [hit(2).id, hit(1).id]
    progress.take(Order((hit(3).id, hit(2).id, hit(1).id)))
    assert ids(progress) == [hit(3).id, hit(2).id, hit(1).id]


async def test_works_grow_and_join(progress):
    """A joined work stands where its parts stood, once, and is found under their ids."""
    progress.take(Grown(hit(2, title="Grown")))
    joined = replace(hit(1), id="h-new")
    progress.take(Joined(joined, (hit(1).id, hit(2).id)))

    assert ids(progress) == ["h-new"]
    listed = progress.listed()
    assert [progress.place(name, listed) for name in ("h-new", hit(1).id, hit(2).id)] == [0, 0, 0]
    assert progress.place("nope", listed) is None
    assert [progress.lists(name) for name in (hit(1).id, hit(3).id, "nope")] == [True, False, False]
    assert len(progress) == 2


async def test_sources_are_active_until_the_list_is_final(progress):
    """Even where all of them have answered: the last order is still to come."""
    assert progress.active == 2
    for name in ("alpha", "beta"):
        progress.take(SourceProgress(report(name)))
    assert progress.active == 1
    progress.take(Finished(answer(hit(1))))

    assert progress.active == 0
    assert ids(progress) == [hit(1).id]


async def test_an_order_is_kept_until_the_list_changes(progress):
    """Polls ask for the same one again."""
    keys = sort_keys("title:1")
    assert progress.known(keys) is None
    progress.keep(progress.version, keys, progress.listed())
    assert progress.known(keys) == progress.listed()
    progress.take(Added(hit(4)))

    assert progress.known(keys) is None
    assert progress.keys == keys
    progress.keep(progress.version - 1, keys, [])  # of an earlier list
    assert progress.known(keys) is None


async def test_waiting_ends_with_the_search(progress):
    """Whoever waits for what does not come is woken."""
    waiting = asyncio.create_task(progress.until(lambda: False))
    await asyncio.sleep(0)
    assert not waiting.done()
    progress.end()

    async with asyncio.timeout(60):
        await waiting
