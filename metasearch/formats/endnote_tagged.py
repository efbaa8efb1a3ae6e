"""EndNote's tagged format (.enw), refer / BibIX: "%0 Journal Article", read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tag_tables import TagTable, fields_of_hit, read_by_table
from metasearch.formats.reading.tagged import BLANKS, TagGrammar
from metasearch.formats.reading.worktypes import ENDNOTE_TYPES
from metasearch.formats.reference import (
    IN_BOOKS,
    TRANSLATOR,
    TagLineWriter,
    further_titles,
    general_type,
    in_one_field,
    second_type,
)
from metasearch.formats.text import line
from metasearch.record import Author, Hit

# EndNote's tagged format (.enw), as EndNote, Zotero and others read it: "%0 Journal Article", a
# blank line behind each record. Three things are as they are because of Zotero: the full date
# stands before the year, else only the year is read; the type of work stands behind the DOI, else
# the DOI is taken for one; and %Q, a translated title to EndNote, is an author there, so that
# further titles are notes.

#: Types of which Zotero has a field for the kind of work.
_WITH_TYPE = {
    "preprint": "Preprint",
    "thesis": "Thesis",
    "report": "Report",
    "map": "Map",
    "webpage": "Web Page",
    "video": "Film",
}
#: Types in which %? is no translator: a sponsor, a department, counsel, performers, ...
_OTHER_SUBSIDIARY = frozenset(
    (
        "audiovisual material",
        "case",
        "conference proceedings",
        "dataset",
        "film or broadcast",
        "generic",
        "music",
        "report",
        "serial",
    )
)
#: Stands before a further title in a note.
FURTHER_TITLE = "Other title: "
#: Origins are "research notes", which Zotero leaves out and EndNote keeps.
_LINES = TagLineWriter("%{tag} {value}\r\n", re.compile(r"[!-~]"), "<", frozenset("0TDJ"))


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    return _LINES.records(hits, beside, _fields)


_ORDER = (
    "kind authors editors translators title venue place publisher date year volume issue pages "
    "edition standard_numbers doi more_kind numbers links pdf_links language abstract keywords "
    "database notes titles"
)


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    word = ENDNOTE_TYPES[kind]
    translator, mark = ("Z", TRANSLATOR) if word.lower() in _OTHER_SUBSIDIARY else ("?", "")
    is_part = bool(record.authors or line(record.pages))
    second = second_type(kind, word, is_part=is_part)
    second = second or (_WITH_TYPE.get(kind, "") if line(record.doi) else "")
    venue = "S" if kind == "book" else "B" if kind in IN_BOOKS else "J"
    apart = {
        "kind": [("0", word)],
        "authors": [("A", _author(author)) for author in record.authors],
        "translators": [(translator, f"{mark}{in_one_field(one)}") for one in record.translators],
        "venue": [(venue, line(record.venue))],
        "more_kind": [("9", second)],
        "titles": [("Z", f"{FURTHER_TITLE}{title}") for title in further_titles(record)],
    }
    return fields_of_hit(_TABLE, _ORDER, hit, beside, apart)


def _author(author: Author) -> str:
    """EndNote takes the last word of a name without a comma for a family name."""
    name = in_one_field(author)
    return f"{name}," if author.collective and "," not in name else name


# "%0 Journal Article", "%A Author", "%T Title", records apart by blank lines. EndNote, CNKI,
# Wanfang, Google Scholar and many journals' sites write it; most older files have no %0.

_LINE = re.compile(r"%([0-9A-Za-z!@#$()\[\]~*+?^<>:&'\".,/=|\\-])(?:[ \t](.*)|$)", re.DOTALL)
#: Tags without a blank behind, as CNKI writes some, before Chinese and before numbers, and EndNote
#: two; it also writes "$]" for "%]".
_GLUED = re.compile(
    r"%([A-Z])([^\x00-\x7f].*)|%([DVNP])(\d.*)|%([(\[])(\w.*)|\$(\]) (.*)", re.DOTALL
)
_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*%0[ \t]")
#: Characters of a line that begins a record.
_LONGEST_HEAD = 200
_OLD_HEAD = re.compile(r"(?:^|[\r\n])%[ATJDVBIPKX](?: \S|[^\x00-\x7f])")
#: CNKI puts all authors of a record on one line.
_NAMES_RUN_ON = re.compile(r"%A\s+")


def looks_like(head: str) -> bool:
    return _HEAD.search(head) is not None or len(_OLD_HEAD.findall(head)) > 2


def _split(line: str, open_tag: str) -> tuple[str, str] | None:
    line = line.lstrip(BLANKS)
    if hit := _LINE.match(line):
        return hit[1], hit[2] or ""
    hit = _GLUED.match(line)
    if hit is None:
        return None
    tag, value = (part for part in hit.groups() if part is not None)
    if tag in "([DVNP" and line[2].isascii() and open_tag == "X":
        return None
    return tag, value


_GRAMMAR = TagGrammar(
    _split,
    opens=frozenset("0"),
    bears=frozenset("TA"),
    once=frozenset("T"),
    noise=re.compile(r"\d+\.?$"),
)
#: Of a file without %0: a blank line divides its records, or else each has one title.
_OLD_GRAMMAR = TagGrammar(_split, any_opens=True)
_DENSE_GRAMMAR = TagGrammar(
    _split, opens=frozenset("T"), bears=frozenset("TA"), once=frozenset("T")
)
#: A blank line before a field.
_PARTED = re.compile(rf"\n[{BLANKS}]{{0,40}}\n[{BLANKS}]{{0,40}}%[0-9A-Za-z@][ \t]")
_TABLE = TagTable(
    held=frozenset("0 ~ D @ I C J T A V N P R G X K B Q".split()),
    known=frozenset(
        "? E F H L M O S U W Y Z f 1 2 3 4 6 7 8 9 ! # $ ^ & ( ) + = < > [ ] *".split()
    ),
    form="EndNote's tagged format",
    kind=("0",),
    more_kind=("9",),
    part=("A", "P"),
    title=("T",),
    no_title=("B",),
    titles=("Q",),
    title_mark=FURTHER_TITLE,
    authors=("A",),
    editors=("E",),
    # In EndNote's books, %Y is the editor and %E that of the series; in other programs %E is the
    # editor and %Y a translator.
    book_editors=("Y",),
    translators=("?",),
    no_translators=_OTHER_SUBSIDIARY,
    translator_mark=TRANSLATOR,
    edited=frozenset(("edited book", "book, edited")),
    between_authors=_NAMES_RUN_ON,
    year=("D", "8"),
    date=("8", "D"),
    venue=("J", "B"),
    book_venue=("S", "J"),
    publisher=("I",),
    place=("C",),
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


def read(text: FileText, reading: FileReading) -> None:
    if any(_HEAD.search(part) for part in text.stretches(_LONGEST_HEAD)):
        grammar = _GRAMMAR
    else:
        parted = any(_PARTED.search(part) for part in text.stretches(_LONGEST_HEAD))
        grammar = _OLD_GRAMMAR if parted else _DENSE_GRAMMAR
    read_by_table(text, reading, grammar, _TABLE)
