"""What the reference formats share."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from functools import partial

import pytest

from metasearch.events import Answer, Counts
from metasearch.formats import reference, write
from metasearch.formats.reference import (
    are_corporate,
    doi_url,
    family_first,
    field_sources,
    full_title,
    is_corporate,
    link,
    page_range,
    page_ranges,
)
from metasearch.record import Author, Hit, Record
from metasearch.server.pages import metadata
from tests.cases import each
from tests.formats.samples import MERGED, hit
from tests.growth import MOST, growth


@each(
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
    assert family_first(Author("Ada Lovelace", "Lovelace", "Ada")) == "Lovelace, Ada"
    assert family_first(Author("Ada Lovelace")) == "Ada Lovelace"
    assert family_first(Author("Plato", "Plato")) == "Plato"


def test_bodies_are_told_from_persons() -> None:
    """By their words, or by standing among names that have parts."""
    person, body, unsplit = (
        Author("A B", "B", "A"),
        Author("ATLAS Collaboration"),
        Author("Jane Doe"),
    )

    assert not is_corporate(person, (person, body))
    assert is_corporate(body, (body,))
    assert not is_corporate(unsplit, (unsplit,))
    assert is_corporate(Author("CERN"), (person, Author("CERN")))
    for authors in ((person, body, unsplit), (body, unsplit), (unsplit,), ()):
        one_by_one = [is_corporate(author, authors) for author in authors]
        assert are_corporate(authors) == one_by_one


@each(
    ("pages", "expected"),
    [
        ("12-3; discussion 13-14", [("12", "13"), ("13", "14")]),
        ("101-9; author reply 110", [("101", "109"), ("110", "")]),
        ("e1, e2", [("e1", ""), ("e2", "")]),
        ("No-C-93", [("No-C-93", "")]),
        ("xi, 200 p.", [("xi, 200 p.", "")]),
        ("", []),
    ],
)
def test_pages_in_several_parts(pages: str, expected: list[tuple[str, str]]) -> None:
    """Each part is a range of its own, and words about it are no page."""
    assert page_ranges(pages) == expected
    assert page_range(pages) == next(iter(expected), ("", ""))


@each(
    ("title", "expected"),
    [
        ("Iron in lakes.", "Iron in lakes"),
        ("Iron in lakes...", "Iron in lakes..."),
        ("Iron in lakes of the U.S.", "Iron in lakes of the U.S."),
        ("A new Homo sp.", "A new Homo sp."),
        ("Is iron in lakes?", "Is iron in lakes?"),
        ("铁。", "铁。"),
    ],
)
def test_a_title_has_no_full_stop_behind_it(title: str, expected: str) -> None:
    """Whoever cites it puts one there, and two would stand; an ellipsis and abbreviations keep
    theirs."""
    assert full_title(hit(title=title).record) == expected


def test_a_subtitle_follows_a_title_without_its_full_stop() -> None:
    """So that no citation has ".:" in it."""
    assert (
        full_title(hit(title="Iron in lakes.", subtitle="A review.").record)
        == "Iron in lakes: A review"
    )


@each(
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
        ("1-3, 7-9", ("1", "3")),
        ("e1001", ("e1001", "")),
        (None, ("", "")),
    ],
)
def test_page_ranges(pages: str | None, expected: tuple[str, str]) -> None:
    """Shortened last pages are written out where that makes sense; what is no range stays whole."""
    assert page_range(pages) == expected


def test_links() -> None:
    """The record's own address comes first, then its DOI's; an unsafe address counts as none."""
    assert (
        doi_url("10.1002/(sici)1<1::aid>3.0.co;2-#")
        == "https://doi.org/10.1002/(sici)1%3C1::aid%3E3.0.co;2-%23"
    )
    assert (
        link(Record(source="x", url="https://example.org/", doi="10.1/x")) == "https://example.org/"
    )
    assert link(Record(source="x", url="javascript:x", doi="10.1/x")) == "https://doi.org/10.1/x"
    assert link(Record(source="x")) is None


def test_provenance_is_told_by_source() -> None:
    """Each source is followed by the fields that it gave."""
    assert field_sources(MERGED) == ["arxiv: ids.arxiv", "crossref: title, year"]


def test_examples_hold() -> None:
    """The examples in the docstrings are true."""
    assert doctest.testmod(reference).failed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "writer",
    [
        lambda hit: metadata.object_of(hit, "https://example.org/work"),
        lambda hit: metadata.context_object(hit, "https://example.org"),
        lambda hit: write("bibtex", Answer("", True, Counts(1, 1, 0), (hit,), ())),
    ],
    ids=["JSON-LD", "COinS", "BibTeX"],
)
def test_names_of_many_authors(writer: Callable[[Hit], object]) -> None:
    """Names that no source has divided take time in proportion to their number, too."""

    def work(size: int) -> Callable[[], object]:
        authors = tuple(Author(f"Name {number}") for number in range(size))
        record = Record(source="a", title="T", authors=authors)
        return partial(writer, Hit(id="h0", record=record, records=(record,), provenance={}))

    assert growth(work, 4_000) <= MOST
