"""EndNote's tagged format, refer / BibIX: "%0 Journal Article", "%A Author", "%T Title", records
apart by blank lines.

EndNote, CNKI, Wanfang, Google Scholar and many journals' sites write it; most older files have no
%0.
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft, unread
from metasearch.formats.reading.pieces import DecodedText
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, Block, TagGrammar, blocks, gather

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


#: What a record holds all of.
_HELD = frozenset("0 ~ D @ I J T A V N P R G X K B".split())


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a file."""
    grammar = TagGrammar(
        _split,
        opens=frozenset("0"),
        bears=frozenset("TA"),
        once=frozenset("T"),
        noise=re.compile(r"\d+\.?$"),
    )
    if not any(_HEAD.search(part) for part in text.stretches(_LONGEST_HEAD)):
        grammar = TagGrammar(_split, any_opens=True)
    gather(reading, blocks(text, grammar, reading), _draft, _HELD)


def _draft(block: Block) -> Draft:
    problems: list[str] = []
    links = values.links(block.values("U"))
    database = accession.database(block.values("~", "W"), [], links, block.values("M"))
    kind = _kind(block)
    year = values.year(block.values("D", "8"))
    if year is None and (given := values.text(block.value("D"))):
        problems.append(unread("%D", given, "year"))
    isbn, issn = values.standard_numbers(block.values("@"))
    publisher = values.first_text(block.values("I"))
    venue = values.first_text(block.values("J", "B") if kind != "book" else block.values("S", "J"))
    title, titles = values.titles(
        block.values("T", "Q") if block.value("T") else block.values("B", "Q")
    )
    names = block.lines("A") or (block.lines("E") if kind == "book" else [])
    fields: dict[str, Any] = {
        "source_id": values.text(block.value("M")[: values.SHORT]),
        "url": accession.landing_page(links),
        "title": title,
        "titles": titles,
        "authors": values.authors(one for name in names for one in _NAMES_RUN_ON.split(name)),
        "year": year,
        "date": values.date(block.values("8", "D"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "edition": values.first_text(block.values("7")),
        "volume": values.volume(block.value("V")),
        "issue": values.first_text(block.values("N")),
        "pages": values.pages(block.value("P")) or values.pages(block.value("]")),
        "doi": values.doi(block.values("R"))
        or values.doi_of_links(links)
        or values.doi_alone(block.values("3", "M")),
        "ids": accession.identifiers(
            block.values("M", "2"), links, block.lines("Z", "O"), database
        ),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values("G")),
        "abstract": values.abstract(block.values("X")),
        "keywords": values.keywords(block.lines("K")),
        "pdf_url": next(iter(values.links(block.values(">"))), None),
    }
    if (given := values.text(block.value("R"))) and values.doi([given]) is None:
        problems.append(unread("%R", given, "DOI"))
    return Draft(fields, database, problems)


def _kind(block: Block) -> str | None:
    kind = worktypes.conference(
        worktypes.of_words(block.values("0")), is_part=bool(block.value("A", "P"))
    )
    return worktypes.refined(kind, block.values("9"))
