"""Web of Science: plain text ("FN Clarivate", "PT J" to "ER") and the tab-delimited table with the
same tags.

Tags: https://images.webofknowledge.com/images/help/WOS/hs_wos_fieldtags.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from metasearch.bib import numbering
from metasearch.formats.reading import tagged, values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, FileReading
from metasearch.record import Author

TAGS = frozenset(
    """
    FN VR PT AU AF BA BF CA GP BE SO SE BS LA DT CT CY CL SP HO DE ID AB C1 C3 RP EM RI OI FU FP FX
    CR NR TC Z9 U1 U2 PU PI PA SN EI BN J9 JI PD PY VL IS SI PN SU MA BP EP AR DI DL D2 EA EY PG P2
    WC WE SC GA UT PM OA HC HP DA ER EF Z1 Z2 Z3 Z4 Z8 ZB FT AE ED TI
""".split()
)
#: Several values, of which the table puts all into one cell.
_LISTS = frozenset("AU AF BA BF BE ED CA GP Z2".split())
#: Running text, in which a line may begin like a tag where a file has lost its indents.
_PROSE = frozenset("TI AB Z1 Z4 FT SO SE DE ID CT CL C1 C3 RP FU FX CR PA".split())
#: Tags whose values begin with no small letter.
_CAPITAL = frozenset("PT PY VL IS SO SN LA DT PD PU PI CT CY CL TC NR PG Z9 U1 U2 GA UT PM".split())
_HEAD = re.compile(rf"^[{tagged.BLANKS}\r\n]*(?:FN \S|PT [JBSPC]\r?\n[A-Z][A-Z0-9] )")
_TABLE_HEAD = re.compile(rf"^[{tagged.BLANKS}]*PT\t(?:[A-Z][A-Z0-9]\t){{8}}")
#: Characters of the row of tags, and of any other row.
_HEAD_SIZE, _LONGEST_ROW = 8_192, 10_000_000
_KINDS = {"J": "article", "B": "book", "S": "chapter", "P": "patent", "C": "conference-paper"}


def looks_like(head: str) -> bool:
    return _HEAD.search(head) is not None or _TABLE_HEAD.match(head) is not None


def _grammar(text: FileText) -> tagged.TagGrammar:
    is_tag = tagged.is_two_signs(text, TAGS, _PROSE, _CAPITAL)

    def split(line: str, open_tag: str) -> tuple[str, str] | None:
        line = line.lstrip("\ufeff\f")
        return (line[:2], line[3:]) if is_tag(line, open_tag) else None

    return tagged.TagGrammar(
        split,
        starts=frozenset(("PT",)),
        ends=frozenset(("ER",)),
        bears=frozenset(("TI", "AU")),
        once=frozenset(("TI", "UT")),
        outside=frozenset(("FN", "VR", "EF")),
    )


#: What a record holds all of.
_HELD = frozenset(
    """
    PT UT PY SN EI BN PM TI SO PU PI VL IS BP EP AR DI DT LA AB DE ID AF AU BE ED ER EF FN VR
    """.split()
)
#: Of these a record holds the first value alone.
_SINGLE = frozenset("PU PI VL IS BP EP LA".split())


def read(text: FileText, reading: FileReading) -> None:
    found = (
        _rows(text, reading)
        if _TABLE_HEAD.match(text.head(_HEAD_SIZE))
        else tagged.blocks(text, _grammar(text), reading)
    )
    tagged.gather(reading, tagged.tell_strange_tags(found, TAGS, "Web of Science", reading), _draft)


def _rows(text: FileText, reading: FileReading) -> Iterator[tagged.Block]:
    rows = text.lines(_LONGEST_ROW)
    tags = [tag.strip(tagged.BLANKS) for tag in next(rows)[:_HEAD_SIZE].split("\t")]
    for number, row in enumerate(rows, 2):
        if len(row) > _LONGEST_ROW:
            reading.add_problem(
                number, f"the row is longer than {_LONGEST_ROW:,} characters; it was left out", 1
            )
            continue
        if not row.strip(tagged.BLANKS):
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
        block = tagged.Block(number)
        for tag, cell in zip(tags, cells, strict=False):
            value = cell.strip(tagged.BLANKS).removeprefix('"').removesuffix('"')
            if value:
                block.add(
                    tagged.TaggedField(
                        tag, re.split(r";\s*", value) if tag in _LISTS else [value], number
                    )
                )
        yield block


def _draft(block: tagged.Block) -> Draft:
    number = block.value("UT").strip()
    year = values.year(block.values("PY", "EY", "EA", "PD"))
    isbn, issn = values.standard_numbers([*block.values("SN", "EI"), *block.values("BN")])
    ids = values.identifiers([number])
    pmid = block.value("PM").strip()
    if pmid.isascii() and pmid.isdecimal():
        ids["pmid"] = pmid
    patent = values.text(block.value("PN").partition(";")[0])
    if patent and block.value("PT").strip() == "P":  # elsewhere PN is the number of a part
        ids["patent"] = patent
    title, titles = values.titles(block.values("TI", "Z1", "FT"))
    fields: dict[str, Any] = {
        "source_id": values.text(number[: values.SHORT]),
        "title": title,
        "titles": titles,
        "authors": _authors(block),
        "editors": tuple(_people(block.lines("BE", "ED"))),
        "year": year,
        "date": values.date(block.values("PD", "EA"), year),
        "venue": values.first_text(block.values("SO", "J9", "JI", "Z3", "CT")),
        "publisher": values.first_text(block.values("PU")),
        "place": values.place(block.values("PI")),
        "volume": values.volume(block.value("VL")),
        "issue": values.first_text(block.values("IS", "SI")),
        "pages": values.pages(block.value("BP"), block.value("EP"))
        or values.pages(block.value("AR"))
        or values.pages(block.value("PS")),  # of older exports; the list of tags does not have PS
        "doi": values.doi(block.values("DI")) or values.doi(block.values("D2")),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "retracted": worktypes.says_retracted(block.values("DT")),
        "type": worktypes.of_words(block.values("DT")) or _KINDS.get(block.value("PT").strip()),
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")) or values.abstract(block.values("Z4")),
        "keywords": values.keywords(block.values("DE", "ID")),
        "citations": numbering.integer(block.value("TC") or block.value("Z9")),
    }
    given = tagged.remainder(
        block, _HELD, fields, single=_SINGLE, years=("PY",), dois=("DI",),
        numbers=("SN", "EI", "BN"), pages=("AR",),
    )  # fmt: skip
    database = _PARTS.get(number.partition(":")[0].upper(), "Web of Science")
    return Draft(fields, database, given=given)


def _authors(block: tagged.Block) -> tuple[Author, ...]:
    """Names in full where the record has them."""
    names = (
        block.lines("AF")
        or block.lines("AU")
        or block.lines("BF")
        or block.lines("BA")
        or block.lines("Z2")
    )
    groups = [Author(name) for value in block.lines("CA", "GP") if (name := values.text(value))]
    return (*_people(names), *groups)


#: Behind a name in some databases.
_MAIL = re.compile(r"\s\([^()\s]{1,100}@[^()\s]{1,100}\)$")


def _people(names: Iterable[str]) -> Iterator[Author]:
    found = (values.one_author(_MAIL.sub("", name[: values.SHORT])) for name in names)
    return filter(None, found)


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
