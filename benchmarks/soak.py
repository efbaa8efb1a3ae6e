"""Thousands of searches against simulated databases in one process: does anything grow?

    python3 tasks.py bench soak [--searches 10000]

Every tenth search is left at its first hit, and every fiftieth meets a database that hangs, for
what is broken off leaks first. Tasks, sockets and files are counted when nothing is under way; the
memory is the whole process's.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import sys
import time
from collections.abc import Iterator
from contextlib import aclosing
from typing import NamedTuple

from benchmarks import upstreams
from benchmarks.held import MIB, Held, held, resident, settled
from metasearch.engine.engine import Engine
from metasearch.events import Added
from metasearch.settings import Settings

#: The databases of a search: one of each shape, and one that never answers and is asked by a few.
SHAPES = (*upstreams.SHAPES, "crossref")
HANGING = len(SHAPES) - 1
ROWS = 20
LEFT, HANGS = 10, 50
#: Bytes that the process may hold at the end, and by which it may grow after the first tenth.
MOST, GROWTH = 80 * MIB, 12 * MIB


class Reading(NamedTuple):
    """What is held at a moment, with its name."""

    when: str
    searches: int
    held: Held
    memory: int


def settings(base: str) -> Settings:
    """The databases as sources; the hanging one is given up soon."""
    sources = upstreams.tables(base, SHAPES)
    hanging = sources[f"db{HANGING}"]
    hanging["url"] += "?fault=hang"
    hanging["limits"] = {**hanging["limits"], "timeout": 0.2}
    return Settings(
        sources=sources,
        default_sources=tuple(sources),
        allow=frozenset({base.removeprefix("http://")}),
    )


async def one(engine: Engine, number: int, query: str) -> None:
    """The search with this number."""
    hangs = number % HANGS == 0
    names = [f"db{n}" for n in range(len(SHAPES)) if hangs or n != HANGING]
    search = engine.search(query, sources=names, per_source=ROWS)
    if number % LEFT:
        answer = await search
        assert answer.counts.received == ROWS * HANGING, answer.sources
        return
    async with aclosing(aiter(search)) as events:  # type: ignore[type-var]  # it is a generator
        async for event in events:
            if isinstance(event, Added):
                break
    await search.aclose()


async def reading(when: str, searches: int, start: Held | None) -> Reading:
    """Count when all is still."""
    gc.collect()
    return Reading(
        when, searches, held() if start is None else await settled(start, 0.5), resident()
    )


async def soak(base: str, searches: int, at_once: int) -> list[Reading]:
    """Readings at the start, after a tenth, at the end, and when the engine is closed."""
    asked = upstreams.queries()
    found: list[Reading] = []
    async with Engine(settings(base)) as engine:
        await one(engine, 1, next(asked))  # what is loaded once
    start = (await reading("start", 0, None)).held
    found.append(Reading("start", 0, start, resident()))
    async with Engine(settings(base)) as engine:
        numbers = iter(range(1, searches + 1))
        for when, until in (("after 10 %", max(1, searches // 10)), ("end", searches)):
            these = itertools.islice(numbers, until - found[-1].searches)

            async def work(numbers: Iterator[int] = these) -> None:
                for number in numbers:
                    await one(engine, number, next(asked))

            async with asyncio.TaskGroup() as group:
                for _ in range(at_once):
                    group.create_task(work())
            found.append(await reading(when, until, start))
    found.append(await reading("closed", searches, start))
    return found


def violations(readings: list[Reading], at_once: int) -> Iterator[str]:
    """What has leaked or grown too much, in words."""
    start, tenth, end, closed = readings
    for now in (tenth, end, closed):
        if now.held.tasks > start.held.tasks:
            yield f"{now.when}: {now.held.tasks - start.held.tasks} task(s) are left"
    pool = at_once * len(SHAPES)  # connections are kept for the next search
    for now, allowed in ((tenth, pool), (end, pool), (closed, 0)):
        for name in ("sockets", "files"):
            more = getattr(now.held, name) - getattr(start.held, name)
            if more > allowed:
                yield f"{now.when}: {more} {name} more than at the start, allowed are {allowed}"
    if end.memory > MOST:
        yield f"{end.memory / MIB:.1f} MiB at the end, allowed are {MOST // MIB}"
    if end.memory - tenth.memory > GROWTH:
        yield (
            f"grown by {(end.memory - tenth.memory) / MIB:.1f} MiB after the first tenth, "
            f"allowed are {GROWTH // MIB}"
        )


def main() -> int:
    """Print the readings; exit 1 on a leak, or where the memory passes its goal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--searches", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=8, help="searches under way together")
    options = parser.parse_args()
    if options.searches < 10 or options.at_once < 1:
        parser.error("at least 10 searches, and one at once")
    if not upstreams.MOCK.exists():
        print("The simulated databases are not beside this checkout; nothing is measured.")
        return 0
    began = time.monotonic()
    with upstreams.mock(len(SHAPES)) as base:
        readings = asyncio.run(soak(base, options.searches, options.at_once))
    took = time.monotonic() - began
    print(
        f"{options.searches:,} searches of {HANGING} databases, {options.at_once} at once, in "
        f"{took:.0f} s"
    )
    print(f"{'':12}{'searches':>10}{'tasks':>8}{'sockets':>9}{'files':>8}{'memory':>12}")
    for it in readings:
        print(
            f"{it.when:12}{it.searches:10,}{it.held.tasks:8}{it.held.sockets:9}{it.held.files:8}"
            f"{it.memory / MIB:8.1f} MiB"
        )
    wrong = list(violations(readings, options.at_once))
    for text in wrong:
        print(f"VIOLATION  {text}")
    if not wrong:
        print(f"Nothing leaks, and the memory stays below its goal of {MOST // MIB} MiB.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
