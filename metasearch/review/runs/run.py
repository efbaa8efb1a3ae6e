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

from metasearch.engine.engine import MOST_RECORDS, Engine
from metasearch.engine.engine import SourceAnswer as Said
from metasearch.engine.options import MAX_TIMEOUT, MIN_SECONDS, check
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects.projects import Project
from metasearch.review.runs import runs
from metasearch.review.runs.execution import CarryingOut
from metasearch.review.runs.plan import Prepared, Question, RunLimits, prepared
from metasearch.review.runs.runs import Run, SourceAnswer
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies import strategies
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works.groups import rules
from metasearch.settings import Settings

#: Records of each source and step, where a run names no number.
PER_SOURCE = 500
#: Seconds for one step at one source: thousands of records are dozens of pages, and some databases
#: permit one page in three seconds.
TIMEOUT = 300.0


async def run_strategy(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    strategy: Strategy,
    *,
    steps: Sequence[int] | None = None,
    sources: Sequence[str] | None = None,
    per_source: int | None = None,
    timeout: float | None = None,  # noqa: ASYNC109, of each source
    cache: bool = True,
    by: str = "",
    record: Path | None = None,
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Fetch the records of steps from sources, and add them to the works of the project.

    Args:
        steps: Numbers; None takes the last step that no other names.
        sources: Names of sources and groups; None takes those of the strategy, else the default
            ones.
        per_source: Records of each source and step, up to `MOST_RECORDS`; None takes `PER_SOURCE`.
        timeout: Seconds for one step at one source; None takes `TIMEOUT`.
        record: Folder to keep every page in, for `replay_run`.
        begun: Is called with the run, before a source is asked.
        progress: Is called with the answer of each source to each step, as soon as it is kept.
        limits: What holds of it for whom it is made; None for nothing.

    Raises:
        UsageError: A step or source cannot be used, or a number is outside its limits; nothing was
            asked.
        QuotaExceeded: The limits refuse it; what was kept before is there.
        RunClash: Another run of the project is under way, or this one was stopped by somebody else.
    """
    check("per_source", per_source, 1, MOST_RECORDS)
    check("timeout", timeout, MIN_SECONDS, MAX_TIMEOUT)
    asking = await prepared(
        workspace,
        engine,
        project,
        strategy,
        steps=steps,
        every=False,
        sources=sources,
        timeout=timeout or TIMEOUT,
        cache=cache,
        record=record,
    )

    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    folder = "" if record is None else os.path.abspath(record)  # noqa: ASYNC240, PTH100
    made_by = await workspace.read(_made_by, project)
    options = {**asking.options, "per_source": per_source or PER_SOURCE, **made_by}
    run = await workspace.write(
        runs.begin, project, strategy, "records", by=by, options=options, recorded=folder
    )
    if begun is not None:
        begun(run)
    return await carrier(workspace, project, run, asking, progress=progress, limits=limits).done()


def carrier(
    workspace: Workspace,
    project: Project,
    run: Run,
    asking: Prepared,
    *,
    there: Collection[tuple[int, str]] = (),
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> CarryingOut:
    """What carries out a run that fetches records; see `CarryingOut`."""
    most = int(run.options["per_source"])

    async def ask(question: Question, source: str) -> Said:
        return await asking.asking[question.digest].records(source, most)

    return CarryingOut(
        workspace,
        project,
        run,
        asking,
        ask,
        again=True,
        there=there,
        progress=progress,
        limits=limits,
    )


def _made_by(db: Database, project: Project) -> dict[str, str]:
    """By which rules the works of the project are made, and the SHA-256 of its pins."""
    rows = db.all("SELECT verdict, a, b FROM pin WHERE project = ? ORDER BY id", project.id)
    pins = orjson.dumps([tuple(row) for row in rows])
    return {
        "works": rules(db, project.id).name,
        "pins": hashlib.sha256(pins).hexdigest() if rows else "",
    }


#: Seconds for one step at one source: its turn may come only after those of other steps.
COUNT_TIMEOUT = 60.0
#: Steps that one source is asked about at once; its own limits hold beside this.
STEPS_AT_ONCE = 2


async def count_strategy(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    strategy: Strategy,
    *,
    steps: Sequence[int] | None = None,
    sources: Sequence[str] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109, of each source
    cache: bool = True,
    by: str = "",
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Ask sources how many hits they have for steps: at most one request a step and source, which
    is not sent again where it fails. What the page cache has is not asked for.

    Args:
        steps: Numbers; None takes all that can be searched for.
        sources: Names of sources and groups; None takes those of the strategy, else the default
            ones.
        timeout: Seconds for one step at one source; None takes `TIMEOUT`.
        begun: Is called with the run, before a source is asked.
        progress: Is called with the answer of each source to each step, as soon as it is kept.
        limits: What holds of it for whom it is made; None for nothing.

    Raises:
        UsageError: A step or source cannot be used, or a number is outside its limits; nothing was
            asked.
        QuotaExceeded: The limits refuse it; what was kept before is there.
        RunClash: Another run of the project is under way, or this one was stopped by somebody else.
    """
    check("timeout", timeout, MIN_SECONDS, MAX_TIMEOUT)
    asking = await prepared(
        workspace,
        engine,
        project,
        strategy,
        steps=steps,
        every=True,
        sources=sources,
        timeout=timeout or COUNT_TIMEOUT,
        cache=cache,
    )

    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    run = await workspace.write(
        runs.begin, project, strategy, "counts", by=by, options=asking.options
    )
    if begun is not None:
        begun(run)
    return await count_carrier(
        workspace, project, run, asking, progress=progress, limits=limits
    ).done()


def count_carrier(
    workspace: Workspace,
    project: Project,
    run: Run,
    asking: Prepared,
    *,
    there: Collection[tuple[int, str]] = (),
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> CarryingOut:
    """What carries out a run of counts; see `CarryingOut`."""

    async def ask(question: Question, source: str) -> Said:
        return await asking.asking[question.digest].count(source)

    return CarryingOut(
        workspace,
        project,
        run,
        asking,
        ask,
        at_once=STEPS_AT_ONCE,
        there=there,
        progress=progress,
        limits=limits,
    )


# Resumes a run whose process ended: what it has not asked yet is asked now.

_USUAL = {"records": TIMEOUT, "counts": COUNT_TIMEOUT}
_CARRIERS = {"records": carrier, "counts": count_carrier}


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


#: Step, source and key of a record, and the digest of what it says.
Found = tuple[int, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
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
    into: Project,
    *,
    folder: Path | None = None,
) -> Replayed:
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
    if run.mode != "records" or pages is None:
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
    strategy = await workspace.write(_strategy, run, asked, into)
    most = run.options.get("per_source")
    async with Engine(settings, replay=pages) as engine:
        again = await run_strategy(
            workspace,
            engine,
            into,
            strategy,
            steps=sorted({answer.step for answer in asked}),
            sources=list(dict.fromkeys(answer.source for answer in asked)),
            per_source=most if isinstance(most, int) else None,
        )
    return await workspace.read(compared, run, again)


def compared(db: Database, old: Run, new: Run) -> Replayed:
    """What two runs found, record by record."""
    before, after = _found(db, old), _found(db, new)
    return Replayed(
        run=new,
        same=len(before & after),
        lacking=tuple(sorted(found[:3] for found in before - after)),
        added=tuple(sorted(found[:3] for found in after - before)),
    )


def _found(db: Database, run: Run) -> set[Found]:
    return {
        (row["number"], row["source"], row["key"], row["digest"])
        for row in db.rows(
            "SELECT step.number, answer.source, record.key, record.digest FROM finding"
            " JOIN answer ON answer.id = finding.answer JOIN step ON step.id = answer.step"
            " JOIN record ON record.id = finding.record WHERE answer.run = ?",
            run.id,
        )
    }


def _strategy(db: Database, run: Run, asked: Sequence[SourceAnswer], into: Project) -> Strategy:
    """A strategy with the queries of a run, as its answers have them."""
    old = strategies.by_id(db, run.project, run.strategy)
    with db.transaction():
        taken = {strategy.name for strategy in strategies.of(db, into)}
        name, number = old.name, 1
        while name in taken:
            number += 1
            name = f"{old.name}-{number}"
        note = message("The queries of run {number}, for its replay", number=run.number)
        sources = list(dict.fromkeys(answer.source for answer in asked))
        strategy = strategies.create(db, into, name, sources=sources, note=note)
        queries = {answer.step: answer.query for answer in asked}
        for step, query in sorted(queries.items()):
            step_rows.add(db, strategy, query, syntax="simple", number=step)
    return strategy
