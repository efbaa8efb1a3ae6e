"""Works of a project for other programs: in every format that can be written, and in the forms that
screening tools read. Works are read some hundred at a time, so that the memory does not grow with
their number.

Wherever a format names a work, it is by its uid, and each record has the identifier
"metasearch:UID": decisions that come back find their work by it (`decisions_file.py`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import orjson

from metasearch import formats
from metasearch.errors import FormatError, UsageError
from metasearch.events import Added, Answer, Counts
from metasearch.formats.citations import DEFAULT_STYLE
from metasearch.message import message
from metasearch.record import Hit, Record
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.works import lists, works
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.records import batches
from metasearch.review.works.works import Stage, Work

#: The scheme of the identifier that names a work of a project.
SCHEME = "metasearch"
#: Screening tools, and the format that each gets.
Tool = Literal["asreview", "rayyan", "covidence", "eppi"]
TOOLS: Mapping[Tool, str] = {"asreview": "csv", "rayyan": "csv", "covidence": "ris", "eppi": "ris"}
#: Formats of an export: those of searches but what only a terminal or a browser shows, and tools.
EXPORTS = (*(name for name in formats.WRITABLE if name not in ("table", "sse")), *get_args(Tool))
#: Works that are read at once, and those of a format that is written as one document.
AT_ONCE, MOST_WHOLE = 250, 20_000
#: Columns of CSV files for tools.
_ASREVIEW = ("title", "abstract", "authors", "year", "doi", "url", "included", "metasearch_id")
_RAYYAN = (
    "key", "title", "year", "month", "day", "journal", "issn", "volume", "issue", "pages",
    "authors", "url", "language", "publisher", "location", "abstract", "notes", "doi", "keywords",
    "pubmed_id", "pmc_id", "metasearch_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExportFile:
    """What a file with an export is called by programs."""

    extension: str
    media_type: str


def file_of(name: str) -> ExportFile:
    """The file of one of `EXPORTS`. Raises FormatError: there is none of that name."""
    form = formats.get(_format(name))
    return ExportFile(form.extension, form.media_type)


def export(
    project: Project,
    chosen: WorksQuery | Sequence[str],
    name: str,
    *,
    stage: Stage = "title",
    style: str = DEFAULT_STYLE,
    bom: bool = False,
) -> Iterator[bytes]:
    """Works in one of `EXPORTS`, in parts.

    `db`: the workspace; it is read while the parts are taken. `chosen`: a query, whose `start` and
    `count` mean nothing here, or names of works. Raises FormatError: there is no such format.
    Raises UsageError: the query or a name cannot be used; too many works for one document.
    """
    _format(name)
    ids = (
        lists.rows(project, chosen)
        if isinstance(chosen, WorksQuery)
        else works.rows_of(project, chosen)
    )
    return _parts(project, ids, name, stage, style, bom)


def _format(name: str) -> str:
    if name not in EXPORTS:
        raise FormatError(
            f"there is no format {name[:40]!r}", advice=f"Use one of {', '.join(EXPORTS)}."
        )
    return next((form for tool, form in TOOLS.items() if tool == name), name)


def _parts(
    project: Project, ids: Sequence[int], name: str, stage: Stage, style: str, bom: bool
) -> Iterator[bytes]:
    form = formats.get(_format(name))
    match name:
        case "asreview":
            yield from _table(
                _ASREVIEW, (_for_asreview(work, stage) for work in _works(project.db, ids))
            )
        case "rayyan":
            yield from _table(_RAYYAN, (_for_rayyan(work) for work in _works(project.db, ids)))
        case "ris" | "covidence" | "eppi":
            for some in batches(_hits(project.db, ids), AT_ONCE):
                yield form.write(some)
        case "csv":
            for number, some in enumerate(batches(_hits(project.db, ids), AT_ONCE)):
                written = form.write(some, bom=bom and not number)
                yield written.partition(b"\r\n")[2] if number else written
            if not ids:
                yield form.write([], bom=bom)
        case "bibtex":
            yield from _bibtex(project.db, ids)
        case "ndjson":
            from metasearch.formats.events import event_object

            for hit in _hits(project.db, ids):
                yield orjson.dumps(event_object(Added(hit)), option=orjson.OPT_APPEND_NEWLINE)
        case "citations":
            yield from form.parts(_hits(project.db, ids), style=style)
        case _ if form.download:
            yield from form.parts(_hits(project.db, ids))
        case _:
            if len(ids) > MOST_WHOLE:
                raise UsageError(
                    message(
                        "{format} is one document, and takes at most {most} works",
                        format=name,
                        most=f"{MOST_WHOLE:,}",
                    ),
                    advice=message("Use ndjson or csv, or choose fewer works."),
                )
            hits = tuple(_hits(project.db, ids))
            records = sum(len(hit.records) for hit in hits)
            yield formats.write(
                name,
                Answer(
                    query="",
                    complete=True,
                    counts=Counts(records, len(hits), records - len(hits)),
                    hits=hits,
                    sources=(),
                ),
            )


def _works(db: Database, ids: Sequence[int]) -> Iterator[Work]:
    for some in batches(ids, AT_ONCE):
        yield from works.read(db, some)


def _hits(db: Database, ids: Sequence[int]) -> Iterator[Hit]:
    for rank, work in enumerate(_works(db, ids), 1):
        yield project_hit(work, rank)


def project_hit(work: Work, rank: int = 0) -> Hit:
    """The hit of a work under the name that it has in the project."""
    hit = work.hit
    record = replace(hit.record, ids={**hit.record.ids, SCHEME: work.uid})
    also = tuple(sorted({*hit.also, hit.id}))
    return replace(hit, id=work.uid, record=record, rank=rank, also=also)


def _bibtex(db: Database, ids: Sequence[int]) -> Iterator[bytes]:
    """A key depends on those of all other entries; they are made first, of what they need."""
    from metasearch.formats.bibtex import write
    from metasearch.formats.citation_keys import citation_keys

    keys = iter(citation_keys(map(_for_key, _hits(db, ids))))
    first = True
    for some in batches(_hits(db, ids), AT_ONCE):
        written = write(some, keys=[next(keys) for _ in some])
        yield written if first else b"\n" + written
        first = False


def _for_key(hit: Hit) -> Hit:
    record = hit.record
    return Hit(
        hit.id,
        Record(
            source=record.source,
            title=record.title,
            authors=record.authors[:2],
            year=record.year,
        ),
        (),
        {},
    )


# --------------------------------------------------------------------------- screening tools


def _table(columns: Sequence[str], rows: Iterator[Mapping[str, object]]) -> Iterator[bytes]:
    from metasearch.formats.csv import guard_formula

    for number, some in enumerate(batches(rows, AT_ONCE)):
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\r\n")
        if not number:
            writer.writerow(columns)
        for row in some:
            cells = (row.get(column) for column in columns)
            writer.writerow(["" if it is None else guard_formula(str(it)) for it in cells])
        yield out.getvalue().encode("utf-8", "replace")


def _for_asreview(work: Work, stage: Stage) -> dict[str, object]:
    """The columns that ASReview knows; `included` is empty where nothing is decided."""
    record = work.hit.record
    decision = work.decisions.get(stage)
    included = ""
    if decision is not None and decision.verdict != "maybe":
        included = str(int(decision.verdict in ("relevant", "close")))
    return {
        **_common(work),
        "authors": "; ".join(_author(author.name) for author in record.authors),
        "included": included,
    }


def _for_rayyan(work: Work) -> dict[str, object]:
    """The columns of Rayyan's own CSV. It keeps notes, and so the name of the work stands there."""
    record = work.hit.record
    _, month, day = [*(record.date or "").split("-"), "", "", ""][:3]
    return {
        **_common(work),
        "key": work.uid,
        "month": month,
        "day": day,
        "journal": record.venue,
        "issn": "; ".join(record.issn),
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "authors": " and ".join(_author(author.name) for author in record.authors),
        "language": record.language,
        "publisher": record.publisher,
        "notes": f"metasearch_id: {work.uid}",
        "keywords": "; ".join(record.keywords),
        "pubmed_id": record.ids.get("pmid"),
        "pmc_id": record.ids.get("pmcid"),
    }


def _common(work: Work) -> dict[str, object]:
    record = work.hit.record
    title = f"{record.title}: {record.subtitle}" if record.subtitle else record.title
    return {
        "title": title,
        "abstract": record.abstract,
        "year": record.year,
        "doi": record.doi,
        "url": record.url or (f"https://doi.org/{record.doi}" if record.doi else ""),
        "metasearch_id": work.uid,
    }


def _author(name: str) -> str:
    return name.replace(";", ",")
