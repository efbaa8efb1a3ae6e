"""NoteExpress, the reference manager whose format CNKI, Wanfang and VIP export, read and
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tag_tables import TagTable, fields_of_hit, read_by_table
from metasearch.formats.reading.tagged import BLANKS, TagGrammar
from metasearch.formats.reading.worktypes import ENDNOTE_TYPES
from metasearch.formats.reference import TagLineWriter, general_type, second_type
from metasearch.formats.text import line
from metasearch.record import Hit

_LINE = re.compile(r"\{([A-Z][A-Za-z0-9/ ]{1,40})\} ?[:：](.*)", re.DOTALL)
_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*\{{Reference Type\}} ?[:：]")


def looks_like(head: str) -> bool:
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
_HELD = (
    "Reference Type;Title;Translated Title;Author;Year;Publisher;Place Published;Place;Journal;"
    "Volume;Issue;Pages;DOI;ISBN/ISSN;ISSN;ISBN;Language;Abstract;Keywords;Database Provider"
)
_OTHER_NAMES = (
    "Accession Number;Access Date;Alternate Title;Author Address;Author Translation;Book Title;"
    "Call Number;Caption;Custom 1;Custom 2;Custom 3;Custom 4;Custom 5;Custom 6;Custom 7;"
    "Custom 8;Date;Date Display;Edition;Impact Factor;Label;Link to PDF;Name of Database;Notes;"
    "Number;Number of Volumes;Original Publication;Rating;Related Link;Reprint Edition;"
    "Reviewed Item;Secondary Author;Secondary Title;Section;Section Title;Short Title;"
    "Subject Headings;Subsidiary Author;Subsidiary Title;Tertiary Author;Tertiary Title;"
    "Translated Abstract;"
    "Translated Author;Translated Journal;Translated Keywords;Type of Work;URL;"
    "User Definable Field 1;User Definable Field 2;User Definable Field 3"
)
_TABLE = TagTable(
    held=frozenset(_HELD.split(";")),
    known=frozenset(_OTHER_NAMES.split(";")),
    form="NoteExpress",
    kind=("Reference Type",),
    more_kind=("Type of Work",),
    part=("Author",),
    title=("Title",),
    titles=("Translated Title",),
    authors=("Author",),
    editors=("Secondary Author",),
    translators=("Subsidiary Author",),
    year=("Year", "Date"),
    date=("Date", "Year"),
    # Of a paper in proceedings CNKI names the proceedings in the third, Wanfang in the second
    # field.
    venue=("Journal", "Tertiary Title", "Secondary Title", "Book Title"),
    publisher=("Publisher",),
    place=("Place Published", "Place"),
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


def read(text: FileText, reading: FileReading) -> None:
    read_by_table(text, reading, _GRAMMAR, _TABLE)


# NoteExpress: "{Reference Type}: ..." first, an author a line, a blank line behind a record.

#: `Record.type` -> {Reference Type}.
TYPES = ENDNOTE_TYPES | {
    "conference-paper": "Conference Proceedings",
    "dataset": "Generic",
    "reference-entry": "Book Section",
    "journal": "Generic",
    "score": "Generic",
    "webpage": "Electronic Source",
}
#: Where a type names what contains it; the others have a journal.
_VENUES = {
    "conference-paper": "Tertiary Title",
    "chapter": "Secondary Title",
    "reference-entry": "Secondary Title",
}
_LINES = TagLineWriter(
    "{{{tag}}}: {value}\r\n",
    re.compile("[A-Z][A-Za-z0-9/ ]{1,40}"),
    "Notes",
    frozenset(("Reference Type", "Title")),
)


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    return _LINES.records(hits, beside, _fields)


_ORDER = (
    "kind title titles authors editors translators venue place publisher year date volume issue "
    "pages edition keywords abstract standard_numbers doi numbers links database language "
    "more_kind notes"
)


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    second = second_type(kind, TYPES[kind], is_part=bool(record.authors))
    apart = {
        "kind": [("Reference Type", TYPES[kind])],
        "venue": [(_VENUES.get(kind, "Journal"), line(record.venue))],
        "more_kind": [("Type of Work", second)],
    }
    return fields_of_hit(_TABLE, _ORDER, hit, beside, apart)
