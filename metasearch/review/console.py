"""Runs on the console: progress, and what the sources answered.

Answers of sources as a table, and as an exit code.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from metasearch.cli import watchdog_messages as watchdog
from metasearch.cli.output import Exit, columns, counted
from metasearch.cli.progress import ProgressLine, logs_to
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError, WorkspaceError
from metasearch.formats.reference import full_title
from metasearch.review import objects
from metasearch.review.alerts import news as told
from metasearch.review.alerts.news import News, SavedRun
from metasearch.review.alerts.runs import run_due, run_saved
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.commands import Call
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Overview, Project
from metasearch.review.runs import runs
from metasearch.review.runs.run import count_strategy, resume_run, run_strategy
from metasearch.review.runs.runs import Run, SourceAnswer
from metasearch.review.store import database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies.strategies import Strategy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping


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


# Runs saved searches from the command line: progress on stderr, then what is new.

T = TypeVar("T")


class Ended(NamedTuple):
    """A saved search that was run."""

    saved: SavedSearch
    run: SavedRun
    news: Sequence[News]


def run_search_and_show(
    call: Call, chosen: Sequence[SavedSearch], *, cache: bool, demo: bool
) -> Exit:
    """Run saved searches one after the other, and write what is new. Raises UsageError: one of them
    is being run, or was removed; those before it are run.
    """

    async def all_(workspace: Workspace, engine: Engine) -> list[Ended]:
        line, ended = ProgressLine(call.console), []
        for number, saved in enumerate(chosen, 1):
            line(f"running {saved.name}", number, len(chosen))
            try:
                run = await run_saved(
                    workspace, engine, saved, hours=engine.settings.alerts.hours, cache=cache
                )
            finally:
                line.clear()
            ended.append(await _with_news(workspace, saved, run))
        return ended

    ended = asyncio.run(_in_workspace(call, all_, demo=demo))
    call.answer([_object(each) for each in ended], _lines(ended))
    return _told(call, ended)


def run_due_and_show(call: Call, *, most: int | None, demo: bool) -> Exit:
    """Run what is due, send e-mails, and write what is new."""
    problems: list[str] = []

    async def all_(workspace: Workspace, engine: Engine) -> list[Ended]:
        line = ProgressLine(call.console)
        runs: list[tuple[SavedSearch, SavedRun]] = []

        def ended(saved: SavedSearch, run: SavedRun) -> None:
            runs.append((saved, run))
            line.show(f"{counted(len(runs), 'saved search')} run; {saved.name}: {run.status}")

        settings = engine.settings
        try:
            await run_due(workspace, engine, database.new_holder(), most=most, ended=ended)
        finally:
            line.clear()
        if settings.mail.host:
            from metasearch.review.alerts.mail import send_due

            # Cron may come back tomorrow: nothing waits for searches that are due soon.
            sent = await send_due(workspace, settings, dt.datetime.now(dt.UTC), hold=False)
            if sent.sent:
                call.tell(f"{counted(sent.sent, 'e-mail')} sent")
            if sent.problem:
                problems.append(sent.problem)
        return [await _with_news(workspace, *each) for each in runs]

    ended = asyncio.run(_in_workspace(call, all_, demo=demo))
    call.answer([_object(each) for each in ended], _lines(ended))
    if not ended:
        call.tell("nothing is due")
    for problem in problems:
        call.tell(problem, "yellow")
    code = _told(call, ended)
    return Exit.PARTIAL if code is Exit.OK and problems else code


async def _in_workspace(call: Call, work: Any, *, demo: bool) -> list[Ended]:
    async with _open(call, demo=demo) as (workspace, engine):
        with logs_to(call.console, None):
            return await _stoppable_alerts(work(workspace, engine), call)


@asynccontextmanager
async def _open(call: Call, *, demo: bool) -> AsyncIterator[tuple[Workspace, Engine]]:
    settings = call.settings
    if demo:
        from metasearch import demo as simulated

        databases: Any = simulated.DemoDatabases()
    else:
        databases = nullcontext()
    async with databases as opened:
        if opened is not None:
            settings = opened.settings(settings)
        # Saved searches name sources, never files.
        async with Workspace(call.file) as workspace, Engine(settings, spec_files=False) as engine:
            yield workspace, engine


async def _stoppable_alerts(running: Coroutine[Any, Any, T], call: Call) -> T:
    """What runs; Ctrl-C ends the current run, of which nothing was told, and keeps the others."""
    task = asyncio.ensure_future(running)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            watchdog.set_limit(STOPPING)
            call.console.say("stopping; the run under way is made again")
            task.cancel()
            await asyncio.wait([task])
        raise


async def _with_news(workspace: Workspace, saved: SavedSearch, run: SavedRun) -> Ended:
    try:
        news = await workspace.read(told.news_of, saved, most=told.MOST_OF_A_SEARCH, run=run.number)
    except WorkspaceError:
        raise
    except UsageError:  # it was removed meanwhile
        news = []
    return Ended(saved, run, news)


def news_lines(news: Iterable[News]) -> Iterator[str]:
    """A row for each."""
    rows = [
        (
            each.kind,
            each.at[:10],
            full_title(each.hit.record) or "(without a title)",
            str(each.hit.record.year or ""),
            each.hit.record.doi or each.hit.record.url or "",
        )
        for each in news
    ]
    if rows:
        yield from columns([("", "told", "title", "year", "where"), *rows])


def _lines(ended: Sequence[Ended]) -> Iterator[str]:
    for at, each in enumerate(ended):
        if len(ended) > 1 and each.news:
            yield f"{'' if at == 0 else chr(10)}{each.saved.name}"
        yield from news_lines(each.news)


def _object(ended: Ended) -> dict[str, Any]:
    return {
        "uid": ended.saved.uid,
        "name": ended.saved.name,
        "run": objects.saved_run(ended.run),
        "news": [objects.saved_news(each) for each in ended.news],
    }


def _told(call: Call, ended: Sequence[Ended]) -> Exit:
    """Tell how each run went; returns the exit code of all."""
    for saved, run, _ in ended:
        if run.status == "failed":
            call.tell(f"{saved.name}: {run.error}", "yellow")
            continue
        works = counted(run.works or 0, "work")
        call.tell(
            f"{saved.name}: {works}; this is the baseline, and the next run tells what is new"
            if run.baseline
            else f"{saved.name}: {works}, {run.told:,} news"
        )
        if run.failed_sources:
            call.tell(f"  these sources failed: {', '.join(run.failed_sources)}", "yellow")
        if run.waiting:
            call.tell(f"  {counted(run.waiting, 'new work')} more are told by the next run")
        if run.passed_over:
            call.tell(f"  {counted(run.passed_over, 'work')} were too many, and are not told")
    if not ended:
        return Exit.OK
    failed = [run for _, run, _ in ended if run.status != "done"]
    if len(failed) == len(ended):
        return Exit.NO_ANSWER
    if failed or any(run.failed_sources for _, run, _ in ended):
        return Exit.PARTIAL
    return Exit.OK
