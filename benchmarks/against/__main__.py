"""What a release brought: two commits of the project, measured side by side and held to be equal.

    python3 tasks.py bench --against COMMIT [--part NAME ...] [--list] [--long]

COMMIT (whatever git takes for one, or a folder that holds a checkout) is put beside this checkout,
with an environment of its own where it depends on something else. First both must find the same
(`--part equal`): see `equality.py`. Then the same queries are put to both by turns, and the table
has each figure for both sides, with their ratio: all CPU is that of the process alone, and the
ratio is the median of those of the turns. What is not here (simulated databases, Zebra, labelled
sets) is skipped. `--long` takes the rows of many minutes, too.

Exits 1 where the two differ or a row misses its goal, 2 where COMMIT cannot be measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.against import catalogues, equality, measures, programs
from benchmarks.against.builds import NoBuild, Package, build
from benchmarks.against.turns import Both, Figures, TooOld, measuring
from benchmarks.sides import CROSSREF, MIXED, NotMeasured
from benchmarks.speed import Row
from benchmarks.upstreams import ROOT

EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class TwoSided(Row):
    """A figure of two packages.

    Attributes:
        shown: What both figures are counted in; the goal is for their ratio, unless it is in the
            same.
        long: Whether it takes many minutes.
    """

    shown: str = "ms"
    long: bool = False

    @property
    def of_ratio(self) -> bool:
        """Whether the goal is for the ratio, and not for the side after."""
        return self.unit == RATIO

    def told(self, found: Figures) -> tuple[str, bool]:
        """The line of the table, and whether the goal is reached."""
        reached = self.reached(found.ratio if self.of_ratio else found.after)
        cells = f"{found.before:9.2f}{found.after:9.2f} {self.shown:6}{found.ratio:6.2f}"
        return self.line(cells, "reached" if reached else "MISSED", found.detail), reached


RATIO = "x before"
ROWS: Sequence[TwoSided] = (
    TwoSided(
        "cpu-20",
        "CPU a query, 10 x 20, crossref-shaped",
        0.68,
        RATIO,
        partial(measures.per_query, shapes=CROSSREF, rows=20, queries=2),
    ),
    TwoSided(
        "cpu-20-mixed",
        "CPU a query, 10 x 20, three shapes",
        0.75,
        RATIO,
        partial(measures.per_query, shapes=MIXED, rows=20, queries=2),
    ),
    TwoSided(
        "cpu-100",
        "CPU a query, 10 x 100, crossref-shaped",
        0.68,
        RATIO,
        partial(measures.per_query, shapes=CROSSREF, rows=100, queries=1),
    ),
    TwoSided(
        "cpu-100-mixed",
        "CPU a query, 10 x 100, three shapes",
        0.75,
        RATIO,
        partial(measures.per_query, shapes=MIXED, rows=100, queries=1),
    ),
    TwoSided("sru", "CPU a record over SRU and MARCXML", 0.65, RATIO, catalogues.per_record),
    TwoSided("served", "CPU a request of the server, 10 x 100", 0.65, RATIO, programs.served),
    TwoSided("first", "CPU of the first query, 10 x 20", 100, "ms", measures.first_query),
    TwoSided("demo", "CPU of `metasearch --demo`", 0.5, "s", programs.demo, shown="s"),
    TwoSided("stall", "event loop late, 10 x 100, p99", 25, "ms", measures.stall),
    TwoSided(
        "stall-8",
        "the same with 8 searches at once",
        25,
        "ms",
        partial(measures.stall, at_once=8, queries=8, rounds=4),
    ),
    TwoSided(
        "crowded", "CPU a query with 32 at once", 1.1, "x one", measures.crowded, shown="x one"
    ),
    TwoSided(
        "sru-peak", "peak memory, 32 x 400 over SRU", 220, "MiB", catalogues.peak, shown="MiB"
    ),
    TwoSided("sru-stays", "of it after 30 idle seconds", 110, "MiB", catalogues.stays, shown="MiB"),
    TwoSided(
        "soak",
        "memory after 10,000 searches of 10 x 20",
        75,
        "MiB",
        measures.soaked,
        shown="MiB",
        long=True,
    ),
    TwoSided(
        "dedup",
        "records a CPU second, four labelled sets",
        1.2,
        RATIO,
        measures.whole_files,
        least=True,
        shown="rec/s",
    ),
)


def measured(row: TwoSided, packages: Both[Package]) -> tuple[str, bool]:
    """The row's line, and whether it reaches its goal; what cannot be measured here misses
    nothing."""
    try:
        found: Figures = row.measure(packages)
    except NotMeasured as exc:
        return row.line("-", "skipped", str(exc)), True
    except Exception as exc:
        return row.line("-", "FAILED", f"{type(exc).__name__}: {exc}"[:200]), False
    return row.told(found)


def chosen(parts: Sequence[str] | None, *, long: bool) -> list[TwoSided]:
    """The rows of these names, or whose names begin so; without any all but the long ones."""
    if not parts:
        return [row for row in ROWS if long or not row.long]
    exact = {row.name for row in ROWS}.intersection(parts)
    return [
        row
        for row in ROWS
        if row.name in exact
        or any(row.name.startswith(part) for part in parts if part not in exact)
    ]


def main() -> int:
    """Print whether both are equal, and the table."""
    parser = argparse.ArgumentParser(
        prog="python3 tasks.py bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--against", metavar="COMMIT", required=True)
    parser.add_argument(
        "--part", metavar="NAME", action="append", help="only this, or what begins so"
    )
    parser.add_argument("--list", action="store_true", help="name all rows and measure nothing")
    parser.add_argument("--long", action="store_true", help="also the rows of many minutes")
    options = parser.parse_args()
    rows = chosen(options.part, long=options.long)
    if options.list:
        print(f"{EQUAL:14}both find the same")
        print("\n".join(f"{row.name:14}{row.what}{' (--long)' * row.long}" for row in ROWS))
        return 0
    unknown = [
        part for part in options.part or () if part != EQUAL and not chosen([part], long=True)
    ]
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}; --list names them")
    with TemporaryDirectory() as folder:
        try:
            packages = (build(options.against, Path(folder)), Package("after", ROOT))
            for package in packages:
                package.compile()
            with measuring(*packages):
                pass
        except (NoBuild, TooOld) as exc:
            print(exc, file=sys.stderr)
            return 2
        return compared(packages, rows, equal=not options.part or EQUAL in options.part)


def compared(packages: Both[Package], rows: Sequence[TwoSided], *, equal: bool) -> int:
    """Print all; 0 where nothing differs and no row misses its goal."""
    began, missed = time.monotonic(), []
    if equal:
        checkouts, pythons = ([it.checkout for it in packages], [it.python for it in packages])
        if not equality.compare(checkouts, pythons=pythons):
            missed.append(EQUAL)
    if rows:
        print(f"{'row':14}{'what':42}{'before':>9}{'after':>9}{'':7}{'ratio':>6}  goal")
    for row in rows:
        line, reached = measured(row, packages)
        print(line, flush=True)
        if not reached:
            missed.append(row.name)
    print(f"{len(rows)} rows in {time.monotonic() - began:.0f} s", end="")
    print(f"; missed: {', '.join(missed)}" if missed else "; none misses its goal")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
