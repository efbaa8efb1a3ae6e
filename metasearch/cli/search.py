"""`metasearch "query"`: searches, shows the progress, and writes the answer.

The search runs in a child process, which alone loads the engine. Where it is killed or crashes, its
parent writes the hits that it had found: so what writes an answer loads nothing that searches.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch import formats, garbage_collection
from metasearch.cli import watchdog_messages as watchdog
from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import (
    FORMAT_NAMES,
    SearchCommandOptions,
    chosen_format,
    common,
    dedup_options,
    has_bom,
    query_text,
    search_options,
    writing_options,
)
from metasearch.cli.output import Console, Exit, Sink, exit_for
from metasearch.cli.progress import ProgressBlock, logs_to
from metasearch.cli.search_summary import write_summary
from metasearch.cli.watchdog import BrokenCommand, run_in_child
from metasearch.engine.facets import FacetCounts, arranged, facet_names, parse_filters
from metasearch.engine.options import SearchOptions
from metasearch.events import (
    Added,
    Answer,
    Counts,
    Facets,
    FacetsChanged,
    Finished,
    Grown,
    Joined,
    Order,
    Paging,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.record import Hit
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport
    from metasearch.engine.search import Search


#: Databases of the demo that never answer, to show what a failure looks like.
FAILS_ON_PURPOSE = frozenset({"demo-failing"})


def document_of(
    answer: Answer, options: SearchCommandOptions, sink: Sink, console: Console
) -> bytes:
    """An answer in a format that is one document."""
    if options.format != "table":
        return formats.write(
            options.format,
            answer,
            bom=options.bom,
            provenance=options.provenance,
            style=options.style,
        )
    from metasearch.formats import table

    to_terminal = sink.to_stdout and console.capable(sys.stdout)
    columns, _ = console.size(sys.stdout)
    return table.write(
        answer.hits,
        width=columns if sink.to_stdout else 80,
        color=sink.to_stdout and console.colors(sys.stdout),
        hyperlinks=to_terminal,
        explain=options.explain,
        answer=answer,
        bars=to_terminal,
    )


def event_line(event: SearchEvent) -> bytes:
    """One event as a line of a stream."""
    from metasearch.formats.events import ndjson

    return ndjson(event)


def closing_events(answer: Answer) -> list[SearchEvent]:
    """The events that end a stream early: every hit, the facets, and the answer."""
    facets = [] if answer.facets is None else [FacetsChanged(answer.facets)]
    return [*map(Added, answer.hits), *facets, Finished(answer)]


def summarise(
    answer: Answer, options: SearchCommandOptions, console: Console, *, interrupted: bool
) -> Exit:
    """Write the summary of an answer to stderr, and return the exit code."""
    if options.format == "table" and answer.filter:
        # A table has its filters below its hits.
        written = f"filter {answer.filter}:"
        others = tuple(note for note in answer.notes if not note.startswith(written))
        answer = replace(answer, notes=others)
    on_purpose: frozenset[str] = frozenset()
    coverage = ""
    if options.demo:
        from metasearch import demo

        on_purpose, coverage = FAILS_ON_PURPOSE, demo.COVERAGE
    write_summary(
        answer,
        console,
        explain=options.explain,
        on_purpose=on_purpose,
        coverage=coverage,
        interrupted=interrupted,
    )
    if interrupted:
        return Exit.INTERRUPTED
    return exit_for(answer, allow_partial=options.allow_partial, excused=on_purpose)


#: Seconds in which the output of a broken search must be made.
MAX_SECONDS = 10.0


def answer_of(
    events: Iterable[SearchEvent], options: SearchOptions, limit: int | None, seconds: float
) -> Answer:
    """The answer of a search whose last events are missing.

    Its facets are those that were sent last, or are counted here where no filters hold works back.
    `limit`: the largest number of hits; None for all.
    """
    start, filters = options.start, parse_filters(options.filter)
    facets: Facets | None = None
    query = ""
    hits: dict[str, Hit] = {}
    reports: dict[str, SourceReport] = {}
    order: tuple[str, ...] = ()
    for event in events:
        match event:
            case Started(query=query, sources=names):
                reports = {name: SourceReport(name) for name in names}
            case SourceProgress(report):
                reports[report.source] = report
            case Added(hit) | Grown(hit):
                hits[hit.id] = hit
            case Joined(hit, absorbed):
                for name in absorbed:
                    hits.pop(name, None)
                hits[hit.id] = hit
            case Order(order):
                pass
            case FacetsChanged(facets):
                pass
    # Hits that came after the last `Order` stand at the end.
    ordered = dict.fromkeys([*(name for name in order if name in hits), *hits])
    listed = list(filter(filters.passes(), map(hits.__getitem__, ordered)))
    if options.sort != "first-seen" and not start:
        # A further page stays in its order: hits keep the positions that earlier pages showed.
        listed = arranged(listed, options.sort, {})
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(listed, 1))
    names = facet_names(options.facets)
    if names and not filters:
        facets = FacetCounts(names, options.facet_limit).count(ranked)
    notes = []
    if filters:
        notes.append(
            f"works that pass {filters}: {len(ranked):,} were received before the search was "
            f"ended; how many do not pass is not known"
        )
    if names and facets is None:
        notes.append("the search was ended before its facets were counted")
    received = sum(len(hit.records) for hit in ranked)
    return Answer(
        query=query,
        complete=False,
        counts=Counts(received, len(ranked), received - len(ranked)),
        hits=ranked[start : None if limit is None else start + limit],
        sources=tuple(reports.values()),
        seconds=seconds,
        paging=Paging(start, limit),
        notes=tuple(notes),
        sort=options.sort,
        filter=str(filters),
        facets=facets,
    )


def rescue(broken: BrokenCommand, options: SearchCommandOptions, console: Console) -> Exit:
    """Write the hits of a broken search, and why it was ended.

    This runs in the parent of the search, which has no watchdog: a timer of the kernel ends it if
    it takes too long.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    events = list(broken.events())
    answer = answer_of(events, options, options.hits_wanted, broken.seconds)
    with Sink(options.output) as sink:
        if formats.get(options.format).unit == "event":
            # Standard output has these events already; the unfinished file was deleted.
            before = [] if sink.to_stdout else events
            document = b"".join(map(event_line, [*before, *closing_events(answer)]))
        else:
            document = document_of(answer, options, sink, console)
        signal.setitimer(signal.ITIMER_REAL, 0)  # the reader of the output may be slow
        sink.write(document)
    match broken.why:
        case "late":
            console.say(
                f"a computation did not stop, and was ended after {broken.seconds:.1f} s", "red"
            )
        case "crashed":
            console.say(f"internal error: the search was ended by signal {broken.signal}", "red")
        case "interrupted":
            console.say("a computation did not stop, and was ended")
    code = summarise(answer, options, console, interrupted=broken.why == "interrupted")
    return Exit.INTERNAL if broken.why == "crashed" else code


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
    import asyncio

    import metasearch.engine.engine  # noqa: F401  # all is loaded before the collector is told so

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
    from metasearch.engine.engine import Engine

    transport: Transport | None = None
    if options.demo:
        from metasearch import demo

        settings = demo.replayed(settings)
        if options.replay is None:
            from metasearch.demo.server import DemoTransport

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
    import asyncio

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
    import asyncio

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


EXAMPLES = (
    ('metasearch --demo "machine learning"', "try it offline, on simulated databases"),
    ("metasearch title:malaria AND vaccine --year 2019-2024", "ask the default sources"),
    ('metasearch "graph neural networks" -s arxiv,dblp -n 50', "ask these two, show 50 hits"),
    ('metasearch "graph neural networks" -s arxiv,dblp -n 50 --start 50', "the next 50"),
    (
        'metasearch "sleep apnea" --facets year,type --filter type:article --sort date',
        "count, narrow and sort the list",
    ),
    ('metasearch "sleep apnea" --format ris -o apnea.ris', "save for a reference manager"),
    ('metasearch "sleep apnea" --ndjson | jq .event', "read the events as they happen"),
    (
        "metasearch --syntax cnki '(水质+水体)*贝类' --explain-plan",
        "show the request to each source, and send nothing",
    ),
)


# The command decides itself what runs in a child: its parent writes the hits of a broken search.
@click.command(cls=ExampleCommand, examples=EXAMPLES, in_child=False)
@click.argument("query", nargs=-1, required=True)
@search_options("versions", "dedup")  # `dedup_options` has them
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMAT_NAMES),
    help="How hits are written; without it the ending of -o FILE decides, else table.",
)
@click.option("--json", is_flag=True, help="--format json: the whole answer as one document.")
@click.option(
    "--ndjson", is_flag=True, help="--format ndjson: events, a line each, as they happen."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the hits to FILE; its ending chooses the format (.json .ndjson .csv .ris .bib "
    ".atom .txt).",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Show why each hit ranks and was merged, and what was sent to each source.",
)
@click.option(
    "--explain-plan", is_flag=True, help="Show the request to each source, and send nothing."
)
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Record every exchange with a source in DIR.",
)
@click.option(
    "--allow-partial", is_flag=True, help="Exit 0 although a source failed or was still running."
)
@writing_options
@dedup_options
@common
@click.pass_obj
def search(
    console: Console,
    /,
    *,
    query: tuple[str, ...],
    format_: str | None,
    json: bool,
    ndjson: bool,
    output: Path | None,
    explain_plan: bool,
    bom: bool | None,
    **others: Any,
) -> int:
    """Search all sources at once for QUERY.

    Words, "phrases", AND OR NOT, brackets, and title: author: venue: abstract: doi: isbn: issn:
    before a word or phrase. Several arguments are joined by blanks, "-" reads the query from stdin,
    and "--" ends the options.
    """
    if others["record"] and others["replay"]:
        raise click.UsageError("--record and --replay exclude each other.")
    named = chosen_format(format_, json=json, ndjson=ndjson, output=output, without_ending="table")
    options = SearchCommandOptions(
        query=query_text(query),
        format=named or "table",
        output=output,
        bom=has_bom(bom, output),
        **others,
    )
    if explain_plan:
        return run_in_child(console, lambda: _write_plan(options))
    return run_in_child(
        console,
        lambda: run(options, console),
        lambda broken: rescue(broken, options, console),
    )


def _write_plan(options: SearchCommandOptions) -> Exit:
    """Write what each source would be asked, as text or as one JSON document. Nothing is sent.
    Raises MetasearchError: the query, an option or the configuration cannot be used; OSError: the
    output cannot be written.
    """
    import orjson

    from metasearch.engine.dry_run import explain_plan, plan_lines, plan_object

    if options.format not in ("table", "json"):
        raise click.UsageError(f"A plan is written as text or as JSON, not as {options.format}.")
    settings = options.settings()
    if options.demo:
        from metasearch import demo

        settings = demo.replayed(settings)
    plan = explain_plan(options, settings=settings)
    if options.format == "json":
        layout = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        content = orjson.dumps(plan_object(plan), option=layout)
    else:
        lines = "".join(f"{text}\n" for text in plan_lines(plan))
        content = lines.encode("utf-8", "replace")
    with Sink(options.output) as sink:
        sink.write(content)
    return Exit.OK
