"""The works of a job in the export formats of a search: files take the place of sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import tee
from typing import Any

import orjson

from metasearch import formats
from metasearch.bulk.extra_tags import columns, with_besides
from metasearch.bulk.job import FileRead, Outcome
from metasearch.errors import SourceError, UsageError
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
from metasearch.record import Hit

#: Problems of a file that its report quotes; `metasearch.bulk.report` has all.
NOTES = 20
#: Works of a format that is held as a whole, where the works themselves are not held.
MOST_WHOLE = 100_000


def write(
    name: str,
    outcome: Outcome,
    *,
    provenance: bool = False,
    bom: bool = False,
    style: str = DEFAULT_STYLE,
) -> Iterator[bytes]:
    """The works in one of `metasearch.formats.WRITABLE`, in parts; memory does not grow with them
    but in the formats that `require` bounds, in xlsx (its packed bytes) and in BibTeX (its keys).

    `provenance`: RIS says in N1 which file gave which field. Raises FormatError: there is no such
    format; UsageError: as `require`.
    """
    form = formats.get(name)
    require(name, outcome)
    hits, beside = _in_step(outcome, name)
    match name:
        case "ris":
            from metasearch.formats.ris import write as ris

            yield from ris.parts(hits, provenance=provenance, beside=beside)
        case "bibtex":
            from metasearch.formats.bibtex import write as bibtex
            from metasearch.formats.bibtex.keys import CitationKeys

            keyed = CitationKeys(_Hits(outcome))
            yield from bibtex.parts(hits, beside=beside, keyed=keyed)
        case "csv":
            from metasearch.formats.csv import write as csv_table

            more = columns(outcome, name)
            yield from csv_table.parts(hits, bom=bom, beside=beside, columns=more)
        case "xlsx":
            yield from form.parts(hits, beside=beside, columns=columns(outcome, name))
        case "json":
            from metasearch.formats.answer import answer_object, hit_object, in_parts

            objects = (
                hit_object(hit) | _object(found) for hit, found in zip(hits, beside, strict=True)
            )
            yield from in_parts(answer_object(_without_hits(outcome)), "hits", objects)
        case "citations":
            yield from form.parts(_Hits(outcome), style=style)
        case _ if form.in_parts:
            yield from form.parts(hits, beside=beside)
        case _ if form.unit == "event":
            yield from _events(outcome, hits, beside)
        case _:
            yield formats.write(name, answer(outcome))


def require(name: str, outcome: Outcome) -> None:
    """Check that a format can hold the works; formats with one record after another hold any.
    Raises UsageError: it is one document that is held as a whole, and they are more than
    `MOST_WHOLE` that are not in memory.
    """
    form = formats.get(name)
    whole = name == "table" or (form.unit == "answer" and name != "json")
    if whole and not isinstance(outcome.works, Sequence) and len(outcome.works) > MOST_WHOLE:
        raise UsageError(
            f"{name} is held in memory as a whole, and takes at most {MOST_WHOLE:,} works",
            advice="Use ris, csv, ndjson, parquet or another format with one record after another.",
        )


class _Hits:
    """The hits of the works, to be gone through several times."""

    def __init__(self, outcome: Outcome) -> None:
        self._works = outcome.works

    def __iter__(self) -> Iterator[Hit]:
        return (work.hit for work in self._works)


def _in_step(outcome: Outcome, name: str) -> tuple[Iterator[Hit], Iterator[Beside]]:
    """The hits, and what stands beside each. Both come of one reading of the works, so whoever
    takes one of these should take one of those.
    """
    some, others = tee(with_besides(outcome, name))
    return (work.hit for work, _ in some), (beside for _, beside in others)


def _events(outcome: Outcome, hits: Iterable[Hit], beside: Iterable[Beside]) -> Iterator[bytes]:
    """The stream of events, a line each; the last one names every work, and comes in parts, too."""
    from metasearch.formats.answer import in_parts
    from metasearch.formats.events import event_object, ndjson, ranked_object

    *first, last = events(outcome)
    yield from map(ndjson, first)
    for hit, found in zip(hits, beside, strict=True):
        document = event_object(Added(hit)) | _object(found)
        yield orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    yield from in_parts(event_object(last), "hits", map(ranked_object, _Hits(outcome)))


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
    """The works as hits of an answer to no query; not `complete` where something is unread."""
    return replace(_without_hits(outcome), hits=tuple(_Hits(outcome)))


def _without_hits(outcome: Outcome) -> Answer:
    received = sum(file.reading.count for file in outcome.files)
    return Answer(
        query="",
        complete=outcome.complete,
        counts=Counts(received, len(outcome.works), received - len(outcome.works)),
        hits=(),
        sources=tuple(map(report, outcome.files)),
        dedup=outcome.dedup,
    )


def events(outcome: Outcome) -> Iterator[SearchEvent]:
    """The same as a stream, without the hits, whose place is before the last event."""
    whole = _without_hits(outcome)
    yield Started("dedup", whole.query, tuple(source.source for source in whole.sources), 0.0)
    yield from map(SourceProgress, whole.sources)
    yield Finished(whole)


def report(file: FileRead) -> SourceReport:
    """How a file fared."""
    count, problems = file.reading.count, file.reading.problems
    notes = [
        f"{problem.line}: {line(problem.message)}" if problem.line else line(problem.message)
        for problem in problems[:NOTES]
    ]
    notes += [f"{len(problems) - NOTES:,} more"] if len(problems) > NOTES else []
    return SourceReport(
        file.input.name,
        "error" if file.error else "ok" if count else "empty",
        count=count,
        total=None if file.error else file.found,
        notes=tuple(notes),
        error=SourceError(file.input.name, str(file.error), advice=file.error.advice)
        if file.error
        else None,
        unread=file.reading.lost,
    )
