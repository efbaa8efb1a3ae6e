"""Memory: under bodies that are made to fill it, and under many searches at once."""

from __future__ import annotations

import asyncio
import gc

from benchmarks import upstreams
from benchmarks.held import MIB, peak, resident
from benchmarks.sides import Measured, sides
from metasearch.engine.engine import Engine
from metasearch.settings import Settings

#: The databases of a search: one of each shape.
SHAPES = upstreams.SHAPES


def under(fault: str) -> Measured:
    """MiB of the peak beyond what was held before, when one database of four answers with this
    fault.

    The same search without it came first, so that what is loaded once does not count; the bound of
    a body is as it comes.
    """
    with upstreams.mock(len(SHAPES) + 1) as base:
        return asyncio.run(_under(base, fault))


async def _under(base: str, fault: str) -> Measured:
    shapes = (*SHAPES, "crossref")
    plain = upstreams.settings(base, shapes)
    bad = f"db{len(SHAPES)}"
    sources = {
        **plain.sources,
        bad: {**plain.sources[bad], "url": f"{plain.sources[bad]['url']}?fault={fault}"},
    }
    allow = frozenset({base.removeprefix("http://")})
    async with sides(base, shapes, 20) as both:
        await both.warm(())
    async with Engine(
        Settings(sources=sources, default_sources=tuple(sources), allow=allow)
    ) as engine:
        gc.collect()
        with peak() as grown:
            answer = await engine.search("soil", per_source=20)
    report = next(it for it in answer.sources if it.source == bad)
    assert answer.counts.received >= 20 * len(SHAPES), answer.sources
    return Measured(grown[0] / MIB, f"{report.status}: {report.error or f'{report.count} records'}")


def many_at_once(count: int = 200, rounds: int = 3) -> Measured:
    """MiB by which the process grows after the first round of so many streams at once, each for
    something new."""
    with upstreams.mock(len(SHAPES)) as base:
        return asyncio.run(_many_at_once(base, count, rounds))


async def _many_at_once(base: str, count: int, rounds: int) -> Measured:
    held = []
    async with sides(base, SHAPES, 20) as both:
        await both.warm(())
        asked = upstreams.queries()
        before = resident()
        for _ in range(rounds):
            await asyncio.gather(*map(both.stream, upstreams.some(asked, count)))
            gc.collect()
            held.append(resident())
    told = ", ".join(f"{it / MIB:.0f}" for it in (before, *held))
    return Measured((max(held) - held[0]) / MIB, f"MiB before, and after each round: {told}")
