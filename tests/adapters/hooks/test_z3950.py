"""Queries in PQF: as the Bath profile writes them, balanced whatever is asked, and understood by
YAZ's own parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch import yaz as zoom
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.errors import CannotAsk
from metasearch.query.simple import parse as parse_query
from metasearch.query.tree import And, Not, Or, Query, Term, Years, conjunction
from metasearch.settings import Settings
from tests.cases import each


def spec_of(**table: Any) -> AdapterSpec:
    sources = {"library": {"extends": "z3950", "url": "z3950://catalogue.example.org/x", **table}}
    return Registry(Settings(sources=sources)).spec("library")


SPEC = spec_of()
#: https://www.loc.gov/z3950/agency/defns/bib1.html
ANY, TITLE, AUTHOR, WORD, PHRASE = (
    "@attr 1=1016",
    "@attr 1=4",
    "@attr 1=1003",
    "@attr 4=2",
    "@attr 4=1",
)


def pqf(query: str | Query, spec: AdapterSpec = SPEC) -> Plan:
    return plan(parse_query(query) if isinstance(query, str) else query, spec, 20)


@each(
    ("query", "sent"),
    [
        ("jazz", f'{ANY} {WORD} "jazz"'),
        ("jazz guitar", f'@and {ANY} {WORD} "jazz" {ANY} {WORD} "guitar"'),
        ("a b c", f'@and @and {ANY} {WORD} "a" {ANY} {WORD} "b" {ANY} {WORD} "c"'),
        ('"jazz guitar"', f'{ANY} {PHRASE} "jazz guitar"'),
        ("title:jazz", f'{TITLE} {WORD} "jazz"'),
        ('title:"jazz guitar"', f'{TITLE} {PHRASE} "jazz guitar"'),
        ("author:davis", f'{AUTHOR} {WORD} "davis"'),
        ("subject:jazz", f'@attr 1=21 {WORD} "jazz"'),
        ("isbn:978-3-16-148410-0", '@attr 1=7 "9783161484100"'),
        ("issn:2049-3630", '@attr 1=8 "2049-3630"'),
        ("jazz OR blues", f'@or {ANY} {WORD} "jazz" {ANY} {WORD} "blues"'),
        ("jazz -blues", f'@not {ANY} {WORD} "jazz" {ANY} {WORD} "blues"'),
        (
            "jazz -blues -soul",
            f'@not @not {ANY} {WORD} "jazz" {ANY} {WORD} "blues" {ANY} {WORD} "soul"',
        ),
        (
            "jazz (title:guitar OR title:piano)",
            f'@and {ANY} {WORD} "jazz" @or {TITLE} {WORD} "guitar" {TITLE} {WORD} "piano"',
        ),
        ("jazz year:1990", f'@and {ANY} {WORD} "jazz" @attr 1=31 "1990"'),
        ("jazz year:1990-", f'@and {ANY} {WORD} "jazz" @attr 1=31 @attr 2=4 @attr 4=4 "1990"'),
        ("jazz year:-1990", f'@and {ANY} {WORD} "jazz" @attr 1=31 @attr 2=2 @attr 4=4 "1990"'),
        (
            "jazz year:1980-1990",
            (
                f'@and {ANY} {WORD} "jazz" '
                '@and @attr 1=31 @attr 2=4 @attr 4=4 "1980" @attr 1=31 @attr 2=2 @attr 4=4 "1990"'
            ),
        ),
        (Term("libr", truncated=True), f'{ANY} {WORD} @attr 5=1 "libr"'),
        (Term("libr", "title", truncated=True), f'{TITLE} {WORD} @attr 5=1 "libr"'),
        (Term('a\\b "c"', phrase=True), rf'{ANY} {PHRASE} "a\\b \"c\""'),
    ],
)
def test_query_in_pqf(query: str | Query, sent: str) -> None:
    """Words one by one with structure "word", phrases with "phrase", operators before their two
    operands."""
    planned = pqf(query)

    assert planned.sent == sent
    assert ("query", sent) in planned.request.params
    assert planned.notes == ()


def test_the_sign_of_operators_is_left_out_and_told() -> None:
    """YAZ refuses some words that begin with it, in quotes, too."""
    planned = pqf(Term("@and"))

    assert planned.sent == f'{ANY} {WORD} "and"'
    assert planned.notes == ('cannot search for @, which is left out of "@and"',)


def test_what_cannot_be_said_is_searched_everywhere_and_filtered() -> None:
    """Bib-1 has a number for journals, but few servers know it."""
    planned = pqf("journal:nature")

    assert planned.sent == f'{ANY} {WORD} "nature"'
    assert planned.residual == Term("nature", "venue")
    assert planned.notes


def test_a_negation_alone_cannot_be_asked() -> None:
    with pytest.raises(CannotAsk):
        pqf(Not(Term("jazz")))


def test_a_server_without_an_operator_is_asked_without_it() -> None:
    planned = pqf("jazz -blues", spec_of(query={"negation": ""}))

    assert planned.sent == f'{ANY} {WORD} "jazz"'
    assert planned.residual == Not(Term("blues"))


def test_further_pages_begin_where_the_last_one_ended() -> None:
    assert ("startRecord", "1") in pqf("jazz").request.params
    assert ("maximumRecords", "20") in pqf("jazz").request.params


# --------------------------------------------------------------------------- read back

_TOKEN = re.compile(r'\s*(?:"((?:\\.|[^"\\])*)"|(\S+))', re.DOTALL)


def tokens(text: str) -> Iterator[tuple[bool, str]]:
    """(whether it was in quotes, the text) of each token."""
    for match in _TOKEN.finditer(text.strip()):
        quoted = match[1] is not None
        yield quoted, re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL) if quoted else match[2]


def tree(text: str) -> Any:
    """PQF as nested tuples: (operator, left, right), or (attributes, term)."""
    rest = list(tokens(text))

    def operand() -> Any:
        attributes: list[str] = []
        while rest and rest[0] == (False, "@attr"):
            rest.pop(0)
            attributes.append(rest.pop(0)[1])
        quoted, token = rest.pop(0)
        if not quoted and token in ("@and", "@or", "@not"):
            assert not attributes
            return token, operand(), operand()
        assert quoted
        return tuple(attributes), token

    found = operand()
    assert not rest
    return found


def leaves(node: Any) -> Iterator[str]:
    if len(node) == 3:
        yield from leaves(node[1])
        yield from leaves(node[2])
    else:
        yield node[1]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
TERMS = st.builds(
    lambda words, field, phrase: Term(" ".join(words), field, phrase),
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from(["any", "title", "author", "subject"]),
    st.booleans(),
)
LEAVES = TERMS | st.builds(Years, st.integers(1900, 1950), st.integers(1951, 2030))


def _joined(parts: list[Query], *, either: bool) -> Query:
    flat = tuple(
        dict.fromkeys(
            it for part in parts for it in (part.parts if isinstance(part, Or) else (part,))
        )
    )
    return Or(flat) if either and len(flat) > 1 else conjunction(*parts)


QUERIES: st.SearchStrategy[Query] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: _joined(parts, either=True)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: _joined(parts, either=False)),
        st.tuples(inner, TERMS).map(lambda pair: conjunction(pair[0], Not(pair[1]))),
    ),
    max_leaves=8,
)


def _words(query: Query) -> Iterator[str]:
    match query:
        case Term(text):
            yield from text.split()
        case Not(part):
            yield from _words(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _words(part)


@given(QUERIES)
def test_every_query_is_balanced_and_holds_its_words(query: Query) -> None:
    """Whatever stands in the words: quotes, backslashes, at signs."""
    try:
        planned = pqf(query)
    except CannotAsk:  # nothing in it is a word
        return
    said = {word for text in leaves(tree(planned.sent)) for word in text.split()}

    if planned.notes:  # something of it is filtered afterwards
        return
    assert {word.lower() for word in _words(query) if any(c.isalnum() for c in word)} <= {
        it.lower() for it in said
    }


@given(QUERIES)
def test_yaz_reads_every_query(query: Query) -> None:
    """Its own parser of PQF, which refuses what is not balanced."""
    try:
        yaz = zoom.library()
    except zoom.LibraryMissing as exc:
        pytest.skip(f"no YAZ here: {exc}")
    try:
        sent = pqf(query).sent
    except CannotAsk:
        return
    handle = yaz.ZOOM_query_create()
    try:
        assert yaz.ZOOM_query_prefix(handle, sent.encode()) == 0
        assert yaz.ZOOM_query_prefix(handle, f"@and {sent}".encode()) != 0
    finally:
        yaz.ZOOM_query_destroy(handle)
