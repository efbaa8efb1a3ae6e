"""What a search leaves is freed when it ends: nothing waits for the garbage collector, which a
server calls rarely."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from metasearch.dedup.evidence import evidence, resemblance
from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.events import Added

QUERIES = EXAMPLE_QUERIES[:3]


@contextmanager
def left_over() -> Iterator[Counter[str]]:
    """Our objects that only the garbage collector can free after the block, by their names."""
    gc.collect()
    gc.disable()
    found: Counter[str] = Counter()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        ours = (type(it) for it in gc.garbage if type(it).__module__.startswith("metasearch."))
        found.update(kind.__name__ for kind in ours if ".demo" not in kind.__module__)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def test_a_whole_search() -> None:
    """Read as an answer and as a stream."""
    async with DemoDatabases(latency=0, faults=False) as demo, Engine(demo.settings()) as engine:
        await engine.search(QUERIES[0])
        with left_over() as found:
            assert (await engine.search(QUERIES[1])).hits
            assert [event async for event in engine.search(QUERIES[2])]
            await asyncio.sleep(0)

    assert not found


def alive() -> Counter[str]:
    """Our objects that are alive, by their names, without the few pairs that are remembered."""
    for remembering in (evidence, resemblance):
        remembering.cache_clear()
    gc.collect()
    kinds = (type(it) for it in gc.get_objects())
    ours = (kind for kind in kinds if str(kind.__module__).startswith("metasearch."))
    return Counter(kind.__name__ for kind in ours if ".demo" not in kind.__module__)


async def test_searches_that_are_over_leave_nothing_alive() -> None:
    """As many objects after twice as many searches; no records but those of the last pairs that
    were compared.
    """
    async with DemoDatabases(latency=0, faults=False) as demo, Engine(demo.settings()) as engine:
        counts: list[Counter[str]] = []
        for _ in range(2):
            for query in QUERIES:
                assert (await engine.search(query)).hits
            await asyncio.sleep(0)
            counts.append(alive())

    once, twice = counts
    assert not once.keys() & {"Record", "Fingerprint", "Hit", "Run", "Page", "Answer"}
    assert not twice - once


async def test_a_search_that_is_left() -> None:
    """At its first hit, while databases are asked."""
    async with DemoDatabases(latency=0, faults=False) as demo, Engine(demo.settings()) as engine:
        await engine.search(QUERIES[0])
        with left_over() as found:
            search = engine.search(QUERIES[1])
            async for event in search:
                if isinstance(event, Added):
                    break
            await search.aclose()
            del search, event
            await asyncio.sleep(0.1)

    assert not found.keys() & {"Record", "Hit", "Fingerprint", "Run", "Page"}
