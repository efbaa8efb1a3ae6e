"""The works of a job in the export formats of a search: files take the place of sources."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch import formats
from metasearch.bulk.job import FileRead, Outcome
from metasearch.errors import SourceError
from metasearch.events import Added, Answer, Counts, Finished, SearchEvent, SourceProgress, SourceReport, Started
from metasearch.formats.text import line

#: Problems of a file that its report quotes; `metasearch.bulk.report` has all.
NOTES = 20


def write(name: str, outcome: Outcome) -> Iterator[bytes]:
    """The works in one of `metasearch.formats.FORMATS`, in parts.

    Raises:
        FormatError: There is no such format.
    """
    if formats.get(name).unit != "event":
        yield formats.write(name, answer(outcome))
        return
    from metasearch.formats.events import ndjson

    yield from map(ndjson, events(outcome))


def answer(outcome: Outcome) -> Answer:
    """The works as the hits of an answer to no query; `complete` is False where something could not be read."""
    received = sum(len(work.items) for work in outcome.works)
    return Answer(
        query="",
        complete=outcome.complete,
        counts=Counts(received, len(outcome.works), received - len(outcome.works)),
        hits=tuple(work.hit for work in outcome.works),
        sources=tuple(map(report, outcome.files)),
        dedup=outcome.dedup,
    )


def events(outcome: Outcome) -> Iterator[SearchEvent]:
    """The same as a stream."""
    whole = answer(outcome)
    yield Started("dedup", whole.query, tuple(it.source for it in whole.sources), 0.0)
    yield from map(SourceProgress, whole.sources)
    yield from map(Added, whole.hits)
    yield Finished(whole)


def report(file: FileRead) -> SourceReport:
    """How a file fared."""
    entries, problems = file.reading.entries, file.reading.problems
    notes = [f"{it.line}: {line(it.message)}" if it.line else line(it.message) for it in problems[:NOTES]]
    notes += [f"{len(problems) - NOTES:,} more"] if len(problems) > NOTES else []
    return SourceReport(
        file.input.name,
        "error" if file.error else "ok" if entries else "empty",
        count=len(entries),
        total=None if file.error else file.found,
        notes=tuple(notes),
        error=SourceError(file.input.name, str(file.error), advice=file.error.advice) if file.error else None,
        unread=file.reading.lost,
    )
