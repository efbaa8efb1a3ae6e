"""Web of Science: plain text ("FN Clarivate", "PT J" to "ER") and the tab-delimited table with the
same tags.

Tags: https://images.webofknowledge.com/images/help/WOS/hs_wos_fieldtags.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from metasearch.bib import converters
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.result import Draft, FileReading
from metasearch.formats.reading.tagged import BLANKS, Block, TaggedField, TagGrammar, blocks, gather
from metasearch.formats.reading.text import DecodedText
from metasearch.record import Author

TAGS = frozenset(
    """
    FN VR PT AU AF BA BF CA GP BE SO SE BS LA DT CT CY CL SP HO DE ID AB C1 C3 RP EM RI OI FU FP FX
    CR NR TC Z9 U1 U2 PU PI PA SN EI BN J9 JI PD PY VL IS SI PN SU MA BP EP AR DI DL D2 EA EY PG P2
    WC WE SC GA UT PM OA HC HP DA ER EF Z1 Z2 Z3 Z4 Z8 ZB FT AE ED TI
""".split()
)
#: Several values, of which the table puts all into one cell.
_LISTS = frozenset("AU AF BA BF BE CA GP Z2".split())
_HEAD = re.compile(rf"^[{BLANKS}\r\n]*(?:FN \S|PT [JBSPC]\r?\n(?:AU|BA|CA|GP|TI|AE) )")
_TABLE_HEAD = re.compile(rf"^[{BLANKS}]*PT\t(?:[A-Z][A-Z0-9]\t){{8}}")
#: Characters of the row of tags, and of any other row.
_HEAD_SIZE, _LONGEST_ROW = 8_192, 10_000_000
_KINDS = {"J": "article", "B": "book", "S": "chapter", "P": "patent", "C": "conference-paper"}


def looks_like(head: str) -> bool:
    """Whether a file that begins so has the header of an export, or the first row of its table."""
    return _HEAD.search(head) is not None or _TABLE_HEAD.match(head) is not None


def _split(line: str, _: str) -> tuple[str, str] | None:
    line = line.lstrip("\ufeff\f")
    tag, blank, value = line[:2], line[2:3], line[3:]
    return (tag, value) if tag in TAGS and blank in ("", " ") else None


_GRAMMAR = TagGrammar(
    _split,
    starts=frozenset(("PT",)),
    ends=frozenset(("ER",)),
    bears=frozenset(("TI", "AU")),
    once=frozenset(("TI", "UT")),
    outside=frozenset(("FN", "VR", "EF")),
)
#: What a record holds all of.
_HELD = frozenset(
    "PT UT PY SN EI BN PM TI SO PU VL IS BP EP AR DI DT LA AB DE ID AF AU BE ER EF FN VR".split()
)


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of an export."""
    found = (
        _rows(text, reading)
        if _TABLE_HEAD.match(text.head(_HEAD_SIZE))
        else blocks(text, _GRAMMAR, reading)
    )
    gather(reading, found, _draft, _HELD)


def _rows(text: DecodedText, reading: FileReading) -> Iterator[Block]:
    rows = text.lines(_LONGEST_ROW)
    tags = [tag.strip(BLANKS) for tag in next(rows)[:_HEAD_SIZE].split("\t")]
    for number, row in enumerate(rows, 2):
        if len(row) > _LONGEST_ROW:
            reading.add_problem(
                number, f"the row is longer than {_LONGEST_ROW:,} characters; it was left out", 1
            )
            continue
        if not row.strip(BLANKS):
            continue
        cells = row.split("\t")
        if len("".join(cells[len(tags) :]).strip()):
            what = (
                f"the row has {len(cells)} cells under {len(tags)} headings; those beyond were "
                f"left out"
            )
            reading.add_problem(number, what)
        elif len(cells) < len(tags) // 2:
            what = (
                f"the row has {len(cells)} cells under {len(tags)} headings; it was kept as "
                f"far as it goes"
            )
            reading.add_problem(number, what)
        block = Block(number)
        for tag, cell in zip(tags, cells, strict=False):
            value = cell.strip(BLANKS).removeprefix('"').removesuffix('"')
            if value:
                block.add(
                    TaggedField(tag, re.split(r";\s*", value) if tag in _LISTS else [value], number)
                )
        yield block


def _draft(block: Block) -> Draft:
    number = block.value("UT").strip()
    year = values.year(block.values("PY", "EY", "EA", "PD"))
    isbn, issn = values.standard_numbers([*block.values("SN", "EI"), *block.values("BN")])
    ids = values.identifiers([number])
    pmid = block.value("PM").strip()
    if pmid.isascii() and pmid.isdecimal():
        ids["pmid"] = pmid
    title, titles = values.titles(block.values("TI", "Z1", "FT"))
    fields: dict[str, Any] = {
        "source_id": values.text(number[: values.SHORT]),
        "title": title,
        "titles": titles,
        "authors": _authors(block),
        "year": year,
        "date": values.date(block.values("PD", "EA"), year),
        "venue": values.first_text(block.values("SO", "J9", "JI", "Z3", "CT")),
        "publisher": values.first_text(block.values("PU")),
        "volume": values.volume(block.value("VL")),
        "issue": values.first_text(block.values("IS", "SI")),
        "pages": values.pages(block.value("BP"), block.value("EP"))
        or values.pages(block.value("AR")),
        "doi": values.doi(block.values("DI")) or values.doi(block.values("D2")),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "retracted": worktypes.retracted(block.values("DT")),
        "type": worktypes.of_words(block.values("DT")) or _KINDS.get(block.value("PT").strip()),
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")) or values.abstract(block.values("Z4")),
        "keywords": values.keywords(block.values("DE", "ID")),
        "citations": converters.integer(block.value("TC") or block.value("Z9")),
    }
    return Draft(fields, _database(number))


def _authors(block: Block) -> tuple[Author, ...]:
    """Names in full where they are given; of an edited book its editors."""
    names = (
        block.lines("AF")
        or block.lines("AU")
        or block.lines("BF")
        or block.lines("BA")
        or block.lines("Z2")
    )
    groups = [Author(name) for value in block.lines("CA", "GP") if (name := values.text(value))]
    people = [
        author
        for name in names or ([] if groups else block.lines("BE"))
        if (author := values.one_author(name))
    ]
    return (*people, *groups)


#: The parts of the Web of Science by the beginnings of their accession numbers.
_PARTS = {
    "WOS": "Web of Science",
    "CSCD": "Chinese Science Citation Database",
    "KJD": "KCI Korean Journal Database",
    "SCIELO": "SciELO Citation Index",
    "MEDLINE": "MEDLINE",
    "RSCI": "Russian Science Citation Index",
    "DIIDW": "Derwent Innovations Index",
    "PPRN": "Preprint Citation Index",
}


def _database(number: str) -> str:
    return _PARTS.get(number.partition(":")[0].upper(), "Web of Science")
