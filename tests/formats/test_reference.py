"""What the reference formats share."""

from __future__ import annotations

import doctest

import pytest

from metasearch.formats import reference
from metasearch.formats.reference import doi_url, field_sources, full_title, inverted, is_corporate, link, page_range
from metasearch.record import Author, Record

from .samples import MERGED


@pytest.mark.parametrize(
    ("title", "subtitle", "expected"),
    [
        ("Dune", None, "Dune"),
        ("Dune", "a novel", "Dune: a novel"),
        ("What is life?", "the physical aspect", "What is life? the physical aspect"),
        ("Dune: A Novel", "a novel", "Dune: A Novel"),
        ("", "a novel", "a novel"),
        ("", None, ""),
    ],
)
def test_title_and_subtitle(title: str, subtitle: str | None, expected: str) -> None:
    """They are joined by a colon, unless the title ends in a mark or holds the subtitle already."""
    assert full_title(Record(source="x", title=title, subtitle=subtitle)) == expected


def test_names_are_inverted_only_where_the_source_takes_them_apart() -> None:
    """A name without parts is never guessed at."""
    assert inverted(Author("Ada Lovelace", "Lovelace", "Ada")) == "Lovelace, Ada"
    assert inverted(Author("Ada Lovelace")) == "Ada Lovelace"
    assert inverted(Author("Plato", "Plato")) == "Plato"


def test_bodies_are_told_from_persons() -> None:
    """By their words, or by standing among names that have parts."""
    person, body, unsplit = Author("A B", "B", "A"), Author("ATLAS Collaboration"), Author("Jane Doe")

    assert not is_corporate(person, (person, body))
    assert is_corporate(body, (body,))
    assert not is_corporate(unsplit, (unsplit,))
    assert is_corporate(Author("CERN"), (person, Author("CERN")))


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("5998-6008", ("5998", "6008")),
        ("123-8", ("123", "128")),
        ("123\u20138", ("123", "128")),
        ("123 -- 130", ("123", "130")),
        ("S12-8", ("S12", "S18")),
        ("S112-8", ("S112", "S118")),
        ("199-2", ("199", "2")),
        ("xi-xx", ("xi", "xx")),
        ("1-3, 7-9", ("1-3, 7-9", "")),
        ("e1001", ("e1001", "")),
        (None, ("", "")),
    ],
)
def test_page_ranges(pages: str | None, expected: tuple[str, str]) -> None:
    """Shortened last pages are written out where that makes sense; what is no range stays whole."""
    assert page_range(pages) == expected


def test_links() -> None:
    """The record's own address comes first, then its DOI's; an unsafe address counts as none."""
    assert doi_url("10.1002/(sici)1<1::aid>3.0.co;2-#") == "https://doi.org/10.1002/(sici)1%3C1::aid%3E3.0.co;2-%23"
    assert link(Record(source="x", url="https://example.org/", doi="10.1/x")) == "https://example.org/"
    assert link(Record(source="x", url="javascript:x", doi="10.1/x")) == "https://doi.org/10.1/x"
    assert link(Record(source="x")) is None


def test_provenance_is_told_by_source() -> None:
    """Each source is followed by the fields that it gave."""
    assert field_sources(MERGED) == ["arxiv: ids.arxiv", "crossref: title, year"]


def test_examples_hold() -> None:
    """The examples in the docstrings are true."""
    assert doctest.testmod(reference).failed == 0
