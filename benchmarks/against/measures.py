"""What is measured of two packages: each function gives the figures of one row."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import partial

from benchmarks import dedup, upstreams
from benchmarks.against.builds import Package
from benchmarks.against.simulated import asked, databases, rendered, rounds_of
from benchmarks.against.turns import Both, Figures, Measuring, by_turns, figures, measuring, two
from benchmarks.held import MIB
from benchmarks.sides import CROSSREF, NotMeasured


def per_query(
    packages: Both[Package], shapes: Sequence[str], rows: int, queries: int, rounds: int = 24
) -> Figures:
    """Milliseconds of CPU of a query."""
    words = rounds_of(rounds, queries)
    with asked(packages, shapes, rows, words) as both:
        return figures(
            by_turns(
                both, rounds, lambda side, n: float(side.call("cpu", queries=words[n], rows=rows))
            )
        )


def crowded(packages: Both[Package], at_once: int = 32, rounds: int = 4) -> Figures:
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


def stall(packages: Both[Package], at_once: int = 1, queries: int = 4, rounds: int = 6) -> Figures:
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


def first_query(packages: Both[Package], rounds: int = 8) -> Figures:
    """Milliseconds of CPU of the first query of a process, 10 x 20; its engine is open."""
    words = upstreams.some(upstreams.queries(), rounds)
    with databases(CROSSREF) as base:
        rendered(base, CROSSREF, words, 20)

        def first(package: Package, number: int) -> float:
            with measuring(package) as (side,):
                side.call("open", base=base, shapes=CROSSREF)
                return float(side.call("cpu", queries=words[number : number + 1], rows=20))

        return figures(by_turns(packages, rounds, first))


def soaked(packages: Both[Package], searches: int = 10_000, at_once: int = 8) -> Figures:
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


def whole_files(packages: Both[Package], rounds: int = 4) -> Figures:
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
