"""Waiting: for the answer, for the first hit of a stream, and for the event loop."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import orjson

from benchmarks import floor, upstreams
from benchmarks.sides import MIXED, Measured, Sides, sides, times_of
from metasearch.engine.engine import Engine
from metasearch.events import Added, Finished, SourceProgress
from metasearch.formats.answer import answer_object

#: Milliseconds in which the databases answer, and the fastest of them where one is faster.
LATENCY, FASTEST = 200, 50
#: Seconds that pass between two looks at the loop.
TICK = 0.001


def beyond_the_slowest(tries: int = 15) -> Measured:
    """What a plain answer takes beyond the databases' own 200 ms, its JSON included, as a multiple
    of the floor's."""
    with upstreams.mock(len(MIXED), "--set", f"all latency={LATENCY}") as base:
        return asyncio.run(_beyond_the_slowest(base, tries))


async def _beyond_the_slowest(base: str, tries: int) -> Measured:
    async with sides(base, MIXED, 20) as both:

        async def written(query: str) -> object:
            return orjson.dumps(answer_object(await both.answer(query)))

        queries = upstreams.some(upstreams.queries(), tries)
        await both.warm(queries[:1])
        # The databases render their answers for whoever asks first.
        await asyncio.gather(*map(both.floor, queries))
        bare, ours = [], []
        for query in queries:
            bare += await times_of(both.floor, [query])
            ours += await times_of(written, [query])
    beyond, least = statistics.median(ours) - LATENCY, statistics.median(bare) - LATENCY
    return Measured(beyond / least, f"+{beyond:.1f} ms, the floor +{least:.1f} ms")


def first_hit(*faults: str, tries: int = 15) -> Measured:
    """Milliseconds from the fastest source's whole answer, as a bare client gets it, to the first
    hit of a stream.

    Args:
        faults: Further words of the mock's `--set`, as "9 fault=hang".
        tries: How many, of which the median counts.
    """
    told = (f"all latency={LATENCY}", f"0 latency={FASTEST}", *faults)
    with upstreams.mock(len(MIXED), *(word for it in told for word in ("--set", it))) as base:
        return asyncio.run(_first_hit(base, tries))


async def _first_hit(base: str, tries: int) -> Measured:
    fastest, hits = [], []
    async with sides(base, MIXED, 20) as both:

        async def alone(query: str) -> object:
            return await floor.fan_out(both.session, floor.urls(base, MIXED[:1], query, 20))

        queries = upstreams.some(upstreams.queries(), tries)
        for query in ("warm up", *queries):  # rendered by the first who asks
            await alone(query)
            await until_first_hit(both.engine, query)
        for query in queries:
            fastest += await times_of(alone, [query])
            hits.append(await until_first_hit(both.engine, query))
    source, hit = statistics.median(fastest), statistics.median(hits)
    return Measured(
        hit - source, f"the source's whole answer {source:.1f} ms, first hit {hit:.1f} ms"
    )


async def until_first_hit(engine: Engine, query: str) -> float:
    """Milliseconds until a stream has its first hit; then it is left."""
    began = time.perf_counter()
    search = engine.search(query, per_source=20)
    try:
        async for event in search:
            if isinstance(event, Added):
                return (time.perf_counter() - began) * 1000
            assert not isinstance(event, SourceProgress) or event.report.status != "error"
    finally:
        await search.aclose()
    raise AssertionError("a search without hits")


class Wait(NamedTuple):
    """Milliseconds of one stream until its first hit, and until its end."""

    first: float
    end: float


def under_load(latency: str, count: int = 32, rounds: int = 2) -> Measured:
    """Percent of the time to the finished answer at which the first hit comes: the median of
    searches that all begin at once, round after round.

    Args:
        latency: Of the databases, in the mock's words.
        count: Searches at once.
        rounds: How many rounds.
    """
    with upstreams.mock(len(MIXED), "--set", f"all latency={latency}") as base:
        return asyncio.run(_under_load(base, count, rounds))


async def _under_load(base: str, count: int, rounds: int) -> Measured:
    async with sides(base, MIXED, 20) as both:
        asked = upstreams.queries()
        queries = [upstreams.some(asked, count) for _ in range(rounds)]
        await both.warm(())
        for some in queries:
            await asyncio.gather(*map(both.floor, some))
        waits = [
            wait
            for some in queries
            for wait in await asyncio.gather(*(wait_of(both, query) for query in some))
        ]
    first, end = (statistics.median(column) for column in zip(*waits, strict=True))
    share = statistics.median(100 * it.first / it.end for it in waits)
    return Measured(share, f"p50 of the first hit {first:.0f} ms, of the end {end:.0f} ms")


async def wait_of(both: Sides, query: str) -> Wait:
    """How long a stream is waited for."""
    began = time.perf_counter()
    first = None
    async for event in both.engine.search(query, per_source=both.rows):
        if first is None and isinstance(event, Added):
            first = time.perf_counter() - began
        if isinstance(event, Finished):
            assert event.answer.complete, event.answer.sources
    assert first is not None
    return Wait(first * 1000, (time.perf_counter() - began) * 1000)


def stall(shapes: Sequence[str], searches: int = 8) -> Measured:
    """p99 of the milliseconds by which whatever falls due at some moment of a search is late, as
    answer and stream.

    A task sleeps for 1 ms, again and again, and notes by how much it oversleeps. A stall of 40 ms
    gives it one late look where forty were due; so each that was missed counts as well, with what
    was left of the stall by then.
    """
    with upstreams.mock(len(shapes)) as base:
        return asyncio.run(_stall(base, shapes, searches))


async def _stall(base: str, shapes: Sequence[str], searches: int) -> Measured:
    async with sides(base, shapes, 100) as both:
        queries = upstreams.some(upstreams.queries(), searches)
        await both.warm(queries)
        async with watched() as looks:
            for number, query in enumerate(queries):
                await (both.stream(query) if number % 2 else both.answer(query))
    late = [look.late for look in looks]
    detail = f"worst {max(late):.0f} ms, p99 of the looks alone {percentile(late, 99):.1f} ms"
    return Measured(percentile(with_missed(late, TICK * 1000), 99), detail)


class Look(NamedTuple):
    """A look at the loop, in milliseconds.

    Attributes:
        late: By how much it came too late.
        computed: What the thread of the loop has computed since the look before. Where `late` is
            more, something else had the core.
    """

    late: float
    computed: float


@asynccontextmanager
async def watched() -> AsyncIterator[list[Look]]:
    """Look at the loop again and again, a tick apart; the list grows by the looks."""
    looks: list[Look] = []

    async def watch() -> None:
        while True:
            began, own = time.perf_counter(), time.thread_time()
            await asyncio.sleep(TICK)
            late = time.perf_counter() - began - TICK
            looks.append(Look(late * 1000, (time.thread_time() - own) * 1000))

    watcher = asyncio.create_task(watch())
    try:
        yield looks
    finally:
        watcher.cancel()


def with_missed(late: Sequence[float], tick: float) -> list[float]:
    """The delays with those of the looks that were due meanwhile and never came, one a `tick`."""
    return [
        delay - tick * missed for delay in late for missed in range(1 + int(max(0.0, delay) / tick))
    ]


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest value that is not below so many percent of them."""
    return sorted(values)[-(-len(values) * percent // 100) - 1]
