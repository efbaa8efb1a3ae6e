"""A query as rows of a form, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Not, Or, Query, Term, Years, conjunction, parse, read, to_text
from metasearch.query.rows import (
    MOST_ROWS,
    OPERATORS,
    ROW_FIELDS,
    TAKEN,
    FormRow,
    FormRows,
    NotFlat,
    query_of_rows,
    row_query,
    rows_of_query,
)
from metasearch.query.tree import IDENTIFIERS, MAX_LENGTH, searches
from tests.cases import each
from tests.examples import examples
from tests.growth import MOST, growth


def of_rows(*rows: FormRow, **whole: object) -> str:
    """The query of the rows, in our own syntax."""
    return to_text(query_of_rows(FormRows(rows, **whole)))  # type: ignore[arg-type]


# ------------------------------------------------------------------------- rows -> query


@each(
    ("row", "text"),
    [
        (FormRow("prevent* reduc*"), "prevent* AND reduc*"),
        (FormRow("prevent* reduc*", taken="any"), "prevent* OR reduc*"),
        (FormRow("gambling harm", "title"), "title:(gambling harm)"),
        (FormRow("gambling harm", "title", "phrase"), 'title:"gambling harm"'),
        (FormRow("“gambling harm”", "title", "phrase"), 'title:"gambling harm"'),
        (FormRow('"salt marsh" carbon peat', "abstract", "any"),
         'abstract:"salt marsh" OR abstract:carbon OR abstract:peat'),
        (FormRow("sheep OR goats", "title"), "title:sheep OR title:goats"),
        (FormRow("（水质 OR 贝类） ＂生态 系统＂", "title"),
         '(title:水质 OR title:贝类) AND title:"生态 系统"'),
        (FormRow("cat and dog", "title"), r"title:(cat \and dog)"),
        (FormRow("mice author:burt", "title"), "title:mice AND author:burt"),
        (FormRow("10.1000/X(1)", "doi"), "doi:10.1000/x(1)"),
        (FormRow("10.1000/a doi.org/10.1000/b", "doi", "any"), "doi:10.1000/a OR doi:10.1000/b"),
        (FormRow("978 0 306 40615 7", "isbn"), 'isbn:"978 0 306 40615 7"'),
        (FormRow("1234-5678", "issn", "phrase"), "issn:1234-5678"),
    ],
)  # fmt: skip
def test_one_row(row: FormRow, text: str) -> None:
    """Words are taken as the row says; with all words, signs are read as in a query."""
    assert row_query(row) == parse(text)


def test_operators_join_all_rows_before() -> None:
    """From the first to the last, with brackets where our own order would be another one."""
    rows = (
        FormRow("a"),
        FormRow("b", operator="OR"),
        FormRow("c", operator="AND"),
        FormRow("d", operator="NOT"),
    )

    assert of_rows(*rows) == "(a OR b) AND c AND NOT d"
    assert of_rows(FormRow("a"), FormRow("b"), FormRow("c", operator="OR")) == "a AND b OR c"


def test_empty_rows_mean_nothing() -> None:
    """The first row with words begins, whatever stands before it."""
    assert of_rows(
        FormRow(" "), FormRow("a", operator="OR"), FormRow(""), FormRow("b", operator="NOT")
    ) == ("a AND NOT b")


def test_the_whole_is_narrowed() -> None:
    """Years, type and language hold for all rows."""
    rows = FormRow("a"), FormRow("b", operator="OR")

    assert of_rows(*rows, years=Years(2015, None), type="thesis", language="zh") == (
        "(a OR b) AND year:2015- AND type:thesis AND language:zh"
    )


@each(
    ("row", "position", "length"),
    [
        (FormRow("gam*bling"), 3, 1),
        (FormRow("mice (marsh", "title"), 5, 1),
        (FormRow("mice titel:x"), 5, 5),
        (FormRow("a OR b", taken="any"), 0, 6),
        (FormRow("10.1000/x (y", "doi"), 10, 1),
        (FormRow(" 978* ", "isbn"), 1, 4),
        (FormRow('""', taken="phrase"), 0, 2),
    ],
)
def test_mistakes_are_shown_in_the_text_of_their_row(
    row: FormRow, position: int, length: int
) -> None:
    """The place counts from the beginning of what was typed there."""
    with pytest.raises(QuerySyntaxError) as caught:
        row_query(row)

    assert (caught.value.text, caught.value.position) == (row.text, position)
    assert caught.value.length <= length


@each(
    "rows",
    [
        (),
        (FormRow(" "),),
        (FormRow("a", operator="NOT"),),
        (FormRow("year:2020"),),
        tuple(FormRow("word " * 60) for _ in range(MOST_ROWS)),
        (FormRow("x" * MAX_LENGTH, "abstract"),),
        (FormRow("\ud800"),),
    ],
)
def test_what_is_no_query(rows: tuple[FormRow, ...]) -> None:
    """Nothing to look for, or more than a query may hold: the limits are those of the whole."""
    with pytest.raises(QuerySyntaxError):
        query_of_rows(FormRows(rows))


def test_alternating_operators_are_no_deeper_than_a_query() -> None:
    """Twenty rows that need brackets around one another still are a query; with more inside the
    first, they are refused and not lost in a recursion."""
    steps = [FormRow(f"w{at}", operator=("AND", "OR")[at % 2]) for at in range(MOST_ROWS)]  # type: ignore[arg-type]
    deep = "(" * 59 + "a OR b" + ") c OR d" * 59
    text = of_rows(*steps)

    assert parse(text) == query_of_rows(FormRows(tuple(steps)))
    with pytest.raises(QuerySyntaxError):
        query_of_rows(FormRows((FormRow(deep), *steps[1:])))


# ------------------------------------------------------------------------- query -> rows


@each(
    ("text", "rows"),
    [
        (
            'title:"gambling harm" AND (prevent* OR reduc*) NOT advertising year:2015-',
            FormRows(
                (
                    FormRow("gambling harm", "title", "phrase"),
                    FormRow("prevent* reduc*", taken="any"),
                    FormRow("advertising", operator="NOT"),
                ),
                Years(2015, None),
            ),
        ),
        (
            "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)",
            FormRows(
                (
                    FormRow("沉水植物 贝类 鱼类", taken="any"),
                    FormRow("生态系统"),
                    FormRow("水质"),
                    FormRow("种类 密度", taken="any"),
                )
            ),
        ),
        ("NOT a b", FormRows((FormRow("b"), FormRow("a", operator="NOT")))),
        (
            "x AND (title:a OR abstract:b)",
            FormRows(
                (FormRow("a", "title"), FormRow("b", "abstract", operator="OR"), FormRow("x"))
            ),
        ),
        (
            "mice type:thesis lang:fr",
            FormRows((FormRow("mice"),), type="thesis", language="fr"),
        ),
        (
            r"title:\AND doi:10.1000/x",
            FormRows((FormRow(r"\AND", "title"), FormRow("10.1000/x", "doi"))),
        ),
        (
            "a NOT (b OR c)",
            FormRows((FormRow("a"), FormRow("b c", taken="any", operator="NOT"))),
        ),
    ],
)
def test_flat_queries_become_rows(text: str, rows: FormRows) -> None:
    """Whatever syntax they were written in."""
    assert rows_of_query(read(text).query) == rows


@each(
    ("text", "obstacle", "part"),
    [
        ("(title:a OR abstract:b) AND (c OR title:d)", "brackets", "c OR title:d"),
        ("a OR (b AND (c OR title:d)) OR (e AND title:f)", "brackets", "e AND title:f"),
        ("a NOT (b OR title:c)", "brackets", "b OR title:c"),
        ("a (year:2010 OR year:2012)", "years", "year:2010"),
        ("a year:2010 year:2012-", "years", "year:2012-"),
        ("a -type:review", "narrowing", "type:review"),
        ("a (type:book OR type:thesis)", "narrowing", "type:book"),
        ("a lang:en lang:fr", "narrowing", "language:fr"),
        ("a OR NOT b", "exclusion", "NOT b"),
    ],
)
def test_what_stands_in_the_way(text: str, obstacle: str, part: str) -> None:
    """The reason, and the part of the query that rows cannot say."""
    with pytest.raises(NotFlat) as caught:
        rows_of_query(parse(text))

    assert (caught.value.obstacle, to_text(caught.value.part)) == (obstacle, part)


def test_more_rows_than_the_form_has() -> None:
    """They are not cut off."""
    text = " AND ".join(f"w{at}" for at in range(MOST_ROWS + 1))
    with pytest.raises(NotFlat) as caught:
        rows_of_query(parse(text))

    assert caught.value.obstacle == "many"
    assert len(rows_of_query(parse(text.removesuffix(f" AND w{MOST_ROWS}"))).rows) == MOST_ROWS


# ------------------------------------------------------------------------- both ways

WORDS = st.one_of(
    st.sampled_from("a bc 水质 AND -x year:2020 10.1000/x type: and f(x)".split()),
    st.text('abNOTR:-"\\()“*1', min_size=1, max_size=6),
)
TERMS = st.one_of(
    st.builds(
        Term,
        st.lists(WORDS, min_size=1, max_size=3).map(" ".join),
        st.sampled_from(ROW_FIELDS),
        st.booleans(),
    ),
    st.builds(
        lambda stem, field: Term(stem, field, truncated=True),
        WORDS.filter(lambda word: any(map(str.isalnum, word))),
        st.sampled_from([field for field in ROW_FIELDS if field not in IDENTIFIERS]),
    ),
    st.sampled_from([Term("thesis", "type"), Term("zh", "language"), Years(2010, None)]),
)


def either(parts: list[Query]) -> Query:
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))]
    return Or(tuple(flat))


TREES = st.recursive(
    TERMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: conjunction(*parts)),
        st.lists(inner, min_size=2, max_size=4).map(either),
        inner.map(lambda part: part.part if isinstance(part, Not) else Not(part)),
    ),
    max_leaves=10,
).filter(searches)


def meaning(query: Query) -> object:
    """Equal for queries that differ only in the order of what AND and OR join, and in how words of
    a field stand together."""
    match query:
        case Term() if not query.phrase and query.field not in IDENTIFIERS:
            words = (Term(word, query.field, False, query.truncated) for word in query.text.split())
            return frozenset(words)
        case Not(part):
            return "not", meaning(part)
        case Or(parts):
            alternatives = frozenset(map(meaning, parts))
            one = next(iter(alternatives)) if len(alternatives) == 1 else ("or", alternatives)
            return one if isinstance(one, frozenset) else frozenset([one])
        case And(parts):
            meanings = map(meaning, parts)
            return frozenset().union(
                *(each if isinstance(each, frozenset) else [each] for each in meanings)
            )
    return frozenset([query])


@examples(8)
@given(TREES)
def test_rows_say_what_the_query_says(query: Query) -> None:
    """A query that becomes rows is the same query again, be its words as odd as they will."""
    try:
        rows = rows_of_query(query)
    except NotFlat:
        return

    assert meaning(query_of_rows(rows)) == meaning(query)


ROWS = st.builds(
    FormRow,
    st.lists(WORDS | st.sampled_from(['"a b"', "c*", "OR", "（d）"]), max_size=4).map(" ".join),
    st.sampled_from(ROW_FIELDS),
    st.sampled_from(TAKEN),
    st.sampled_from(OPERATORS),
)


@examples(8)
@given(st.lists(ROWS, max_size=6))
def test_every_form_is_a_query_or_an_error(rows: list[FormRow]) -> None:
    """Nothing else comes of any rows, and what is a query can be read again as it is written."""
    try:
        query = query_of_rows(FormRows(tuple(rows)))
    except QuerySyntaxError:
        return

    assert parse(to_text(query)) == query


@pytest.mark.slow
def test_time_is_linear() -> None:
    """In the length of a row, and of a query that becomes rows."""
    assert growth(lambda size: lambda: row_query(FormRow("ab* " * size, taken="any")), 60) <= MOST

    def back(size: int) -> object:
        query = parse(" OR ".join(f"title:w{at}" for at in range(size)))
        return lambda: rows_of_query(query)

    assert growth(back, 100) <= MOST  # type: ignore[arg-type]
