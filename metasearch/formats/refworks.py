"""RefWorks' tagged format, "RT Journal Article", "A1 ...", read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, TagGrammar, TagTable, read_by_table
from metasearch.formats.reading.text import DecodedText
from metasearch.formats.reference import (
    IN_BOOKS,
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

# RefWorks' tagged format, "RT Journal Article", "A1 ...": RefWorks itself, CNKI, Wanfang, and many
# platforms. CNKI fills it in its own way: authors in one field, the whole page range in OP, "vo" in
# lower case, the advisor of a thesis in A3 and its school in PB.

TAGS = frozenset(
    """
    RT SR ID A1 A2 A3 A4 A5 A6 T1 T2 T3 JF JO YR FD VO IS SP OP K1 AB NO PB PP ED SN AD AN LA CL SF
    OT LK DO CN DB DS IP RD ST U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U15 UL SL LL CR WT WP WV RL C1 C2 CA
    OL PN PM
""".split()
)
_HEAD = re.compile(
    rf"(?:^|[\r\n])[{BLANKS}]*RT [A-Z\u4e00-\u9fff][^\r\n]*[\r\n]+"
    r"(?:[A-Za-z][A-Za-z0-9] ?[^\r\n]*[\r\n]+)*?(?:T1|A1) "
)


def looks_like(head: str) -> bool:
    """Whether a file that begins so has a line "RT ..." and a title or an author behind it."""
    return _HEAD.search(head) is not None


def _split(line: str, _: str) -> tuple[str, str] | None:
    line = line.lstrip("\ufeff\f")
    tag, blank = line[:2], line[2:3]
    is_tag = tag.upper() in TAGS and (tag.isupper() or tag == "vo")
    return (tag.upper(), line[3:]) if is_tag and blank in ("", " ") else None


_GRAMMAR = TagGrammar(
    _split,
    opens=frozenset(("RT",)),
    bears=frozenset(("T1", "A1")),
    once=frozenset(("T1",)),
    noise=re.compile(r"<[^>]{0,200}>$|refworks|exported", re.IGNORECASE),
)
_TABLE = TagTable(
    held=frozenset("RT A1 YR SN PB JF T1 VO IS SP OP DO LA AB K1".split()),
    kind=("RT",),
    part=("A1",),
    title=("T1",),
    titles=("OT",),
    authors=("A1",),
    book_authors=("A2",),
    editors=("A2",),
    year=("YR", "FD"),
    date=("FD", "YR"),
    venue=("JF", "JO", "T2"),
    book_venue=("JF", "JO"),
    publisher=("PB",),
    edition=("ED",),
    volume=("VO",),
    issue=("IS",),
    pages=("SP",),
    last_page=("OP",),
    doi=("DO",),
    standard_numbers=("SN",),
    numbers=("AN", "ID"),
    database=("DS", "DB"),
    links=("LK", "UL", "SF"),
    notes=("NO",),
    language=("LA",),
    abstract=("AB",),
    keywords=("K1",),
)


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a file."""
    read_by_table(text, reading, _GRAMMAR, _TABLE)


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
