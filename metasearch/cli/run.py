"""A search from the command line: ask, show what happens, write what came, choose the exit code."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from metasearch import formats
from metasearch.cli.console import Console
from metasearch.cli.exits import Exit, exit_for
from metasearch.cli.logs import logs_to
from metasearch.cli.output import Sink
from metasearch.cli.progress import Progress
from metasearch.cli.report import tell
from metasearch.cli.search import Job
from metasearch.engine import Engine
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.events import Added, Answer, Finished, SearchEvent
from metasearch.query import Years, parse_years
from metasearch.searching import Search
from metasearch.settings import Settings

#: Hits in a table when the user does not say.
TABLE_HITS = 20
#: Seconds between two looks at the clock while sources are silent.
TICK = 0.1
#: The demo's databases that never answer, so that one sees what that looks like.
FAILS_ON_PURPOSE = frozenset({"demo-failing"})


def run(job: Job, console: Console) -> Exit:
    """Search, and write the hits.

    Raises:
        MetasearchError: The query, an option or the configuration cannot be used.
        OSError: The output cannot be written.
    """
    settings = settings_of(job)
    years = years_of(job)
    with Sink(job.output) as sink:
        gc.freeze()  # what is loaded stays, and is no garbage to look for during the search
        answer, interrupted = asyncio.run(_answer(job, settings, years, sink, console))
    on_purpose: frozenset[str] = frozenset()
    coverage = ""
    if job.demo:
        from metasearch import demo

        on_purpose, coverage = FAILS_ON_PURPOSE, demo.COVERAGE
    tell(answer, console, explain=job.explain, on_purpose=on_purpose, coverage=coverage, interrupted=interrupted)
    if interrupted:
        return Exit.INTERRUPTED
    return exit_for(answer, allow_partial=job.allow_partial, excused=on_purpose)


def settings_of(job: Job) -> Settings:
    """The configuration, under what the job says."""
    return Settings.load(job.config, os.environ).deduplicated(job.pins, job.versions, job.dedup)


async def _answer(
    job: Job, settings: Settings, years: Years | None, sink: Sink, console: Console
) -> tuple[Answer, bool]:
    """The answer that was written, and whether the user broke it off."""
    async with prepared(job, settings, years) as search:
        return await _follow(search, job, sink, console)


@asynccontextmanager
async def prepared(job: Job, settings: Settings, years: Years | None) -> AsyncIterator[Search]:
    """The search that was ordered; its engine lives as long as the block.

    Raises:
        UsageError: The query or an option cannot be used.
    """
    async with AsyncExitStack() as stack:
        names: Mapping[str, str] = {}
        if job.demo:
            settings, names = await _demo(settings, job, stack)
        engine = await stack.enter_async_context(
            Engine(settings, replay=job.replay, record=job.record, recorded_as=names)
        )
        yield engine.search(
            job.query,
            sources=job.sources,
            start=job.start,
            limit=TABLE_HITS if job.limit is None and job.format == "table" else job.limit,
            years=years,
            per_source=job.per_source,
            timeout=job.timeout,
            wait=job.wait,
            cache=job.cache,
            syntax=job.syntax,
            enrich=job.enrich,
        )


async def _demo(settings: Settings, job: Job, stack: AsyncExitStack) -> tuple[Settings, Mapping[str, str]]:
    """Settings that know the demo's databases and no others, so that nothing leaves this machine; and under which
    names their answers are recorded.
    """
    from metasearch import demo

    if job.replay is not None:
        return demo.replayed(settings), {}
    databases = await stack.enter_async_context(demo.DemoDatabases())
    return databases.settings(settings), databases.recorded_as


def years_of(job: Job) -> Years | None:
    """The years of `--year`.

    Raises:
        UsageError: They are not written as years are.
    """
    if job.year is None:
        return None
    try:
        return parse_years(job.year)
    except QuerySyntaxError as exc:
        advice = f"Try: --year {exc.suggestion}" if exc.suggestion else ""
        raise UsageError(f"--year {job.year}: {exc.reason}", advice=advice) from exc


async def _follow(search: Search, job: Job, sink: Sink, console: Console) -> tuple[Answer, bool]:
    streamed = formats.get(job.format).unit == "event"
    progress = _progress(console, mute=streamed and sink.to_stdout and sys.stdout.isatty())
    began = time.monotonic()
    interrupted = told_end = False
    ticking = asyncio.create_task(_tick(progress)) if progress is not None else None
    with logs_to(console, progress):
        try:
            async with asyncio.timeout(search.wait) as soft:
                async for event in search:
                    if progress is not None:
                        progress.take(event)
                    if streamed:
                        sink.write(_line(event))
                        told_end = isinstance(event, Finished)
        except TimeoutError:
            if not soft.expired():
                raise
        except asyncio.CancelledError:
            # asyncio turns the first Ctrl-C into this; a second one ends the program.
            interrupted = True
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
        finally:
            if ticking is not None:
                ticking.cancel()
            if progress is not None:
                progress.clear()
            await search.aclose()
    answer = search.answer
    if answer is None:
        answer = replace(search.partial(), complete=False, seconds=time.monotonic() - began)
    if not streamed:
        sink.write(_whole(answer, job, sink, console))
    elif not told_end:
        # Events were still under way, so the stream ends with the whole state.
        for hit in answer.hits:
            sink.write(_line(Added(hit)))
        sink.write(_line(Finished(answer)))
    return answer, interrupted


def _progress(console: Console, *, mute: bool) -> Progress | None:
    """A live block where somebody watches and no results are being written between its lines."""
    if mute or not console.live:
        return None
    columns, lines = console.size(sys.stderr)
    return Progress(sys.stderr, columns=columns, lines=lines, color=console.colors(sys.stderr))


async def _tick(progress: Progress) -> None:
    """Let the clock of the block run on while nothing else happens."""
    while True:
        await asyncio.sleep(TICK)
        progress.tick()


def _line(event: SearchEvent) -> bytes:
    from metasearch.formats.events import ndjson

    return ndjson(event)


def _whole(answer: Answer, job: Job, sink: Sink, console: Console) -> bytes:
    if job.format != "table":
        return formats.write(job.format, answer)
    from metasearch.formats import table

    to_terminal = sink.to_stdout and console.capable(sys.stdout)
    columns, _ = console.size(sys.stdout)
    return table.write(
        answer.hits,
        width=columns if sink.to_stdout else 80,
        color=sink.to_stdout and console.colors(sys.stdout),
        hyperlinks=to_terminal,
        explain=job.explain,
    )
