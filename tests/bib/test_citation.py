"""numbering.py: where in its host a work stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.numbering import Part, host, part
from tests.growth import MOST, growth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vol. 12, no. 3 (2019), p. 123-145", Part("12", "3", "123-145")),
        ("Bd. 12, Nr. 3 (2021), S. 45-60", Part("12", "3", "45-60")),
        ("Volume 5, Issue 2, pages 1\u201320", Part("5", "2", "1\u201320")),
        ("volume:12 year:2010 number:3 pages:45-60", Part("12", "3", "45-60")),
        ("12(2010)3, Seite 45-60", Part("12", "3", "45-60")),
        ("Jg. 44 (1999), H. 2, S. 10", Part("44", "2", "10")),
        ("18:3 (Mar. 2001)", Part("18", "3", None)),
        ("12(3), 45-60", Part("12", "3", "45-60")),
        ("T. 7 (1888), n\u00ba 4", Part("7", "4", None)),
        ("Vol. 1/2 (1990)", Part("1/2", None, None)),
        ("no. 1 (2014), p. e1001", Part(None, "1", "e1001")),
        ("EPA-600/2-78-004x. 87pp.", Part(None, None, None)),
        ("(2019)", Part(None, None, None)),
        ("", Part(None, None, None)),
    ],
)
def test_labels_and_short_forms_are_understood(text: str, expected: Part) -> None:
    """English, German and French labels, K10plus's colons and two short forms; anything else is
    left alone."""
    assert part(text) == expected


@given(st.text(max_size=200))
def test_any_text_gives_an_answer(text: str) -> None:
    """Cataloguers' free text never fails, and what is found stands in it."""
    for found in part(text):
        assert found is None or found[0] in text


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Journal of X ; 12 (3) ; 45-67", "Journal of X", Part("12", "3", "45-67")),
        (
            "Journal of X; Vol. 12 No. 3 (2019); 1245-1267 ; 2049-3630",
            "Journal of X",
            Part("12", "3", "1245-1267"),
        ),
        ("PLoS ONE, Vol 10, Iss 3, p e0118235 (2015)", "PLoS ONE", Part("10", "3", "e0118235")),
        (
            "Science & Design, Vol 108, Iss , Pp 608-617 (2016)",
            "Science & Design",
            Part("108", None, "608-617"),
        ),
        ("In: Biliotime, vol. 17 (3) article n. 4. AIB, 2014.", "Biliotime", Part("17", "3", None)),
        (
            "ISSN: 0963-6625 ; Science Today ; Science Today, 2015, 24 (3), pp.4-7.",
            "Science Today",
            Part("24", "3", "4-7"),
        ),
        ("Reports ; volume 7, issue 1 ; ISSN 2045-2322", "Reports", Part("7", "1", None)),
        (
            "In: Spaces of Information, (Rome, Italy, 29-30 October 2007).",
            "Spaces of Information",
            Part(None, None, None),
        ),
        ("3D Printing ; 4 (1) ; 5-9", "3D Printing", Part("4", "1", "5-9")),
        ("In Vitro Biology ; 3 (2)", "In Vitro Biology", Part("3", "2", None)),
        ("\u81ea\u7136 ; 3 (2)", "\u81ea\u7136", Part("3", "2", None)),
        ("2049-3630 ; 12 (3)", None, Part("12", "3", None)),
    ],
)
def test_issue_14_19_a_citation_is_no_venue(text: str, name: str | None, expected: Part) -> None:
    """As harvested records have it in dc:source: the journal stands apart from volume, issue and
    pages."""
    assert (host(text), part(text)) == (name, expected)


@pytest.mark.slow
def test_a_citation_is_read_in_linear_time() -> None:
    """Four times the length takes about four times as long."""
    for piece in ("; 1-2 ", ", 1", "In: ", ", (2", "vol ", ";  "):

        def reading(count: int, piece: str = piece) -> Callable[[], object]:
            text = piece * count
            return lambda: (host(text), part.__wrapped__(text))

        assert growth(reading, 500) <= MOST, piece
