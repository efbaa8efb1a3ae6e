"""EndNote's tagged format (.enw), refer / BibIX: "%0 Journal Article", read and written."""

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
from metasearch.formats.text import line, web_url
from metasearch.record import Hit

# EndNote's tagged format (.enw), as EndNote, Zotero and others read it: "%0 Journal Article", a
# blank line behind each record. Three things are as they are because of Zotero: the full date
# stands before the year, else only the year is read; the type of work stands behind the DOI, else
# the DOI is taken for one; and %Q, a translated title to EndNote, is an author there, so that
# further titles are notes.

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


# EndNote's tagged format, refer / BibIX: "%0 Journal Article", "%A Author", "%T Title", records
# apart by blank lines. EndNote, CNKI, Wanfang, Google Scholar and many journals' sites write it;
# most older files have no %0.

_LINE = re.compile(r"%([0-9A-Za-z!@#$()\[\]~*+?^<>:&'\".,/=|\\-])(?:[ \t](.*)|$)", re.DOTALL)
_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*%0[ \t]+\S")
#: Characters of a line that begins a record.
_LONGEST_HEAD = 200
_OLD_HEAD = re.compile(r"(?:^|[\r\n])%[ATJDVBIPKX] \S")
#: CNKI puts all authors of a record on one line.
_NAMES_RUN_ON = re.compile(r"%A\s+")


def looks_like(head: str) -> bool:
    """Whether a file that begins so has a line "%0 ...", or several with the tags of old files."""
    return _HEAD.search(head) is not None or len(_OLD_HEAD.findall(head)) > 2


def _split(line: str, _: str) -> tuple[str, str] | None:
    hit = _LINE.match(line.lstrip(BLANKS))
    return (hit[1], hit[2] or "") if hit else None


_GRAMMAR = TagGrammar(
    _split,
    opens=frozenset("0"),
    bears=frozenset("TA"),
    once=frozenset("T"),
    noise=re.compile(r"\d+\.?$"),
)
#: Of a file without %0: a blank line divides its records.
_OLD_GRAMMAR = TagGrammar(_split, any_opens=True)
_TABLE = TagTable(
    held=frozenset("0 ~ D @ I J T A V N P R G X K B Q".split()),
    kind=("0",),
    more_kind=("9",),
    part=("A", "P"),
    title=("T",),
    no_title=("B",),
    titles=("Q",),
    title_mark=FURTHER_TITLE,
    authors=("A",),
    book_authors=("E",),
    editors=("E",),
    between_authors=_NAMES_RUN_ON,
    year=("D", "8"),
    date=("8", "D"),
    venue=("J", "B"),
    book_venue=("S", "J"),
    publisher=("I",),
    edition=("7",),
    volume=("V",),
    issue=("N",),
    pages=("P", "]"),
    doi=("R",),
    doi_elsewhere=("3", "M"),
    standard_numbers=("@",),
    numbers=("M",),
    more_numbers=("2",),
    database=("~", "W"),
    links=("U",),
    pdf_links=(">",),
    notes=("Z", "O", "<"),
    language=("G",),
    abstract=("X",),
    keywords=("K",),
    prefix="%",
)


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a file."""
    has_heads = any(_HEAD.search(part) for part in text.stretches(_LONGEST_HEAD))
    read_by_table(text, reading, _GRAMMAR if has_heads else _OLD_GRAMMAR, _TABLE)
