"""Saved searches that all are due at once: each is run once, by one of several processes, under the
limits of every source; and their next runs are spread over the quiet hours.

    python3 tasks.py bench saved [--searches 1000] [--processes 2]

The sources are simulated: they take 20 ms for an answer, and write down when each was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from metasearch.adapters.request import Page, Request
from metasearch.engine.engine import Engine
from metasearch.review.alerts import runs as due
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.runs import run_due
from metasearch.review.store import database
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.settings import Settings

#: Starts of each source that its limits allow, in any so many seconds.
LIMITS = {"fast": (50, 1.0), "usual": (40, 1.0), "slow": (30, 1.0)}
#: Works of each query, and how long a source takes.
WORKS, SECONDS = 5, 0.02
#: Goals: runs of one minute of the quiet hours, of a thousand; seconds for which the loop of a
#: process may be blocked.
A_MINUTE, BLOCKED = 25, 0.1
#: Seconds between two looks at the loop.
LOOK = 0.005
#: Seconds that clocks of requests may differ from those of limits.
_SLACK = 0.02
#: Settings of the simulated sources.
SOURCES = {
    name: {
        "extends": "crossref",
        "url": f"https://{name}.example/works",
        "limits": {"requests": requests, "per": per, "concurrency": 4},
    }
    for name, (requests, per) in LIMITS.items()
}


class Upstream:
    """A transport whose sources answer with works of the query, and that notes when it was asked.

    Args:
        notes: A file of this process, with a line for each request.
    """

    def __init__(self, notes: Path) -> None:
        self._notes = notes.open("a", buffering=1)

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        """See `Transport.send`."""
        self._notes.write(f"{time.time()} {request.source}\n")
        await asyncio.sleep(SECONDS)
        query = str(dict(request.params).get("query", ""))
        items = [
            {
                "title": [f"{query} {number} of {request.source}"],
                "DOI": f"10.1000/{abs(hash((query, number, request.source)))}",
            }
            for number in range(WORKS)
        ]
        body = orjson.dumps({"message": {"total-results": WORKS, "items": items}})
        return Page(request=request, body=body, fetched_at=time.time())

    async def close(self) -> None:
        """Close the notes."""
        self._notes.close()


# --------------------------------------------------------------------------- one process


class Longest:
    """The longest time for which the loop was late while this process computed, in seconds: what
    other programs took of a busy machine does not count.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    async def watch(self) -> None:
        """Until it is cancelled."""
        while True:
            wall, cpu = time.perf_counter(), time.process_time()
            await asyncio.sleep(LOOK)
            late = time.perf_counter() - wall - LOOK
            self.seconds = max(self.seconds, min(late, time.process_time() - cpu))


async def process(file: Path, notes: Path, processes: int) -> None:
    """Run what is due; prints how many were run, and for how long the loop was blocked."""
    settings = Settings(
        sources=SOURCES, default_sources=tuple(SOURCES), shipped=True, workers=processes
    )
    longest = Longest()
    async with Workspace(file) as workspace, Engine(settings, transport=Upstream(notes)) as engine:
        watching = asyncio.create_task(longest.watch())
        count = await run_due(workspace, engine, database.new_holder())
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    print(count, longest.seconds, flush=True)


# --------------------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.

    Attributes:
        seconds: Until all were run.
        each: How many each process has run.
        runs: How often each saved search was run.
        failed: Runs, or answers of sources, that failed.
        fullest: Source -> the most starts in any window of its limit.
        a_minute: The most next runs in one minute.
        blocked: The longest time for which a loop was blocked.
    """

    seconds: float
    each: Sequence[int]
    runs: Counter[int]
    failed: int
    fullest: dict[str, int]
    a_minute: int
    blocked: float


def measured(folder: Path, count: int, processes: int) -> Figures:
    """Make the saved searches, and have them run."""
    file = folder / "workspace.db"
    with Database(file) as db, db.transaction():
        for number in range(count):
            searches.create(db, f"s{number}", f"soil{number}", schedule="daily")
    begun = time.perf_counter()
    several = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "benchmarks.saved", "--processes", str(processes)),
                *("--one", str(file), str(folder / f"asked-{number}")),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    said = [each.communicate()[0].split() for each in several]
    seconds = time.perf_counter() - begun
    if any(each.returncode for each in several):
        sys.exit("a process failed")
    with Database(file) as db:
        runs = Counter(row["saved"] for row in db.all("SELECT saved FROM saved_run"))
        failed = int(
            db.value("SELECT count(*) FROM saved_run WHERE status <> 'done'")
            + db.value("SELECT count(*) FROM saved_answer WHERE status NOT IN ('ok', 'empty')")
        )
        planned = [row["next_run"] for row in db.all("SELECT next_run FROM saved_search")]
        waiting = due.number_due(db)
    if waiting:
        sys.exit(f"{waiting} are due still")
    asked: dict[str, list[float]] = {name: [] for name in LIMITS}
    for number in range(processes):
        for line in (folder / f"asked-{number}").read_text().splitlines():
            at, source = line.split()
            asked[source].append(float(at))
    return Figures(
        seconds,
        [int(count) for count, _ in said],
        runs,
        failed,
        {name: fullest(times, LIMITS[name][1]) for name, times in asked.items()},
        max(Counter(at[:16] for at in planned).values()),
        max(float(blocked) for _, blocked in said),
    )


def fullest(times: Iterable[float], per: float) -> int:
    """The most moments in any window of so many seconds."""
    ordered = sorted(times)
    first, most = 0, 0
    for last, at in enumerate(ordered):
        while at - ordered[first] >= per - _SLACK:
            first += 1
        most = max(most, last - first + 1)
    return most


def told(figures: Figures, count: int) -> bool:
    """Print the figures; returns whether the goals are met."""
    once = sum(times == 1 for times in figures.runs.values())
    met = say(
        f"{count:,} saved searches run once",
        f"{once:,}, more than once {sum(figures.runs.values()) - once:,}",
        once == count == sum(figures.runs.values()),
    )
    met &= say("failures", str(figures.failed), figures.failed == 0)
    for name, most in figures.fullest.items():
        limit, per = LIMITS[name]
        what = f"most requests to {name} in {per:g} s, limit {limit}"
        met &= say(what, str(most), most <= limit)
    allowed = max(2, A_MINUTE * count // 1_000)
    met &= say(
        f"most next runs in a minute, goal {allowed}",
        str(figures.a_minute),
        figures.a_minute <= allowed,
    )
    goal = f"longest block of a loop, goal {BLOCKED * 1e3:.0f} ms"
    met &= say(goal, f"{figures.blocked * 1e3:.0f} ms", figures.blocked <= BLOCKED)
    say("by each process", ", ".join(f"{each:,}" for each in figures.each), True)
    say("seconds", f"{figures.seconds:.1f}", True)
    return met


def say(what: str, value: str, met: bool) -> bool:
    """A line; returns whether its goal is met."""
    print(f"{what:<52} {value:>24}{'' if met else '   NOT MET'}")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--one", nargs=2, type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        file, notes = asked.one
        asyncio.run(process(file, notes, asked.processes))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(Path(folder), asked.searches, asked.processes)
    return 0 if told(figures, asked.searches) else 1


if __name__ == "__main__":
    sys.exit(main())
