"""citation.py: where in its host a work stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.citation import Part, part


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
    """English, German and French labels, K10plus's colons and two short forms; anything else is left alone."""
    assert part(text) == expected


@given(st.text(max_size=200))
def test_any_text_gives_an_answer(text: str) -> None:
    """Cataloguers' free text never fails, and what is found stands in it."""
    for found in part(text):
        assert found is None or found[0] in text
