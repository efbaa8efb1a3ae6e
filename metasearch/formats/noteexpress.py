"""NoteExpress, the reference manager whose format CNKI, Wanfang and VIP export, read and
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, TagGrammar, TagTable, read_by_table
from metasearch.formats.reading.text import DecodedText
from metasearch.formats.reference import (
    TaggedLines,
    databases,
    date_parts,
    four_digits,
    full_title,
    further_titles,
    general_type,
    identifiers,
    inverted,
    issuing_body,
    link,
    page_range,
    second_type,
    standard_numbers,
)
from metasearch.formats.text import line
from metasearch.record import Hit

_LINE = re.compile(r"\{([A-Z][A-Za-z0-9/ ]{1,40})\} ?[:：](.*)", re.DOTALL)
_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*\{{Reference Type\}} ?[:：]")


def looks_like(head: str) -> bool:
    """Whether a file that begins so has a line "{Reference Type}: ..."."""
    return _HEAD.search(head) is not None


def _split(line: str, _: str) -> tuple[str, str] | None:
    hit = _LINE.match(line.lstrip(BLANKS))
    return (hit[1], hit[2]) if hit else None


_GRAMMAR = TagGrammar(
    _split,
    opens=frozenset(("Reference Type",)),
    bears=frozenset(("Title", "Author")),
    once=frozenset(("Title",)),
)
_TABLE = TagTable(
    held=frozenset(
        (
            "Reference Type",
            "Title",
            "Translated Title",
            "Author",
            "Year",
            "Publisher",
            "Journal",
            "Volume",
            "Issue",
            "Pages",
            "DOI",
            "ISBN/ISSN",
            "ISSN",
            "ISBN",
            "Language",
            "Abstract",
            "Keywords",
            "Database Provider",
        )
    ),
    kind=("Reference Type",),
    more_kind=("Type of Work",),
    part=("Author",),
    title=("Title",),
    titles=("Translated Title",),
    authors=("Author",),
    editors=("Secondary Author",),
    year=("Year", "Date"),
    date=("Date", "Year"),
    # Of a paper in proceedings CNKI names the proceedings in the third, Wanfang in the second
    # field.
    venue=("Journal", "Tertiary Title", "Secondary Title", "Book Title"),
    publisher=("Publisher",),
    edition=("Edition",),
    volume=("Volume",),
    issue=("Issue",),
    pages=("Pages",),
    doi=("DOI",),
    standard_numbers=("ISBN/ISSN", "ISSN", "ISBN"),
    numbers=("Accession Number",),
    ids_as_source_id=True,
    database=("Database Provider", "Name of Database"),
    links=("URL",),
    notes=("Notes",),
    language=("Language",),
    abstract=("Abstract",),
    keywords=("Keywords",),
)


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a file."""
    read_by_table(text, reading, _GRAMMAR, _TABLE)


# NoteExpress: "{Reference Type}: ..." first, an author a line, a blank line behind a record.

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
