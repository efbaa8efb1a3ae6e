"""What a search writes: its hits to the output, what they do not say to stderr, and the exit code.

Loads nothing that searches, so that the parent of a search that had to be ended is quick with it.
"""

from __future__ import annotations

import sys

from metasearch import formats
from metasearch.cli.search import Job
from metasearch.cli.search_summary import tell
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit, exit_for
from metasearch.cli.terminal.output import Sink
from metasearch.events import Added, Answer, Finished, SearchEvent

#: Hits in a table when the user does not say.
TABLE_HITS = 20
#: The demo's databases that never answer, so that one sees what that looks like.
FAILS_ON_PURPOSE = frozenset({"demo-failing"})


def limit_of(job: Job) -> int | None:
    """Hits that are asked for; None for all."""
    return TABLE_HITS if job.limit is None and job.format == "table" else job.limit


def told(answer: Answer, job: Job, console: Console, *, interrupted: bool) -> Exit:
    """Says what an answer does not, and gives the exit code."""
    on_purpose: frozenset[str] = frozenset()
    coverage = ""
    if job.demo:
        from metasearch import demo

        on_purpose, coverage = FAILS_ON_PURPOSE, demo.COVERAGE
    tell(
        answer,
        console,
        explain=job.explain,
        on_purpose=on_purpose,
        coverage=coverage,
        interrupted=interrupted,
    )
    if interrupted:
        return Exit.INTERRUPTED
    return exit_for(answer, allow_partial=job.allow_partial, excused=on_purpose)


def rest(answer: Answer) -> list[SearchEvent]:
    """What ends a stream whose events are still under way: the whole state."""
    return [*map(Added, answer.hits), Finished(answer)]


def as_line(event: SearchEvent) -> bytes:
    """One event of a stream."""
    from metasearch.formats.events import ndjson

    return ndjson(event)


def whole(answer: Answer, job: Job, sink: Sink, console: Console) -> bytes:
    """An answer in a format that is one document."""
    if job.format != "table":
        return formats.write(job.format, answer, bom=job.bom, provenance=job.provenance)
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
