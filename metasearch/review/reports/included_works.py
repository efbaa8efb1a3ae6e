"""The table of the included studies: what reviews print with their results."""

from __future__ import annotations

from metasearch.bib.bylines import natural_order
from metasearch.bib.identifiers import web_url
from metasearch.formats.text import line
from metasearch.message import message_in
from metasearch.record import Author, Record
from metasearch.review.projects.projects import Project
from metasearch.review.reports.document import (
    Document,
    Language,
    Phrase,
    Remark,
    Span,
    Table,
    Text,
    name_list,
    speaker,
)
from metasearch.review.runs.figures import source_labels
from metasearch.review.works import work_checks, works
from metasearch.review.works.works import Work

KIND = "included"
#: Works that the table lists.
_MOST = 2_000


def document(project: Project, *, language: Language = "en") -> Document:
    phrase = speaker(language)
    with project.db.snapshot():
        rows = work_checks.included(project)
        listed = works.read(project.db, rows[:_MOST])
        labels = source_labels(project)
    listed.sort(key=lambda work: (work.author.casefold(), work.year or 0, work.title.casefold()))
    table = Table(
        head=(
            phrase("Study"),
            phrase("Title"),
            phrase("Published in"),
            phrase("Identifier"),
            phrase("Databases"),
            phrase("Note"),
        ),
        rows=tuple(_row(work, labels, phrase) for work in listed),
        widths=(15, 32, 20, 14, 11, 8),
    )
    more = len(rows) - len(listed)
    remark = Remark(text=phrase("{count} more are not listed here.", count=f"{more:,}"))
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=phrase("Included studies"),
        language=language,
        blocks=(table, remark) if more else (table,),
        draft=() if rows else (phrase("No work is included yet."),),
    )


def _row(work: Work, labels: dict[str, str], phrase: Phrase) -> tuple[Text, ...]:
    record = work.hit.record
    return (
        _study(record, phrase),
        line(record.title),
        _place(record, phrase),
        _identifier(record),
        name_list([line(labels.get(name, name)) for name in work.sources], phrase),
        work.note,
    )


def _study(record: Record, phrase: Phrase) -> str:
    """The family name of the first author and the year, by which reviews call a study."""
    names = [line(_family(author)) for author in record.byline[:3]]
    match names:
        case []:
            name = line(record.title)[:40]
        case [name]:
            pass
        case [first, second]:
            name = phrase("{first} and {second}", first=first, second=second)
        case _:
            name = phrase("{names} et al.", names=names[0])
    return f"{name} {record.year}" if record.year else name


def _family(author: Author) -> str:
    """The family name; that of a name in one field by the order of its words."""
    if author.family or author.collective:
        return author.family or author.name
    parted = natural_order(author.name)
    return parted.family or author.name if parted else author.name


def _place(record: Record, phrase: Phrase) -> str:
    """Journal, volume with issue, and pages."""
    issue = f"({line(record.issue)})" if record.issue else ""
    parts = (
        line(record.venue),
        f"{line(record.volume)}{issue}",
        line(record.pages).replace("-", "–"),
    )
    return phrase(message_in("report", ", ")).join(filter(None, parts))


def _identifier(record: Record) -> Text:
    if record.doi:
        return (Span(text=record.doi, link=f"https://doi.org/{record.doi}"),)
    if pmid := record.ids.get("pmid"):
        return f"PMID {pmid}"
    return web_url(record.url) or ""
