"""Texts that only combine steps."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query.tree import And, Not, Or
from metasearch.review.strategies.references import combination, reference
from tests.cases import each

ONE, TWO, THREE, FOUR = map(reference, (1, 2, 3, 4))


@each(
    ("text", "query"),
    [
        ("#1 AND #2", And((ONE, TWO))),
        ("#1 and not #2", And((ONE, Not(TWO)))),
        ("1 and 2", And((ONE, TWO))),
        ("(1 or 2) not 3", And((Or((ONE, TWO)), Not(THREE)))),
        ("or/1-3", Or((ONE, TWO, THREE))),
        ("AND/1,3", And((ONE, THREE))),
        ("or/1-2,4", Or((ONE, TWO, FOUR))),
        ("or/#1-#2 AND #3", And((Or((ONE, TWO)), THREE))),
        ("#1*#2", And((ONE, TWO))),
        ("（#1＋#2）*#3", And((Or((ONE, TWO)), THREE))),
        ("#1 与 #2", And((ONE, TWO))),
        ("#1与#2", And((ONE, TWO))),
        ("＃１ OR ＃２", Or((ONE, TWO))),
        ("S1 OR S2", Or((ONE, TWO))),
        ("#1 -#2", And((ONE, Not(TWO)))),
        ("(#1+#2)-#3", And((Or((ONE, TWO)), Not(THREE)))),
        ("#4", FOUR),
    ],
)
def test_numbers_and_operators_are_a_combination(text: str, query: object) -> None:
    """Words in any case, lists of Ovid and signs of CNKI combine steps."""
    read = combination(text)
    assert read is not None
    assert read.query == query


@each(
    "text",
    ["#1 AND psilocybin", "2019-2021", "1", "1 2", "1-2 AND 3", "2*3", "gene 1 and 2", "C#1", "a#1",
     '"#1" AND #2', "#12345 AND #1", ""],
)  # fmt: skip
def test_a_text_with_anything_else_is_no_combination(text: str) -> None:
    """Years, mere numbers and words make it a query of its own."""
    assert combination(text) is None


@each("text", ["#1-#3", "#1-3"])
def test_a_range_stands_for_its_steps_with_or_between_them(text: str) -> None:
    """As or/1-3 does; a note says how else it could be meant."""
    read = combination(text)
    assert read is not None
    assert read.query == Or((ONE, TWO, THREE))
    assert read.notes == (
        f"{text} is read as a range, with OR between its steps; write NOT to exclude one",
    )


@each("text", ["#1 - #4", "#1- #4", "#1-#4*#2", "#2+#1-#4"])
def test_a_minus_that_could_be_both_is_an_error(text: str) -> None:
    """With blanks, or beside signs, it may be a range or NOT."""
    with pytest.raises(QuerySyntaxError, match="may mean a range of steps or NOT") as caught:
        combination(text)
    assert caught.value.advice == "Write or/1-4 for a range, or #1 NOT #4 to exclude."


@each(
    ("text", "reason", "position"),
    [
        ("#1 OR", "OR needs a step after it", 3),
        ("OR #1", "OR needs a step before it", 0),
        ("#1 AND OR #2", "OR needs a step before it", 7),
        ("(#1 OR #2", "This bracket is never closed", 0),
        ("#1 OR #2)", "This bracket has no opening bracket", 8),
        ("#4-#1", "The range #4-#1 ends before it begins", 0),
        ("or/1-9999", "The range or/1-9999 names too many steps", 0),
        ("(" * 61 + "#1" + ")" * 61, "Brackets are nested more than 60 deep", 60),
    ],
)
def test_a_combination_with_a_mistake_says_where(text: str, reason: str, position: int) -> None:
    """The place is that of the sign that is wrong."""
    with pytest.raises(QuerySyntaxError) as caught:
        combination(text)
    assert (caught.value.reason, caught.value.position) == (reason, position)
    assert caught.value.advice


def test_and_is_read_before_or_and_said_so() -> None:
    """Databases differ, so a note asks for brackets."""
    read = combination("#1 OR #2 AND #3")
    assert read is not None
    assert read.query == Or((ONE, And((TWO, THREE))))
    assert [note for note in read.notes if "write brackets" in note]


def test_the_syntax_decides_where_it_is_named() -> None:
    """Bare numbers are steps in Ovid's syntax, and words in others; another order of operators is
    for the reader of the syntax.
    """
    assert combination("1 and 2", "ovid") is not None
    assert combination("1 and 2", "simple") is None
    assert combination("S1 and S2", "ebsco") is not None
    assert combination("S1 and S2", "pubmed") is None
    assert combination("#1 OR #2 AND #3", "pubmed") is None
