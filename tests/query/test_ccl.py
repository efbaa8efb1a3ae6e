"""CCL: what is read, what is noted, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Not, Or, Query, ReadQuery, Term, Years, to_text
from metasearch.query.ccl import NOWHERE, QUALIFIERS, parse_ccl
from metasearch.query.tree import FIELDS, MAX_DEPTH, MAX_LENGTH, MAX_TERMS, Near
from tests.cases import each
from tests.growth import MOST, growth


def phrase(text: str, field: str = "any") -> Term:
    return Term(text, field, phrase=True)


def cut(text: str, field: str = "any") -> Term:
    return Term(text, field, truncated=True)


A, B, C = Term("a"), Term("b"), Term("c")


@each(
    ("text", "query"),
    [
        ("reef", Term("reef")),
        ("coral reef", Term("coral reef")),
        ('"coral reef"', phrase("coral reef")),
        ('"reef"', Term("reef")),
        ("珊瑚 礁", Term("珊瑚 礁")),
        ("a and b", And((A, B))),
        ("a AND b", And((A, B))),
        ("a or b", Or((A, B))),
        ("a not b", And((A, Not(B)))),
        ("a and not b", And((A, Not(B)))),
        ("a or b and c", And((Or((A, B)), C))),
        ("a or (b and c)", Or((A, And((B, C))))),
        ("a (b or c)", And((A, Or((B, C))))),
        ("ti=reef", Term("reef", "title")),
        ("TI = coral reef", Term("coral reef", "title")),
        (
            'ti="coral reef" and su=fish',
            And((phrase("coral reef", "title"), Term("fish", "subject"))),
        ),
        ("ti=a au=b", And((Term("a", "title"), Term("b", "author")))),
        ("ti,su=a", Or((Term("a", "title"), Term("a", "subject")))),
        ("ti = (a or b)", Or((Term("a", "title"), Term("b", "title")))),
        ("ti=(a or su=b)", Or((Term("a", "title"), Term("b", "subject")))),
        ("mosqu?", cut("mosqu")),
        ("mosqu*", cut("mosqu")),
        ("ti=mosqu? net", And((cut("mosqu", "title"), Term("net", "title")))),
        ('"what?"', Term("what?")),
        ("ti<>a and b", And((Not(Term("a", "title")), B))),
        ("isbn=9780306406157", Term("9780306406157", "isbn")),
        ("doi=10.1000/X", Term("10.1000/x", "doi")),
        ("10.1000/x", Term("10.1000/x", "doi")),
        ("a and date=2015", And((A, Years(2015, 2015)))),
        ("a and date=2015-2020", And((A, Years(2015, 2020)))),
        ("a and date>=2015 and date<2020", And((A, Years(2015, None), Years(None, 2019)))),
        ("a and date>2015", And((A, Years(2016, None)))),
        ("a and date<=2015", And((A, Years(None, 2015)))),
        ("a and date<>2015", And((A, Not(Years(2015, 2015))))),
        ("date=2015 a", And((Years(2015, 2015), A))),
        ("a and date=(2015 or 2017)", And((A, Or((Years(2015, 2015), Years(2017, 2017)))))),
        ("a and medium=book", And((A, Term("book", "type")))),
        ("a and la=eng", And((A, Term("en", "language")))),
        ("band order nothing", Term("band order nothing")),
    ],
)
def test_queries(text: str, query: Query) -> None:
    """Operators lean to the left; words side by side must all occur."""
    read = parse_ccl(text)

    assert read.query == query
    assert (read.syntax, read.notes) == ("ccl", ())


@each(
    ("text", "query", "note"),
    [
        ('au="Byron, Ada"', Term("Byron Ada", "author"), "names in different orders"),
        ("a % b", Near((A, B), 0), "%: sources cannot be asked how near"),
        ("a !3 b", Near((A, B), 2, ordered=True), "!3: sources cannot be asked how near"),
        ("a %3 b %3 c", Near((A, B, C), 2), "%3: sources cannot be asked how near"),
        ("a %3 b %4 c", And((A, B, C)), "%3, %4: read as AND, which finds more"),
        ("(a or b) %3 c", Near((Or((A, B)), C), 2), "%3: sources cannot be asked how near"),
        (
            "ti=a %3 b",
            Near((Term("a", "title"), Term("b", "title")), 2),
            "%3: sources cannot be asked how near",
        ),
        ("a and cc=510", A, "cc=510: ignored, because no field here holds this"),
        ("a and (b or note=c)", A, "one of these alternatives cannot be asked"),
        ("a and ti,af=b", A, "ti,af=b: ignored"),
        ("a not (b %3 c %4 d)", A, "this cannot be excluded as it is written"),
        ("a not date=2015-03-02", A, "this cannot be excluded as it is written"),
        ("a not note=b", A, "this cannot be excluded as it is written"),
        ("a and date=2015-03-02", And((A, Years(2015, 2015))), "only the year of a date"),
    ],
)
def test_what_is_not_searched_for_as_it_stands_is_noted(text: str, query: Query, note: str) -> None:
    """And the query means nearly the same."""
    read = parse_ccl(text)

    assert read.query == query
    assert note in " ".join(read.notes)


@each(
    ("text", "reason", "at", "suggestion"),
    [
        ("", "empty", 0, None),
        ("not a", "not needs something to look for before it", 0, "a"),
        ("a and", "and needs something to look for after it", 2, "a"),
        ("a and or b", "and needs something to look for after it", 2, "a or b"),
        ("ti=", "ti= needs something to look for after it", 0, None),
        ("tx=a", 'There is no qualifier "tx"', 0, "term=a"),
        ("colour=a", 'There is no qualifier "colour"', 0, "term=a"),
        ("(a", "This bracket is never closed", 0, "(a)"),
        ("a)", "This bracket has no opening bracket", 1, "a"),
        ("()", "nothing between the brackets", 0, None),
        ('"a', "This quote is never closed", 0, '"a"'),
        ('a ""', "nothing between the quotes", 2, "a"),
        ("w?ter", "? can stand only at the end", 0, "wter"),
        ("w#ter", "# for one letter is not supported", 0, "wter"),
        ("?", "? can stand only at the end", 0, None),
        ("ti>5", "> compares dates", 0, "ti=5"),
        ("= a", "= needs a qualifier before it", 0, "a"),
        ("a and date=often", "Years are written with four digits", 11, None),
        ("a and date>2015-2020", "> takes one year", 11, None),
        ("a and medium=scroll", '"scroll" is no known type', 13, None),
        ("date=2015", "The query has no word to look for, only years", 0, None),
        ("isbn=978?", "ISBN takes a whole number", 5, None),
        ("ti:reef", "before an equals sign", 0, "ti=reef"),
        ("a %", "% needs something to look for after it", 2, "a"),
        ("% a", "% needs something to look for before it", 0, "a"),
        ("cc=510", "No part of the query can be searched for", 0, None),
        ("a or ti,date=2015", "A date is no word of another field", 5, None),
    ],
)
def test_errors(text: str, reason: str, at: int, suggestion: str | None) -> None:
    """They say where and what to do; a suggestion can be read."""
    with pytest.raises(QuerySyntaxError) as caught:
        parse_ccl(text)

    error = caught.value
    assert reason in error.reason
    assert (error.position, error.syntax) == (at, "ccl")
    assert error.suggestion or error.advice
    if suggestion is not None:
        assert (error.suggestion or "").split() == suggestion.split()
        parse_ccl(error.suggestion or "")


def test_qualifiers_are_of_fields() -> None:
    """Each field has one, and those of pazpar2's own settings are among them."""
    assert {*QUALIFIERS.values()} == {*FIELDS, "year"}
    assert {"term", "au", "ti", "su", "isbn", "issn", "date"} <= set(QUALIFIERS)


@each("name", "term au ti isbn issn cc su date dp da la ab note af".split())
def test_the_qualifiers_of_yaz_are_known(name: str) -> None:
    """Those of the settings that come with it are searched, or ignored and told."""
    value = {"language": "eng", "year": "2015"}.get(QUALIFIERS.get(name, ""), "x")
    found = parse_ccl(f"{name}={value} and reef")

    assert any("ignored" in note for note in found.notes) is (name in NOWHERE)


@each(
    "text",
    [
        "a " * (MAX_TERMS + 1),
        "(x or (y and " * MAX_DEPTH + "a" + "))" * MAX_DEPTH,
        "a" * (MAX_LENGTH + 1),
        "(a or b) and c or d and " * 70 + "e",
        "\ud800",
    ],
)
def test_limits(text: str) -> None:
    """Of words, depth, length and alternation, as in all syntaxes."""
    with pytest.raises(QuerySyntaxError):
        parse_ccl(text)


@given(st.text(alphabet='ab=<>,()"?*#%!- \tandortisu2015') | st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else is raised, and what is read can be written in our own syntax."""
    read = _read(text)
    if isinstance(read, QuerySyntaxError):
        assert read.suggestion is None or parse_ccl(read.suggestion)
    else:
        assert to_text(read.query)


HOSTILE = ["a,", "ti,", "(", '"', "a ", "a,b ", "<", "=", "!", "and ", "ti=a or ", "a?", "?", "#a "]


@pytest.mark.slow
@each("piece", HOSTILE)
def test_time_grows_with_the_length(piece: str) -> None:
    """At most in proportion, of text that is no query as of one that is."""

    def work(size: int) -> Callable[[], object]:
        return partial(_read, piece * (size // len(piece)))

    assert growth(work, MAX_LENGTH // 4) <= MOST


def _read(text: str) -> ReadQuery | QuerySyntaxError:
    try:
        return parse_ccl(text)
    except QuerySyntaxError as error:
        return error
