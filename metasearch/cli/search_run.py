"""A search from the command line: ask, and show what happens. What is written in the end is made in
`written.py`.
"""

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
from metasearch.cli.search import Job
from metasearch.cli.search_output import as_line, limit_of, rest, told, whole
from metasearch.cli.terminal import watchdog
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.logs import logs_to
from metasearch.cli.terminal.output import Sink
from metasearch.cli.terminal.progress_block import Progress
from metasearch.engine.engine import Engine
from metasearch.engine.search import Search
from metasearch.events import Answer, Finished, SearchEvent, Started
from metasearch.settings import Settings

#: Seconds between two looks at the clock while sources are silent.
TICK = 0.1
#: Seconds after its deadline, or after the end of `--wait`, in which a search must have ended.
#: Merging and ranking what came is all that is left to do then: half a second for ten thousand
#: records.
GRACE = 3.0
#: Seconds to make the output of an answer that is there; to write it may take as long as the reader
#: likes.
FINISHING = 10.0
#: Seconds to close what is open, when all is said.
CLOSING = 2.0


def run(job: Job, console: Console) -> Exit:
    """Search, and write the hits.

    Raises:
        MetasearchError: The query, an option or the configuration cannot be used.
        OSError: The output cannot be written.
    """
    settings = settings_of(job)
    with Sink(job.output) as sink:
        if console.program:
            gc.freeze()  # what is loaded stays, and is no garbage to look for during the search
        return asyncio.run(_searched(job, settings, sink, console))


def settings_of(job: Job) -> Settings:
    """The configuration, under what the job says."""
    return Settings.load(job.config, os.environ).deduplicated(job.pins, job.versions, job.dedup)


async def _searched(job: Job, settings: Settings, sink: Sink, console: Console) -> Exit:
    """Writes the answer, says what it does not, and gives the exit code."""
    async with prepared(job, settings) as search:
        answer, interrupted = await _follow(search, job, sink, console)
        sink.finish()
        code = told(answer, job, console, interrupted=interrupted)
        # To close connections and threads takes as long as the network likes, and nobody has to
        # wait for that.
        watchdog.ending(code)
        watchdog.within(CLOSING)
    return code


@asynccontextmanager
async def prepared(job: Job, settings: Settings) -> AsyncIterator[Search]:
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
        yield engine.search(job, limit=limit_of(job))


async def _demo(
    settings: Settings, job: Job, stack: AsyncExitStack
) -> tuple[Settings, Mapping[str, str]]:
    """Settings that know the demo's databases and no others, so that nothing leaves this machine;
    and under which names their answers are recorded.
    """
    from metasearch import demo

    if job.replay is not None:
        return demo.replayed(settings), {}
    databases = await stack.enter_async_context(demo.DemoDatabases())
    return databases.settings(settings), databases.recorded_as


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
                    _keep(event, search.wait)
                    if progress is not None:
                        progress.take(event)
                        watchdog.drawn(progress.height)
                    if streamed:
                        sink.write(as_line(event))
                        told_end = isinstance(event, Finished)
        except TimeoutError:
            if not soft.expired():
                raise
        except asyncio.CancelledError:
            # asyncio turns the first Ctrl-C into this; a second one ends the program.
            interrupted = True
            watchdog.within(watchdog.HEARD)
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
        finally:
            if ticking is not None:
                ticking.cancel()
            if progress is not None:
                progress.clear()
                watchdog.drawn(0)
            await search.aclose()
    watchdog.within(watchdog.HEARD if interrupted else FINISHING)
    answer = search.answer
    if answer is None:
        answer = replace(search.partial(), complete=False, seconds=time.monotonic() - began)
    if not streamed:
        document = whole(answer, job, sink, console)
        watchdog.answering()
        sink.write(document)
    elif not told_end:
        watchdog.answering()
        for event in rest(answer):
            sink.write(as_line(event))
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


def _keep(event: SearchEvent, wait: float | None) -> None:
    """Tells the parent of this process what is not to be lost, and how long it may take."""
    if isinstance(event, Started):
        watchdog.within((event.deadline if wait is None else min(wait, event.deadline)) + GRACE)
    if isinstance(event, Finished):
        watchdog.within(FINISHING)
    else:
        watchdog.found(event)
