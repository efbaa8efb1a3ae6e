"""CSV: a table that spreadsheets open without running anything."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import FORMATS
from metasearch.formats.csv import COLUMNS
from metasearch.record import Author, Hit
from tests.cases import each
from tests.formats.samples import MERGED, hit, hostile_hits, properties


def read(body: bytes) -> list[dict[str, str]]:
    """The rows by column."""
    rows = list(csv.reader(io.StringIO(body.decode(), newline=""), strict=True))
    assert tuple(rows[0]) == COLUMNS
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows[1:]]


def test_a_merged_work() -> None:
    """One row holds all that the hit says; lists are joined by semicolons."""
    row = read(FORMATS["csv"].write([MERGED]))[0]

    assert row == dict.fromkeys(COLUMNS, "") | {
        "rank": "1",
        "score": "0.0323",
        "id": "arxiv:9907.00001",
        "title": "Toward unique identifiers",
        "authors": "Paskin, Norman; IEEE Standards Committee",
        "year": "1999",
        "date": "1999-07",
        "venue": "Proceedings of the IEEE",
        "publisher": "IEEE",
        "volume": "87",
        "issue": "7",
        "pages": "1208-27",
        "doi": "10.1109/5.771073",
        "ids": "arxiv:9907.00001; openalex:W2147152072",
        "issn": "0018-9219",
        "url": "https://example.org/works/5.771073",
        "pdf_url": "https://example.org/works/5.771073.pdf",
        "type": "article",
        "language": "en",
        "keywords": "identifiers; DOI & handles",
        "citations": "40",
        "sources": "arxiv; crossref",
        "provenance": "arxiv: ids.arxiv; crossref: title, year",
        "abstract": "Names for things, and things that last.",
    }


@each("start", ["=", "+", "-", "@", "\t=", "\r=", "\uff1d", "\uff20"])
def test_formulas_are_disarmed(start: str) -> None:
    """A cell that a spreadsheet would calculate begins with an apostrophe, in any text column."""
    row = read(
        FORMATS["csv"].write(
            [hit(title=f"{start}1+1", authors=(Author(f"{start}x"),), volume=f"{start}2")]
        )
    )[0]

    assert {row[column][0] for column in ("title", "authors", "volume")} == {"'"}


def test_numbers_stay_numbers() -> None:
    """The guard is for text; a number is no formula even where it is negative."""
    assert read(FORMATS["csv"].write([hit(citations=-1)]))[0]["citations"] == "-1"


def test_the_byte_order_mark_is_an_option() -> None:
    """Plain UTF-8 by default, marked for Excel on demand."""
    assert FORMATS["csv"].write([]).startswith(b"rank,score,id,title,")
    assert FORMATS["csv"].write([], bom=True).startswith(b"\xef\xbb\xbfrank,")


@properties
@given(st.lists(hostile_hits(), max_size=3))
def test_any_text_stays_within_its_cell(hits: list[Hit]) -> None:
    """There is one physical line a hit besides the header, and no text cell that begins a
    formula."""
    written = FORMATS["csv"].write(hits)
    rows = read(written)

    assert written.count(b"\r\n") == written.count(b"\n") == written.count(b"\r") == len(hits) + 1
    assert len(rows) == len(hits)
    text_columns = set(COLUMNS) - {"rank", "score", "year", "citations"}
    assert not [
        row[c] for row in rows for c in text_columns if row[c].startswith(("=", "+", "-", "@"))
    ]
