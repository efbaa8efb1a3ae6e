"""The speed table: every figure that a search is held to, measured, beside its goal.

    python3 tasks.py bench [--part cpu|latency|first|throughput|workers|sru|memory|stall|again]
    [--list]

A part is a row, or all rows whose names begin so. Each row runs in a process of its own, against
databases of its own that run in another; where it is a ratio, both sides run in one process and
take turns, so that they see the same machine. No figure is of a query that the process has answered
before, unless that is the matter of the row. Exits 1 where a row misses its goal.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks import cpu, latency, memory, throughput, upstreams
from benchmarks.sides import CROSSREF, MIXED, NotMeasured

Measure = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Row:
    """A figure that is held to a goal.

    Attributes:
        name: For `--part`.
        what: For people.
        goal: The most that it may be; with `least`, the least; None for a figure that is only told,
            because what it should be is told by a comparison with another commit.
        unit: What it is counted in.
        measure: How it is found, as a `Measured`; its docstring says what is measured.
    """

    name: str
    what: str
    goal: float | None
    unit: str
    measure: Measure
    least: bool = False

    def reached(self, value: float) -> bool:
        """Whether a figure reaches the goal; without one it does."""
        if self.goal is None:
            return True
        return value >= self.goal if self.least else value <= self.goal

    def line(self, figure: str, verdict: str, detail: str = "") -> str:
        """A line of the table."""
        sign = ">=" if self.least else "<="
        goal = "" if self.goal is None else f"{sign} {self.goal:g} {self.unit}"
        return f"{self.name:24}{self.what:50}{figure:>14}  {goal:17}{verdict:10}{detail}".rstrip()


_SPREAD = "uniform:50,1000"
ROWS = (
    Row(
        "cpu-20",
        "CPU a query, 10 x 20, crossref-shaped",
        None,
        "x floor",
        partial(cpu.per_query, CROSSREF, 20, 10),
    ),
    Row(
        "cpu-20-mixed",
        "CPU a query, 10 x 20, three shapes",
        None,
        "x floor",
        partial(cpu.per_query, MIXED, 20, 10),
    ),
    Row(
        "cpu-100",
        "CPU a query, 10 x 100, crossref-shaped",
        None,
        "x floor",
        partial(cpu.per_query, CROSSREF, 100, 3),
    ),
    Row(
        "cpu-100-mixed",
        "CPU a query, 10 x 100, three shapes",
        None,
        "x floor",
        partial(cpu.per_query, MIXED, 100, 3),
    ),
    Row(
        "latency",
        "plain JSON beyond databases of 200 ms, p50",
        None,
        "x floor",
        latency.beyond_the_slowest,
    ),
    Row("first", "first hit after the fastest source", 10, "ms", latency.first_hit),
    Row(
        "first-hanging",
        "the same beside a database that hangs",
        10,
        "ms",
        partial(latency.first_hit, "9 fault=hang"),
    ),
    Row(
        "first-32",
        "first hit of 32 at once, of the time to the end",
        15,
        "%",
        partial(latency.under_load, "0"),
    ),
    Row(
        "first-32-spread",
        "the same, databases at 50 to 1000 ms",
        15,
        "%",
        partial(latency.under_load, _SPREAD),
    ),
    Row(
        "throughput-8",
        "answers/s, 8 at once",
        None,
        "x floor",
        partial(throughput.beside, 8),
        least=True,
    ),
    Row(
        "throughput-32",
        "answers/s, 32 at once",
        None,
        "x floor",
        partial(throughput.beside, 32),
        least=True,
    ),
    Row("workers", "two workers on two cores", 1.6, "x one", throughput.two_workers, least=True),
    Row("sru", "CPU a record over SRU and MARCXML, 4 x 100", None, "ms", cpu.per_record),
    Row(
        "memory-body",
        "peak memory under a body of 32 MB",
        20,
        "MiB",
        partial(memory.under, "huge:32"),
    ),
    Row(
        "memory-bomb",
        "peak memory under a gzip bomb of 128 MB",
        20,
        "MiB",
        partial(memory.under, "gzipbomb:128"),
    ),
    Row("memory-200", "growth over rounds of 200 streams at once", 8, "MiB", memory.many_at_once),
    Row(
        "stall",
        "event loop late, 10 x 100, crossref-shaped, p99",
        25,
        "ms",
        partial(latency.stall, CROSSREF),
    ),
    Row(
        "stall-mixed",
        "event loop late, 10 x 100, three shapes, p99",
        25,
        "ms",
        partial(latency.stall, MIXED),
    ),
    Row("again-pages", "CPU of the same search from cached pages", 0.8, "x first", cpu.from_pages),
    Row("again-answer", "CPU of the same search within a minute", 3, "ms", cpu.from_the_answer),
)


def measured(row: Row) -> tuple[str, bool]:
    """The row's line, and whether it reaches its goal; one that cannot be measured here misses
    nothing."""
    # A process of its own, so that no row finds the memory of another.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        try:
            value, detail = process.submit(row.measure).result()
        except NotMeasured as exc:
            return row.line("-", "skipped", str(exc)), True
        except (Exception, BrokenProcessPool) as exc:
            return row.line("-", "FAILED", f"{type(exc).__name__}: {exc}"[:200]), False
    reached = row.reached(value)
    verdict = "" if row.goal is None else "reached" if reached else "MISSED"
    return row.line(f"{value:.2f} {row.unit}", verdict, detail), reached


def chosen(part: str | None) -> Sequence[Row]:
    """The rows whose names begin with the part; the row of that name alone, where there is one."""
    return [row for row in ROWS if row.name == part] or [
        row for row in ROWS if row.name.startswith(part or "")
    ]


def main() -> int:
    """Print the table; exit 1 where a row misses its goal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", metavar="NAME", help="only the rows whose names begin so")
    parser.add_argument("--list", action="store_true", help="name all rows and measure nothing")
    options = parser.parse_args()
    rows = chosen(options.part)
    if not rows:
        parser.error(
            f"there is no row {options.part!r}; there are {', '.join(row.name for row in ROWS)}"
        )
    if options.list:
        print("\n".join(f"{row.name:24}{row.what}" for row in rows))
        return 0
    if not upstreams.MOCK.exists():
        print("The simulated databases are not beside this checkout; nothing is measured.")
        return 0
    began, missed = time.monotonic(), []
    print(f"{'row':24}{'what':50}{'figure':>14}  goal")
    for row in rows:
        line, reached = measured(row)
        print(line, flush=True)
        if not reached:
            missed.append(row.name)
    print(
        f"{len(rows) - len(missed)} of {len(rows)} rows in {time.monotonic() - began:.0f} s "
        f"without a miss",
        end="",
    )
    print(f"; missed: {', '.join(missed)}" if missed else "")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
