"""What is measured of two packages: each function gives the figures of one row.

All that is measured by turns asks both sides for the same, which neither has been asked before.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from itertools import combinations

import aiohttp

from benchmarks import dedup, floor, processes, upstreams, zebra
from benchmarks.against.builds import Package
from benchmarks.against.checkouts import environment
from benchmarks.against.turns import Both, Figures, Measuring, by_turns, figures, measuring, two
from benchmarks.held import MIB
from benchmarks.sides import CROSSREF, NotMeasured
from benchmarks.throughput import configuration, serving

Packages = Both[Package]

WARM_UP = "warm up"


# --------------------------------------------------------------------------- simulated databases


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
    packages: Packages, shapes: Sequence[str], rows: int, queries: Sequence[Sequence[str]]
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


def per_query(
    packages: Packages, shapes: Sequence[str], rows: int, queries: int, rounds: int = 24
) -> Figures:
    """Milliseconds of CPU of a query."""
    words = rounds_of(rounds, queries)
    with asked(packages, shapes, rows, words) as both:
        return figures(
            by_turns(
                both, rounds, lambda side, n: float(side.call("cpu", queries=words[n], rows=rows))
            )
        )


def crowded(packages: Packages, at_once: int = 32, rounds: int = 4) -> Figures:
    """CPU of a query of 10 x 20 with so many at once, as a multiple of that of one."""
    alone, together = (
        rounds_of(2 * rounds, at_once)[:rounds],
        rounds_of(2 * rounds, at_once)[rounds:],
    )
    with asked(packages, CROSSREF, 20, [*alone, *together]) as both:

        def times(side: Measuring, number: int) -> float:
            one = side.call("cpu", queries=alone[number], rows=20)
            many = side.call("cpu", queries=together[number], rows=20, at_once=at_once)
            return float(many / one)

        return figures(by_turns(both, rounds, times))


def stall(packages: Packages, at_once: int = 1, queries: int = 4, rounds: int = 6) -> Figures:
    """p99 of the milliseconds by which the loop is late, 10 x 100, so many searches at once.

    Other processes on the same cores make it late as well, so it is also told what both sides have
    caused themselves.
    """
    words = rounds_of(rounds, queries)
    with asked(packages, CROSSREF, 100, words) as both:
        own: dict[str, list[float]] = {side.name: [] for side in both}

        def late(side: Measuring, number: int) -> float:
            said = side.call("late", queries=words[number], rows=100, at_once=at_once)
            own[side.name].append(said["own"])
            return float(said["late"])

        found = by_turns(both, rounds, late)
    before, after = (statistics.median(own[package.name]) for package in packages)
    return figures(found, f"caused themselves: {before:.1f} and {after:.1f} ms")


def first_query(packages: Packages, rounds: int = 8) -> Figures:
    """Milliseconds of CPU of the first query of a process, 10 x 20; its engine is open."""
    words = upstreams.some(upstreams.queries(), rounds)
    with databases(CROSSREF) as base:
        rendered(base, CROSSREF, words, 20)

        def first(package: Package, number: int) -> float:
            with measuring(package) as (side,):
                side.call("open", base=base, shapes=CROSSREF)
                return float(side.call("cpu", queries=words[number : number + 1], rows=20))

        return figures(by_turns(packages, rounds, first))


def soaked(packages: Packages, searches: int = 10_000, at_once: int = 8) -> Figures:
    """MiB that a process holds after so many searches of 10 x 20."""
    words = upstreams.some(upstreams.queries(), searches)
    with databases(CROSSREF) as base:

        def after(package: Package, _: int) -> float:
            with measuring(package) as (side,):
                side.call("open", base=base, shapes=CROSSREF)
                side.call("serving")
                side.call("cpu", queries=words, rows=20, at_once=at_once)
                return float(side.call("memory")["now"] / MIB)

        return figures(by_turns(packages, 1, after))


# --------------------------------------------------------------------------- whole programs


def served(packages: Packages, rows: int = 100, requests: int = 3, rounds: int = 8) -> Figures:
    """Milliseconds of CPU of `metasearch serve` for a request, its answer written as JSON."""
    if not processes.TOLD:
        raise NotMeasured("this system does not tell what other processes use")
    words = rounds_of(rounds, requests)
    with databases(CROSSREF) as base, ExitStack() as stack:
        rendered(base, CROSSREF, [WARM_UP, *(query for some in words for query in some)], rows)
        before, after = (
            stack.enter_context(
                serving(
                    configuration(base),
                    1,
                    env=environment(package.checkout),
                    python=package.python,
                )
            )
            for package in packages
        )

        def request(server: tuple[str, int], number: int) -> float:
            url, process = server
            began = processes.cpu_of_all(process)
            for query in words[number]:
                fetched(url, query, rows)
            return (processes.cpu_of_all(process) - began) / requests * 1000

        for url, _ in (before, after):
            fetched(url, WARM_UP, rows)
        return figures(by_turns((before, after), rounds, request))


def fetched(url: str, query: str, rows: int) -> bytes:
    """The answer of a server, as JSON."""
    asked = urllib.parse.urlencode({"q": query, "format": "json", "per_source": rows})
    with urllib.request.urlopen(f"{url}?{asked}", timeout=60) as response:
        body: bytes = response.read()
    return body


def demo(packages: Packages, rounds: int = 6) -> Figures:
    """Seconds of CPU of `metasearch --demo "gambling harms"`, from its start to its end."""

    def one(package: Package, _: int) -> float:
        command = [package.python, "-m", "metasearch", "--demo", "gambling harms"]
        before = children()
        subprocess.run(
            command,
            env=environment(package.checkout),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return children() - before

    return figures(by_turns(packages, rounds, one))


def children() -> float:
    """Seconds of CPU of the processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --------------------------------------------------------------------------- catalogues

#: Queries that at least a hundred records of each catalogue answer.
CATALOGUED = (
    *zebra.CATALOGUED,
    *(f"{one} OR {other}" for one, other in combinations(zebra.CATALOGUED, 2)),
)


@contextmanager
def catalogues(package: Package, queries: Sequence[str]) -> Iterator[dict[str, str]]:
    """Running catalogues whose relays know the answers to these queries: a package has asked for
    them.

    Raises:
        NotMeasured: Zebra is not here.
    """
    with zebra.catalogues() as targets:
        with measuring(package) as (side,):
            side.call("open_catalogues", targets=targets)
            side.call("cpu", queries=queries, rows=zebra.ROWS_OF_A_CATALOGUE)
        yield targets


def per_record(packages: Packages, rounds: int = 20) -> Figures:
    """Milliseconds of CPU for a record over SRU and MARCXML: four catalogues, a hundred records of
    each; each query is new."""
    warm, *words = CATALOGUED[: rounds + 1]
    rows = zebra.ROWS_OF_A_CATALOGUE
    with catalogues(packages[1], [warm, *words]) as targets, two(packages) as both:
        for side in both:
            side.call("open_catalogues", targets=targets)
            side.call("warm", query=warm, rows=rows)

        def one(side: Measuring, number: int) -> float:
            cpu = side.call("cpu", queries=words[number : number + 1], rows=rows)
            return float(cpu / rows / len(targets))

        return figures(by_turns(both, rounds, one))


@cache
def _records_at_once(packages: Packages, at_once: int, idle: float) -> Both[Figures]:
    """MiB that a process has held at most, and that it holds some seconds later."""
    words = CATALOGUED[-at_once:]
    rows = zebra.ROWS_OF_A_CATALOGUE
    most: dict[str, float] = {}

    with catalogues(packages[1], words) as targets:

        def one(package: Package, _: int) -> float:
            with measuring(package) as (side,):
                side.call("open_catalogues", targets=targets)
                side.call("serving")
                side.call("cpu", queries=words, rows=rows, at_once=at_once)
                most[package.name] = side.call("memory")["most"] / MIB
                side.call("idle", seconds=idle)
                return float(side.call("memory")["now"] / MIB)

        stays = by_turns(packages, 1, one)
    before, after = (most[package.name] for package in packages)
    return figures([(before, after)]), figures(stays)


def peak(packages: Packages, at_once: int = 32) -> Figures:
    """MiB that a process holds at most while so many searches over SRU ask for 400 records each."""
    return _records_at_once(packages, at_once, 30.0)[0]


def stays(packages: Packages, at_once: int = 32) -> Figures:
    """MiB that it holds 30 idle seconds later."""
    return _records_at_once(packages, at_once, 30.0)[1]


# --------------------------------------------------------------------------- dedup


def whole_files(packages: Packages, rounds: int = 4) -> Figures:
    """Records a second of CPU of the four largest labelled sets, from record to work."""
    if not dedup.SETS.is_dir():
        raise NotMeasured("the labelled sets are not beside this checkout")
    sets = dedup.largest_sets(4)
    records = sum(len(it.records) for it in sets)
    seconds: dict[str, list[Both[float]]] = {}
    with two(packages) as both:
        for it in sets:
            spent = partial(_spent, path=str(dedup.SETS / it.name))
            # The first round reads the file and fills caches.
            seconds[it.name] = by_turns(both, rounds + 1, spent)[1:]
    rates = [
        tuple(records / sum(times[number][place] for times in seconds.values()) for place in (0, 1))
        for number in range(rounds)
    ]
    each = (f"{name} {1 / figures(times).ratio:.2f}" for name, times in seconds.items())
    return figures([(before, after) for before, after in rates], f"x: {', '.join(each)}")


def _spent(side: Measuring, _: int, path: str) -> float:
    return float(side.call("dedup", path=path))
