"""Runs saved searches from the command line: progress on stderr, then what is new."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any, NamedTuple, TypeVar

from metasearch.cli.terminal import watchdog_messages as watchdog
from metasearch.cli.terminal.console import Exit, columns, counted
from metasearch.cli.terminal.progress import ProgressLine, logs_to
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError, WorkspaceError
from metasearch.formats.reference import full_title
from metasearch.review import objects
from metasearch.review.alerts import news as told
from metasearch.review.alerts.history import SavedRun
from metasearch.review.alerts.news import News
from metasearch.review.alerts.runs import run_due, run_saved
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.commands import Call
from metasearch.review.runs.console import STOPPING
from metasearch.review.store import database
from metasearch.review.store.workspace import Workspace

T = TypeVar("T")


class Ended(NamedTuple):
    """A saved search that was run."""

    saved: SavedSearch
    run: SavedRun
    news: Sequence[News]


def run_and_show(call: Call, chosen: Sequence[SavedSearch], *, cache: bool, demo: bool) -> Exit:
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
            return await _stoppable(work(workspace, engine), call)


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


async def _stoppable(running: Coroutine[Any, Any, T], call: Call) -> T:
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


# ------------------------------------------------------------------------- what is written


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
