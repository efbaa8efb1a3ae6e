"""RefWorks' tagged format, "RT Journal Article", "A1 ...": RefWorks itself, CNKI, Wanfang, and many
platforms.

CNKI fills it in its own way: authors in one field, the whole page range in OP, "vo" in lower case,
the advisor of a thesis in A3 and its school in PB.
"""

from __future__ import annotations

import re

from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, TagGrammar
from metasearch.formats.reading.tagged_records import TagTable, read_by_table
from metasearch.formats.reading.text_pieces import DecodedText

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
