"""The kinds of run: for records, for counts, resumed, and once more from recorded pages. What a
source has answered is kept from then on, whatever happens to the others.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from metasearch.engine.engine import Engine
from metasearch.engine.inquiry import MOST_RECORDS, Inquiry
from metasearch.engine.inquiry import SourceAnswer as Said
from metasearch.engine.lookup import WantedWork
from metasearch.engine.options import MAX_TIMEOUT, MIN_SECONDS, check
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.runs import citations, runs
from metasearch.review.runs.execution import RunExecution
from metasearch.review.runs.plan import (
    PER_SOURCE,
    RunLimits,
    RunOptions,
    RunPlan,
    SourceQuestion,
    plan_run,
)
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies import strategies
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works.groups import rules
from metasearch.settings import Settings

#: Steps that one source is asked to count at once; its own limits hold beside this.
COUNTS_AT_ONCE = 2
_USUAL = RunOptions()


async def run_strategy(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    strategy: Strategy,
    wanted: RunOptions = _USUAL,
    *,
    by: str = "",
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[StoredAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Fetch the records of steps from sources, and add them to the works of the project; or ask
    how many hits they have: at most one request a step and source, which is not sent again where it
    fails.

    Args:
        begun: Is called with the run, before a source is asked.
        progress: Is called with the answer of each source to each step, as soon as it is kept.
        limits: What holds of it for whom it is made; None for nothing.

    Raises:
        UsageError: A step or source cannot be used, or a number is outside its limits; nothing was
            asked.
        QuotaExceeded: The limits refuse it; what was kept before is there.
        RunClash: Another run of the project is under way, or this one was stopped by somebody else.
    """
    check("per_source", wanted.per_source, 1, MOST_RECORDS)
    check("timeout", wanted.timeout, MIN_SECONDS, MAX_TIMEOUT)
    asking = await _plan(workspace, engine, project, strategy, wanted)
    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    folder = "" if wanted.record is None else os.path.abspath(wanted.record)  # noqa: ASYNC240, PTH100
    options = asking.options
    if asking.mode == "records":
        options = {**options, "per_source": wanted.per_source or PER_SOURCE}
    if asking.mode != "counts":
        options = {**options, **await workspace.read(project.bind(_merge_rules))}
    run = await workspace.write(
        project.bind(runs.begin, by), strategy, asking.mode, options=options, recorded=folder
    )
    return await _done(
        workspace, project, run, asking, begun=begun, progress=progress, limits=limits
    )


async def _plan(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    strategy: Strategy,
    wanted: RunOptions,
) -> RunPlan:
    """What a run asks: queries, or one search along citations."""
    if wanted.mode == "records":
        step = await workspace.read(citations.wanted_step, strategy, wanted.steps)
        if step is not None:
            return await citations.plan_citations(
                workspace, engine, project, strategy, step, wanted
            )
    return await plan_run(workspace, engine, project, strategy, wanted)


async def _done(
    workspace: Workspace,
    project: ProjectRow,
    run: Run,
    asking: RunPlan,
    *,
    there: Collection[tuple[int, str]] = (),
    begun: Callable[[Run], None] | None,
    progress: Callable[[StoredAnswer], None] | None,
    limits: RunLimits | None,
) -> Run:
    """A run that has begun, at its end; see `RunExecution`."""
    if begun is not None:
        begun(run)
    counts = run.mode == "counts"
    most = int(run.options.get("per_source") or 0)

    async def ask(question: SourceQuestion, source: str) -> Said:
        asked = asking.asking[question.digest]
        if isinstance(asked, Inquiry) and counts:
            return await asked.count(source)
        return await asked.records(source, most)

    return await RunExecution(
        workspace,
        project,
        run,
        asking,
        ask,
        at_once=COUNTS_AT_ONCE if counts else 1,
        again=run.mode == "records",
        there=there,
        progress=progress,
        limits=limits,
    ).done()


def _merge_rules(project: Project) -> dict[str, str]:
    """By which rules the works of the project are made, and the SHA-256 of its pins."""
    rows = project.db.all("SELECT verdict, a, b FROM pin WHERE project = ? ORDER BY id", project.id)
    pins = orjson.dumps([tuple(row) for row in rows])
    return {
        "works": rules(project.db, project.id).name,
        "pins": hashlib.sha256(pins).hexdigest() if rows else "",
    }


# Resumes a run whose process ended: what it has not asked yet is asked now.


async def resume_run(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    number: int,
    *,
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[StoredAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Ask, with the options of an interrupted run, each source about each step of which the run has
    no answer, or only a part of one.

    `begun`, `progress` and `limits` are as of `run_strategy`.

    Raises:
        QuotaExceeded: The limits refuse it; it stays interrupted.
        RunClash: The run was not interrupted, or another one is under way.
        UsageError: There is no such run, it is an import, or its steps or sources are not those
            that it asked any more; it stays interrupted.
    """
    known = await workspace.read(project.bind(runs.find), number)
    if known.mode == "import" or known.status != "interrupted":
        await workspace.write(project.bind(runs.resume), number)  # says why it cannot be
    strategy, kept = await workspace.read(_of, known)
    options = known.options
    wanted = RunOptions(
        mode="counts" if known.mode == "counts" else "records",
        steps=options.get("steps"),
        sources=options.get("sources"),
        timeout=options.get("timeout"),
        cache=options.get("cache", True),
        record=Path(known.recorded) if known.recorded else None,
        seeds=await workspace.read(_seeds, known),
    )
    asking = await _plan(workspace, engine, project, strategy, wanted)
    _check_same(asking.questions, kept, number)
    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    again = await workspace.write(project.bind(runs.resume), number)
    there = {(answer.step, answer.source) for answer in kept}
    return await _done(
        workspace,
        project,
        again,
        asking,
        there=there,
        begun=begun,
        progress=progress,
        limits=limits,
    )


def _seeds(db: Database, known: Run) -> list[WantedWork] | None:
    """What a citation search began with; None for any other run."""
    if known.mode != "citations":
        return None
    project = projects.by_id(db, known.project)
    return citations.named_seeds(project, known.options.get("seeds") or ())


def _of(db: Database, known: Run) -> tuple[Strategy, list[StoredAnswer]]:
    """The strategy of a run, and the answers that it has in full."""
    strategy = strategies.by_id(db, known.project, known.strategy)
    kept = [each for each in runs.answers(db, known) if not each.half and each.status != "running"]
    return strategy, kept


def _check_same(asked: Sequence[SourceQuestion], kept: Sequence[StoredAnswer], number: int) -> None:
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


#: Step, source and key of a record, and the digest of what it says.
Found = tuple[int, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """A run, and what became of it.

    Attributes:
        run: The new one, in the other project.
        same: Records that both found in the same step and source, and that say the same.
        lacking: Of the old run: (step, source, key of the record) that the new one did not find, or
            that says otherwise now.
    """

    run: Run
    same: int
    lacking: tuple[tuple[int, str, str], ...]
    added: tuple[tuple[int, str, str], ...]


async def replay_run(
    workspace: Workspace,
    settings: Settings,
    run: Run,
    into: ProjectRow,
    *,
    folder: Path | None = None,
) -> ReplayResult:
    """Repeat a run from its recorded pages, as a run of another project; nothing is sent.

    The other project gets a strategy with the queries as they were asked then, under the same
    numbers, whatever became of the steps since. A page that is not in the folder is a failure of
    its source, as is the page that a source did not answer then.

    Args:
        workspace: That holds both projects.
        settings: Know the sources of the run.
        run: It has kept its pages.
        into: The other project, best a new one.
        folder: The pages; None takes the folder of the run.

    Raises:
        UsageError: The run has no recorded pages, or they are not there.
        WorkspaceError: The workspace cannot be written.
    """
    pages = folder or (Path(run.recorded) if run.recorded else None)
    if run.mode not in ("records", "citations") or pages is None:
        raise UsageError(
            message("Run {number} has kept no pages", number=run.number),
            advice=message("Run the strategy with --record FOLDER."),
        )
    if not pages.is_dir():
        raise UsageError(
            message("There is no folder {folder}", folder=pages),
            advice=message("Name the folder in which the pages of the run are now."),
        )
    asked = await workspace.read(runs.answers, run)
    if not asked:
        raise UsageError(message("No source has answered in run {number}", number=run.number))
    strategy = await workspace.write(into.bind(_strategy), run, asked)
    most = run.options.get("per_source")
    seeds = await workspace.read(_seeds, run)
    async with Engine(settings, replay=pages) as engine:
        again = await run_strategy(
            workspace,
            engine,
            into,
            strategy,
            RunOptions(
                steps=sorted({answer.step for answer in asked}),
                sources=list(dict.fromkeys(answer.source for answer in asked)),
                per_source=most if isinstance(most, int) else None,
                seeds=seeds,
            ),
        )
    return await workspace.read(compare_runs, run, again)


def compare_runs(db: Database, old: Run, new: Run) -> ReplayResult:
    """What two runs found, record by record."""
    before, after = _findings(db, old), _findings(db, new)
    return ReplayResult(
        run=new,
        same=len(before & after),
        lacking=tuple(sorted(found[:3] for found in before - after)),
        added=tuple(sorted(found[:3] for found in after - before)),
    )


def _findings(db: Database, run: Run) -> set[Found]:
    return {
        (row["number"], row["source"], row["key"], row["digest"])
        for row in db.rows(
            "SELECT step.number, answer.source, record.key, record.digest FROM finding"
            " JOIN answer ON answer.id = finding.answer JOIN step ON step.id = answer.step"
            " JOIN record ON record.id = finding.record WHERE answer.run = ?",
            run.id,
        )
    }


def _strategy(into: Project, run: Run, asked: Sequence[StoredAnswer]) -> Strategy:
    """A strategy with the queries of a run, as its answers have them."""
    old = strategies.by_id(into.db, run.project, run.strategy)
    with into.db.transaction():
        taken = {strategy.name for strategy in strategies.of(into)}
        name, number = old.name, 1
        while name in taken:
            number += 1
            name = f"{old.name}-{number}"
        note = message("The queries of run {number}, for its replay", number=run.number)
        sources = list(dict.fromkeys(answer.source for answer in asked))
        strategy = strategies.create(into, name, sources=sources, note=note)
        queries = {answer.step: answer.query for answer in asked}
        if run.mode == "citations":  # of one step, which may have been removed since
            sought = "SELECT * FROM step WHERE id IN (SELECT step FROM answer WHERE run = ?)"
            for row in into.db.all(sought, run.id):
                step_rows.add_without_query(
                    into.db,
                    strategy,
                    "citations",
                    row["text"],
                    details=orjson.loads(row["details"]),
                    number=row["number"],
                )
            return strategy
        for step, query in sorted(queries.items()):
            step_rows.add(into.db, strategy, query, syntax="simple", number=step)
    return strategy
