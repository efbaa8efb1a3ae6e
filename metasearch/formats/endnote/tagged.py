"""EndNote's tagged format, refer / BibIX: "%0 Journal Article", "%A Author", "%T Title", records
apart by blank lines.

EndNote, CNKI, Wanfang, Google Scholar and many journals' sites write it; most older files have no
%0.
"""

from __future__ import annotations

import re

from metasearch.formats.endnote.write_tagged import FURTHER_TITLE
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, TagGrammar
from metasearch.formats.reading.tagged_records import TagTable, read_by_table
from metasearch.formats.reading.text_pieces import DecodedText

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
