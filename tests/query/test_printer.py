"""Printing is the inverse of parsing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.languages import languages
from metasearch.query import FIELDS, And, Not, Or, Query, Term, Years, conjunction, parse, to_text
from metasearch.query.characters import plain_characters
from metasearch.query.tree import CODED_FIELDS, IDENTIFIERS, Near, searches
from metasearch.query.values import TYPE_NAMES
from tests.cases import each
from tests.examples import examples

# fmt: off
ODD_WORDS = st.sampled_from([
    "AND", "OR", "NOT", "-", "--", "-x", "C++", "COVID-19", "year:2020", "title:x", "titel:x",
    "foo:bar", "Re:",
    "http://x/y", "10.1000/x", "10.1000/X", "10.1000/a(b)", "10.1000/a(b", "10.1000/x.",
    "https://doi.org/10.1000/x",
    "doi:10.1000/x",
    "基因", "题名：基因", '"', "“", "”", "＂", "„", "(", ")", "（", "）", "\\", "\\\\", 'a"b',
    "f(x)", "a\\", "2019", "2019-2024", "title:", ":", "-(", "-\\", "é", "ＡＮＤ", "İ",
    "N3", "NEAR/3", "near10", "ADJ", "PMC12", "PMID", "DOI", "ANDNOT", "~5", "(2015", "2020)",
    "pmid:7", "PMID:", "7", "title-abs:x", "allintitle:",
    "007", "2104.12255v2", "[Title:", "[2015", "TO", "2020]",
    "\u200d", "*", "**", "gene*", "A*", "C*-algebra", "wom*n", "*ology",
])
# fmt: on
LETTERS = st.characters(exclude_categories=("Cc", "Cs", "Cf", "Cn", "Co", "Zs", "Zl", "Zp"))
WORDS = (
    st.one_of(
        ODD_WORDS,
        st.text(alphabet='ab01ANDORT:-"\\()“/.10*', min_size=1, max_size=8),
        st.text(LETTERS, min_size=1, max_size=6),
    )
    .map(plain_characters)
    .filter(str.strip)
)
TERMS = st.one_of(
    st.builds(
        Term,
        st.lists(WORDS, min_size=1, max_size=3).map(" ".join),
        st.sampled_from([field for field in FIELDS if field not in CODED_FIELDS]),
        st.booleans(),
    ),
    st.builds(
        lambda stem, field: Term(stem, field, truncated=True),
        WORDS.filter(lambda word: any(map(str.isalnum, word))),
        st.sampled_from([field for field in FIELDS if field not in CODED_FIELDS | IDENTIFIERS]),
    ),
    st.builds(
        lambda words, last, field: Term(
            " ".join([*words, last]), field, phrase=True, truncated=True
        ),
        st.lists(WORDS, min_size=1, max_size=2),
        st.sampled_from(["gene", "ab", "covid-19", "水质"]),
        st.sampled_from([field for field in FIELDS if field not in CODED_FIELDS | IDENTIFIERS]),
    ),
    st.builds(Term, st.sampled_from(list(TYPE_NAMES)), st.just("type")),
    st.builds(Term, st.sampled_from(list(languages())), st.just("language")),
)
YEAR = st.integers(1, 9999)
YEARS = st.one_of(
    st.builds(lambda a, b: Years(min(a, b), max(a, b)), YEAR, YEAR),
    YEAR.map(lambda y: Years(y, None)),
    YEAR.map(lambda y: Years(None, y)),
)


def either(parts: list[Query]) -> Query:
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))]
    return Or(tuple(flat))


TREES = st.recursive(
    st.one_of(TERMS, YEARS, st.deferred(lambda: PLACES)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: conjunction(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(either),
        inner.map(lambda part: part.part if isinstance(part, Not) else Not(part)),
    ),
    max_leaves=12,
).filter(searches)
PLACES = st.recursive(
    TERMS.filter(lambda term: term.field not in CODED_FIELDS | IDENTIFIERS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(either),
        st.builds(
            Near,
            st.lists(inner, min_size=2, max_size=3).map(tuple),
            st.integers(0, 300),
            st.booleans(),
        ),
    ),
    max_leaves=5,
)


@examples(4)
@given(TREES)
def test_printing_is_the_inverse_of_parsing(query: Query) -> None:
    """Whatever is printed is read back as the same tree."""
    assert query == parse(to_text(query))


@each(
    ("query", "text"),
    [
        (Term("gene drive"), "gene drive"),
        (Term("gene drive", "title"), "title:(gene drive)"),
        (Term('a "b" \\', phrase=True), r'"a \"b\" \\"'),
        (Term("AND"), r"\AND"),
        (Term("year:2020"), r"\year:2020"),
        (Term("10.1000/x"), r"\10.1000/x"),
        (Term("10.1000/x", "doi"), "doi:10.1000/x"),
        (Term("10.1000/X", "doi"), r"doi:\10.1000/X"),
        (Term("10.1016/s0140(97)1", "doi"), "doi:10.1016/s0140(97)1"),
        (Term("f(x)"), r"f\(x\)"),
        (Term("-x", "title"), r"title:\-x"),
        (Term("new type: zeolites"), r"new \type: zeolites"),
        (Term("language: zh"), r"\language: zh"),
        (Term("COVID-19 C++ Re: http://x"), "COVID-19 C++ Re: http://x"),
        (Term("gene", truncated=True), "gene*"),
        (Term("neuro-inflamm", "title", truncated=True), "title:neuro-inflamm*"),
        (Term("gene*"), r"gene\*"),
        (Term("A* C*-algebra"), "A* C*-algebra"),
        (Term("A", truncated=True), r"\A*"),
        (Term("wom*n"), r"wom\*n"),
        (Term("AND", truncated=True), "AND*"),
        (
            And((Term("a"), Term("conference-paper", "type"), Not(Term("zh", "language")))),
            "a AND type:conference-paper AND NOT language:zh",
        ),
        (
            And((Term("a b"), Or((Term("c"), Term("d"))), Not(Term("e f")))),
            "a b AND (c OR d) AND NOT (e f)",
        ),
        (Or((And((Term("a"), Term("b"))), Term("c", "venue"))), "a AND b OR venue:c"),
        (And((Term("a"), Not(Term("b c", "title")))), "a AND NOT title:(b c)"),
        (
            And((Term("a"), Years(2019, 2024), Years(2020, 2020), Years(None, 800))),
            "a AND year:2019-2024 AND year:2020 AND year:-0800",
        ),
    ],
)
def test_the_spelling_is_the_shortest_clear_one(query: Query, text: str) -> None:
    """Brackets and backslashes stand only where they are needed."""
    assert text == to_text(query)
    assert query == parse(text)
