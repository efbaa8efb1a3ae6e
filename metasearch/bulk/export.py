"""What a job writes: its works in the export formats of a search, the list of clusters, and what
the output has no place for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import tee
from typing import Any, NamedTuple

import orjson

from metasearch import formats
from metasearch.bib.field_limits import Cuts, cut_others
from metasearch.bulk.job import FileRead, InputRecord, JobOutcome, JobWork
from metasearch.bulk.report import JobNumbers, WorkCounts, numbers_of
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
from metasearch.formats import READABLE
from metasearch.formats.citations import DEFAULT_STYLE
from metasearch.formats.csv import MOST_BESIDE, columns_beside
from metasearch.formats.origins import Beside, Origin
from metasearch.formats.reading.result import MOST_TAGS
from metasearch.formats.text import clean, clean_or_none, exact_number, line
from metasearch.record import Hit, Match

# What the files of a job say beside the fields of its records: what of it a format has a place for,
# and what not. A tag goes out again in the format that it came in. JSON, CSV and Parquet have room
# for those of any format, under a name such as "ris:N1"; read again, they are N1 of RIS.

#: Output formats that have a place for the tags of any format.
_ROOMY = frozenset({"json", "ndjson", "sse", "csv", "parquet"})
#: Tags whose values every format has a place for.
_HELD = frozenset({("ris", "DB")})
#: Tags that a note names; the others are counted.
NAMES_SHOWN = 20


def origins(record: InputRecord, file: FileRead) -> tuple[Origin, ...]:
    """Of the records that a record stands for: several, where an earlier job has made them one."""
    return record.origins or (Origin(file.input.name, line(record.database) or None),)


def with_besides(outcome: JobOutcome, name: str) -> Iterator[tuple[JobWork, Beside]]:
    """Each work with what stands beside it in an output; as much as of one record."""
    for work in outcome.works:
        yield work, _beside(work.items, outcome.files, name, Cuts())


def _beside(
    items: tuple[InputRecord, ...], files: Sequence[FileRead], name: str, cuts: Cuts
) -> Beside:
    made_of = tuple([one for item in items for one in origins(item, files[item.file])])
    found = [field for item in items for field in _fields_in(item, files[item.file], name)]
    return Beside(made_of, cut_others(list(dict.fromkeys(found)), cuts))


def _fields_in(item: InputRecord, file: FileRead, name: str) -> Iterator[tuple[str, str]]:
    """The fields of a record that an output format has a place for, by their names there."""
    for tag, value in item.given:
        form, bare = _form_and_tag(tag, file.reading.format)
        if form == name:
            yield bare, value
        elif name in _ROOMY:
            yield f"{form}:{bare}", value


def _form_and_tag(tag: str, form: str) -> tuple[str, str]:
    """The format whose tag it is, and the tag; tables and JSON hold those of others, too."""
    before, colon, bare = tag.partition(":")
    is_of_another = before in READABLE and form in ("csv", "ndjson", "parquet", "xlsx")
    return (before, bare) if colon and bare and is_of_another else (form, tag)


def columns(outcome: JobOutcome, name: str) -> list[str]:
    """The columns that a table has for the tags of the files."""
    return columns_beside(beside for _, beside in with_besides(outcome, name))


class Omissions:
    """What the files say and an output does not; it looks at one work after another, and says
    nothing of a table for the eye.
    """

    def __init__(self, files: Sequence[FileRead], name: str) -> None:
        self._files = files
        self._name = name
        self._cuts = Cuts()
        self._tags: set[str] = set()
        self._written: dict[str, None] = {}

    def add(self, work: JobWork) -> None:
        if self._name == "table":
            return
        beside = _beside(work.items, self._files, self._name, self._cuts)
        if self._name == "csv":
            if len(self._tags) < MOST_TAGS:
                self._tags.update(tag for tag, _ in beside.fields)
            if len(self._written) <= MOST_BESIDE:
                self._written.update(dict.fromkeys(columns_beside([beside])))

    def join(self, other: Omissions) -> None:
        """`other`: of the same job and format, of works that come behind."""
        self._cuts.join(other._cuts)
        if len(self._tags) < MOST_TAGS:
            self._tags |= other._tags
        if len(self._written) <= MOST_BESIDE:
            self._written |= other._written

    def notes(self) -> list[str]:
        """In words, a line a file, when it has seen all works."""
        if self._name == "table":
            return []
        notes = [note for file in self._files if (note := self._of(file))]
        notes += [f"of merged records, {note}" for note in self._cuts.notes()]
        held = min(len(self._written), MOST_BESIDE)
        if len(self._tags) > held:
            notes.append(
                f"a table has {held:,} columns of files at most: {len(self._tags) - held:,} more "
                f"were left out"
            )
        return notes

    def _of(self, file: FileRead) -> str:
        lost: Counter[str] = Counter()
        for tag, times in file.reading.tags().items():
            form, bare = _form_and_tag(tag, file.reading.format)
            if form != self._name and self._name not in _ROOMY and (form, bare) not in _HELD:
                lost[bare] += times
        if not lost:
            return ""
        shown = ", ".join(
            f"{line(tag)} ({times:,})" for tag, times in lost.most_common(NAMES_SHOWN)
        )
        more = f" and {len(lost) - NAMES_SHOWN} more" if len(lost) > NAMES_SHOWN else ""
        return f"{file.input.name}: {self._name} has no place for {shown}{more}"


#: Problems of a file that its report quotes; `metasearch.bulk.report` has all.
NOTES = 20
#: Works of a format that is held as a whole, where the works themselves are not held.
MOST_WHOLE = 100_000


def write(
    name: str,
    outcome: JobOutcome,
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
            from metasearch.formats import ris

            yield from ris.parts(hits, provenance=provenance, beside=beside)
        case "bibtex":
            from metasearch.formats import bibtex
            from metasearch.formats.citation_keys import CitationKeys

            keyed = CitationKeys(_Hits(outcome))
            yield from bibtex.parts(hits, beside=beside, keyed=keyed)
        case "csv":
            from metasearch.formats import csv as csv_table

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
        case _ if form.download:
            yield from form.parts(hits, beside=beside)
        case _ if form.unit == "event":
            yield from _events(outcome, hits, beside)
        case _:
            yield formats.write(name, answer(outcome))


def require(name: str, outcome: JobOutcome) -> None:
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
    def __init__(self, outcome: JobOutcome) -> None:
        self._works = outcome.works

    def __iter__(self) -> Iterator[Hit]:
        return (work.hit for work in self._works)


def _in_step(outcome: JobOutcome, name: str) -> tuple[Iterator[Hit], Iterator[Beside]]:
    """The hits, and what stands beside each. Both come of one reading of the works, so whoever
    takes one of these should take one of those.
    """
    some, others = tee(with_besides(outcome, name))
    return (work.hit for work, _ in some), (beside for _, beside in others)


def _events(outcome: JobOutcome, hits: Iterable[Hit], beside: Iterable[Beside]) -> Iterator[bytes]:
    """The stream of events, a line each; the last one names every work, and comes in parts, too."""
    from metasearch.formats.answer import in_parts
    from metasearch.formats.events import event_object, ndjson, rank_object

    *first, last = events(outcome)
    yield from map(ndjson, first)
    for hit, found in zip(hits, beside, strict=True):
        document = event_object(Added(hit)) | _object(found)
        yield orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    yield from in_parts(event_object(last), "hits", map(rank_object, _Hits(outcome)))


def _object(beside: Beside) -> dict[str, Any]:
    """What a hit that was made of files has beyond that of a search."""
    return {
        "origins": [
            {"file": clean(origin.file), "database": clean_or_none(origin.database)}
            for origin in beside.origins
        ],
        "given": [[clean(tag), clean(value)] for tag, value in beside.fields],
    }


def answer(outcome: JobOutcome) -> Answer:
    """The works as hits of an answer to no query; not `complete` where something is unread."""
    return replace(_without_hits(outcome), hits=tuple(_Hits(outcome)))


def _without_hits(outcome: JobOutcome) -> Answer:
    received = sum(file.reading.count for file in outcome.files)
    return Answer(
        query="",
        complete=outcome.complete,
        counts=Counts(received, len(outcome.works), received - len(outcome.works)),
        hits=(),
        sources=tuple(map(report, outcome.files)),
        dedup=outcome.dedup,
    )


def events(outcome: JobOutcome) -> Iterator[SearchEvent]:
    """The same as a stream, without the hits, whose place is before the last event."""
    whole = _without_hits(outcome)
    yield Started("dedup", whole.query, tuple(source.source for source in whole.sources), 0.0)
    yield from map(SourceProgress, whole.sources)
    yield Finished(whole)


def report(file: FileRead) -> SourceReport:
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
        total=None if file.error else file.total,
        notes=tuple(notes),
        error=SourceError(file.input.name, str(file.error), advice=file.error.advice)
        if file.error
        else None,
        unread=file.reading.lost,
    )


#: Works from which on a process of its own pays.
MANY = 50_000


class JobSummary(NamedTuple):
    """What is told. `left_out`: sentences on what the output format cannot hold."""

    numbers: JobNumbers
    left_out: list[str]


class JobObserver:
    """Finds out what is told while it looks at one work after another. `name`: of the format in
    which its works are written; None where they are not.
    """

    def __init__(self, outcome: JobOutcome, name: str | None) -> None:
        self._counted = WorkCounts()
        self._lost = Omissions(outcome.files, name) if name is not None else None

    def add(self, work: JobWork) -> None:
        self._counted.add(work)
        if self._lost is not None:
            self._lost.add(work)

    def join(self, other: JobObserver) -> None:
        self._counted.join(other._counted)
        if self._lost is not None and other._lost is not None:
            self._lost.join(other._lost)

    def summary(self, outcome: JobOutcome) -> JobSummary:
        notes = self._lost.notes() if self._lost is not None else []
        return JobSummary(numbers_of(outcome, self._counted), notes)


def observe(outcome: JobOutcome, name: str | None) -> JobSummary:
    """Find it out; the works are gone through once. `name`: of the format in which its works are
    written; None where they are not.
    """
    telling = JobObserver(outcome, name)
    for work in outcome.works:
        telling.add(work)
    return telling.summary(outcome)


def uses_workers(outcome: JobOutcome, workers: int) -> bool:
    """Whether worker processes go through the works: many that lie on disk."""
    return workers > 1 and len(outcome.works) > MANY and not isinstance(outcome.works, Sequence)


@contextmanager
def in_background(
    outcome: JobOutcome, name: str | None, workers: int
) -> Iterator[Callable[[], JobSummary]]:
    """`tell` for a block. Many works that lie on disk are gone through by a worker process while
    the block goes on, and the block has the others; what is given waits for it. Raises UsageError:
    what is given: a part of the works is damaged, or the process was ended.
    """
    if uses_workers(outcome, workers):
        from metasearch.bulk.staged import pool

        with pool.keep_workers(workers), pool.in_background(observe, outcome, name) as told:
            yield told
    else:
        found = observe(outcome, name)
        yield lambda: found


# The list of clusters: an NDJSON line for every work that more than one record describes.
#
#     {"cluster": ["a.ris:1", "b.bib:@7"], "kept": "a.ris:1", "records": [...], "because": [...]}
#
# `cluster` alone is a line of the truth of a labelled set (docs/evaluation.md). Wherever a line
# names a record, it is by the id that stands there.


def cluster_bytes(outcome: JobOutcome) -> bytes:
    """The lines in UTF-8, in the order of the works; b"" for none."""
    return b"".join(cluster_lines(outcome))


def cluster_lines(outcome: JobOutcome) -> Iterator[bytes]:
    for work in outcome.works:
        if len(work.items) > 1:
            line = cluster_object(work, outcome.files)
            yield orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def cluster_object(work: JobWork, files: Sequence[FileRead]) -> dict[str, Any]:
    ids = [clean(item.id) for item in work.items]
    return {
        "cluster": ids,
        "kept": ids[0],
        "records": [_record(item, files[item.file]) for item in work.items],
        "because": list(_match_objects(work.matches, work.items)),
    }


def _record(item: InputRecord, file: FileRead) -> dict[str, Any]:
    return {
        "id": clean(item.id),
        "key": clean(item.key),
        "file": file.input.name,
        "line": item.line,
        "position": exact_number(item.position),
        "database": clean_or_none(item.database),
    }


def _match_objects(
    matches: Iterable[Match], items: Iterable[InputRecord]
) -> Iterable[dict[str, Any]]:
    names = {item.key: clean(item.id) for item in items}
    for match in matches:
        yield {
            "left": names[match.left],
            "right": names[match.right],
            "matcher": match.matcher,
            "verdict": match.verdict,
            "score": match.score,
            "because": clean(match.because),
        }
