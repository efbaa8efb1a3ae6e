"""What is measured of two packages over SRU: each function gives the figures of one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import combinations

from benchmarks import zebra
from benchmarks.against.builds import Package
from benchmarks.against.turns import Both, Figures, Measuring, by_turns, figures, measuring, two
from benchmarks.held import MIB

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


def per_record(packages: Both[Package], rounds: int = 20) -> Figures:
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
def _records_at_once(packages: Both[Package], at_once: int, idle: float) -> Both[Figures]:
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


def peak(packages: Both[Package], at_once: int = 32) -> Figures:
    """MiB that a process holds at most while so many searches over SRU ask for 400 records each."""
    return _records_at_once(packages, at_once, 30.0)[0]


def stays(packages: Both[Package], at_once: int = 32) -> Figures:
    """MiB that it holds 30 idle seconds later."""
    return _records_at_once(packages, at_once, 30.0)[1]
