"""`metasearch "query"`: searches, shows the progress, and writes the answer.

The search runs in a child process, which alone loads the engine. Where it is killed or crashes, its
parent writes the hits that it had found: so what writes an answer loads nothing that searches.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from metasearch import formats, garbage_collection
from metasearch.cli import watchdog_messages as watchdog
from metasearch.cli.options import SearchCommandOptions
from metasearch.cli.output import (
    Console,
    Exit,
    Sink,
    exit_for,
    has_answered,
    quantity,
)
from metasearch.cli.progress import ProgressBlock, count_of, logs_to
from metasearch.cli.watchdog import BrokenCommand
from metasearch.engine.facets import FacetCounts, facet_names, parse_filters, sort_hits
from metasearch.engine.options import SearchOptions
from metasearch.engine.pages import sources_with_more
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
    Totals,
)
from metasearch.formats.failures import alike, as_line
from metasearch.formats.text import line
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
    from metasearch.formats.events import ndjson

    return ndjson(event)


def end_events(answer: Answer) -> list[SearchEvent]:
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

        on_purpose = FAILS_ON_PURPOSE
        coverage = "" if options.settings().demo_catalogue else demo.COVERAGE
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
        listed = sort_hits(listed, options.sort, {})
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
    answer = answer_of(events, options, options.hit_limit, broken.seconds)
    with Sink(options.output) as sink:
        if formats.get(options.format).unit == "event":
            # Standard output has these events already; the unfinished file was deleted.
            before = [] if sink.to_stdout else events
            document = b"".join(map(event_line, [*before, *end_events(answer)]))
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
            garbage_collection.end_loading()
        code = asyncio.run(_search(options, settings, sink, console))
    if console.program:
        garbage_collection.end()
    return code


async def _search(
    options: SearchCommandOptions, settings: Settings, sink: Sink, console: Console
) -> Exit:
    """Write the answer and its summary, and return the exit code."""
    async with open_search(options, settings) as search:
        answer, interrupted = await _follow(search, options, sink, console)
        sink.finish()
        code = summarise(answer, options, console, interrupted=interrupted)
        # The network may delay the closing of connections; the user does not wait for that.
        watchdog.output_ends(code)
        watchdog.set_limit(CLOSING)
    return code


@asynccontextmanager
async def open_search(options: SearchCommandOptions, settings: Settings) -> AsyncIterator[Search]:
    """The search that the options describe; its engine is closed at the end of the block. Raises
    UsageError: the query or an option cannot be used.
    """
    from metasearch.engine.engine import Engine

    transport: Transport | None = None
    if options.demo:
        from metasearch import demo

        settings = demo.replay_settings(settings)
        if options.replay is None:
            transport = demo.DemoTransport(latency=1.0, catalogue=settings.demo_catalogue)
    async with Engine(
        settings, replay=options.replay, record=options.record, transport=transport
    ) as engine:
        yield engine.search(options, limit=options.hit_limit)


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
                        watchdog.set_drawing(progress.height)
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
                watchdog.set_drawing(0)
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
        for event in end_events(answer):
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


# The lines below an answer: what each source returned, and what went wrong.

#: A source that took at least so many seconds is shown with its time.
SLOW = 2.0
#: Columns of a bar in the timeline, at most.
BAR = 40


def write_summary(
    answer: Answer,
    console: Console,
    *,
    explain: bool = False,
    on_purpose: Collection[str] = (),
    coverage: str = "",
    interrupted: bool = False,
) -> None:
    """Write what the results do not show.

    Without a terminal, and if no source failed, nothing is written: a script expects that.
    `answer`: of the search; `hits` are those that were shown. `coverage`: the subjects of all works
    in the sources, if they are few; else "".
    """
    no_answer = not any(has_answered(report) for report in answer.sources) and not interrupted
    if console.quiet and not no_answer:
        return
    if console.live and answer.hits and sys.stdout.isatty():
        console.say("")
    whole = explain or console.verbose
    _write_query(answer, console, whole=whole)
    _write_problems(answer, console, whole=whole, on_purpose=on_purpose, interrupted=interrupted)
    if no_answer:
        console.say("error: no source answered", "red")
        return
    troubled = bool(answer.running) or any(report.failed for report in answer.sources)
    if not answer.counts.unique:
        hint = "" if troubled or interrupted else "; try fewer or other words, or more sources"
        console.say(f"no hits; there are works about {coverage}" if coverage else f"no hits{hint}")
    elif not answer.passing:
        console.say(f"no hits: none of {quantity(answer.counts.unique, 'work')} passes the filters")
    elif not answer.hits and answer.paging.next is not None:
        console.say("no hits on this page: none of its works passes the filters")
    elif not answer.hits and answer.paging.start:
        console.say(f"no hits after --start {answer.paging.start}: the list is shorter")
    if not whole and (console.live or on_purpose):
        console.say(_counts_by_source(answer))
    if whole or troubled or interrupted or console.live:
        console.say(_counts(answer, interrupted))
    if whole or console.live:
        _write_what_is_more(answer, console, whole=whole)


def _write_query(answer: Answer, console: Console, *, whole: bool) -> None:
    """Write how the query was understood, and with `whole` how every source answered."""
    if whole:
        console.say(f"query: {line(answer.query)} (read as {answer.syntax})")
    for note in answer.notes:
        console.say(f"note: {line(note)}")
    if whole:
        for report in answer.sources:
            _write_source(report, console)
    if console.verbose:
        for text in timeline(answer, console.size(sys.stderr)[0]):
            console.say(text, wrap=False)


def _write_problems(
    answer: Answer,
    console: Console,
    *,
    whole: bool,
    on_purpose: Collection[str],
    interrupted: bool,
) -> None:
    """Write which sources answered from the cache, are still running, or failed."""
    for report in answer.sources:
        if report.spared and not whole:
            console.say(f"{report.source}: {line(report.spared)}", "yellow")
    for group in alike(answer.sources):
        first = group[0]
        if first.status == "running":
            how = (
                "did not finish"
                if interrupted
                else f"still running after {answer.seconds:.1f} s, not waited for"
            )
            kept = f"; its {quantity(first.count, 'record')} are kept" if first.count else ""
            console.say(as_line([report.source for report in group], f"{how}{kept}"), "yellow")
        elif first.error is not None or first.failed:
            _write_failure(group, console, by_design=first.source in on_purpose)


def _write_what_is_more(answer: Answer, console: Console, *, whole: bool) -> None:
    """Write the totals, the next page, which sources have more records, and where notes are."""
    if whole and answer.totals is not None:
        console.say(f"totals: {_totals_in_words(answer.totals)}")
    if answer.paging.next is not None:
        console.say(f"more: the same command with --start {answer.paging.next.start}")
    names = sources_with_more(answer)
    if names:
        have = "has" if len(names) == 1 else "have"
        console.say(
            f"{', '.join(names)} {have} more records than were requested: --per-source N requests "
            f"N from each source"
        )
    if not whole and any(set(report.notes) - {report.spared} for report in answer.sources):
        console.say("there are notes about the query or the sources; --explain shows them")


def timeline(answer: Answer, columns: int) -> Iterator[str]:
    """A bar for the time of each source, the fastest first, and one for the answer: the source that
    delayed the answer is easy to see.
    """
    names = max((len(report.source) for report in answer.sources), default=0)
    room = max(5, min(BAR, columns - names - len("  10.00 s, timeout")))
    longest = max([answer.seconds, *(report.seconds for report in answer.sources)])
    for report in sorted(answer.sources, key=lambda report: (report.seconds, report.source)):
        bar = "#" * (round(room * report.seconds / longest) if longest else 0)
        taken = "cached" if report.cached else f"{report.seconds:.2f} s"
        yield f"{report.source.ljust(names)} {bar.ljust(room)} {taken}, {report.status}"
    yield f"{'answer'.ljust(names)} {'#' * room} {answer.seconds:.2f} s"


def _write_source(report: SourceReport, console: Console) -> None:
    taken = "cached" if report.cached else f"{report.seconds:.2f} s"
    console.say(f"{report.source}: {report.status}, {count_of(report)}, {taken}")
    if report.query:
        console.say(f"  sent: {line(report.query)}")
    for note in report.notes:
        console.say(f"  note: {line(note)}")


def _write_failure(group: list[SourceReport], console: Console, *, by_design: bool) -> None:
    report = group[0]
    reason = (
        line(str(report.error)).rstrip(".") if report.error is not None else "no reason is known"
    )
    advice = (
        f" {line(report.error.advice)}" if report.error is not None and report.error.advice else ""
    )
    kept = f" Its {quantity(report.count, 'record')} are kept." if report.count else ""
    if by_design:
        # A newcomer must not think that the first command went wrong.
        advice = " It fails on purpose, to show that the others go on."
    names = [report.source for report in group]
    text = as_line(names, f"{report.status}: {reason}.{kept}{advice}")
    console.say(text, "yellow" if by_design else "red")


def _counts_by_source(answer: Answer) -> str:
    """The records of each source: "crossref 20 of 1,234, arxiv 0, dblp 20 (3.0 s)", with the time
    of slow sources; "dblp 20 from the cache" if old pages replaced the answer of a source.
    """
    parts = []
    for report in answer.sources:
        total = f" of {report.total:,}" if report.total and report.total > report.count else ""
        late = f" ({report.seconds:.1f} s)" if report.seconds >= SLOW else ""
        old = " from the cache" if report.spared else ""
        count = f"{report.count}{total}{old}" if has_answered(report) else report.status
        parts.append(f"{report.source} {count}{late}")
    return ", ".join(parts)


def _totals_in_words(totals: Totals) -> str:
    about = "unknown in all" if totals.estimate is None else f"about {totals.estimate:,} in all"
    unsure = "" if totals.reliable else ", not sure"
    most = "" if totals.most is None else f", at most {totals.most:,}"
    return f"{about}{unsure}, at least {totals.least:,}{most}: {line(totals.basis)}"


def _counts(answer: Answer, interrupted: bool) -> str:
    counts = answer.counts
    shown = len(answer.hits)
    answers = sum(has_answered(report) for report in answer.sources)
    here = (
        f"{answer.hits[0].rank} to {answer.hits[-1].rank}"
        if shown and answer.paging.start
        else f"{shown}"
    )
    passing = answer.passing
    more = f" of about {answer.expected:,}" if answer.expected > passing else ""
    hits = quantity(passing, "hit")
    parts = [
        f"{here} of {hits}{more}" if shown < passing else f"{hits}{more}",
        *([f"filtered from {quantity(counts.unique, 'work')}"] if answer.filter else []),
        f"{quantity(counts.received, 'record')}, {quantity(counts.duplicates, 'duplicate')}",
        f"{answers} of {len(answer.sources)} sources answered",
        f"{answer.seconds:.2f} s",
    ]
    return ("interrupted: " if interrupted else "") + "; ".join(parts)
