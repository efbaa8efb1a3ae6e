"""Counts of a strategy: requests, CPU, and how long the loop is kept from other work.

    python3 tasks.py bench counts

Twelve steps at fifteen sources that answer at once, without a network; the first step has a
hundred words.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Page, Request
from metasearch.engine.engine import Engine
from metasearch.review.projects import projects
from metasearch.review.runs import figures
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.settings import Settings

SOURCES, WORDS, ROUNDS = 15, 100, 3
STEPS = (
    " OR ".join(f"word{number}" for number in range(WORDS)),
    *("carbon", "peat", "marsh", "birds", "tide", "salt"),
    *("#1 AND #2", "#3 OR #4", "#8 AND #9", "#5 NOT #6", "#10 OR #11"),
)
#: Seconds for which the loop may be blocked.
GOAL = 0.025


class Counting:
    """A transport whose sources answer at once, and that counts what they are asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        """See `Transport.send`."""
        self.asked[request.source] += 1
        work = {"title": ["Soil carbon"], "DOI": "10.1000/1"}
        body = orjson.dumps({"message": {"total-results": 1_204, "items": [work]}})
        return Page(request=request, body=body, fetched_at=time.time())

    async def close(self) -> None:
        """Nothing is held."""


class Blocked:
    """The longest time between two rounds of the loop in which this process computed, in seconds:
    what other programs took of a busy machine does not count.
    """

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        """Until it is cancelled."""
        wall, cpu = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(0)
            now, used = time.perf_counter(), time.process_time()
            self.longest = max(self.longest, min(now - wall, used - cpu))
            wall, cpu = now, used


def say(text: str = "") -> None:
    print(text, flush=True)


async def measured(folder: Path) -> bool:
    """Count a few times, and say what that took; returns whether the goals are reached."""
    tables = {
        f"source{number}": {
            "extends": "crossref",
            "url": f"https://source{number}.example/works",
            "limits": {"requests": 10_000, "per": 1.0, "concurrency": 8},
        }
        for number in range(SOURCES)
    }
    reached = True
    async with (
        Engine(Settings(sources=tables, default_sources=tuple(tables))) as engine,
        Workspace(folder / "workspace.db") as workspace,
    ):
        project = await workspace.write(projects.create, "counts", "review")
        strategy = await workspace.write(project.bind(strategies.create), "main")
        for text in STEPS:
            await workspace.write(steps.add, strategy, text, syntax="simple")
        for number in range(1, ROUNDS + 1):
            transport, blocked = Counting(), Blocked()
            engine._fetcher = Fetcher(transport, None)  # noqa: SLF001, no other way in
            watching = asyncio.create_task(blocked.watch())
            began, cpu = time.perf_counter(), time.process_time()
            await run_strategy(workspace, engine, project, strategy, RunOptions(mode="counts"))
            wall, cpu = time.perf_counter() - began, time.process_time() - cpu
            watching.cancel()
            most = max(transport.asked.values())
            fine = most <= len(STEPS) and (number == 1 or blocked.longest <= GOAL)
            reached = reached and fine
            say(
                f"counts {number}: {transport.asked.total()} requests, {most} of one source at "
                f"most; {wall:.2f} s, {cpu:.2f} s of CPU, the loop blocked for "
                f"{blocked.longest * 1e3:.0f} ms at most"
            )
        began = time.perf_counter()
        await workspace.read(figures.table, strategy)
        say(f"the table: {(time.perf_counter() - began) * 1e3:.0f} ms")
    return reached


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        reached = asyncio.run(measured(Path(folder)))
    say(
        f"goal: {SOURCES * len(STEPS)} requests at most, the loop blocked for {GOAL * 1e3:.0f} ms "
        f"at most: {'reached' if reached else 'MISSED'}"
    )
    return int(not reached)


if __name__ == "__main__":
    sys.exit(main())
