"""CPU: of a query beside the floor, of a record over SRU, and of a search that is made again.

All of it is `time.process_time` of this process, threads included.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
from yarl import URL

from benchmarks import upstreams, zebra
from benchmarks.sides import CROSSREF, Measured, cpu_of, of_turns, sides
from benchmarks.zebra import CATALOGUED, ROWS_OF_A_CATALOGUE
from metasearch.adapters.translate.plan import plan
from metasearch.engine.engine import Engine
from metasearch.query import parse
from metasearch.settings import Settings


def per_query(shapes: Sequence[str], rows: int, queries: int, rounds: int = 4) -> Measured:
    """An answer's, as a multiple of the floor's: each round asks for something new, the floor and
    ours by turns."""
    with upstreams.mock(len(shapes)) as base:
        return asyncio.run(_per_query(base, shapes, rows, queries, rounds))


async def _per_query(
    base: str, shapes: Sequence[str], rows: int, queries: int, rounds: int
) -> Measured:
    bare, plain, stream = [], [], []
    async with sides(base, shapes, rows) as both:
        asked = upstreams.queries()
        for_answers, for_streams = (
            [upstreams.some(asked, queries) for _ in range(rounds)] for _ in range(2)
        )
        for some in (*for_answers, *for_streams):
            await both.warm(some)
        for answers, streams in zip(for_answers, for_streams, strict=True):
            bare.append(await cpu_of(both.floor, answers))
            plain.append(await cpu_of(both.answer, answers))
            stream.append(await cpu_of(both.stream, streams))
    detail = (
        f"floor {statistics.median(bare):.1f} ms, answer {statistics.median(plain):.1f} ms; "
        f"as a stream {of_turns(stream, bare):.1f} x"
    )
    return Measured(of_turns(plain, bare), detail)


def per_record() -> Measured:
    """Milliseconds for a record over SRU and MARCXML: four catalogues, a hundred records of each.

    A relay answers in the servers' stead what they said before, so that they cost nothing. Of each
    query counts the first answer that this process sees, and of all queries the median.
    """
    with zebra.catalogues() as targets:
        return asyncio.run(_per_record(targets))


async def _per_record(targets: Mapping[str, str]) -> Measured:
    settings = zebra.settings(targets)
    sources = settings.sources
    async with aiohttp.ClientSession() as session, Engine(settings) as engine:

        async def record(query: str) -> None:
            answer = await engine.search(query, per_source=ROWS_OF_A_CATALOGUE)
            assert answer.counts.received == ROWS_OF_A_CATALOGUE * len(sources), answer.sources

        for query in CATALOGUED:  # what the relays are to know
            for name in sources:
                asked = plan(parse(query), engine.registry.spec(name), ROWS_OF_A_CATALOGUE).request
                async with session.get(URL(asked.url, encoded=True)) as response:
                    await response.read()
        await record(CATALOGUED[0])
        first = [await cpu_of(record, [query]) for query in CATALOGUED[1:]]
        again = [await cpu_of(record, [query]) for query in CATALOGUED[1:]]
    records = ROWS_OF_A_CATALOGUE * len(sources)
    once, twice = statistics.median(first), statistics.median(again)
    return Measured(
        once / records, f"{records} records a query, {once:.0f} ms; once more {twice:.0f} ms"
    )


def _cached(base: str, folder: Path) -> Settings:
    """Settings as ever, with a cache."""
    plain = upstreams.settings(base, CROSSREF)
    sources = {
        name: {**table, "limits": {**table["limits"], "ttl": 3600}}
        for name, table in plain.sources.items()
    }
    return replace(plain, sources=sources, cache_dir=folder)


async def _three_times(base: str, queries: Sequence[str]) -> tuple[float, float, float]:
    """Milliseconds of CPU of a search at first, of the same by another engine on the same pages,
    and once more."""
    with TemporaryDirectory() as folder:
        settings = _cached(base, Path(folder))
        async with sides(base, CROSSREF, 20, settings) as both:
            await both.warm(queries)
            first = await cpu_of(both.answer, queries)
        async with sides(base, CROSSREF, 20, settings) as both:
            await both.answer("warm up")
            pages = await cpu_of(both.answer, queries)
            return first, pages, await cpu_of(both.answer, queries)


def again(rounds: int = 3) -> list[tuple[float, float, float]]:
    """What `_three_times` gives for each round, which asks for something new."""
    with upstreams.mock(len(CROSSREF)) as base:
        asked = upstreams.queries()
        return [asyncio.run(_three_times(base, upstreams.some(asked, 6))) for _ in range(rounds)]


def from_pages() -> Measured:
    """CPU of a search whose pages are in the cache, as a share of the same search at first, which
    put them there."""
    found = again()
    first, pages, _ = (statistics.median(column) for column in zip(*found, strict=True))
    return Measured(
        of_turns([it[1] for it in found], [it[0] for it in found]), f"{pages:.1f} of {first:.1f} ms"
    )


def from_the_answer() -> Measured:
    """Milliseconds of CPU of a search whose answer was given a moment ago."""
    return Measured(statistics.median(it[2] for it in again(rounds=1)))
