"""One search, and everything that must hold of what came of it."""

from __future__ import annotations

import asyncio
import gc
import json
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

from benchmarks import upstreams
from benchmarks.faults.cases import DATABASES, QUERY, ROWS, Case
from benchmarks.faults.expected import FINE, shape_of, told
from benchmarks.held import MIB, held, peak, settled
from metasearch.adapters.fetch import exchange
from metasearch.engine.engine import Engine
from metasearch.events import Answer, SourceReport

#: Seconds beyond the deadline: the goal, and what is a violation on any machine.
GOAL, MARGIN = 0.1, 0.5
#: Bytes by which a search may grow for each bad source beside its own answer.
FLAT = 24 * MIB
#: Seconds before a further try, where the engine would wait for a quarter and a half.
BACKOFF = 0.01


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
    loop.set_exception_handler(
        lambda _, context: unseen.append(str(context.get("exception") or context["message"]))
    )
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
        outcome.wrong.append(
            f"grew by {outcome.grown / MIB:.0f} MiB, allowed are {allowed / MIB:.0f}"
        )
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
                outcome.wrong.append(
                    f"db{number} is well: {report.status}, {len(ids)} of {len(truth[number])} "
                    f"records"
                )
            continue
        outcome.reports[number] = report
        outcome.wrong += [
            f"{fault} on db{number}: {text}" for text in objections(report, fault, len(ids))
        ]


def objections(report: SourceReport, fault: str, records: int) -> Iterator[str]:
    """What is wrong with the report on a source with a fault, of which so many records are in the
    answer."""
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


# --------------------------------------------------------------------------- many of them


def the_truth(base: str) -> dict[int, frozenset[str]]:
    """Number of a database -> the ids of its records, as the simulated databases themselves
    tell."""
    with urllib.request.urlopen(
        f"{base}/truth?q={QUERY}&dbs=0-{DATABASES - 1}&rows={ROWS}"
    ) as response:
        records = json.load(response)["records"]
    return {n: frozenset(r["id"] for r in records if r["db"] == n) for n in range(DATABASES)}


async def searched(
    cases: Iterable[Case], base: str, tell: Callable[[Outcome], None]
) -> list[Outcome]:
    truth = the_truth(base)
    # What is loaded once is no leak and no growth; an Engine that was never closed would be one.
    for number in range(len(upstreams.SHAPES)):
        await run(Case({number: "500"}, tuple(range(4))), base, truth)
    gc.collect()
    # after each search all garbage is looked for, and what is older than all of them is none
    gc.freeze()
    outcomes = []
    for case in cases:
        outcomes.append(outcome := await run(case, base, truth))
        tell(outcome)
    return outcomes


def _share(cases: list[Case], base: str) -> list[Outcome]:
    """The outcomes of one process's share of the cases, without the reports."""
    exchange.BACKOFF = BACKOFF
    outcomes = asyncio.run(searched(cases, base, tell_wrong))
    for outcome in outcomes:
        outcome.reports.clear()
    return outcomes


def in_processes(cases: list[Case], base: str, count: int) -> list[Outcome]:
    """The same searches as in one process, so many of them at a time, each process seeing only its
    own."""
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        shares = pool.map(_share, [cases[n::count] for n in range(count)], [base] * count)
        return [outcome for share in shares for outcome in share]


def tell_wrong(outcome: Outcome) -> None:
    for text in outcome.wrong:
        print(f"  VIOLATION  {outcome.case.label}: {text}", flush=True)
