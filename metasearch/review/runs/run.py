"""A run once more, from the pages that were kept: the same requests give the same records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.settings import Settings
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.run import run_strategy
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps as step_rows
from metasearch.workspace.strategies import strategies
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.workspace import Workspace

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
