"""A search that had to be ended: what its child had told of, as the answer that an interrupted
search gives.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import replace

from metasearch import formats
from metasearch.cli.search import Job
from metasearch.cli.search_output import as_line, limit_of, rest, told, whole
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.cli.terminal.watchdog import Broken
from metasearch.events import (
    Added,
    Answer,
    Counts,
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

#: Seconds to write what was found by a search that had to be ended.
RESCUE = 10.0


def answer_of(
    events: Iterable[SearchEvent], start: int, limit: int | None, seconds: float
) -> Answer:
    """The answer that events stand for, whose end is missing.

    Args:
        events: From the first one on.
        start: Places of the list to pass over.
        limit: Hits at most; None for all.
        seconds: How long it took.
    """
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
    # What came behind the last order stands behind it.
    places = dict.fromkeys([*(name for name in order if name in hits), *hits])
    ranked = tuple(replace(hits[name], rank=rank) for rank, name in enumerate(places, 1))
    received = sum(len(hit.records) for hit in ranked)
    return Answer(
        query=query,
        complete=False,
        counts=Counts(received, len(ranked), received - len(ranked)),
        hits=ranked[start : None if limit is None else start + limit],
        sources=tuple(reports.values()),
        seconds=seconds,
        paging=Paging(start, limit),
    )


def rescue(broken: Broken, job: Job, console: Console) -> Exit:
    """Write what a search had found that could not end by itself, and say so.

    Called by the parent of the search, with nobody who would end it in turn: so the kernel does.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, RESCUE)
    events = list(broken.found())
    answer = answer_of(events, job.start, limit_of(job), broken.seconds)
    with Sink(job.output) as sink:
        if formats.get(job.format).unit == "event":
            before = (
                [] if sink.to_stdout else events
            )  # standard output has them already; a file was not finished
            document = b"".join(map(as_line, [*before, *rest(answer)]))
        else:
            document = whole(answer, job, sink, console)
        signal.setitimer(signal.ITIMER_REAL, 0)  # its reader has all the time
        sink.write(document)
    match broken.why:
        case "late":
            console.say(
                f"a computation did not stop, and was ended after {broken.seconds:.1f} s", "red"
            )
        case "crashed":
            console.say(f"internal error: the search was ended by signal {broken.by}", "red")
        case "interrupted":
            console.say("a computation did not stop, and was ended")
    code = told(answer, job, console, interrupted=broken.why == "interrupted")
    return Exit.INTERNAL if broken.why == "crashed" else code
