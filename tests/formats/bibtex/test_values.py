"""Delimiters, operands and macros of BibTeX values."""

from __future__ import annotations

import pytest

from metasearch.formats.bibtex import MOST_REPEATED, Values, evaluated, separated

MACROS = {"j": "Journal", "long": "x" * MOST_REPEATED}


@pytest.mark.parametrize(
    ("raw", "text", "unknown"),
    [
        ("{a {b} # c}", "a {b} # c", []),
        ('"a {"}b{"} c"', 'a {"}b{"} c', []),
        ("1999", "1999", []),
        ("jan", "jan", []),
        ("J", "Journal", []),
        ('j # " of " # {Mud}', "Journal of Mud", []),
        ("nowhere # {x}", "nowherex", ["nowhere"]),
        ("{a} # ", "a", []),
        ("", "", []),
    ],
)
def test_values(raw: str, text: str, unknown: list[str]) -> None:
    """What a value stands for, and which macros nobody has defined."""
    assert evaluated(raw, MACROS) == (text, unknown)


def test_macros_give_only_so_much() -> None:
    """Text that stands in the file is never cut."""
    assert len(evaluated(" # ".join(["long"] * 50), MACROS)[0]) == MOST_REPEATED
    assert len(evaluated("{" + "y" * 50_000 + "} # long", MACROS)[0]) == 50_000 + MOST_REPEATED


def test_a_macro_is_remarked_on_once() -> None:
    """Whichever entry uses it first."""
    values, first, second = Values({}), {"journal": "jcp"}, {"journal": "jcp"}

    assert values.of(first) == (
        {"journal": "jcp"},
        ["the macro 'jcp' is defined nowhere; its name stands for it"],
    )
    assert values.of(second) == ({"journal": "jcp"}, [])


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ("{A}\n year = {2000}", [("title", "{A}"), ("year", "{2000}")]),
        ('"A"\n year = 2000\n volume = 3', [("title", '"A"'), ("year", "2000"), ("volume", "3")]),
        ("{A x = {1} b}", [("title", "{A x = {1} b}")]),
        ('"A x = 1"', [("title", '"A x = 1"')]),
        ("{A}", [("title", "{A}")]),
    ],
)
def test_missing_commas(value: str, fields: list[tuple[str, str]]) -> None:
    """A field behind a value is one of its own; within braces and quotes "=" is text."""
    assert list(separated("title", value)) == fields
