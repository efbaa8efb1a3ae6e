"""EndNote's tagged format (.enw), as EndNote, Zotero and others read it: "%0 Journal Article", a
blank line behind each record.

Three things are as they are because of Zotero: the full date stands before the year, else only the
year is read; the type of work stands behind the DOI, else the DOI is taken for one; and %Q, a
translated title to EndNote, is an author there, so that further titles are notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reference import (
    IN_BOOKS,
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
from metasearch.formats.text import line, web_url
from metasearch.record import Hit

#: `Record.type` -> %0. Zotero takes "Dataset" for a book; EndNote knows it.
TYPES = {
    "article": "Journal Article",
    "preprint": "Unpublished Work",
    "conference-paper": "Conference Paper",
    "proceedings": "Conference Proceedings",
    "book": "Book",
    "chapter": "Book Section",
    "thesis": "Thesis",
    "report": "Report",
    "dataset": "Dataset",
    "software": "Computer Program",
    "patent": "Patent",
    "standard": "Standard",
    "review": "Journal Article",
    "editorial": "Journal Article",
    "letter": "Journal Article",
    "erratum": "Journal Article",
    "retraction": "Journal Article",
    "reference-entry": "Encyclopedia",
    "journal": "Serial",
    "map": "Map",
    "score": "Music",
    "audio": "Audiovisual Material",
    "video": "Film or Broadcast",
    "image": "Artwork",
    "webpage": "Web Page",
    "other": "Generic",
}
#: Types of which Zotero has a field for the kind of work.
_WITH_TYPE = {
    "preprint": "Preprint",
    "thesis": "Thesis",
    "report": "Report",
    "map": "Map",
    "webpage": "Web Page",
    "video": "Film",
}
#: Stands before a further title in a note.
FURTHER_TITLE = "Other title: "
#: Origins are "research notes", which Zotero leaves out and EndNote keeps.
_LINES = TaggedLines("%{tag} {value}\r\n", re.compile(r"[!-~]"), "<", frozenset("0TDJ"))


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """See `TaggedLines.records`."""
    return _LINES.records(hits, beside, _fields)


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    yield "0", TYPES[kind]
    for author in record.authors:
        # EndNote takes the last word of a name without a comma for a family name.
        name = inverted(author)
        yield "A", f"{name}," if author.collective and "," not in name else name
    for editor in record.editors:
        yield "E", inverted(editor)
    yield "T", full_title(record)
    venue = "S" if kind == "book" else "B" if kind in IN_BOOKS else "J"
    yield venue, line(record.venue)
    yield "I", issuing_body(record)
    yield "8", "-".join(filter(None, date_parts(record.date)))
    yield "D", four_digits(record.year)
    yield "V", line(record.volume)
    yield "N", line(record.issue)
    yield "P", "-".join(filter(None, page_range(record.pages)))
    yield "7", line(record.edition)
    for number in standard_numbers(record):
        yield "@", number
    yield "R", line(record.doi)
    is_part = bool(record.authors or line(record.pages))
    second = second_type(kind, TYPES[kind], is_part=is_part)
    yield "9", second or (_WITH_TYPE.get(kind, "") if line(record.doi) else "")
    yield "M", "; ".join(identifiers(record))
    yield "U", link(record) or ""
    yield ">", web_url(record.pdf_url) or ""
    yield "G", line(record.language)
    yield "X", line(record.abstract)
    for keyword in dict.fromkeys(record.keywords + record.subjects):
        yield "K", line(keyword)
    for name in databases(hit, beside):
        yield "~", name
    yield "Z", "Retracted" if record.retracted else ""
    for title in further_titles(record):
        yield "Z", f"{FURTHER_TITLE}{title}"
