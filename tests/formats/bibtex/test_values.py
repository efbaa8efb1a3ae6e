"""Delimiters, operands and macros of BibTeX values."""

from __future__ import annotations

from metasearch.formats.bibtex import (
    MOST_REPEATED,
    Values,
    evaluate,
    split_fields,
)
from tests.cases import each

MACROS = {"j": "Journal", "long": "x" * MOST_REPEATED}


@each(
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
    assert evaluate(raw, MACROS) == (text, unknown)


def test_macros_give_only_so_much() -> None:
    """Text that stands in the file is never cut."""
    assert len(evaluate(" # ".join(["long"] * 50), MACROS)[0]) == MOST_REPEATED
    assert len(evaluate("{" + "y" * 50_000 + "} # long", MACROS)[0]) == 50_000 + MOST_REPEATED


def test_a_macro_is_remarked_on_once() -> None:
    """Whichever entry uses it first."""
    values, first, second = Values({}), {"journal": "jmud"}, {"journal": "jmud"}

    assert values.of(first) == (
        {"journal": "jmud"},
        ["the macro 'jmud' is defined nowhere; its name stands for it"],
    )
    assert values.of(second) == ({"journal": "jmud"}, [])


@each(
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
    assert list(split_fields("title", value)) == fields


@each("name", ["solphys", r"\solphys"])
def test_a_macro_of_aastex_without_braces_is_told(name: str) -> None:
    """Other lists have other journals under such names. It stands for no other field."""
    values = Values({})

    assert values.of({"journal": name}) == (
        {"journal": "Solar Physics"},
        [f"the macro {name!r} is defined nowhere; the journal that AASTeX calls so stands for it"],
    )
    assert Values({"solphys": "Sun"}).of({"journal": "solphys"}) == ({"journal": "Sun"}, [])
    assert values.of({"note": "nat"})[0] == {"note": "nat"}
