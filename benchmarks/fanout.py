"""CPU per query and time to the first hit, against the simulated databases, beside the bare floor of floor.py.

    python3 tasks.py bench [--queries 40] [--rows 20]

Both sides run in this process, by turns, so that they see the same machine; CPU is `time.process_time`, the median
over the rounds. The databases run in a process of their own and are warm (bodies are rendered before anything is
measured).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

import aiohttp

from benchmarks import floor, upstreams
from metasearch.engine import Engine
from metasearch.events import Added, SourceProgress

QUERIES = (
    "gene soil language graph quantum dark coral bone sleep wind peer risk visual crop renal speech tax ocean stem "
    "radiation working metadata scholarly membrane enzyme landslide galaxy social nursing protein urban climate supply "
    "neural battery turbulent migrant wetland cardiac labour"
).split()


async def cpu_of(run: Callable[[str], Awaitable[object]], count: int) -> float:
    """Milliseconds of CPU of one query, over `count` queries."""
    gc.collect()
    began = time.process_time()
    for number in range(count):
        await run(QUERIES[number % len(QUERIES)])
    return (time.process_time() - began) / count * 1000


async def compare(base: str, shapes: Sequence[str], rows: int, count: int) -> tuple[float, float, float]:
    """CPU milliseconds a query: the floor, ours as one answer, ours as a stream."""
    async with aiohttp.ClientSession() as session, Engine(upstreams.settings(base, shapes)) as engine:

        async def bare(query: str) -> object:
            return await floor.fan_out(session, floor.urls(base, shapes, query, rows))

        async def plain(query: str) -> object:
            answer = await engine.search(query, per_source=rows)
            assert answer.complete
            assert answer.counts.received == rows * len(shapes), answer.counts
            return answer

        async def stream(query: str) -> object:
            return [event async for event in engine.search(query, per_source=rows)]

        for (
            query
        ) in QUERIES:  # the mock renders its bodies once; neither side has seen a query when it is measured first
            await bare(query)
        await plain(QUERIES[-1])
        rounds = [
            (await cpu_of(bare, count), await cpu_of(plain, count), await cpu_of(stream, count)) for _ in range(5)
        ]
    return tuple(statistics.median(column) for column in zip(*rounds, strict=True))


async def first_hit(base: str, shapes: Sequence[str], tries: int) -> tuple[float, float]:
    """Milliseconds to the fastest source's whole answer (bare client), and to the first hit of a stream."""
    fastest, hits = [], []
    async with aiohttp.ClientSession() as session, Engine(upstreams.settings(base, shapes)) as engine:
        for number in range(tries):
            query = QUERIES[number % len(QUERIES)]
            began = time.perf_counter()
            _, url = floor.urls(base, shapes, query, 20)[0]
            async with session.get(url) as response:
                await response.read()
            fastest.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            search = engine.search(query, per_source=20)
            async for event in search:
                if isinstance(event, Added):
                    hits.append((time.perf_counter() - began) * 1000)
                    break
                assert not isinstance(event, SourceProgress) or event.report.status != "error"
            await search.aclose()
    return statistics.median(fastest), statistics.median(hits)


def main() -> int:
    """Print the table; exit 1 where a figure misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=20, help="in each of five rounds")
    parser.add_argument("--rows", type=int, default=20)
    options = parser.parse_args()
    if not upstreams.MOCK.exists():
        print("The simulated databases are not beside this checkout; nothing is measured.")
        return 0
    missed = 0
    mixed = [upstreams.SHAPES[n % 3] for n in range(10)]
    title = f"10 databases x {options.rows} rows, 0 ms"
    print(f"{title:40}{'floor':>10}{'answer':>10}{'stream':>10}{'ratio':>8}{'stream':>8}")
    for label, shapes in (("all crossref-shaped JSON", ["crossref"] * 10), ("crossref, arxiv and sru by turns", mixed)):
        with upstreams.mock(10) as base:
            bare, plain, stream = asyncio.run(compare(base, shapes, options.rows, options.queries))
        print(f"{label:40}{bare:8.2f}ms{plain:8.2f}ms{stream:8.2f}ms{plain / bare:8.2f}{stream / bare:8.2f}")
        missed += plain / bare > 6
    with upstreams.mock(10, "--set", "all latency=200", "--set", "0 latency=50") as base:
        fastest, hit = asyncio.run(first_hit(base, mixed, 15))
    print(f"{'first hit after the fastest answer':40}{fastest:8.1f}ms{hit:8.1f}ms   +{hit - fastest:.1f} ms (goal: 20)")
    missed += hit - fastest > 20
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
