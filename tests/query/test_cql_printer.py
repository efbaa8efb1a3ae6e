"""CQL is written so that it is read back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from metasearch.query import And, Not, Or, Query, Term, Years, parse
from metasearch.query.cql import parse_cql, to_cql
from tests.cases import each

WORDS = (
    st.text('ab*?^\\"/<=>() .-and', min_size=1, max_size=6)
    .map(lambda it: "".join(it.split()))
    .filter(bool)
)
FIELDS = st.sampled_from(["any", "title", "author", "venue", "abstract", "subject"])
TERMS = st.one_of(
    st.builds(
        lambda words, field: Term(" ".join(words), field),
        st.lists(WORDS, min_size=1, max_size=3),
        FIELDS,
    ),
    st.builds(
        lambda words, field: Term(" ".join(words), field, phrase=True),
        st.lists(WORDS, min_size=1, max_size=3),
        FIELDS,
    ),
    st.builds(lambda word, field: Term(f"a{word}", field, truncated=True), WORDS, FIELDS),
    st.sampled_from(
        [
            Term("en", "language"),
            Term("thesis", "type"),
            Term("10.1000/x", "doi"),
            Term("0028-0836", "issn"),
        ]
    ),
)
YEARS = st.sampled_from(
    [Years(2015, 2015), Years(None, 2020), Years(2010, None), Years(1999, 2001)]
)


def joined(parts: list[Query], kind: type[And | Or]) -> Query:
    flat = [it for part in parts for it in (part.parts if isinstance(part, kind) else (part,))]
    unique = tuple(dict.fromkeys(flat)) if kind is Or else tuple(flat)
    return kind(unique) if len(unique) > 1 else unique[0]


TREES = st.recursive(
    TERMS | YEARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined(parts, And)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined(parts, Or)),
        inner.map(lambda part: part if isinstance(part, Not) else Not(part)),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(TREES)
def test_what_is_written_is_read_back(tree: Query) -> None:
    """Every tree, whatever its words look like; a positive term beside it makes it one that can be
    searched."""
    whole = joined([Term("needed"), tree], And)

    assert parse_cql(to_cql(whole)).query == whole


@each(
    ("ours", "cql"),
    [
        ("coral", 'cql.anywhere = "coral"'),
        ("coral reef", 'cql.anywhere all "coral reef"'),
        ('title:"coral reef"', 'dc.title adj "coral reef"'),
        ("author:darwin year:2015-", 'dc.creator = "darwin" and dc.date >= 2015'),
        ("a NOT (b OR c)", 'cql.anywhere = "a" not (cql.anywhere = "b" or cql.anywhere = "c")'),
        ("a OR NOT b", 'cql.anywhere = "a" or (cql.allRecords = 1 not cql.anywhere = "b")'),
        ("issn:0028-0836 year:2010-2012", 'bath.issn = "0028-0836" and dc.date within "2010 2012"'),
    ],
)
def test_the_usual_context_sets(ours: str, cql: str) -> None:
    """Other servers know them."""
    assert to_cql(parse(ours)) == cql
