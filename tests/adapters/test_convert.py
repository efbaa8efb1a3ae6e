"""Converters: what a selector found becomes the value of a field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metasearch.adapters import convert, people
from metasearch.record import Author

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | st.just("name"), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", sorted(set(convert.CONVERTERS) - convert.NODE_CONVERTERS))
@given(found=ANYTHING)
@settings(max_examples=30)
def test_never_raises(name: str, found: Any) -> None:
    """Whatever a database sends, a converter gives a value or None; an odd field costs no record."""
    value = convert.CONVERTERS[name](found)

    assert value is None or isinstance(value, (str, int, tuple))


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("text", ["", "  ", "A <i>b</i> &amp; c"], "A b & c"),
        ("text", {"@pid": "1", "text": "A"}, "A"),
        ("text", 12, "12"),
        ("text", [], None),
        ("text", True, None),
        ("joined", ["One.", None, "Two."], "One. Two."),
        ("commas", ["A", "B"], "A, B"),
        ("list", ["a", "b", "a", ""], ("a", "b")),
        ("split-list", "a; b|c", ("a", "b", "c")),
        ("abstract", "<jats:title>Abstract</jats:title><jats:p>We show.</jats:p>", "We show."),
        ("abstract", "ABSTRACT we show", "we show"),
        ("abstract", "Summary: we show", "we show"),
        ("abstract", "摘要：本文", "本文"),
        ("abstract", "Abstract machines are studied.", "Abstract machines are studied."),
        ("abstract", "Summaries help.", "Summaries help."),
        ("inverted-index", {"b": [1], "a": [0, 2], "odd": "x", "odder": [None]}, "a b a"),
        ("inverted-index", "text", None),
        ("no-final-stop", "On graphs.", "On graphs"),
        ("no-final-stop", "Web 2.0.", "Web 2.0"),
        ("no-final-stop", "Apples etc.", "Apples etc."),
        ("no-final-stop", "And then...", "And then..."),
        ("no-final-stop", "Why?", "Why?"),
        ("bracketed", "[Ein Titel].", "Ein Titel"),
        ("bracketed", "[A] and [B].", "[A] and [B]"),
        ("year", "c1999.", 1999),
        ("year", "[2001?]", 2001),
        ("year", "1998 Dec-1999 Jan", 1998),
        ("year", 2004, 2004),
        ("year", "20040301", 2004),
        ("year", 2549, None),
        ("year", "no year", None),
        ("date", "2020-03-05T10:00:00Z", "2020-03-05"),
        ("date", "2020-3", "2020-03"),
        ("date", "1993-00-00", "1993"),
        ("date", "2020-13-01", "2020"),
        ("date", "2014--", "2014"),
        ("date", ["2020", "Mar", "5"], "2020-03-05"),
        ("date", ["2011", None], "2011"),
        ("date", [2020, 3], "2020-03"),
        ("date", "spring 2020", None),
        ("date-parts", [[2020, 3, 5]], "2020-03-05"),
        ("date-parts", [[None]], None),
        ("date-parts", [["1998"]], "1998"),
        ("padded-date", "2001-01-01", "2001"),
        ("padded-date", "2001-01-02", "2001-01-02"),
        ("pages", "343 - 384", "343-384"),
        ("pages", "\n 347\u2013351 \n", "347-351"),
        ("pages", ["533", "536"], "533-536"),
        ("pages", ["7", "7"], "7"),
        ("pages", ["1e5", None], "1e5"),
        ("pages", "2250057:1-2250057:45", "2250057:1-2250057:45"),
        ("doi", ["1234-5678", "https://doi.org/10.1000/ABC."], "10.1000/abc"),
        ("url", ["ftp://a", "https://a.org/x y"], "https://a.org/x%20y"),
        ("url", "javascript:alert(1)", None),
        ("isbn", ["3-540-12345-9; 9783161484100"], ("9783161484100",)),
        ("isbn", "0-306-40615-2", ("9780306406157",)),
        ("issn", ["0028-0836, 14764687", "0028-0836"], ("0028-0836", "1476-4687")),
        ("arxiv", "http://arxiv.org/abs/cs/0102003v1", "cs/0102003"),
        ("arxiv-url", ["https://example.org/pdf/2101.00001", "https://arxiv.org/pdf/2101.00002v3"], "2101.00002"),
        ("arxiv-url", "10.48550/arXiv.2101.00003", "2101.00003"),
        ("pmcid", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC0123/", "PMC123"),
        ("pmcid", "9001823", "PMC9001823"),
        ("pmcid", "none", None),
        ("last-segment", "https://openalex.org/W1", "W1"),
        ("identifier", " a b ", "ab"),
        ("integer", 0, 0),
        ("integer", "12", 12),
        ("integer", "-1", None),
        ("integer", 1.5, None),
        ("language", "ger", "de"),
        ("language", "en-US", "en"),
        ("language", "und", None),
        ("sole-language", ["English"], "en"),
        ("sole-language", ["EN", "eng"], "en"),
        ("sole-language", ["EN", "PT"], None),
    ],
)
def test_value(name: str, found: Any, expected: Any) -> None:
    """Each form that a database writes gives the one form that a record holds."""
    assert expected == convert.CONVERTERS[name](found)


def test_pdf_url() -> None:
    """A DOI leads to a page and not to a file."""
    assert "https://a.org/1.pdf" == convert.DEFAULTS["pdf_url"](["https://doi.org/10.1/x", "https://a.org/1.pdf"])
    assert convert.DEFAULTS["pdf_url"]("http://dx.doi.org/10.1/x") is None


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("names", "Doe, Jane", [Author("Jane Doe", "Doe", "Jane")]),
        ("names", "Jane Doe", [Author("Jane Doe")]),
        ("names", "King, Martin Luther, Jr.", [Author("Martin Luther King", "King", "Martin Luther")]),
        (
            "names",
            "Institute of Ice and of Snow, University of Invention",
            [Author("Institute of Ice and of Snow, University of Invention")],
        ),
        ("names", ["et al.", ""], []),
        (
            "names-semicolon",
            "Doe, Jane; 王伟；Roe, R.",
            [Author("Jane Doe", "Doe", "Jane"), Author("王伟"), Author("R. Roe", "Roe", "R.")],
        ),
        (
            "names-comma",
            "da Silva CS, O'Neill J-P, Group.",
            [Author("CS da Silva", "da Silva", "CS"), Author("J-P O'Neill", "O'Neill", "J-P"), Author("Group")],
        ),
        ("names-homonym", [{"@pid": "1", "text": "Wei Wang 0001"}, "Al Roe"], [Author("Wei Wang"), Author("Al Roe")]),
    ],
)
def test_names(name: str, found: Any, expected: list[Author]) -> None:
    """Names are shown as "Given Family", and taken apart only where the source does."""
    assert tuple(expected) == convert.CONVERTERS[name](found)


def from_objects(**kinds: str) -> convert.Converter:
    parts = {part: (lambda item, key=key: item.get(key)) for part, key in kinds.items()}
    return people.people(lambda node: node, parts)


def test_people() -> None:
    """Authors that are objects keep their parts; a corporate name is never taken apart; each comes once."""
    read = from_objects(name="name", family="family", given="given", orcid="orcid", corporate="body")

    found = read(
        [
            {"name": "Doe, Jane", "family": "Doe", "given": "Jane", "orcid": "https://orcid.org/0000-0002-1825-0097"},
            {"body": "Institute of Ice, Invented University"},
            {"family": "Roe"},
            {"family": "Roe"},
            "Plain, Text",
            {},
        ]
    )

    assert (
        Author("Jane Doe", "Doe", "Jane", "0000-0002-1825-0097"),
        Author("Institute of Ice, Invented University"),
        Author("Roe", "Roe"),
        Author("Text Plain", "Plain", "Text"),
    ) == found


def test_one_person_without_a_list() -> None:
    """ "One or many" sources write a single author without a list."""
    assert (Author("Jane Doe"),) == from_objects(name="name")({"name": "Jane Doe"})
    assert () == from_objects(name="name")(None)


def test_large_collaborations() -> None:
    """Thousands of authors are read in time that grows with their number, not with its square."""
    many = [{"name": f"Author {number}"} for number in range(20_000)]

    assert 20_000 == len(from_objects(name="name")(many))


@pytest.mark.parametrize(
    ("given", "family", "name"),
    [
        ("Ada", "Byron", "Ada Byron"),
        ("征", "王", "王征"),
        ("영희", "김", "김영희"),
        ("Wei", "王", "Wei 王"),
        ("", "王", "王"),
    ],
)
def test_names_are_shown_as_they_are_read(given: str, family: str, name: str) -> None:
    """The given name comes first, except where both parts are Han or Hangul."""
    author = people.person("", family, given or None)

    assert author is not None
    assert author.name == name


def test_a_name_of_nothing_but_markup_is_no_author() -> None:
    """Parts that are empty once their tags are gone name nobody; one that is left names somebody."""
    assert people.person("", "<i></i>", "&nbsp;") is None
    assert people.person("", "<i>Berg</i>", "&nbsp;") == Author("Berg", "Berg")
