"""Runs on the console: progress, and what the sources answered.

Answers of sources as a table, and as an exit code.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from metasearch.cli import watchdog_messages as watchdog
from metasearch.cli.output import Exit, columns, quantity
from metasearch.cli.progress import ProgressLine, logs_to
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import LookupOptions
from metasearch.errors import UsageError, WorkspaceError
from metasearch.formats.reference import full_title
from metasearch.review import objects
from metasearch.review.alerts import news as told
from metasearch.review.alerts.news import News, SavedSearchRun
from metasearch.review.alerts.runs import run_due, run_saved
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.commands import Call
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Overview, ProjectRow
from metasearch.review.runs import runs
from metasearch.review.runs.plan import RunOptions, choose_sources
from metasearch.review.runs.run import resume_run, run_strategy
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.runs.suggestions import AskedQueries, Suggestions, counted_words
from metasearch.review.store import database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works.work_checks import CheckResult, check_again, check_works

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def lines_of(answers: Sequence[StoredAnswer]) -> Iterator[str]:
    """A row for each step and source. A number that is not known is "-", never 0."""
    if not answers:
        return
    rows: list[tuple[str, ...]] = [("step", "source", "status", "hits", "fetched", "as of", "")]
    rows += [
        (
            f"#{each.step}",
            each.source,
            each.status,
            ("" if each.exact or each.claimed is None else "about ") + number_or_dash(each.claimed),
            number_or_dash(each.fetched),
            each.asked_at or "-",
            "cached" if each.cached else "",
        )
        for each in answers
    ]
    yield from columns(rows)


def number_or_dash(number: int | None) -> str:
    """A number, or "-" where it is not known."""
    return "-" if number is None else f"{number:,}"


def exit_of(answers: Sequence[StoredAnswer]) -> Exit:
    """How a run went: no source answered, some failed, none had a hit, or all is well."""
    if not any(answer.answered or (answer.fetched or 0) > 0 for answer in answers):
        return Exit.NO_ANSWER
    if any(answer.failed for answer in answers):
        return Exit.PARTIAL
    return Exit.OK if any(answer.claimed or answer.fetched for answer in answers) else Exit.NO_HITS


# Runs a strategy from the command line: progress on stderr, then what each source answered.

T = TypeVar("T")

#: Seconds after Ctrl-C in which what has come is written, and the run marked as stopped.
STOPPING = 20.0


@dataclass(slots=True)
class _RunProgress:
    line: ProgressLine
    answers: list[StoredAnswer] = field(default_factory=list)
    run: Run | None = None

    def set_run(self, run: Run) -> None:
        self.run = run

    def __call__(self, answer: StoredAnswer) -> None:
        self.answers.append(answer)
        failed = sum(1 for each in self.answers if each.failed)
        self.line.show(
            f"{quantity(len(self.answers), 'answer')}{f', {failed} failed' if failed else ''}; "
            f"#{answer.step} {answer.label}: {number_of(answer)}"
        )


def number_of(answer: StoredAnswer) -> str:
    """The number of an answer in words: "1,204", "failed"; never 0 for what is not known."""
    if answer.failed and not answer.fetched:
        return "failed"
    number = answer.claimed if answer.fetched is None else answer.fetched
    return "unknown" if number is None else f"{number:,}"


def run_and_show(
    call: Call, project: ProjectRow, strategy: Strategy, wanted: RunOptions | int, *, demo: bool
) -> Exit:
    """Run, and write what each source answered. `wanted`: the number of a run that is resumed with
    its own options. Raises MetasearchError: a step, a source or an option cannot be used, or the
    file. Raises KeyboardInterrupt: Ctrl-C; what was saved stays.
    """
    made, answers, before, after, again = asyncio.run(
        _run(call, project, strategy, wanted, demo=demo)
    )
    value = objects.run(made, strategy.name) | {
        "answers": [objects.answer(answer) for answer in answers],
        "works": after.works,
        "new_works": after.works - before.works,
        "told": again.told,
    }
    call.answer(value, lines_of(answers))
    for answer in answers:
        if answer.failed:
            call.tell(f"#{answer.step} {answer.label}: {answer.error}", "yellow")
            if call.console.verbose and answer.advice:
                call.tell(f"  {answer.advice}")
    if made.mode != "counts":
        fetched = sum(answer.fetched or 0 for answer in answers)
        call.tell(
            f"run {made.number}: {quantity(fetched, 'record')} fetched; "
            f"{quantity(after.works, 'work')} in the project, "
            f"{after.works - before.works:,} more than before"
        )
        for uid in again.told:
            hit = again.hits.get(uid)
            title = full_title(hit.record) if hit else uid
            call.tell(f"included, and retracted or wrong now: {title}", "yellow")
    else:
        call.tell(f"run {made.number}: {quantity(len(answers), 'count')}")
    if isinstance(wanted, RunOptions) and wanted.record is not None:
        call.tell(f"its pages are in {wanted.record}")
    return exit_of(answers)


async def _run(
    call: Call, project: ProjectRow, strategy: Strategy, wanted: RunOptions | int, *, demo: bool
) -> tuple[Run, list[StoredAnswer], Overview, Overview, CheckResult]:
    shown = _RunProgress(ProgressLine(call.console))
    async with _open(call, demo=demo) as (workspace, engine):

        async def stop() -> None:
            """Note in the file that a person has stopped the run."""
            if shown.run is not None:
                with suppress(UsageError):  # it has ended, or the file cannot be written
                    await workspace.write(project.bind(runs.stop), shown.run.number)

        before = await workspace.read(project.bind(projects.overview_of))
        place = workspace, engine, project
        running = (
            resume_run(*place, wanted, begun=shown.set_run, progress=shown)
            if isinstance(wanted, int)
            else run_strategy(*place, strategy, wanted, begun=shown.set_run, progress=shown)
        )
        with logs_to(call.console, None):
            try:
                made = await _stoppable(running, call, "what has come is kept", stop)
            finally:
                shown.line.clear()
            again = CheckResult()
            if made.mode == "records":
                checking = check_again(*place)
                again = await _stoppable(checking, call, "what was checked is kept")
        answers = await workspace.read(runs.answers, made)
        after = await workspace.read(project.bind(projects.overview_of))
    return made, answers, before, after, again


async def _stoppable(
    running: Coroutine[Any, Any, T],
    call: Call,
    text: str,
    stop: Callable[[], Awaitable[None]] | None = None,
) -> T:
    """What runs; Ctrl-C has it end in order, with enough time to write what has come. `text`: what
    becomes of it, for people.
    """
    task = asyncio.ensure_future(running)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            watchdog.set_limit(STOPPING)
            call.console.say(f"stopping; {text}")
            if stop is not None:
                await stop()
            task.cancel()
            await asyncio.wait([task])
        raise


async def check_in_project(
    call: Call, project: ProjectRow, options: LookupOptions, *, demo: bool
) -> CheckResult:
    """Check the included works of a project, with progress on stderr."""
    line = ProgressLine(call.console)
    async with _open(call, demo=demo) as (workspace, engine):
        checking = check_works(
            workspace,
            engine,
            project,
            options,
            progress=lambda done, total: line("checking works", done, total),
        )
        with logs_to(call.console, None):
            try:
                return await _stoppable(checking, call, "what was checked is kept")
            finally:
                line.clear()


def count_words(
    call: Call, strategy: Strategy, made: Suggestions, asked: AskedQueries, *, demo: bool
) -> Suggestions:
    """Suggestions with the hits that each of their words would have more, by the sources of the
    strategy. Raises UsageError: a source cannot be used.
    """

    async def all_() -> dict[str, dict[str, int | None]]:
        line = ProgressLine(call.console)
        async with _open(call, demo=demo) as (_, engine):
            chosen = await choose_sources(engine, strategy, None)
            with logs_to(call.console, None):
                try:
                    return await counted_words(
                        engine,
                        chosen,
                        asked,
                        lambda done, total: line("counting words", done, total),
                    )
                finally:
                    line.clear()

    found = asyncio.run(all_())
    return replace(
        made, words=tuple(replace(one, hits=found.get(one.text, {})) for one in made.words)
    )


@asynccontextmanager
async def _open(
    call: Call, *, demo: bool, spec_files: bool = True
) -> AsyncIterator[tuple[Workspace, Engine]]:
    settings, names = call.settings, dict[str, str]()
    async with AsyncExitStack() as stack:
        if demo:
            from metasearch.demo import DemoDatabases

            databases = await stack.enter_async_context(
                DemoDatabases(catalogue=settings.demo_catalogue)
            )
            settings, names = databases.settings(settings), dict(databases.recorded_as)
        workspace = await stack.enter_async_context(Workspace(call.file))
        engine = Engine(settings, recorded_as=names, spec_files=spec_files)
        yield workspace, await stack.enter_async_context(engine)


# Runs saved searches from the command line: progress on stderr, then what is new.


class SearchOutcome(NamedTuple):
    saved: SavedSearch
    run: SavedSearchRun
    news: Sequence[News]


def run_search_and_show(
    call: Call, chosen: Sequence[SavedSearch], *, cache: bool, demo: bool
) -> Exit:
    """Run saved searches one after the other, and write what is new. Raises UsageError: one of them
    is being run, or was removed; those before it are run.
    """

    async def all_(workspace: Workspace, engine: Engine) -> list[SearchOutcome]:
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
    return _exit_of(call, ended)


def run_due_and_show(call: Call, *, most: int | None, demo: bool) -> Exit:
    """Run what is due, send e-mails, and write what is new."""
    problems: list[str] = []

    async def all_(workspace: Workspace, engine: Engine) -> list[SearchOutcome]:
        line = ProgressLine(call.console)
        runs: list[tuple[SavedSearch, SavedSearchRun]] = []

        def ended(saved: SavedSearch, run: SavedSearchRun) -> None:
            runs.append((saved, run))
            line.show(f"{quantity(len(runs), 'saved search')} run; {saved.name}: {run.status}")

        settings = engine.settings
        try:
            await run_due(workspace, engine, database.new_holder(), most=most, ended=ended)
        finally:
            line.clear()
        if settings.mail.host:
            from metasearch.review.alerts.email_sender import send_due

            # Cron may come back tomorrow: nothing waits for searches that are due soon.
            sent = await send_due(workspace, settings, dt.datetime.now(dt.UTC), hold=False)
            if sent.sent:
                call.tell(f"{quantity(sent.sent, 'e-mail')} sent")
            if sent.problem:
                problems.append(sent.problem)
        return [await _with_news(workspace, *each) for each in runs]

    ended = asyncio.run(_in_workspace(call, all_, demo=demo))
    call.answer([_object(each) for each in ended], _lines(ended))
    if not ended:
        call.tell("nothing is due")
    for problem in problems:
        call.tell(problem, "yellow")
    code = _exit_of(call, ended)
    return Exit.PARTIAL if code is Exit.OK and problems else code


async def _in_workspace(call: Call, work: Any, *, demo: bool) -> list[SearchOutcome]:
    # Saved searches name sources, never files. Of a run that Ctrl-C ends nothing was told.
    async with _open(call, demo=demo, spec_files=False) as (workspace, engine):
        with logs_to(call.console, None):
            running = work(workspace, engine)
            return await _stoppable(running, call, "the run under way is made again")


async def _with_news(
    workspace: Workspace, saved: SavedSearch, run: SavedSearchRun
) -> SearchOutcome:
    try:
        news = await workspace.read(told.news_of, saved, most=told.MOST_OF_A_SEARCH, run=run.number)
    except WorkspaceError:
        raise
    except UsageError:  # it was removed meanwhile
        news = []
    return SearchOutcome(saved, run, news)


def news_lines(news: Iterable[News]) -> Iterator[str]:
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


def _lines(ended: Sequence[SearchOutcome]) -> Iterator[str]:
    for at, each in enumerate(ended):
        if len(ended) > 1 and each.news:
            yield f"{'' if at == 0 else chr(10)}{each.saved.name}"
        yield from news_lines(each.news)


def _object(ended: SearchOutcome) -> dict[str, Any]:
    return {
        "uid": ended.saved.uid,
        "name": ended.saved.name,
        "run": objects.saved_run(ended.run),
        "news": [objects.saved_news(each) for each in ended.news],
    }


def _exit_of(call: Call, ended: Sequence[SearchOutcome]) -> Exit:
    """Tell how each run went; returns the exit code of all."""
    for saved, run, _ in ended:
        if run.status == "failed":
            call.tell(f"{saved.name}: {run.error}", "yellow")
            continue
        works = quantity(run.works or 0, "work")
        call.tell(
            f"{saved.name}: {works}; this is the baseline, and the next run tells what is new"
            if run.baseline
            else f"{saved.name}: {works}, {run.told:,} news"
        )
        if run.failed_sources:
            call.tell(f"  these sources failed: {', '.join(run.failed_sources)}", "yellow")
        if run.waiting:
            call.tell(f"  {quantity(run.waiting, 'new work')} more are told by the next run")
        if run.passed_over:
            call.tell(f"  {quantity(run.passed_over, 'work')} were too many, and are not told")
    if not ended:
        return Exit.OK
    failed = [run for _, run, _ in ended if run.status != "done"]
    if len(failed) == len(ended):
        return Exit.NO_ANSWER
    if failed or any(run.failed_sources for _, run, _ in ended):
        return Exit.PARTIAL
    return Exit.OK
