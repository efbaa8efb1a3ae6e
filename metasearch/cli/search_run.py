"""Runs a search from the command line: shows its progress, and writes the answer."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from metasearch import formats, garbage_collection
from metasearch.cli.search_options import SearchCommandOptions
from metasearch.cli.search_output import closing_events, document_of, event_line, summarise
from metasearch.cli.terminal import watchdog_messages as watchdog
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.logs import logs_to
from metasearch.cli.terminal.output import Sink
from metasearch.cli.terminal.progress_block import ProgressBlock
from metasearch.engine.engine import Engine
from metasearch.engine.search import Search
from metasearch.events import Answer, Finished, SearchEvent, Started
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport

#: Seconds between two updates of the progress while no event comes.
TICK = 0.1
#: Seconds after its deadline, or after the end of `--wait`, in which a search must have ended.
#: Only merging and ranking are left to do then: half a second for ten thousand records.
GRACE = 3.0
#: Seconds to make the output of a finished answer. Writing is not limited: the reader may be slow.
FINISHING = 10.0
#: Seconds to close what is open, after everything is written.
CLOSING = 2.0


def run(options: SearchCommandOptions, console: Console) -> Exit:
    """Search, and write the hits. Raises MetasearchError: the query, an option or the configuration
    cannot be used; OSError: the output cannot be written.
    """
    settings = options.settings()
    with Sink(options.output) as sink:
        if console.program:
            garbage_collection.loaded()
        code = asyncio.run(_search(options, settings, sink, console))
    if console.program:
        garbage_collection.end()
    return code


async def _search(
    options: SearchCommandOptions, settings: Settings, sink: Sink, console: Console
) -> Exit:
    """Write the answer and its summary, and return the exit code."""
    async with prepared(options, settings) as search:
        answer, interrupted = await _follow(search, options, sink, console)
        sink.finish()
        code = summarise(answer, options, console, interrupted=interrupted)
        # The network may delay the closing of connections; the user does not wait for that.
        watchdog.only_closing(code)
        watchdog.set_limit(CLOSING)
    return code


@asynccontextmanager
async def prepared(options: SearchCommandOptions, settings: Settings) -> AsyncIterator[Search]:
    """The search that the options describe; its engine is closed at the end of the block. Raises
    UsageError: the query or an option cannot be used.
    """
    transport: Transport | None = None
    if options.demo:
        from metasearch import demo

        settings = demo.replayed(settings)
        if options.replay is None:
            from metasearch.demo.transport import DemoTransport

            transport = DemoTransport(latency=1.0)
    async with Engine(
        settings, replay=options.replay, record=options.record, transport=transport
    ) as engine:
        yield engine.search(options, limit=options.hits_wanted)


async def _follow(
    search: Search, options: SearchCommandOptions, sink: Sink, console: Console
) -> tuple[Answer, bool]:
    """Show the progress of a search, and write its events or its answer. Returns (the answer,
    whether the user interrupted the search).
    """
    streamed = formats.get(options.format).unit == "event"
    progress = _progress(console, mute=streamed and sink.to_stdout and sys.stdout.isatty())
    began = time.monotonic()
    interrupted = end_written = False
    ticking = asyncio.create_task(_tick(progress)) if progress is not None else None
    with logs_to(console, progress):
        try:
            async with asyncio.timeout(search.wait) as soft:
                async for event in search:
                    _send_to_watchdog(event, search.wait)
                    if progress is not None:
                        progress.take(event)
                        watchdog.lines_drawn(progress.height)
                    if streamed:
                        sink.write(event_line(event))
                        end_written = isinstance(event, Finished)
        except TimeoutError:
            if not soft.expired():
                raise
        except asyncio.CancelledError:
            # asyncio turns the first Ctrl-C into this; a second one ends the program.
            interrupted = True
            watchdog.set_limit(watchdog.REACTION)
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
        finally:
            if ticking is not None:
                ticking.cancel()
            if progress is not None:
                progress.clear()
                watchdog.lines_drawn(0)
            await search.aclose()
    watchdog.set_limit(watchdog.REACTION if interrupted else FINISHING)
    answer = search.answer
    if answer is None:
        answer = replace(search.partial(), complete=False, seconds=time.monotonic() - began)
    if not streamed:
        document = document_of(answer, options, sink, console)
        watchdog.output_begins()
        sink.write(document)
    elif not end_written:
        watchdog.output_begins()
        for event in closing_events(answer):
            sink.write(event_line(event))
    return answer, interrupted


def _progress(console: Console, *, mute: bool) -> ProgressBlock | None:
    """The block of lines on a terminal; None where stderr is no terminal. `mute`: results are
    written to the same terminal, so there is no block.
    """
    if mute or not console.live:
        return None
    columns, lines = console.size(sys.stderr)
    return ProgressBlock(sys.stderr, columns=columns, lines=lines, color=console.colors(sys.stderr))


async def _tick(progress: ProgressBlock) -> None:
    """Update the times in the block while no event comes."""
    while True:
        await asyncio.sleep(TICK)
        progress.tick()


def _send_to_watchdog(event: SearchEvent, wait: float | None) -> None:
    """Send an event, and how long the search may still take, to the watchdog. `wait`: the seconds
    of `--wait`, or None.
    """
    if isinstance(event, Started):
        seconds = event.deadline if wait is None else min(wait, event.deadline)
        watchdog.set_limit(seconds + GRACE)
    if isinstance(event, Finished):
        watchdog.set_limit(FINISHING)
    else:
        watchdog.keep(event)
