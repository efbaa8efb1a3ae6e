"""RefWorks' tagged format, "RT Journal Article", "A1 ...": RefWorks itself, CNKI, Wanfang, and many
platforms.

CNKI fills it in its own way: authors in one field, the whole page range in OP, "vo" in lower case,
the advisor of a thesis in A3 and its school in PB.
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft
from metasearch.formats.reading.pieces import DecodedText
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, Block, TagGrammar, blocks, gather

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
    if blank not in ("", " ") or tag.upper() not in TAGS or not (tag.isupper() or tag == "vo"):
        return None
    return tag.upper(), line[3:]


_GRAMMAR = TagGrammar(
    _split,
    opens=frozenset(("RT",)),
    bears=frozenset(("T1", "A1")),
    once=frozenset(("T1",)),
    noise=re.compile(r"<[^>]{0,200}>$|refworks|exported", re.IGNORECASE),
)
#: What a record holds all of.
_HELD = frozenset("RT A1 YR SN PB JF T1 VO IS SP OP DO LA AB K1".split())


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a file."""
    gather(reading, blocks(text, _GRAMMAR, reading), _draft, _HELD)


def _draft(block: Block) -> Draft:
    links = values.links(block.values("LK", "UL", "SF"))
    numbers = block.values("AN", "ID")
    database = accession.database(block.values("DS", "DB"), [], links, numbers)
    kind = worktypes.conference(
        worktypes.of_words(block.values("RT")), is_part=bool(block.value("A1"))
    )
    year = values.year(block.values("YR", "FD"))
    isbn, issn = values.standard_numbers(block.values("SN"))
    publisher = values.first_text(block.values("PB"))
    venue = values.first_text(
        block.values("JF", "JO") or ([] if kind == "book" else block.values("T2"))
    )
    title, titles = values.titles([*block.values("T1"), *block.values("OT")])
    fields: dict[str, Any] = {
        "source_id": next(
            (shown for number in numbers if (shown := values.text(number[: values.SHORT]))), ""
        ),
        "url": accession.landing_page(links),
        "title": title,
        "titles": titles,
        "authors": values.authors(
            block.lines("A1") or (block.lines("A2") if kind == "book" else [])
        ),
        "year": year,
        "date": values.date(block.values("FD", "YR"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "edition": values.first_text(block.values("ED")),
        "volume": values.volume(block.value("VO")),
        "issue": values.first_text(block.values("IS")),
        "pages": values.pages(block.value("SP"), block.value("OP")),
        "doi": values.doi(block.values("DO")) or values.doi_of_links(links),
        "ids": accession.identifiers(numbers, links, block.lines("NO"), database),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")),
        "keywords": values.keywords(block.lines("K1")),
    }
    return Draft(fields, database)
