"""Resumes a run whose process ended: what it has not asked yet is asked now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import counts, run, runs
from metasearch.workspace.runs.limits import RunLimits
from metasearch.workspace.runs.prepared import Question, prepared
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import strategies
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.workspace import Workspace

_USUAL = {"records": run.TIMEOUT, "counts": counts.TIMEOUT}
_CARRIERS = {"records": run.carrier, "counts": counts.carrier}


async def resume_run(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    number: int,
    *,
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Ask, with the options of an interrupted run, each source about each step of which the run has
    no answer, or only a part of one.

    `begun`: is called with the run, before a source is asked. `progress`: is called with the answer
    of each source to each step, as soon as it is kept. `limits`: what holds of it for whom it goes
    on; None for nothing.

    Raises:
        QuotaExceeded: The limits refuse it; it stays interrupted.
        RunClash: The run was not interrupted, or another one is under way.
        UsageError: There is no such run, it is an import, or its steps or sources are not those
            that it asked any more; it stays interrupted.
    """
    known = await workspace.read(runs.find, project, number)
    if known.mode == "import" or known.status != "interrupted":
        await workspace.write(runs.resume, project, number)  # says why it cannot be
    strategy, kept = await workspace.read(_of, known)
    options = known.options
    asking = await prepared(
        workspace,
        engine,
        project,
        strategy,
        steps=options.get("steps"),
        every=False,
        sources=options.get("sources"),
        timeout=options.get("timeout") or _USUAL[known.mode],
        cache=options.get("cache", True),
        record=Path(known.recorded) if known.recorded else None,
    )
    _check_same(asking.questions, kept, number)
    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    again = await workspace.write(runs.resume, project, number)
    there = {(answer.step, answer.source) for answer in kept}
    if begun is not None:
        begun(again)
    make = _CARRIERS[again.mode]
    carrier = make(workspace, project, again, asking, there=there, progress=progress, limits=limits)
    return await carrier.done()


def _of(db: Database, known: Run) -> tuple[Strategy, list[SourceAnswer]]:
    """The strategy of a run, and the answers that it has in full."""
    strategy = strategies.by_id(db, known.project, known.strategy)
    kept = [each for each in runs.answers(db, known) if not each.half and each.status != "running"]
    return strategy, kept


def _check_same(asked: Sequence[Question], kept: Sequence[SourceAnswer], number: int) -> None:
    """Check that the steps of a run ask what its answers are to: one run asks one question a step.
    Raises UsageError: they were changed.
    """
    digests = {question.step.step.number: question.digest for question in asked}
    for answer in kept:
        if digests.get(answer.step, answer.digest) != answer.digest:
            raise UsageError(
                message(
                    "Step {step} was changed after run {number} had asked it",
                    step=answer.step,
                    number=number,
                ),
                advice=message(
                    "End the run and begin a new one: `metasearch strategy stop {number}`.",
                    number=number,
                ),
            )
