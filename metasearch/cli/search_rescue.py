"""Writes the hits that a search had found before its process was killed or crashed."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import replace

from metasearch import formats
from metasearch.cli.search_options import SearchCommandOptions
from metasearch.cli.search_output import closing_events, document_of, event_line, summarise
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.cli.terminal.watchdog import BrokenCommand
from metasearch.engine.options import SearchOptions
from metasearch.events import (
    Added,
    Answer,
    Counts,
    Facets,
    FacetsChanged,
    Grown,
    Joined,
    Order,
    Paging,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.listing.facets import FacetCounts, facet_names
from metasearch.listing.filters import parse_filters
from metasearch.listing.sort import arranged
from metasearch.record import Hit

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
