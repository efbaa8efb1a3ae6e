"""PubMed's syntax: what is read, what is told, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Or, Query, Term, Years, read, to_text
from metasearch.query.pubmed import TAGS, parse_pubmed
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from tests.cases import each


def error_of(text: str) -> QuerySyntaxError | None:
    """What reading it raises, if anything."""
    try:
        parse_pubmed(text)
    except QuerySyntaxError as error:
        return error
    return None


def refused(text: str) -> QuerySyntaxError:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_pubmed(text)
    assert caught.value.syntax == "pubmed"
    return caught.value


def phrase(text: str, field: str = "any") -> Term:
    return Term(text, field, phrase=True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            '"heart attack"[tiab] AND smith j[au] NOT review[pt] AND 2015:2020[dp]',
            (
                '(title:"heart attack" OR abstract:"heart attack") AND author:(smith j) AND NOT '
                "type:review "
                "AND year:2015-2020"
            ),
        ),
        ("a OR b AND c", "(a OR b) AND c"),
        ("a AND b OR c", "a AND b OR c"),
        ("a OR (b AND c)", "a OR b AND c"),
        ("a b[ti] c", "title:(a b) AND c"),
        ("a AND NOT b", "a AND NOT b"),
        ("NOT a AND b", "NOT a AND b"),
        ("cats and dogs", "cats and dogs"),
        ("Cats（dogs OR mice）", "Cats AND (dogs OR mice)"),
    ],
)
def test_booleans_are_read_from_left_to_right(text: str, shown: str) -> None:
    """Without precedence, in capitals; words side by side are joined with AND."""
    assert to_text(parse_pubmed(text).query) == shown


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("gene[ti]", Term("gene", "title")),
        ("gene [TI]", Term("gene", "title")),
        ("gene[Title]", Term("gene", "title")),
        ("gene[Title/Abstract]", Or((Term("gene", "title"), Term("gene", "abstract")))),
        ("gene[ab]", Term("gene", "abstract")),
        ("gene[tw]", Term("gene")),
        ("gene[all]", Term("gene")),
        ("smith ja[au]", Term("smith ja", "author")),
        ("lancet[ta]", Term("lancet", "venue")),
        ("gene[ot]", Term("gene", "subject")),
        ('"gene drive"', phrase("gene drive")),
        ("“gene drive”", phrase("gene drive")),
        ('"gene"[ti]', phrase("gene", "title")),
        ("gene*", Term("gene", truncated=True)),
        ("gene driv*[ti]", And((Term("gene", "title"), Term("driv", "title", truncated=True)))),
        ("10.1000/X[doi]", Term("10.1000/x", "doi")),
        ("10.1000/x[aid]", Term("10.1000/x", "doi")),
        ("0028-0836[is]", Term("0028-0836", "issn")),
        ("AND[ti]", Term("AND", "title")),
    ],
)
def test_tags(text: str, query: Query) -> None:
    """Short and long names, in any case, each for the words directly before it."""
    found = parse_pubmed(text)

    assert found.query == query
    assert found.notes == ()


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2015[dp]", Years(2015, 2015)),
        ("2015:2020[dp]", Years(2015, 2020)),
        ("2015:3000[pdat]", Years(2015, None)),
        ("2015[dp]:2020[dp]", Years(2015, 2020)),
        ('"2015"[dp] : "2020"[dp]', Years(2015, 2020)),
        ('"2015/01/01"[Date - Publication] : "2020/12/31"[Date - Publication]', Years(2015, 2020)),
        ("2015/01/01:2020[dp]", Years(2015, 2020)),
    ],
)
def test_dates(text: str, years: Years) -> None:
    """Whole years are kept exactly, however the range is written."""
    found = parse_pubmed(f"gene AND {text}")

    assert found.query == And((Term("gene"), years))
    assert found.notes == ()


@pytest.mark.parametrize(
    ("text", "shown", "told"),
    [
        ('"heart attack"[mh]', 'subject:"heart attack"', "[mh] is looked for among keywords"),
        (
            "heart attack[MeSH Terms]",
            'subject:"heart attack"',
            "[MeSH Terms] is looked for among keywords",
        ),
        ("gene[majr]", "subject:gene", "[majr] is looked for among keywords"),
        ("smith j[1au]", "author:(smith j)", "[1au] is looked for among all authors"),
        ("smith j[lastau]", "author:(smith j)", "[lastau] is looked for among all authors"),
        ("12345678[pmid]", "12345678", "[pmid] is looked for everywhere"),
        ("abc[aid]", "abc", "[aid] is looked for everywhere"),
        (
            '"gene drive"[Title:~2]',
            "title:gene NEAR/2 title:drive",
            "[Title:~2]: sources cannot be asked how near",
        ),
        ('"gene driv*"[ti]', "title:gene AND title:driv*", "gene driv*: a phrase with a *"),
        ("gene 2015/06[dp]", None, None),
        ("gene AND 2015/06[dp]", "gene AND year:2015", "only the year of a date"),
        (
            "gene AND 2015[edat]",
            "gene AND year:2015",
            "[edat] is read as the date of publication",
        ),
        (
            "gene AND case reports[pt]",
            "gene AND type:article",
            '[pt] "case reports" is read as type:article',
        ),
    ],
)
def test_what_is_not_kept_is_told(text: str, shown: str | None, told: str | None) -> None:
    """One note a thing; where there is nothing to keep, an error."""
    if shown is None or told is None:
        assert "four digits" in refused(text).reason
        return
    found = parse_pubmed(text)

    assert to_text(found.query) == shown
    (note,) = found.notes
    assert note.startswith(told)


@each("name", [name for name, tag in TAGS.items() if tag.fields])
def test_every_tag_can_be_searched(name: str) -> None:
    """With a value of its kind."""
    value = {"year": "2015", "language": "english", "type": "review"}.get(
        TAGS[name].fields[0], "gene"
    )

    assert parse_pubmed(f"{value}[{name}] AND x")


@each("name", [name for name, tag in TAGS.items() if not tag.fields])
def test_tags_that_nothing_here_holds(name: str) -> None:
    """The error names those that there are, and suggests the query without it."""
    error = refused(f"gene[{name}]")

    assert "cannot be searched here" in error.reason
    assert "[tiab]" in error.reason
    assert error.suggestion == "gene"


@pytest.mark.parametrize(
    ("text", "position", "reason", "suggestion"),
    [
        ("", 0, "empty", None),
        ("gene[tib]", 4, "near it are [tiab]", "gene[tiab]"),
        ("gene[zzzzzz]", 4, "there are [ti]", "gene"),
        ("gene AND", 5, "after it", "gene"),
        ("OR gene", 0, "before it", "gene"),
        ("gene AND OR drive", 5, "after it", "gene OR drive"),
        ("(gene", 0, "never closed", "(gene)"),
        ("gene)", 4, "no opening bracket", "gene"),
        ("gene ()", 5, "nothing between", "gene"),
        ('"gene', 0, "quote is never closed", '"gene"'),
        ('""', 0, "nothing between", None),
        ("[ti]", 0, "directly after", None),
        ("(a OR b)[ti]", 8, "not to a group", "(a OR b)"),
        ("g*ne", 0, "only at the end of a word", "gne"),
        ("#1 AND gene", 0, "earlier search", "gene"),
        ("gene AND 2020:2015[dp]", 9, "ends before it begins", "gene AND 2015:2020[dp]"),
        ("2015[ti]:2020[ti] gene", 0, "cannot be a range of years", '"2015:2020"[ti] gene'),
        ("klingonish[la] AND gene", 0, "no known language", None),
        ("sonnet[pt] AND gene", 0, "no known type", None),
        ("NOT gene", 0, "only what is excluded", None),
        ("2015[dp]", 0, "only years", None),
    ],
)
def test_errors_say_where_and_why(
    text: str, position: int, reason: str, suggestion: str | None
) -> None:
    """With a corrected query where one can be guessed, which can be read."""
    error = refused(text)

    assert error.position == position
    assert reason in error.reason
    assert error.suggestion == suggestion
    if error.suggestion:
        assert parse_pubmed(error.suggestion)
    assert error.advice


def test_the_caps_are_those_of_our_own_syntax() -> None:
    """Length, depth of brackets, terms."""
    flat = "(" * MAX_DEPTH * 2 + "gene" + ")" * MAX_DEPTH * 2
    deep = "(x OR (y AND " * (MAX_DEPTH // 2) + "gene" + "))" * (MAX_DEPTH // 2)

    assert parse_pubmed(flat).query == Term("gene")
    assert parse_pubmed(deep).query
    assert "nested" in refused(f"z OR (y AND {deep})").reason
    assert str(MAX_TERMS) in refused(" OR ".join(["gene"] * (MAX_TERMS + 1))).reason
    assert "longer" in refused("a" * (MAX_LENGTH + 1)).reason
    assert "alternate" in refused("a" + " OR b AND c" * (MAX_DEPTH + 1)).reason


PIECES = [
    *'()（）[]"“”*:/# ',
    "[ti]",
    "[dp]",
    "[tiab]",
    "2015",
    "gene",
    " AND ",
    " NOT ",
    "[Title:~2]",
    "[la]",
    "en",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_nothing_but_a_syntax_error_is_raised(text: str) -> None:
    """Whatever the text; and a suggestion can be read."""
    error = error_of(text)

    assert error is None or 0 <= error.position <= len(text)
    assert error is None or error.suggestion is None or read(error.suggestion, "pubmed")
