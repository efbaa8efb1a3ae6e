"""The simulated databases that both sides of a comparison ask.

All that is measured by turns asks both sides for the same, which neither has been asked before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import aiohttp

from benchmarks import floor, upstreams
from benchmarks.against.builds import Package
from benchmarks.against.turns import Both, Measuring, two
from benchmarks.sides import NotMeasured

WARM_UP = "warm up"


def rendered(base: str, shapes: Sequence[str], queries: Sequence[str], rows: int) -> None:
    """Let the databases make their answers, which they then keep."""

    async def ask() -> None:
        async with aiohttp.ClientSession() as session:
            for query in queries:
                await floor.fan_out(session, floor.urls(base, shapes, query, rows))

    asyncio.run(ask())


@contextmanager
def databases(shapes: Sequence[str]) -> Iterator[str]:
    """Running databases of these shapes.

    Raises:
        NotMeasured: They are not here.
    """
    if not upstreams.MOCK.exists():
        raise NotMeasured("the simulated databases are not beside this checkout")
    with upstreams.mock(len(shapes)) as base:
        yield base


@contextmanager
def asked(
    packages: Both[Package], shapes: Sequence[str], rows: int, queries: Sequence[Sequence[str]]
) -> Iterator[Both[Measuring]]:
    """Both sides, warm, and databases that have made the answers to these queries."""
    with databases(shapes) as base, two(packages) as both:
        rendered(base, shapes, [WARM_UP, *(query for some in queries for query in some)], rows)
        for side in both:
            side.call("open", base=base, shapes=shapes)
            side.call("warm", query=WARM_UP, rows=rows)
        yield both


def rounds_of(rounds: int, queries: int) -> list[list[str]]:
    """So many queries for each round."""
    asked = upstreams.queries()
    return [upstreams.some(asked, queries) for _ in range(rounds)]
