"""What came of the searches, in lines for people."""

from __future__ import annotations

from benchmarks.faults.cases import SHORT_DEADLINE
from benchmarks.faults.searched import GOAL, MARGIN, Outcome
from benchmarks.held import MIB


def table(outcomes: list[Outcome]) -> None:
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
        print(
            f"{fault:18}{statuses:16}{kept:>14}{max(it.grown for it in them) / MIB:6.1f} MiB   "
            f"{says[:150]}{mark}"
        )


def summary(title: str, outcomes: list[Outcome]) -> None:
    kept, due = sum(it.kept for it in outcomes), sum(it.due for it in outcomes)
    bad = sum(bool(it.wrong) for it in outcomes)
    print(
        f"\n{title}: {len(outcomes)} searches, {kept:,} of {due:,} records of healthy sources "
        f"kept, "
        f"peak memory +{max(it.grown for it in outcomes) / MIB:.1f} MiB, {bad} search(es) with "
        f"violations"
    )
    late = [it.late for it in outcomes if it.case.to_the_deadline]
    if late:
        worst = max(late)
        print(
            f"  {len(late)} of them ran into their deadline of {SHORT_DEADLINE:g} s; the latest "
            f"answer came "
            f"{worst * 1000:+.0f} ms after it (goal: {GOAL * 1000:.0f} ms, "
            f"{'reached' if worst <= GOAL else 'MISSED'}; "
            f"a violation from {MARGIN * 1000:.0f} ms on)"
        )
