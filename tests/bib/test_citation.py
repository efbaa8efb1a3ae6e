"""numbering.py: where in its host a work stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.numbering import PlaceInHost, citation_year, extent_pages, host, place_in_host
from tests.cases import each
from tests.growth import MOST, growth


@each(
    ("text", "expected"),
    [
        ("Vol. 12, no. 3 (2019), p. 123-145", PlaceInHost("12", "3", "123-145")),
        ("Bd. 12, Nr. 3 (2021), S. 45-60", PlaceInHost("12", "3", "45-60")),
        ("Volume 5, Issue 2, pages 1\u201320", PlaceInHost("5", "2", "1\u201320")),
        ("volume:12 year:2010 number:3 pages:45-60", PlaceInHost("12", "3", "45-60")),
        ("12(2010)3, Seite 45-60", PlaceInHost("12", "3", "45-60")),
        ("Jg. 44 (1999), H. 2, S. 10", PlaceInHost("44", "2", "10")),
        ("18:3 (Mar. 2001)", PlaceInHost("18", "3", None)),
        ("12(3), 45-60", PlaceInHost("12", "3", "45-60")),
        ("T. 7 (1888), n\u00ba 4", PlaceInHost("7", "4", None)),
        ("Vol. 1/2 (1990)", PlaceInHost("1/2", None, None)),
        ("no. 1 (2014), p. e1001", PlaceInHost(None, "1", "e1001")),
        ("EPA-600/2-78-004x. 87pp.", PlaceInHost(None, None, None)),
        (
            "Kites; Lund; 85. Jahrgang, Ausgabe 4 (2018), Seite [123]-157",
            PlaceInHost("85", "4", "123-157"),
        ),
        ("Kites. - 38 (1983) H. 7, S. 24-25 : 1 Abb.", PlaceInHost("38", "7", "24-25")),
        ("No 5 (1966), Pag. 65-71", PlaceInHost(None, "5", "65-71")),
        ("Lund 2022; [2] Seiten", PlaceInHost(None, None, None)),
        ("(2019)", PlaceInHost(None, None, None)),
        ("", PlaceInHost(None, None, None)),
    ],
)
def test_labels_and_short_forms_are_understood(text: str, expected: PlaceInHost) -> None:
    """English, German and French labels, K10plus's colons and two short forms; anything else is
    left alone."""
    assert place_in_host(text) == expected


@each(
    ("extent", "pages"),
    [
        *[(text, "12-15") for text in ("S. 12-15", "12-15", "S. [12]-15", "pp. 12\u201315 :")],
        *[(text, "12-15") for text in ("12-15 p.", "Str. 12 - 15 : Ill.", "第12-15页")],
        ("1 online resource (pages 3-9)", "3-9"),
        ("S. 5, 8-9", "5"),
        *[(text, None) for text in ("XII, 345 S.", "345 p.", "iv,[1],6-19,[1]p. ;", "15")],
        *[(text, None) for text in ("12 S. 8°", "p. 24 cm", "1 Online-Ressource (5 Seiten)", "")],
    ],
)
def test_an_extent_says_where_a_part_stands_or_how_long_a_whole_is(
    extent: str, pages: str | None
) -> None:
    """Only where is pages: a range, or a label before a number."""
    assert extent_pages(extent) == pages


@each(
    ("text", "year"),
    [
        *[(text, 2019) for text in ("Bd. 12 (2019), 3, S. 1890-1899", "year:2019 pages:4-9")],
        *[(text, 2019) for text in ("2019, Heft 3, S. 4", "Vol. 12, no. 2 (Mar. 2019), p. 3")],
        *[(text, None) for text in ("S. 1890-1899", "Jg. 12 (2018/19), S. 4", "Vol.389(10086)")],
    ],
)
def test_the_year_of_an_issue_is_told_from_pages_and_spans(text: str, year: int | None) -> None:
    """A year has a label or brackets, or stands first."""
    assert citation_year(text) == year


@given(st.text(max_size=200))
def test_any_text_gives_an_answer(text: str) -> None:
    """Cataloguers' free text never fails, and what is found stands in it."""
    for found in place_in_host(text):
        assert found is None or found[0] in text


@each(
    ("text", "name", "expected"),
    [
        ("Journal of X ; 12 (3) ; 45-67", "Journal of X", PlaceInHost("12", "3", "45-67")),
        (
            "Journal of X; Vol. 12 No. 3 (2019); 1245-1267 ; 2049-3630",
            "Journal of X",
            PlaceInHost("12", "3", "1245-1267"),
        ),
        (
            "PLoS ONE, Vol 10, Iss 3, p e0118235 (2015)",
            "PLoS ONE",
            PlaceInHost("10", "3", "e0118235"),
        ),
        (
            "Science & Design, Vol 108, Iss , Pp 608-617 (2016)",
            "Science & Design",
            PlaceInHost("108", None, "608-617"),
        ),
        (
            "In: Biliotime, vol. 17 (3) article n. 4. AIB, 2014.",
            "Biliotime",
            PlaceInHost("17", "3", None),
        ),
        (
            "ISSN: 0963-6625 ; Science Today ; Science Today, 2015, 24 (3), pp.4-7.",
            "Science Today",
            PlaceInHost("24", "3", "4-7"),
        ),
        ("Reports ; volume 7, issue 1 ; ISSN 2045-2322", "Reports", PlaceInHost("7", "1", None)),
        (
            "In: Spaces of Information, (Rome, Italy, 29-30 October 2007).",
            "Spaces of Information",
            PlaceInHost(None, None, None),
        ),
        ("3D Printing ; 4 (1) ; 5-9", "3D Printing", PlaceInHost("4", "1", "5-9")),
        ("In Vitro Biology ; 3 (2)", "In Vitro Biology", PlaceInHost("3", "2", None)),
        ("\u81ea\u7136 ; 3 (2)", "\u81ea\u7136", PlaceInHost("3", "2", None)),
        ("2049-3630 ; 12 (3)", None, PlaceInHost("12", "3", None)),
    ],
)
def test_issue_14_19_a_citation_is_no_venue(
    text: str, name: str | None, expected: PlaceInHost
) -> None:
    """As harvested records have it in dc:source: the journal stands apart from volume, issue and
    pages."""
    assert (host(text), place_in_host(text)) == (name, expected)


@pytest.mark.slow
def test_a_citation_is_read_in_linear_time() -> None:
    """Four times the length takes about four times as long."""
    for piece in ("; 1-2 ", ", 1", "In: ", ", (2", "vol ", ";  "):

        def reading(count: int, piece: str = piece) -> Callable[[], object]:
            text = piece * count
            return lambda: (host(text), place_in_host.__wrapped__(text))

        assert growth(reading, 500) <= MOST, piece
