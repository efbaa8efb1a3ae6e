"""A run of a strategy: the records of its steps are fetched from the sources and kept as works.

Each source is asked for one step after the other, beside the other sources; what it has answered is
kept from then on, whatever happens to the others.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from metasearch.engine.asking import MOST_RECORDS
from metasearch.engine.asking import SourceAnswer as Said
from metasearch.engine.engine import Engine
from metasearch.engine.options import MAX_TIMEOUT, MIN_SECONDS, check
from metasearch.errors import WorkspaceError
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.prepared import (
    Asked,
    Question,
    asked_sources,
    asking_of,
    questions,
)
from metasearch.workspace.runs.runs import Mode, Run, SourceAnswer
from metasearch.workspace.runs.storing import Stored, going_on
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.workspace import Workspace

#: Records of each source and step, where a run names no number.
PER_SOURCE = 500
#: Seconds for one step at one source: thousands of records are dozens of pages, and some databases
#: permit one page in three seconds.
TIMEOUT = 300.0
#: Sources that are asked at once.
SOURCES_AT_ONCE = 16

#: Asks a source about a step.
Ask = Callable[[Question, str], Awaitable[Said]]


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
) -> Run:
    """Fetch the records of steps from sources, and add them to the works of the project.

    Args:
        workspace: Where all is kept.
        engine: What asks the sources.
        project: The project.
        strategy: One of its strategies.
        steps: Numbers; None takes the last step that no other names.
        sources: Names of sources and groups; None takes those of the strategy, else the default
            ones.
        per_source: Records of each source and step, up to `MOST_RECORDS`; None takes `PER_SOURCE`.
        timeout: Seconds for one step at one source; None takes `TIMEOUT`.
        cache: Whether pages may come from the cache; their dates are those of the pages.
        by: Who runs it.
        record: Folder to keep every page in, for `replay.replay_run`.
        begun: Is called with the run, before a source is asked.
        progress: Is called with the answer of each source to each step, as soon as it is kept.

    Raises:
        UsageError: A step or source cannot be used, or a number is outside its limits; nothing was
            asked.
        WorkspaceError: The file cannot be written; what was kept before is there.
    """
    check("per_source", per_source, 1, MOST_RECORDS)
    check("timeout", timeout, MIN_SECONDS, MAX_TIMEOUT)
    most, seconds = per_source or PER_SOURCE, timeout or TIMEOUT
    asked = await asked_sources(engine, strategy, sources)
    chosen = await workspace.read(questions, strategy, steps, every=False)
    asking = {
        question.digest: asking_of(
            engine, question, asked, timeout=seconds, cache=cache, user=project.uid, record=record
        )
        for question in (chosen if asked.sources else ())
    }

    async def ask(question: Question, source: str) -> Said:
        return await asking[question.digest].records(source, most)

    options = {"per_source": most, "timeout": seconds}
    run = await workspace.write(
        runs.begin,
        project,
        strategy,
        "records",
        by=by,
        options=options | asked_for(strategy, chosen, asked, cache=cache),
        recorded="" if record is None else os.path.abspath(record),  # noqa: ASYNC240, PTH100
    )
    if begun is not None:
        begun(run)
    stored = Stored(workspace, project, run, asked, progress)
    return await carried_out(workspace, project, run, asked, chosen, ask, stored, at_once=1)


def asked_for(
    strategy: Strategy, chosen: Sequence[Question], asked: Asked, *, cache: bool
) -> dict[str, Any]:
    """The options of a run that all modes have."""
    return {
        "steps": [question.step.step.number for question in chosen],
        "sources": [*asked.sources, *asked.broken],
        "years": strategy.years,
        "cache": cache,
    }


async def carried_out(
    workspace: Workspace,
    project: Project,
    run: Run,
    asked: Asked,
    chosen: Sequence[Question],
    ask: Ask,
    stored: Stored,
    *,
    at_once: int,
) -> Run:
    """Ask every source about every step, and store what they answer; returns the run at its end.

    Args:
        workspace: Where all is kept.
        project: Of the run.
        run: The run, as it was begun.
        asked: Its sources.
        chosen: Its steps.
        ask: Asks a source about a step.
        stored: Takes the answers.
        at_once: Steps that one source is asked about at once.

    Raises:
        WorkspaceError: An answer could not be written; the others were asked and kept all the same.
    """
    some = asyncio.Semaphore(SOURCES_AT_ONCE)
    failures: list[WorkspaceError] = []

    async def of_source(source: str) -> None:
        waiting = iter(chosen)

        async def one_after_another() -> None:
            for question in waiting:
                try:
                    if (broken := asked.broken.get(source)) is not None:
                        await stored.failure(question, source, broken)
                    else:
                        await stored.answer(question, await ask(question, source))
                except WorkspaceError as error:
                    failures.append(error)

        async with some, asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(one_after_another())

    async with going_on(workspace, run):
        async with asyncio.TaskGroup() as group:
            for source in (*asked.sources, *asked.broken):
                group.create_task(of_source(source), name=f"run {run.number}: {source}")
        if failures:
            raise failures[0]
    return await workspace.read(runs.find, project, run.number)


__all__ = ["PER_SOURCE", "TIMEOUT", "Mode", "run_strategy"]
