"""Bylines: many names in one string, in every style."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metasearch.bib.bylines import LONGEST_BYLINE as LONGEST
from metasearch.bib.bylines import people_in
from tests.cases import each
from tests.growth import MOST, TIMES, growth


def split(byline: str) -> list[str]:
    """ "family|given" of each author, or the whole name where it was left whole."""
    return [f"{it.family}|{it.given}" if it.family else it.name for it in people_in(byline)]


@each(
    ("byline", "expected"),
    [
        # initials behind the comma
        ("Wang, Y.", ["Wang|Y."]),
        ("Smith, J., Jones, K.", ["Smith|J.", "Jones|K."]),
        ("smith, j. r., & jones, k.", ["smith|j. r.", "jones|k."]),
        ("van den Berg, J., de la Cruz, M. P.", ["van den Berg|J.", "de la Cruz|M. P."]),
        ("Brown, Y, White Z", ["Brown|Y", "White|Z"]),
        # initials before the name
        ("d. adams, m. baker, and k. clarke.", ["adams|d.", "baker|m.", "clarke|k."]),
        ("J.Smith and K.L.Jones", ["Smith|J.", "Jones|K.L."]),
        ("J. van den Berg & M. P. de la Cruz", ["van den Berg|J.", "de la Cruz|M. P."]),
        ("m j adams and u v baker", ["adams|m j", "baker|u v"]),
        # initials behind the name, without a comma
        ("Adams BS, Baker KE, Clarke SL", ["Adams|BS", "Baker|KE", "Clarke|SL"]),
        ("adams a., baker h.s. and clarke n.", ["adams|a.", "baker|h.s.", "clarke|n."]),
        ("Adams K.Baker G. F.", ["Adams|K.", "Baker|G. F."]),
        # the first name inverted, the others not
        ("adams, r., b. baker, and c. d. clarke", ["adams|r.", "baker|b.", "clarke|c. d."]),
        # one of several names in capitals
        ("SMITH AB, Jones CD", ["SMITH|AB", "Jones|CD"]),
        ("J AB SMITH, Jones CD", ["SMITH|J AB", "Jones|CD"]),
        ("FUTURE II, I.and", ["FUTURE|II", "and|I."]),
        # given names written out
        ("Hall, Laura L", ["Hall|Laura L"]),
        ("Garcia Marquez, Gabriel", ["Garcia Marquez|Gabriel"]),
        ("adams, ann and baker, robert e.", ["adams|ann", "baker|robert e."]),
        ("Smith, John A., Jones, Kate", ["Smith|John A.", "Jones|Kate"]),
        ("Smith, John, Jones, Kate, & Lee, Ann", ["Smith|John", "Jones|Kate", "Lee|Ann"]),
        ("Smith, John and Jane Doe", ["Smith|John", "Jane Doe"]),
        ("ann adams, rob baker, and cleo clarke", ["ann adams", "rob baker", "cleo clarke"]),
        # family names alone
        ("adams, baker and clarke,", ["adams", "baker", "clarke"]),
        ("van der Heijden", ["van der Heijden"]),
        # semicolons
        ("Garrido, Ann; Martinez Barricarte, Ruben", ["Garrido|Ann", "Martinez Barricarte|Ruben"]),
        (
            "adams, henry a.; baker, m.; and clarke, bart 1994.",
            ["adams|henry a.", "baker|m.", "clarke|bart"],
        ),
        # what is no author
        ("Adams, P. A., Jr.", ["Adams|P. A."]),
        ("Lucas, Jr., Henry C.", ["Lucas|Henry C."]),
        ("adams, y., b. baker et al.", ["adams|y.", "baker|b."]),
        ("Adams, J. (Ed.)", ["Adams|J."]),
        ("a. adams, b. baker, , and c. clarke.", ["adams|a.", "baker|b.", "clarke|c."]),
        ("et al", []),
        (" , ;", []),
        ("", []),
        # a full stop for a comma
        ("a. adams, b. baker. c.d. clarke.", ["adams|a.", "baker|b.", "clarke|c.d."]),
        # bodies
        (
            "Department of Health, Education and Welfare",
            ["Department of Health, Education and Welfare"],
        ),
        ("Acme Pharmaceuticals, Inc", ["Acme Pharmaceuticals, Inc"]),
        # names with "and" inside
        ("Sanders and Andrews", ["Sanders", "Andrews"]),
        # Han
        ("张三, 李四，王五、赵六 等", ["张三", "李四", "王五", "赵六"]),
        ("张三；李四", ["张三", "李四"]),
    ],
)
def test_styles(byline: str, expected: list[str]) -> None:
    """Every style of the field gives the same authors, split where the split is certain."""
    assert split(byline) == expected


@given(st.text(alphabet="aB.,;& \x00\ud800and李，-'", max_size=60))
def test_any_text(byline: str) -> None:
    """Whatever stands there, nothing is raised, and each author has a name that can be shown."""
    assert all(author.name.strip() and author.name.isprintable() for author in people_in(byline))


_PIECES = (
    *"SMITH Smith smith LEE Lee II JR Jr. AB A. a. A.B. A-B J.R.Smith O'NEIL van DE and AND & "
    "(Eds.) Inc of".split(),
    *("1994.", "李四", "等", "ß", "ŁUKASZ", "\u01c4", "İ", "2nd", "PhD"),
    *(" ", " ", ", ", ",", "; ", ". ", "et al", "\ud800"),
)


@example(["SMITH", " ", "AB", ", ", "Jones", " ", "CD"])
@example(["FUTURE", " ", "II", ", ", "I.", "and"])
@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=16))
def test_any_pieces_of_names(pieces: list[str]) -> None:
    """Names, initials and marks in any order and in any mixture of capitals raise nothing
    either."""
    assert all(
        author.name.strip() and author.name.encode() for author in people_in("".join(pieces))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["a, ", "and ", "A.Ab ", ",", "a.", "a-", " ", "; ", ",and", "a b "]
)
def test_hostile_length(piece: str) -> None:
    """Four times the byline takes about four times as long, at a tenth of the longest that is
    read."""

    def reading(size: int) -> Callable[[], object]:
        return partial(people_in, piece * (size // len(piece)))

    assert growth(reading, LONGEST // 10 // TIMES) <= MOST


@pytest.mark.slow
def test_what_is_too_long_is_cut() -> None:
    """Beyond the limit nothing is read."""
    assert len(people_in("Smith, J.; " * LONGEST)) <= LONGEST // 10
