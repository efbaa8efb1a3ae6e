"""What the text of one step says."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query import to_text
from metasearch.query.tree import Query, Term, with_leaves
from metasearch.review.strategies.references import number_of
from metasearch.review.strategies.step_text import read_step
from tests.cases import each


def shown(text: str, syntax: str = "auto") -> tuple[str, str]:
    """(syntax, text) of a step, with a word in place of each number."""

    def leaf(query: Query) -> Query:
        number = number_of(query)
        return query if number is None else Term(f"step{number}")

    read = read_step(text, syntax)
    query = with_leaves(read.query, leaf)
    assert query is not None
    return read.syntax, to_text(query)


@each(
    ("text", "syntax", "means"),
    [
        ("#1 AND psilocybin", "simple", "step1 AND psilocybin"),
        ("#1 and psilocybin", "simple", "step1 AND psilocybin"),
        ("psilocybin and not (#1 or #2)", "simple", "psilocybin AND NOT (step1 OR step2)"),
        ("harm #1 reduction", "simple", "harm AND step1 AND reduction"),
        ("#1-#2 NOT mice", "simple", "(step1 OR step2) AND NOT mice"),
        ("#2*水质", "cnki", "step2 AND 水质"),
        ("TI='水质'*#1", "cnki", "title:水质 AND step1"),
        ("#1 AND 2020:2024[dp]", "pubmed", "step1 AND year:2020-2024"),
        ("limit 3 to yr=2020-", "ovid", "step3 AND year:2020-"),
        ("1 and exp Gambling/", "ovid", "step1 AND subject:Gambling"),
        ("or/1-2 and gambl*.ti.", "ovid", "(step1 OR step2) AND title:gambl*"),
        ("remove duplicates from 3", "ovid", "step3"),
        ("{or #1-#2} and [mh Gambling]", "cochrane", "(step1 OR step2) AND subject:Gambling"),
        ("#1 AND TS=(harm)", "wos", "step1 AND (title:harm OR abstract:harm OR subject:harm)"),
        ("dc.title=frog and #1", "cql", "title:frog AND step1"),
    ],
)
def test_a_query_in_any_syntax_may_name_steps(text: str, syntax: str, means: str) -> None:
    """Whether the syntax has numbers of lines or not."""
    if syntax == "ovid" and text.startswith("remove"):
        assert shown(text, syntax) == (syntax, means)
        return
    assert shown(text) == (syntax, means)


def test_the_sign_of_a_step_is_taken_in_every_syntax() -> None:
    """EBSCO's own is S1; #1 is read there, too."""
    assert shown("#1 AND TI harm", "ebsco") == ("ebsco", "step1 AND title:harm")
    assert shown("S1 AND TI harm", "ebsco") == ("ebsco", "step1 AND title:harm")
    assert shown("ti=frog and #1", "ccl") == ("ccl", "title:frog AND step1")


@each(
    ("text", "means"),
    [
        ('"#1" AND cause', '"#1" AND cause'),
        (r"\#1 cause", "#1 cause"),
        ("C#1 x", "C#1 x"),
        ("phase 3 trial.ti.", 'title:"phase 3 trial"'),
        ("hashtag #metoo", "hashtag #metoo"),
    ],
)
def test_what_is_quoted_or_part_of_a_word_names_no_step(text: str, means: str) -> None:
    """Quotes, a backslash, letters before it, or words around a bare number."""
    assert read_step(text).numbers == ()
    assert shown(text)[1] == means


@each(
    ("text", "syntax", "position"),
    [
        ("title:#1", "auto", 6),
        ("x title:(#1 OR y)", "auto", 9),
        ("TI=(#1+水质)", "auto", 4),
        ("TI=#1", "cnki", 3),
        ("harm #1.ti.", "ovid", 5),
        ("#1[tiab]", "pubmed", 0),
        ("#1* harm", "simple", 0),
        ("dc.title=#1", "cql", 9),
    ],
)
def test_a_field_cannot_be_put_on_a_step(text: str, syntax: str, position: int) -> None:
    """A step is a whole search; the place is that in the text as typed."""
    with pytest.raises(QuerySyntaxError, match="is a whole search") as caught:
        read_step(text, syntax)
    assert (caught.value.text, caught.value.position) == (text, position)


@each(("text", "position"), [("#1 AND (frog", 7), ("#12 AND titel:x", 8), ('#1 "frog', 3)])
def test_mistakes_beside_a_step_are_told_at_their_place(text: str, position: int) -> None:
    """Nothing of what stood for the number is seen in the error or its suggestion."""
    with pytest.raises(QuerySyntaxError) as caught:
        read_step(text)
    assert (caught.value.text, caught.value.position) == (text, position)
    assert caught.value.suggestion is None or "#1" in caught.value.suggestion


@each("syntax", ["pubmed", "wos", "embase", "scopus"])
def test_a_range_inside_a_query_of_a_database_is_refused(syntax: str) -> None:
    """Its reader would take it for a word."""
    with pytest.raises(QuerySyntaxError, match="#1-#3 cannot be read as a step here"):
        read_step("#1-#3 AND frog", syntax)


@each(
    ("text", "syntax", "position"),
    [
        ("#1,#2", "auto", 0),
        ("a,#1 b", "auto", 2),
        ("#1-selling drug", "auto", 0),
        ("the #1.", "auto", 4),
        ("水质和#1", "auto", 3),
        ("#1和水质", "cnki", 0),
        ("水质-#1", "cnki", 3),
        ("or/1- x", "simple", 0),
        ("＃1,harm[tiab]", "pubmed", 0),
    ],
)
def test_a_number_that_is_glued_to_something_is_an_error(
    text: str, syntax: str, position: int
) -> None:
    """It would be looked for as a word; quotes say that it is one."""
    with pytest.raises(QuerySyntaxError, match="cannot be read as a step here") as caught:
        read_step(text, syntax)
    assert caught.value.position == position
    assert "quotes to look for it as a word" in caught.value.advice


def test_full_width_numbers_are_numbers() -> None:
    """As Chinese input methods write them."""
    assert shown("＃１ AND harm")[1] == "step1 AND harm"
    assert shown("＃１＊水质")[1] == "step1 AND 水质"


def test_a_field_around_a_line_of_a_database_is_told() -> None:
    """The line is looked for as it is."""
    read = read_step("TI (S1 OR harm)")
    assert read.numbers == (1,)
    assert any("a field does not hold for another line" in note for note in read.notes)


@each(
    ("text", "syntax"),
    [("year:2020-", "simple"), ("2020:2024[dp]", "pubmed"), ("english.lg.", "ovid"),
     ("YE>=2015", "cnki"), ("type:article language:en", "simple")],
)  # fmt: skip
def test_a_step_may_name_years_types_or_languages_alone(text: str, syntax: str) -> None:
    """As a line of a strategy may; it narrows others."""
    assert shown(text)[0] == syntax


def test_a_strategy_inside_a_step_has_numbers_of_its_own() -> None:
    """They name its own lines, not steps."""
    read = read_step("1 gambling.ti.\n2 harm.ti.\n3 1 and 2")
    assert (read.numbers, to_text(read.query)) == ((), "title:gambling AND title:harm")


def test_an_unknown_syntax_is_an_error() -> None:
    """With the names of all."""
    with pytest.raises(UsageError, match="no syntax called 'sql'"):
        read_step("x", "sql")


def test_nul_in_a_text_is_no_number() -> None:
    """What stands for numbers in trees cannot be typed."""
    assert read_step("\x001 harm").numbers == ()
