"""The two sides of a comparison in one process: the bare floor of floor.py, and an engine that asks
the same."""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

import aiohttp

from benchmarks import floor, upstreams
from metasearch.engine.engine import Engine
from metasearch.events import Answer, SearchEvent
from metasearch.settings import Settings

CROSSREF = ("crossref",) * 10
#: Ten databases that speak crossref, arxiv and sru by turns.
MIXED = tuple(upstreams.SHAPES[number % len(upstreams.SHAPES)] for number in range(10))

Ask = Callable[[str], Awaitable[object]]


class Measured(NamedTuple):
    """A figure, and in words what else was seen."""

    value: float
    detail: str = ""


class NotMeasured(Exception):
    """Why there is nothing to measure here."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Both, ready to be asked.

    Attributes:
        base: URL of the databases.
        shapes: What each of them speaks.
        rows: Records asked from each.
    """

    base: str
    shapes: Sequence[str]
    rows: int
    session: aiohttp.ClientSession
    engine: Engine

    async def floor(self, query: str) -> object:
        """The floor's answer."""
        return await floor.fan_out(
            self.session, floor.urls(self.base, self.shapes, query, self.rows)
        )

    async def answer(self, query: str) -> Answer:
        """Ours, at the end; all records must be there."""
        answer = await self.engine.search(query, per_source=self.rows)
        assert answer.complete, answer.sources
        assert answer.counts.received == self.rows * len(self.shapes), answer.counts
        return answer

    async def stream(self, query: str) -> list[SearchEvent]:
        """Ours, as it comes."""
        return [event async for event in self.engine.search(query, per_source=self.rows)]

    async def warm(self, queries: Sequence[str]) -> None:
        """Let the databases render their answers, which they then keep; and both sides load what
        they load once.

        The engine is asked something else, so that it has seen none of the queries when it is
        measured.
        """
        for query in queries:
            await self.floor(query)
        await self.answer("warm up")
        gc.collect()
        gc.freeze()  # as the server does at its start


@asynccontextmanager
async def sides(
    base: str, shapes: Sequence[str], rows: int, settings: Settings | None = None
) -> AsyncIterator[Sides]:
    """Both sides; `settings` of None are those of `upstreams.settings`."""
    unlimited = aiohttp.TCPConnector(limit=0)
    async with (
        aiohttp.ClientSession(connector=unlimited) as session,
        Engine(settings or upstreams.settings(base, shapes)) as engine,
    ):
        yield Sides(base, shapes, rows, session, engine)


async def cpu_of(ask: Ask, queries: Sequence[str]) -> float:
    """Milliseconds of CPU of this process for one query, one after the other."""
    gc.collect()
    began = time.process_time()
    for query in queries:
        await ask(query)
    return (time.process_time() - began) / len(queries) * 1000


async def times_of(ask: Ask, queries: Sequence[str]) -> list[float]:
    """Milliseconds that each query takes, one after the other."""
    found = []
    for query in queries:
        began = time.perf_counter()
        await ask(query)
        found.append((time.perf_counter() - began) * 1000)
    return found


async def at_once(ask: Ask, queries: Sequence[str], count: int) -> float:
    """Queries a second while `count` are always under way."""
    waiting = iter(queries)

    async def work() -> None:
        for query in waiting:
            await ask(query)

    gc.collect()
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(work())
    return len(queries) / (time.perf_counter() - began)


def of_turns(ours: Sequence[float], bare: Sequence[float]) -> float:
    """Median of the ratios that turns had: what slows the machine for a while slows both sides of a
    turn."""
    return statistics.median(one / other for one, other in zip(ours, bare, strict=True))
