"""NoteExpress: "{Reference Type}: ..." first, an author a line, a blank line behind a record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reference import (
    date_parts,
    full_title,
    identifiers,
    inverted,
    issuing_body,
    link,
    page_range,
    standard_numbers,
)
from metasearch.formats.tagged_lines import (
    TaggedLines,
    databases,
    four_digits,
    further_titles,
    general_type,
    second_type,
)
from metasearch.formats.text import line
from metasearch.record import Hit

#: `Record.type` -> {Reference Type}.
TYPES = {
    "article": "Journal Article",
    "preprint": "Unpublished Work",
    "conference-paper": "Conference Proceedings",
    "proceedings": "Conference Proceedings",
    "book": "Book",
    "chapter": "Book Section",
    "thesis": "Thesis",
    "report": "Report",
    "dataset": "Generic",
    "software": "Computer Program",
    "patent": "Patent",
    "standard": "Standard",
    "review": "Journal Article",
    "editorial": "Journal Article",
    "letter": "Journal Article",
    "erratum": "Journal Article",
    "retraction": "Journal Article",
    "reference-entry": "Book Section",
    "journal": "Generic",
    "map": "Map",
    "score": "Generic",
    "audio": "Audiovisual Material",
    "video": "Film or Broadcast",
    "image": "Artwork",
    "webpage": "Electronic Source",
    "other": "Generic",
}
#: Where a type names what contains it; the others have a journal.
_VENUES = {
    "conference-paper": "Tertiary Title",
    "chapter": "Secondary Title",
    "reference-entry": "Secondary Title",
}
_LINES = TaggedLines(
    "{{{tag}}}: {value}\r\n",
    re.compile("[A-Z][A-Za-z0-9/ ]{1,40}"),
    "Notes",
    frozenset(("Reference Type", "Title")),
)


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """See `TaggedLines.records`."""
    return _LINES.records(hits, beside, _fields)


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    yield "Reference Type", TYPES[kind]
    yield "Title", full_title(record)
    for title in further_titles(record):
        yield "Translated Title", title
    for author in record.authors:
        yield "Author", inverted(author)
    for editor in record.editors:
        yield "Secondary Author", inverted(editor)
    yield _VENUES.get(kind, "Journal"), line(record.venue)
    yield "Publisher", issuing_body(record)
    yield "Year", four_digits(record.year)
    yield "Date", "-".join(filter(None, date_parts(record.date)))
    yield "Volume", line(record.volume)
    yield "Issue", line(record.issue)
    yield "Pages", "-".join(filter(None, page_range(record.pages)))
    yield "Edition", line(record.edition)
    for keyword in dict.fromkeys(record.keywords + record.subjects):
        yield "Keywords", line(keyword)
    yield "Abstract", line(record.abstract)
    for number in standard_numbers(record):
        yield "ISBN/ISSN", number
    yield "DOI", line(record.doi)
    yield "Accession Number", "; ".join(identifiers(record))
    yield "URL", link(record) or ""
    for name in databases(hit, beside):
        yield "Database Provider", name
    yield "Language", line(record.language)
    yield "Type of Work", second_type(kind, TYPES[kind], is_part=bool(record.authors))
    yield "Notes", "Retracted" if record.retracted else ""
