"""RefWorks' tagged format: "RT Journal Article", "A1 ...", a blank line behind each record."""

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
from metasearch.formats.text import line
from metasearch.record import Hit

#: `Record.type` -> RT, from the list of types that RefWorks has.
TYPES = {
    "article": "Journal Article",
    "preprint": "Unpublished Material",
    "conference-paper": "Conference Proceedings",
    "proceedings": "Conference Proceedings",
    "book": "Book, Whole",
    "chapter": "Book, Section",
    "thesis": "Dissertation/Thesis",
    "report": "Report",
    "dataset": "Generic",
    "software": "Computer Program",
    "patent": "Patent",
    "standard": "Generic",
    "review": "Journal Article",
    "editorial": "Journal Article",
    "letter": "Journal Article",
    "erratum": "Journal Article",
    "retraction": "Journal Article",
    "reference-entry": "Book, Section",
    "journal": "Generic",
    "map": "Map",
    "score": "Music Score",
    "audio": "Sound Recording",
    "video": "Video/ DVD",
    "image": "Artwork",
    "webpage": "Web Page",
    "other": "Generic",
}
_LINES = TaggedLines(
    "{tag} {value}\r\n", re.compile("[A-Z][A-Z0-9]"), "NO", frozenset("RT T1 SP OP".split())
)


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """See `TaggedLines.records`."""
    return _LINES.records(hits, beside, _fields)


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    yield "RT", TYPES[kind]
    for author in record.authors:
        yield "A1", inverted(author)
    yield "T1", full_title(record)
    for title in further_titles(record):
        yield "OT", title
    for editor in record.editors:
        yield "A2", inverted(editor)
    yield "T2" if kind in IN_BOOKS else "JF", line(record.venue)
    yield "YR", four_digits(record.year)
    yield "FD", "-".join(filter(None, date_parts(record.date)))
    yield "VO", line(record.volume)
    yield "IS", line(record.issue)
    first, last = page_range(record.pages)
    yield "SP", first
    yield "OP", last
    for keyword in dict.fromkeys(record.keywords + record.subjects):
        yield "K1", line(keyword)
    yield "AB", line(record.abstract)
    yield "PB", issuing_body(record)
    yield "ED", line(record.edition)
    for number in standard_numbers(record):
        yield "SN", number
    yield "DO", line(record.doi)
    yield "AN", "; ".join(identifiers(record))
    yield "LA", line(record.language)
    yield "UL", link(record) or ""
    for name in databases(hit, beside):
        yield "DS", name
    yield "NO", second_type(kind, TYPES[kind], is_part=bool(record.authors), in_notes=True)
    yield "NO", "Retracted" if record.retracted else ""
