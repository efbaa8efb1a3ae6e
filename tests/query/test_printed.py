"""What people and platforms write round a query of any database: limits, and orders of results."""

from __future__ import annotations

from metasearch.query import read, to_text
from tests.cases import each

#: A query of each database that means `title:x`.
QUERIES = {
    "ovid": "x.ti.",
    "scopus": "TITLE(x)",
    "wos": "TI=(x)",
    "ebsco": "TI x",
    "embase": "x:ti",
    "cochrane": "x:ti",
    "proquest": "ti(x)",
    "ieee": '"Document Title":x',
}


@each(
    ("printed", "limits"),
    [
        ("Limits: 2010-2020", " AND year:2010-2020"),
        ("Filters applied: from 2010 - 2020", " AND year:2010-2020"),
        ("Limit: Humans", ""),
        ("Sort by: Relevance", ""),
        ("Sorted on: Date (newest)", ""),
    ],
)
def test_limits_and_orders_of_results(printed: str, limits: str) -> None:
    """Limits hold for the whole query, whatever it is in; each is told."""
    for syntax, query in QUERIES.items():
        found = read(f"{query} {printed}", syntax)

        assert to_text(found.query) == f"title:x{limits}", syntax
        assert any(printed[:5] in note for note in found.notes), syntax


def test_what_is_printed_holds_for_all_alternatives() -> None:
    """And not for the last alone."""
    found = read("TI=(x) OR TI=(y)\nLimits: English", "wos")

    assert to_text(found.query) == "(title:x OR title:y) AND language:en"


def test_words_are_no_limits() -> None:
    """Without a capital and a colon."""
    assert to_text(read("ti(limits of agreement)", "proquest").query) == (
        "title:(limits of agreement)"
    )


@each(
    ("text", "syntax", "reads"),
    [
        ("ti:x AND ab:y", "proquest", "title:x AND abstract:y"),
        ("TI: x OR AB: y", "ebsco", "title:x OR abstract:y"),
        ("TI x AND AB y", "wos", "title:x AND abstract:y"),
        ("TITLE-ABS: (x)", "scopus", "title:x OR abstract:x"),
        ("ti:x AND ab:ti,ab", "embase", "title:x AND (title:ab OR abstract:ab)"),
        ("'Document Title':'x y'", "ieee", 'title:"x y"'),
        ("TS=(TI: x)", "wos", None),
        ("group AB plasma", "proquest", "group AB plasma"),
    ],
)
def test_fields_as_other_syntaxes_have_them(text: str, syntax: str, reads: str | None) -> None:
    """They are no words at the beginning of an operand; within a field they are."""
    found = to_text(read(text, syntax).query)

    assert found == reads if reads else "TI:" in found
