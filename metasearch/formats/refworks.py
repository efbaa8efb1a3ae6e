"""RefWorks' tagged format, "RT Journal Article", "A1 ...", read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tag_tables import TagTable, fields_of_hit, read_by_table
from metasearch.formats.reading.tagged import BLANKS, TagGrammar, is_two_signs
from metasearch.formats.reading.worktypes import ENDNOTE_TYPES
from metasearch.formats.reference import (
    IN_BOOKS,
    TagLineWriter,
    general_type,
    link,
    page_range,
    second_type,
)
from metasearch.formats.text import line
from metasearch.record import Hit

# Written by RefWorks itself, CNKI, Wanfang, and many platforms. CNKI fills it in its own way:
# authors in one field, the whole page range in OP, "vo" in lower case, the advisor of a thesis in
# A3 and its school in PB.

TAGS = frozenset(
    """
    RT SR ID A1 AU A2 A3 A4 A5 A6 T1 T2 T3 JF JO YR FD VO IS SP OP K1 KW AB NO PB PP ED SN AD AN
    LA CL SF OT LK DO CN DB DS IP RD ST U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U15 UL SL LL CR WT WP WV RL
    C1 C2 CA OL PN PM
""".split()
)
#: Fields of running text, of which further lines stand at the left edge.
_PROSE = frozenset("AB T1 T2 T3 NO OT K1 AD".split())
#: Tags whose values begin with no small letter.
_CAPITAL = frozenset("RT SR YR VO IS ED SN FD".split())
_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*RT [A-Z\u4e00-\u9fff]")
_TITLE_OR_AUTHOR = re.compile(r"[\r\n](?:T1|A1)(?: \S|[^\x00-\x7f])")
#: Tags without a blank behind, as CNKI writes some: before Chinese, and before numbers.
_GLUED = re.compile(r"([A-Z][A-Z0-9]|vo)(?:([^\x00-\x7f].*)|(\d[\dA-Zx/-]{0,20}))", re.DOTALL)
_OF_NUMBERS = frozenset("YR VO IS SP OP SN CN FD".split())
#: Of these, what may stand behind an abstract: "T1加权", "A2组" are words of one.
_BEHIND_PROSE = frozenset("YR SN CN LA DS PB DO LK UL".split())


#: What RefWorks says before the records, a list of its tags among it.
_NOISE = re.compile(
    r"<[^>]{0,200}>$|refworks|exported|character set=|tag legend|font attribute|(?:start|end) \w+ ="
    r"|begin exported|[A-Z][A-Z0-9]{1,4}=|\*{3}",
    re.IGNORECASE,
)


def looks_like(head: str) -> bool:
    return _HEAD.search(head) is not None and _TITLE_OR_AUTHOR.search(f"\n{head}") is not None


def _grammar(text: FileText) -> TagGrammar:
    is_tag = is_two_signs(text, TAGS, _PROSE, _CAPITAL)

    def split(line: str, open_tag: str) -> tuple[str, str] | None:
        line = line.lstrip("\ufeff\f")
        if line[:2] == "vo" and line[2:3] in ("", " "):
            return "VO", line[3:]
        if is_tag(line, open_tag):
            return line[:2], line[3:]
        hit = _GLUED.fullmatch(line.rstrip())
        if hit is None:
            return None
        tag = hit[1].upper()
        glued = TAGS if hit[2] else _OF_NUMBERS
        if tag not in glued or (open_tag in ("AB", "NO") and tag not in _BEHIND_PROSE):
            return None
        return tag, hit[2] or hit[3]

    return TagGrammar(
        split,
        opens=frozenset(("RT",)),
        bears=frozenset(("T1", "A1", "AU")),
        once=frozenset(("T1",)),
        noise=_NOISE,
    )


_TABLE = TagTable(
    held=frozenset("RT A1 AU YR SN PB PP JF T1 VO IS SP OP DO LA AB K1 KW".split()),
    known=TAGS,
    form="RefWorks",
    kind=("RT",),
    part=("A1", "AU"),
    title=("T1",),
    titles=("OT",),
    authors=("A1", "AU"),
    editors=("A2",),
    translators=("A4",),
    year=("YR", "FD"),
    date=("FD", "YR"),
    venue=("JF", "JO", "T2"),
    book_venue=("JF", "JO"),
    publisher=("PB",),
    place=("PP",),
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
    keywords=("K1", "KW"),
)


def read(text: FileText, reading: FileReading) -> None:
    read_by_table(text, reading, _grammar(text), _TABLE)


#: `Record.type` -> RT, from the list of types that RefWorks has.
TYPES = ENDNOTE_TYPES | {
    "preprint": "Unpublished Material",
    "conference-paper": "Conference Proceedings",
    "book": "Book, Whole",
    "chapter": "Book, Section",
    "thesis": "Dissertation/Thesis",
    "dataset": "Generic",
    "standard": "Generic",
    "reference-entry": "Book, Section",
    "journal": "Generic",
    "score": "Music Score",
    "audio": "Sound Recording",
    "video": "Video/ DVD",
}
_LINES = TagLineWriter(
    "{tag} {value}\r\n", re.compile("[A-Z][A-Z0-9]"), "NO", frozenset("RT T1 SP OP".split())
)


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    return _LINES.records(hits, beside, _fields)


_ORDER = (
    "kind authors title titles editors translators venue year date volume issue pages keywords "
    "abstract publisher place edition standard_numbers doi numbers language links database "
    "more_kind notes"
)


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    second = second_type(kind, TYPES[kind], is_part=bool(record.authors), in_notes=True)
    apart = {
        "kind": [("RT", TYPES[kind])],
        "venue": [("T2" if kind in IN_BOOKS else "JF", line(record.venue))],
        "pages": zip(("SP", "OP"), page_range(record.pages), strict=True),
        "links": [("UL", link(record) or "")],
        "more_kind": [("NO", second)],
    }
    return fields_of_hit(_TABLE, _ORDER, hit, beside, apart)
