"""Runs on the console: progress, and what the sources answered.

Answers of sources as a table, and as an exit code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metasearch.cli.terminal import watchdog_messages as watchdog
from metasearch.cli.terminal.console import Exit, columns, counted
from metasearch.cli.terminal.progress import ProgressLine, logs_to
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.review import objects
from metasearch.review.commands import Call
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Overview, Project
from metasearch.review.runs import runs
from metasearch.review.runs.run import count_strategy, resume_run, run_strategy
from metasearch.review.runs.runs import Run, SourceAnswer
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies.strategies import Strategy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping


def lines_of(answers: Sequence[SourceAnswer]) -> Iterator[str]:
    """A row for each step and source. A number that is not known is "-", never 0."""
    if not answers:
        return
    rows: list[tuple[str, ...]] = [("step", "source", "status", "hits", "fetched", "as of", "")]
    rows += [
        (
            f"#{each.step}",
            each.source,
            each.status,
            ("" if each.exact or each.claimed is None else "about ") + known(each.claimed),
            known(each.fetched),
            each.asked_at or "-",
            "cached" if each.cached else "",
        )
        for each in answers
    ]
    yield from columns(rows)


def known(number: int | None) -> str:
    """A number, or "-" where it is not known."""
    return "-" if number is None else f"{number:,}"


def exit_of(answers: Sequence[SourceAnswer]) -> Exit:
    """How a run went: no source answered, some failed, none had a hit, or all is well."""
    if not any(answer.answered or (answer.fetched or 0) > 0 for answer in answers):
        return Exit.NO_ANSWER
    if any(answer.failed for answer in answers):
        return Exit.PARTIAL
    return Exit.OK if any(answer.claimed or answer.fetched for answer in answers) else Exit.NO_HITS


# Runs a strategy from the command line: progress on stderr, then what each source answered.

#: Seconds after Ctrl-C in which what has come is written, and the run marked as stopped.
STOPPING = 20.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of a run.

    Attributes:
        mode: Records, or numbers of hits alone.
        steps: Numbers of steps, or None.
        sources: Names, or None.
        record: The folder for its pages, or None.
        per_source: Records of each source and step, or None.
        timeout: Seconds for each step at each source, or None.
        cache: Whether pages may come from the cache.
        demo: Whether simulated databases are asked.
        resumed: Number of the run that is resumed, with its own options; None for a new one.
    """

    mode: Literal["records", "counts"]
    steps: tuple[int, ...] | None
    sources: tuple[str, ...] | None
    record: Path | None
    per_source: int | None
    timeout: float | None
    cache: bool
    demo: bool
    resumed: int | None = None


@dataclass(slots=True)
class _Shown:
    """What is shown while it runs."""

    line: ProgressLine
    answers: list[SourceAnswer] = field(default_factory=list)
    run: Run | None = None

    def begun(self, run: Run) -> None:
        """Note which run it is."""
        self.run = run

    def __call__(self, answer: SourceAnswer) -> None:
        self.answers.append(answer)
        failed = sum(1 for each in self.answers if each.failed)
        self.line.show(
            f"{counted(len(self.answers), 'answer')}{f', {failed} failed' if failed else ''}; "
            f"#{answer.step} {answer.label}: {number_of(answer)}"
        )


def number_of(answer: SourceAnswer) -> str:
    """The number of an answer in words: "1,204", "failed"; never 0 for what is not known."""
    if answer.failed and not answer.fetched:
        return "failed"
    number = answer.claimed if answer.fetched is None else answer.fetched
    return "unknown" if number is None else f"{number:,}"


def run_and_show(call: Call, project: Project, strategy: Strategy, wanted: Wanted) -> Exit:
    """Run, and write what each source answered. Raises MetasearchError: a step, a source or an
    option cannot be used, or the file. Raises KeyboardInterrupt: Ctrl-C; what was saved stays.
    """
    made, answers, before, after = asyncio.run(_run(call, project, strategy, wanted))
    value = objects.run(made, strategy.name) | {
        "answers": [objects.answer(answer) for answer in answers],
        "works": after.works,
        "new_works": after.works - before.works,
    }
    call.answer(value, lines_of(answers))
    for answer in answers:
        if answer.failed:
            call.tell(f"#{answer.step} {answer.label}: {answer.error}", "yellow")
            if call.console.verbose and answer.advice:
                call.tell(f"  {answer.advice}")
    if made.mode == "records":
        fetched = sum(answer.fetched or 0 for answer in answers)
        call.tell(
            f"run {made.number}: {counted(fetched, 'record')} fetched; "
            f"{counted(after.works, 'work')} in the project, "
            f"{after.works - before.works:,} more than before"
        )
    else:
        call.tell(f"run {made.number}: {counted(len(answers), 'count')}")
    if wanted.record is not None:
        call.tell(f"its pages are in {wanted.record}")
    return exit_of(answers)


async def _run(
    call: Call, project: Project, strategy: Strategy, wanted: Wanted
) -> tuple[Run, list[SourceAnswer], Overview, Overview]:
    shown = _Shown(ProgressLine(call.console))
    settings = call.settings
    async with AsyncExitStack() as stack:
        names: Mapping[str, str] = {}
        if wanted.demo:
            from metasearch import demo

            databases = await stack.enter_async_context(demo.DemoDatabases())
            settings, names = databases.settings(settings), databases.recorded_as
        workspace = await stack.enter_async_context(Workspace(call.file))
        engine = await stack.enter_async_context(Engine(settings, recorded_as=names))
        before = await workspace.read(projects.overview_of, project)
        with logs_to(call.console, None):
            try:
                made = await _stoppable(
                    _coroutine(workspace, engine, project, strategy, wanted, shown),
                    call,
                    lambda: _stopped(workspace, project, shown),
                )
            finally:
                shown.line.clear()
        answers = await workspace.read(runs.answers, made)
        after = await workspace.read(projects.overview_of, project)
    return made, answers, before, after


def _coroutine(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    strategy: Strategy,
    wanted: Wanted,
    shown: _Shown,
) -> Coroutine[object, object, Run]:
    if wanted.resumed is not None:
        return resume_run(
            workspace, engine, project, wanted.resumed, begun=shown.begun, progress=shown
        )
    if wanted.mode == "counts":
        return count_strategy(
            workspace,
            engine,
            project,
            strategy,
            steps=wanted.steps,
            sources=wanted.sources,
            timeout=wanted.timeout,
            cache=wanted.cache,
            begun=shown.begun,
            progress=shown,
        )
    return run_strategy(
        workspace,
        engine,
        project,
        strategy,
        steps=wanted.steps,
        sources=wanted.sources,
        per_source=wanted.per_source,
        timeout=wanted.timeout,
        cache=wanted.cache,
        record=wanted.record,
        begun=shown.begun,
        progress=shown,
    )


async def _stopped(workspace: Workspace, project: Project, shown: _Shown) -> None:
    """Note in the file that a person has stopped the run."""
    if shown.run is not None:
        with suppress(UsageError):  # it has ended, or the file cannot be written
            await workspace.write(runs.stop, project, shown.run.number)


async def _stoppable(
    running: Coroutine[object, object, Run], call: Call, stop: Callable[[], Awaitable[None]]
) -> Run:
    """The run; Ctrl-C has it end in order, with enough time to write what has come."""
    task = asyncio.ensure_future(running)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            watchdog.set_limit(STOPPING)
            call.console.say("stopping; what has come is kept")
            await stop()
            task.cancel()
            await asyncio.wait([task])
        raise
