"""Every fault of the simulated databases: alone, in pairs and at random, with what came of it.

    python3 tasks.py bench faults [--pairs] [--random 300] [--seed 0] [--processes 1]

After each search it is checked that all records of the healthy sources are in the answer, that each bad source is named
with its reason and an advice, that the answer came within the deadline, that nothing was raised unseen, and that no
task, socket or file is left. Exits 1 where one of these does not hold. The waits between tries are shortened, so that
a search takes as long as its slowest source.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import sys
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from multiprocessing import get_context
from typing import Any, NamedTuple

from benchmarks import upstreams
from benchmarks.held import MIB, held, peak, settled
from metasearch.adapters import exchange
from metasearch.engine import Engine
from metasearch.events import Answer, SourceReport
from metasearch.settings import Settings

DATABASES, ROWS, QUERY = 10, 20, "soil"
#: Seconds that a source has whose fault is that no answer comes, and that every other source and the search have.
IMPATIENT, DEADLINE = 0.3, 8.0
#: Seconds of the deadline in the searches that are left waiting until then, and one of how many random ones is.
SHORT_DEADLINE, TO_THE_DEADLINE = 2.0, 25
#: Seconds beyond the deadline: the goal, and what is a violation on any machine.
GOAL, MARGIN = 0.1, 0.5
#: Bytes of one body, and those by which a search may grow for each bad source beside its own answer.
MAX_BYTES, FLAT = 1_000_000, 24 * MIB
#: Seconds before a further try, where the engine would wait for a quarter and a half.
BACKOFF = 0.01


class Told(NamedTuple):
    """What a report must say: status, and words of its reason and its advice."""

    status: str
    reason: str = ""
    advice: str = ""


WAIT = Told("timeout", "no whole answer", "limits.timeout")
LATER = "ry again later"
FINE = Told("ok")
EXPECTED: Mapping[str, Told] = {
    "hang": WAIT,
    "hang_body": WAIT,
    "trickle:64,100": WAIT,
    "slow_headers:10": FINE,
    "500": Told("error", "answered 500", LATER),
    "502": Told("error", "answered 502", LATER),
    "503": Told("error", "answered 503", LATER),
    "404": Told("error", "404", "Check the source's `url`"),
    "403": Told("error", "access denied (403)", "does not let this address in"),
    "429:30": Told("limited", "too many requests: asked to wait for 30 s", "left alone for 30 s"),
    "429date:30": Told("limited", "too many requests: asked to wait for", "left alone for"),
    "malformed": Told("error", "breaks off before its end", LATER),
    "short": Told("error", "broke off", LATER),
    "empty": Told("error", "body is empty", LATER),
    "html": Told("blocked", "captcha", "human check"),
    "drift": FINE,
    "huge:16": Told("error", "larger than", "limits.max_bytes"),
    "endless": Told("error", "larger than", "limits.max_bytes"),
    "gzipbomb:16": Told("error", "larger than", "limits.max_bytes"),
    "deep:100000": Told("error", "nested too deeply", "changed its interface"),
    "reset": Told("error", "connection broke", LATER),
    "reset_mid": Told("error", "broke off", LATER),
    "close": Told("error", "closed the connection without an answer", LATER),
    "redirect": Told("error", "redirects to 127.0.0.1:", "Nothing was sent there"),
    "redirect_loop": Told("error", "redirects more than 5 times", "changed its interface"),
    "gbk": FINE,
    "gbk_declared": FINE,
    "latin1": FINE,
    "bom": FINE,
    "xxe": FINE,
    "xmlbomb": Told("error", "entities would expand beyond measure", "changed its interface"),
}
#: Faults of XML; a database that speaks JSON is well with them.
_OF_XML = frozenset(("xxe", "xmlbomb"))


def shape_of(number: int) -> str:
    """The shape of a database: by turns, so that ten hold each at least three times."""
    return upstreams.SHAPES[number % len(upstreams.SHAPES)]


def told(fault: str, shape: str) -> Told:
    """What must be said of a database of this shape with this fault."""
    return FINE if fault in _OF_XML and shape == "crossref" else EXPECTED[fault]


@dataclass(frozen=True, slots=True)
class Case:
    """One search.

    Attributes:
        faults: Number of a database -> its fault.
        databases: Numbers of those that are asked, the bad ones among them.
        to_the_deadline: Whether databases that do not answer are waited for as long as the search lasts.
    """

    faults: Mapping[int, str]
    databases: tuple[int, ...] = tuple(range(DATABASES))
    to_the_deadline: bool = False

    @property
    def deadline(self) -> float:
        """Seconds that the search has."""
        return SHORT_DEADLINE if self.to_the_deadline else DEADLINE

    @property
    def label(self) -> str:
        """Which fault is where."""
        return ", ".join(f"{fault} on db{number} ({shape_of(number)})" for number, fault in self.faults.items())

    def settings(self, base: str) -> Settings:
        """The databases as sources of a search."""
        tables = upstreams.tables(base, [shape_of(number) for number in range(DATABASES)], DEADLINE)
        sources = {f"db{number}": tables[f"db{number}"] for number in self.databases}
        for number, fault in self.faults.items():
            table = sources[f"db{number}"]
            waits = told(fault, shape_of(number)) is WAIT and not self.to_the_deadline
            limits = {**table["limits"], "max_bytes": MAX_BYTES, "timeout": IMPATIENT if waits else DEADLINE}
            url = f"{table['url']}?fault={urllib.parse.quote(fault)}"
            sources[f"db{number}"] = {**table, "url": url, "limits": limits}
        return Settings(
            sources=sources, default_sources=tuple(sources), allow=frozenset({base.removeprefix("http://")})
        )


@dataclass(slots=True)
class Outcome:
    """What came of a search.

    Attributes:
        reports: Number of a bad database -> its report.
        kept: How many records of the healthy sources are in the answer.
        due: How many should be.
        late: Seconds beyond the deadline; negative where it came before.
        grown: Bytes of the peak beyond what was held before.
        wrong: What does not hold, in words.
    """

    case: Case
    reports: dict[int, SourceReport] = field(default_factory=dict)
    kept: int = 0
    due: int = 0
    late: float = 0.0
    grown: int = 0
    wrong: list[str] = field(default_factory=list)


async def run(case: Case, base: str, truth: Mapping[int, frozenset[str]]) -> Outcome:
    """Search as the case says and look at everything that must hold."""
    outcome = Outcome(case, due=sum(len(truth[n]) for n in case.databases if n not in case.faults))
    loop = asyncio.get_running_loop()
    unseen: list[str] = []
    loop.set_exception_handler(lambda _, context: unseen.append(str(context.get("exception") or context["message"])))
    before = held()
    answer: Answer | None = None
    with peak() as grown:
        try:
            async with Engine(case.settings(base)) as engine:
                began = loop.time()
                answer = await engine.search(QUERY, per_source=ROWS, timeout=case.deadline)
                outcome.late = loop.time() - began - case.deadline
        except Exception as exc:
            outcome.wrong.append(f"raised {type(exc).__name__}: {exc}")
    outcome.grown = grown[0]
    if answer is not None:
        _look_at(answer, outcome, truth)
    del answer
    gc.collect()  # an exception that nobody fetched is told when its task goes
    after = await settled(before)
    loop.set_exception_handler(None)
    outcome.wrong += [f"raised unseen: {text}" for text in unseen]
    for name, then, now in zip(before._fields, before, after, strict=True):
        if now > then:
            outcome.wrong.append(f"{now - then} {name} left")
    if outcome.late > MARGIN:
        outcome.wrong.append(f"{outcome.late:.2f} s after the deadline")
    allowed = FLAT * (1 + len(case.faults))
    if outcome.grown > allowed:
        outcome.wrong.append(f"grew by {outcome.grown / MIB:.0f} MiB, allowed are {allowed / MIB:.0f}")
    return outcome


def _look_at(answer: Answer, outcome: Outcome, truth: Mapping[int, frozenset[str]]) -> None:
    """Hold the answer to the case and to the truth."""
    case = outcome.case
    found: dict[str, list[str]] = {report.source: [] for report in answer.sources}
    for hit in answer.hits:
        for record in hit.records:
            found[record.source].append(record.source_id)
    reports = {int(report.source.removeprefix("db")): report for report in answer.sources}
    for number in case.databases:
        report, ids = reports[number], found[f"db{number}"]
        fault = case.faults.get(number)
        if fault is None:
            outcome.kept += len(truth[number].intersection(ids))
            if sorted(ids) != sorted(truth[number]) or report.status != "ok" or report.unread:
                outcome.wrong.append(f"db{number} is well: {report.status}, {len(ids)} of {len(truth[number])} records")
            continue
        outcome.reports[number] = report
        outcome.wrong += [f"{fault} on db{number}: {text}" for text in objections(report, fault, len(ids))]


def objections(report: SourceReport, fault: str, records: int) -> Iterator[str]:
    """What is wrong with the report on a source with a fault, of which so many records are in the answer."""
    wanted = told(fault, shape_of(int(report.source.removeprefix("db"))))
    if report.status != wanted.status:
        yield f"status {report.status!r} instead of {wanted.status!r}: {report.error}"
    if wanted is FINE:
        if records != ROWS or report.unread:
            yield f"{records} of {ROWS} records, {report.unread} unread"
        return
    reason, advice = str(report.error or ""), report.error.advice if report.error else ""
    if not reason or wanted.reason not in reason:
        yield f"reason {reason!r} lacks {wanted.reason!r}"
    if not advice or wanted.advice not in advice:
        yield f"advice {advice!r} lacks {wanted.advice!r}"


# --------------------------------------------------------------------------- cases


def singles(faults: Iterable[str] = EXPECTED) -> Iterator[Case]:
    """Each fault on one of four databases, in each shape; those that wait also until the deadline."""
    for fault in faults:
        for number in range(len(upstreams.SHAPES)):
            yield Case({number: fault}, tuple(range(4)))
    for fault in faults:
        if EXPECTED[fault] is WAIT:
            yield Case({0: fault}, tuple(range(4)), to_the_deadline=True)


def pairs(seed: int) -> Iterator[Case]:
    """Each two faults on two of five databases, the shapes drawn."""
    draw = random.Random(seed)
    for two in combinations(EXPECTED, 2):
        yield Case(dict(zip(draw.sample(range(5), 2), two, strict=True)), tuple(range(5)))


def at_random(count: int, seed: int) -> Iterator[Case]:
    """Ten databases, of which one to nine have a fault."""
    draw = random.Random(seed)
    faults = tuple(EXPECTED)
    for _ in range(count):
        bad = draw.sample(range(DATABASES), draw.randint(1, DATABASES - 1))
        yield Case({n: draw.choice(faults) for n in sorted(bad)}, to_the_deadline=not draw.randrange(TO_THE_DEADLINE))


# --------------------------------------------------------------------------- the command


def the_truth(base: str) -> dict[int, frozenset[str]]:
    """Number of a database -> the ids of its records, as the simulated databases themselves tell."""
    with urllib.request.urlopen(f"{base}/truth?q={QUERY}&dbs=0-{DATABASES - 1}&rows={ROWS}") as response:
        records = json.load(response)["records"]
    return {n: frozenset(r["id"] for r in records if r["db"] == n) for n in range(DATABASES)}


async def _all(cases: Iterable[Case], base: str, tell: Callable[[Outcome], None]) -> list[Outcome]:
    truth = the_truth(base)
    # What is loaded once is no leak and no growth; an Engine that was never closed would be one.
    for number in range(len(upstreams.SHAPES)):
        await run(Case({number: "500"}, tuple(range(4))), base, truth)
    gc.collect()
    gc.freeze()  # after each search all garbage is looked for, and what is older than all of them is none
    outcomes = []
    for case in cases:
        outcomes.append(outcome := await run(case, base, truth))
        tell(outcome)
    return outcomes


def _share(cases: list[Case], base: str) -> list[Outcome]:
    """The outcomes of one process's share of the cases, without the reports."""
    exchange.BACKOFF = BACKOFF
    outcomes = asyncio.run(_all(cases, base, _tell_wrong))
    for outcome in outcomes:
        outcome.reports.clear()
    return outcomes


def _in_processes(cases: list[Case], base: str, count: int) -> list[Outcome]:
    """The same searches as in one process, so many of them at a time, each process seeing only its own."""
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        shares = pool.map(_share, [cases[n::count] for n in range(count)], [base] * count)
        return [outcome for share in shares for outcome in share]


def _tell_wrong(outcome: Outcome) -> None:
    for text in outcome.wrong:
        print(f"  VIOLATION  {outcome.case.label}: {text}", flush=True)


def _table(outcomes: list[Outcome]) -> None:
    """A line for each fault, over the shapes."""
    print(f"\n{'fault':18}{'status seen':16}{'records kept':>14}{'peak':>10}   reason; advice")
    of: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        (fault,) = outcome.case.faults.values()
        of.setdefault(fault, []).append(outcome)
    for fault, them in of.items():
        seen = [report for outcome in them for report in outcome.reports.values()]
        errors = [report.error for report in seen if report.error is not None]
        says = f"{errors[-1]}; {errors[-1].advice}" if errors else "(all records are read)"
        kept = f"{sum(it.kept for it in them)}/{sum(it.due for it in them)}"
        statuses = "/".join(sorted({report.status for report in seen}))
        mark = " VIOLATION" if any(it.wrong for it in them) else ""
        print(f"{fault:18}{statuses:16}{kept:>14}{max(it.grown for it in them) / MIB:6.1f} MiB   {says[:150]}{mark}")


def _summary(title: str, outcomes: list[Outcome]) -> None:
    kept, due = sum(it.kept for it in outcomes), sum(it.due for it in outcomes)
    bad = sum(bool(it.wrong) for it in outcomes)
    print(
        f"\n{title}: {len(outcomes)} searches, {kept:,} of {due:,} records of healthy sources kept, "
        f"peak memory +{max(it.grown for it in outcomes) / MIB:.1f} MiB, {bad} search(es) with violations"
    )
    late = [it.late for it in outcomes if it.case.to_the_deadline]
    if late:
        worst = max(late)
        print(
            f"  {len(late)} of them ran into their deadline of {SHORT_DEADLINE:g} s; the latest answer came "
            f"{worst * 1000:+.0f} ms after it (goal: {GOAL * 1000:.0f} ms, {'reached' if worst <= GOAL else 'MISSED'}; "
            f"a violation from {MARGIN * 1000:.0f} ms on)"
        )


def _canaries(base: str) -> Counter[str]:
    """Requests that reached the port which nothing may reach: through a redirect, or through an entity."""
    with urllib.request.urlopen(f"{base}/stats") as response:
        stats: dict[str, Any] = json.load(response)
    return Counter({name: stats[name] for name in ("redirect_canary", "xxe_canary")})


def main() -> int:
    """Print tables; exit 1 on a violation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", action="store_true", help="also every two faults together (3 to 5 minutes)")
    parser.add_argument("--random", type=int, default=300, metavar="N", help="searches on 10 databases; 0 for none")
    parser.add_argument("--seed", type=int, default=0, help="of the random searches and of the pairs' places")
    parser.add_argument("--processes", type=int, default=1, help="that the random searches are shared among")
    parser.add_argument("--only", metavar="FAULT", help="this fault alone and nothing else")
    options = parser.parse_args()
    if not 0 <= options.random <= 10_000:
        parser.error("--random is between 0 and 10,000")
    if not 1 <= options.processes <= 64:
        parser.error("--processes is between 1 and 64")
    if options.only is not None and options.only not in EXPECTED:
        parser.error(f"there is no fault {options.only!r}; there are {', '.join(EXPECTED)}")
    if not upstreams.MOCK.exists():
        print("The simulated databases are not beside this checkout; nothing is measured.")
        return 0
    exchange.BACKOFF = BACKOFF
    wrong = 0
    with upstreams.mock(DATABASES, "--port2", str(upstreams.free_port())) as base:
        parts = [("each fault alone", list(singles([options.only] if options.only else EXPECTED)))]
        if not options.only:
            parts += [("in pairs", list(pairs(options.seed)))] if options.pairs else []
            parts += [("at random", list(at_random(options.random, options.seed)))] if options.random else []
        for title, cases in parts:
            if title == "at random" and options.processes > 1:
                outcomes = _in_processes(cases, base, options.processes)
            else:
                outcomes = asyncio.run(_all(cases, base, _tell_wrong))
            if title == parts[0][0]:
                _table(outcomes)
            _summary(title, outcomes)
            wrong += sum(len(it.wrong) for it in outcomes)
        reached = _canaries(base)
    if any(reached.values()):
        print(f"VIOLATION  something was sent where nothing may be: {dict(reached)}")
    return 1 if wrong or any(reached.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
