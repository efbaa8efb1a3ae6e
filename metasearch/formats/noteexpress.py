"""NoteExpress, the reference manager whose format CNKI, Wanfang and VIP export: "{Reference Type}:
Journal Article".
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft
from metasearch.formats.reading.pieces import DecodedText
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, Block, TagGrammar, blocks, gather

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
#: What a record holds all of.
_HELD = frozenset(
    (
        "Reference Type", "Title", "Translated Title", "Author", "Year", "Publisher", "Journal",
        "Volume", "Issue",
        "Pages", "DOI", "ISBN/ISSN", "ISSN", "ISBN", "Language", "Abstract", "Keywords",
        "Database Provider",
    )
)  # fmt: skip


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a file."""
    gather(reading, blocks(text, _GRAMMAR, reading), _draft, _HELD)


def _draft(block: Block) -> Draft:
    links = values.links(block.values("URL"))
    numbers = block.values("Accession Number")
    provider = block.values("Database Provider", "Name of Database")
    database = accession.database(provider, [], links, numbers)
    kind = worktypes.conference(
        worktypes.of_words(block.values("Reference Type")), is_part=bool(block.value("Author"))
    )
    kind = worktypes.refined(kind, block.values("Type of Work"))
    year = values.year(block.values("Year", "Date"))
    isbn, issn = values.standard_numbers(block.values("ISBN/ISSN", "ISSN", "ISBN"))
    publisher = values.first_text(block.values("Publisher"))
    # Of a paper in proceedings CNKI names the proceedings in the third, Wanfang in the second
    # field.
    venue = values.first_text(
        block.values("Journal", "Tertiary Title", "Secondary Title", "Book Title")
    )
    title, titles = values.titles(block.values("Title", "Translated Title"))
    ids = accession.identifiers(numbers, links, (), database)
    fields: dict[str, Any] = {
        "source_id": next(
            (
                shown
                for it in (*numbers, *ids.values())
                if (shown := values.text(it[: values.SHORT]))
            ),
            "",
        ),
        "url": accession.landing_page(links),
        "title": title,
        "titles": titles,
        "authors": values.authors(block.lines("Author")),
        "year": year,
        "date": values.date(block.values("Date", "Year"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "edition": values.first_text(block.values("Edition")),
        "volume": values.volume(block.value("Volume")),
        "issue": values.first_text(block.values("Issue")),
        "pages": values.pages(block.value("Pages")),
        "doi": values.doi(block.values("DOI")) or values.doi_of_links(links),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values("Language")),
        "abstract": values.abstract(block.values("Abstract")),
        "keywords": values.keywords(block.lines("Keywords")),
    }
    return Draft(fields, database)
