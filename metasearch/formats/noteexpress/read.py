"""NoteExpress, which CNKI, Wanfang and VIP export: "{Reference Type}: Journal Article"."""

from __future__ import annotations

import re

from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, TagGrammar
from metasearch.formats.reading.tagged_records import TagTable, read_by_table
from metasearch.formats.reading.text_pieces import DecodedText

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
