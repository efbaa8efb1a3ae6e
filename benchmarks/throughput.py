"""How many searches a second: of one engine beside the floor, and of a server with two workers
beside one."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import aiohttp

from benchmarks import servers, upstreams
from benchmarks.processes import HERTZ, cpu_of_all
from benchmarks.sides import CROSSREF, Measured, NotMeasured, at_once, of_turns, sides

_PROC = Path("/proc")
#: Share of their cores that workers must have been able to use; with less, waiting for one another
#: would not show.
ENOUGH = 0.5


def beside(count: int, searches: int = 32, rounds: int = 2) -> Measured:
    """Answers a second while `count` searches are under way, of one process, as a share of the
    floor's, by turns."""
    with upstreams.mock(len(CROSSREF)) as base:
        return asyncio.run(_beside(base, count, searches, rounds))


async def _beside(base: str, count: int, searches: int, rounds: int) -> Measured:
    bare, ours = [], []
    async with sides(base, CROSSREF, 20) as both:
        asked = upstreams.queries()
        queries = [upstreams.some(asked, searches) for _ in range(rounds)]
        for some in queries:
            await both.warm(some)
        await at_once(both.floor, queries[0], count)  # connections are made
        for some in queries:
            bare.append(await at_once(both.floor, some, count))
            ours.append(await at_once(both.answer, some, count))
    rates = f"{statistics.median(ours):.0f} searches/s, the floor {statistics.median(bare):.0f}"
    return Measured(of_turns(ours, bare), rates)


class Served(NamedTuple):
    """What a server did in a while.

    Attributes:
        searches: That were answered.
        seconds: How long.
        cores: Cores that its processes had or could have had: those it used, and those that lay
            idle.
    """

    searches: int
    seconds: float
    cores: float

    def per_core(self, workers: int) -> float:
        """Searches a second for each core that so many workers could have used."""
        return self.searches / self.seconds / min(self.cores, workers)


def two_workers(searches: int = 96, count: int = 32, rounds: int = 2) -> Measured:
    """Throughput of `serve --workers 2` as a multiple of `--workers 1`, over HTTP, with their cores
    to themselves.

    The simulated databases and the client that asks need the same two cores, and whatever else runs
    here. So the kernel is asked (/proc/stat) how much CPU time the workers used, and how much lay
    idle: both together is what they could have used, and one worker can use one core at most. The
    searches a second are divided by that and multiplied by the workers. Workers that wait for one
    another, or of which one gets too little to do, leave cores idle, and those that spend more on a
    search do fewer: each shows as a lower figure. What the others take does not. The two servers
    take turns; every search comes over a connection of its own, so that the workers can share them
    evenly.
    """
    if not (_PROC / "stat").exists():
        raise NotMeasured(
            "this system has no /proc/stat that tells how much of the cores the others took"
        )
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        raise NotMeasured("there is one core only")
    asked = upstreams.queries()
    rates: dict[int, list[float]] = {1: [], 2: []}
    shown: dict[int, list[float]] = {1: [], 2: []}
    with (
        upstreams.mock(len(CROSSREF)) as base,
        serving(configuration(base), 1) as one,
        serving(configuration(base), 2) as two,
    ):
        for url, _ in (one, two):  # what each worker loads once
            asyncio.run(_ask(url, upstreams.some(asked, 16), 8))
        for _ in range(rounds):
            queries = upstreams.some(asked, searches)
            asyncio.run(_render(base, queries))
            for workers, (url, process) in ((1, one), (2, two)):
                served = _measured(url, process, queries, count)
                if served.cores < ENOUGH * workers:
                    raise NotMeasured(
                        f"this machine is too busy: {served.cores:.1f} cores were left to {workers}"
                    )
                rates[workers].append(workers * served.per_core(workers))
                shown[workers].append(served.searches / served.seconds)
    detail = ", ".join(
        f"{workers}: {statistics.median(rates[workers]):.0f} searches/s (as counted: "
        f"{statistics.median(it):.0f})"
        for workers, it in shown.items()
    )
    return Measured(of_turns(rates[2], rates[1]), detail)


async def _render(base: str, queries: Sequence[str]) -> None:
    async with sides(base, CROSSREF, 20) as both:
        for query in queries:
            await both.floor(query)


def _measured(url: str, process: int, queries: Sequence[str], count: int) -> Served:
    used, idle, began = cpu_of_all(process), idle_seconds(), time.perf_counter()
    asyncio.run(_ask(url, queries, count))
    seconds = time.perf_counter() - began
    free = cpu_of_all(process) - used + idle_seconds() - idle
    return Served(len(queries), seconds, free / seconds)


async def _ask(url: str, queries: Sequence[str], count: int) -> None:
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True)
    ) as session:

        async def ask(query: str) -> None:
            async with session.get(
                url, params={"q": query, "format": "json", "per_source": "20"}
            ) as response:
                await response.read()
                assert response.status == 200, response.status

        await at_once(ask, queries, count)


@contextmanager
def _both(configured: str) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """A server with one worker and one with two."""
    with serving(configured, 1) as one, serving(configured, 2) as two:
        yield one, two


@contextmanager
def serving(configured: str, workers: int, **how: Any) -> Iterator[tuple[str, int]]:
    """A running server with this configuration, in TOML; `how` is more for `servers.start`.

    Gives the address of its searches and its process, of which workers are children.
    """
    with TemporaryDirectory() as folder:
        config, log = Path(folder) / "config.toml", Path(folder) / "log"
        config.write_text(configured, encoding="utf-8")
        with servers.start(config, log, "--workers", str(workers), **how) as process:
            try:
                yield f"{servers.address(process, log)}/search", process.pid
            finally:
                process.terminate()
                process.wait(20)


def configuration(base: str, tables: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """The databases as a user writes them down, in TOML; without a cache, and with no limit for one
    client.

    Args:
        base: Their URL.
        tables: Source -> its table, of which `extends`, `url` and `limits` count; None is ten of
            the simulated ones.
    """
    tables = tables or upstreams.tables(base, CROSSREF)
    lines = [
        "[network]",
        f'allow = ["{base.removeprefix("http://")}"]',
        "[cache]",
        "enabled = false",
    ]
    # Without this the shipped sources would be asked, too.
    lines += ["[server]", "rate_limit = 0", "[search]", f"sources = {json.dumps(list(tables))}"]
    for name, table in tables.items():
        lines += [f"[sources.{name}]", f'extends = "{table["extends"]}"', f'url = "{table["url"]}"']
        lines += [f"limits.{key} = {value}" for key, value in table["limits"].items()]
    return "\n".join((*lines, ""))


def idle_seconds() -> float:
    """Seconds that the cores lay idle, all together."""
    idle, waited = (_PROC / "stat").read_text().split("\n", 1)[0].split()[4:6]
    return (int(idle) + int(waited)) / HERTZ
