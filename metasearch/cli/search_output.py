"""What a search writes: its hits to the output, a summary to stderr, and the exit code.

This file loads nothing that searches: the parent of a broken search writes with it, too.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from metasearch import formats
from metasearch.cli.search_options import SearchCommandOptions
from metasearch.cli.search_summary import write_summary
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit, exit_for
from metasearch.cli.terminal.output import Sink
from metasearch.events import Added, Answer, FacetsChanged, Finished, SearchEvent

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
