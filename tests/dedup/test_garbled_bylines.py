"""Bylines that name nobody."""

from __future__ import annotations

from metasearch.dedup.people import is_garbled
from metasearch.record import Author
from tests.cases import each


@each(
    "names",
    [
        ["A B", "C. D."],
        ["MD", "PhD"],
        ["Smith3", "J0nes"],
        ["View Profile"] * 3,
        ["Dept. of Zoology", "MD PhD"],
        ["MÃ¼ller"],
    ],
)
def test_a_garbled_byline_is_known(names: list[str]) -> None:
    assert is_garbled(tuple(map(Author, names)))


@each(
    "names",
    [
        ["Li Yu", "Wu X"],
        ["Anna Lie", "A B", "Ola Roth"],
        ["Department of Health"],
        ["李明", "王磊"],
        ["Smith AB"],
        [],
    ],
)
def test_names_that_are_short_or_bodies_are_not_garbled(names: list[str]) -> None:
    """A family name with initials, one bad name of three, a body alone, Chinese names."""
    assert not is_garbled(tuple(map(Author, names)))
