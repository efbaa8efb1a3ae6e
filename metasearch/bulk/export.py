"""The works of a job in the export formats of a search: files take the place of sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from metasearch import formats
from metasearch.bulk.extra_tags import besides
from metasearch.bulk.job import FileRead, Outcome
from metasearch.errors import SourceError
from metasearch.events import (
    Added,
    Answer,
    Counts,
    Finished,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.formats.citations.styles import DEFAULT_STYLE
from metasearch.formats.origins import Beside
from metasearch.formats.text import clean, clean_or_none, line

#: Problems of a file that its report quotes; `metasearch.bulk.report` has all.
NOTES = 20


def write(
    name: str,
    outcome: Outcome,
    *,
    provenance: bool = False,
    bom: bool = False,
    style: str = DEFAULT_STYLE,
) -> Iterator[bytes]:
    """The works in one of `metasearch.formats.WRITABLE`, in parts.

    Args:
        name: Of the format.
        outcome: What the job has done.
        provenance: RIS says in N1 which file gave which field.
        bom: CSV begins with a byte order mark.
        style: Of citations.

    Raises:
        FormatError: There is no such format.
    """
    form = formats.get(name)
    hits = [work.hit for work in outcome.works]
    match name:
        case "ris":
            from metasearch.formats.ris import write as ris

            yield ris.write(hits, provenance=provenance, beside=besides(outcome, name))
        case "bibtex":
            from metasearch.formats.bibtex import write as bibtex

            yield bibtex.write(hits, beside=besides(outcome, name))
        case "csv":
            from metasearch.formats.csv import write as csv_table

            yield csv_table.write(hits, bom=bom, beside=besides(outcome, name))
        case "json":
            from metasearch.formats.answer import answer_object

            beside = besides(outcome, name)
            whole = answer_object(answer(outcome))
            for hit, found in zip(hits, whole["hits"], strict=True):
                found |= _object(beside[hit.id])
            yield orjson.dumps(whole, option=orjson.OPT_APPEND_NEWLINE)
        case "citations":
            yield from form.parts(hits, style=style)
        case _ if form.in_parts:
            yield from form.parts(hits, beside=besides(outcome, name))
        case _ if form.unit == "event":
            from metasearch.formats.events import event_object

            beside = besides(outcome, name)
            for event in events(outcome):
                document = event_object(event)
                if isinstance(event, Added):
                    document |= _object(beside[event.hit.id])
                yield orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
        case _:
            yield formats.write(name, answer(outcome))


def _object(beside: Beside) -> dict[str, Any]:
    """What a hit that was made of files has beyond that of a search."""
    return {
        "origins": [
            {"file": clean(origin.file), "database": clean_or_none(origin.database)}
            for origin in beside.origins
        ],
        "given": [[clean(tag), clean(value)] for tag, value in beside.fields],
    }


def answer(outcome: Outcome) -> Answer:
    """The works as the hits of an answer to no query; `complete` is False where something could not
    be read.
    """
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
    yield Started("dedup", whole.query, tuple(source.source for source in whole.sources), 0.0)
    yield from map(SourceProgress, whole.sources)
    yield from map(Added, whole.hits)
    yield Finished(whole)


def report(file: FileRead) -> SourceReport:
    """How a file fared."""
    entries, problems = file.reading.entries, file.reading.problems
    notes = [
        f"{problem.line}: {line(problem.message)}" if problem.line else line(problem.message)
        for problem in problems[:NOTES]
    ]
    notes += [f"{len(problems) - NOTES:,} more"] if len(problems) > NOTES else []
    return SourceReport(
        file.input.name,
        "error" if file.error else "ok" if entries else "empty",
        count=len(entries),
        total=None if file.error else file.found,
        notes=tuple(notes),
        error=SourceError(file.input.name, str(file.error), advice=file.error.advice)
        if file.error
        else None,
        unread=file.reading.lost,
    )
