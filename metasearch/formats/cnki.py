"""CNKI's own formats: that of its E-Study ("DataType: 1", "Title-题名: ...") and the one for users
to choose fields of.

The tags are English and Chinese, "Title-题名", and the Chinese half has changed over the years, so
the English one counts; only "PageCount" needs the other, because it once was the number of pages
(页数) and later the pages (页码).
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.formats.reading import tagged, values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, FileReading

_LINE = re.compile(r"(DataType|[A-Z][A-Za-z]{2,20}-[A-Z\u4e00-\u9fff]{1,8}) ?[:：](.*)", re.DOTALL)
_HEAD = re.compile(rf"(?:^|[\r\n])[{tagged.BLANKS}]*(?:SrcDatabase-来源库|Title-题名) ?[:：]")


def looks_like(head: str) -> bool:
    return _HEAD.search(head) is not None


def _split(line: str, _: str) -> tuple[str, str] | None:
    hit = _LINE.match(line.lstrip(tagged.BLANKS))
    if hit is None:
        return None
    name, _, chinese = hit[1].partition("-")
    return ("Page" if chinese == "页码" else name, hit[2])


_GRAMMAR = tagged.TagGrammar(
    _split,
    opens=frozenset(("DataType", "SrcDatabase", "Title")),
    bears=frozenset(("Title", "Author")),
    once=frozenset(("Source",)),
)
#: What a record holds all of.
_HELD = frozenset(
    "DataType SrcDatabase Title Author Source Year Volume Roll Period Issue Page DOI ISSN ISBN "
    "Summary Keyword".split()
)
#: Of these a record holds the first value alone.
_SINGLE = frozenset("Source Volume Roll Period Issue".split())
#: The others.
_KNOWN = _HELD | frozenset(
    "PubTime Roll PageCount Organ Link URL CLC FirstDuty Fund Tutor Degree".split()
)


def read(text: FileText, reading: FileReading) -> None:
    found = tagged.tell_strange_tags(
        tagged.blocks(text, _GRAMMAR, reading), _KNOWN, "CNKI", reading
    )
    tagged.gather(reading, found, _draft)


def _draft(block: tagged.Block) -> Draft:
    links = values.links(block.values("Link", "URL"))
    kind = worktypes.of_words(block.values("SrcDatabase"))
    year = values.year(block.values("Year", "PubTime"))
    isbn, issn = values.standard_numbers(block.values("ISSN", "ISBN"))
    container = values.first_text(block.values("Source"))
    thesis = kind == "thesis"
    title, titles = values.titles(block.values("Title"))
    fields: dict[str, Any] = {
        "url": values.landing_page(links),
        "title": title,
        "titles": titles,
        **values.people(block.lines("Author")),
        "year": year,
        "date": values.date(block.values("PubTime"), year),
        "venue": values.thesis_venue(container) or container if thesis else container,
        "publisher": container if thesis else None,
        "volume": values.volume(block.value("Volume", "Roll")),
        "issue": values.first_text(block.values("Period", "Issue")),
        "pages": values.pages(block.value("Page")),
        "doi": values.doi(block.values("DOI")) or values.doi_of_links(links),
        "ids": values.identifiers([], links),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "abstract": values.abstract(block.values("Summary")),
        "keywords": values.keywords(block.lines("Keyword")),
    }
    fields["source_id"] = fields["ids"].get("cnki", "")
    given = tagged.remainder(
        block, _HELD, fields, single=_SINGLE, years=("Year",), dois=("DOI",),
        numbers=("ISSN", "ISBN"), pages=("Page",),
    )  # fmt: skip
    return Draft(fields, "CNKI", given=given)
