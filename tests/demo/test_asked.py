"""Each dialect becomes the tree that it means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.demo.queries import (
    MAX_TOKENS,
    NotUnderstood,
    UnknownIndex,
    cql,
    lucene,
    plain,
    pubmed,
)
from metasearch.query import And, Not, Or, Term, Years
from tests.cases import each

FIELDS = {"ti": "title", "au": "author", "all": "any"}
TAGS = {"ti": "title", "au": "author", "dp": "year"}
INDEXES = {"title": "title", "date": "year", "anywhere": "any"}


def test_plain_words_know_no_operators():
    """In mere words, quotes, brackets and operators mean nothing."""
    assert plain('"gene drive" AND (mosquito)') == And(
        (Term("gene"), Term("drive"), Term("mosquito"))
    )


def test_lucene_binds_not_before_and_before_or():
    """`a OR b c ANDNOT d` is a, or b and c without d."""
    expected = Or((Term("a"), And((Term("b"), Term("c"), Not(Term("d"))))))

    assert lucene("a OR b c ANDNOT d", FIELDS) == expected


def test_a_lucene_field_governs_a_whole_group():
    """`ti:(a b) c` asks for a and b in the title and for c anywhere."""
    expected = And((And((Term("a", "title"), Term("b", "title"))), Term("c")))

    assert lucene("ti:(a b) c", FIELDS) == expected


def test_lucene_reads_arxiv_years():
    """arXiv writes a range of years as a range of submission times."""
    asked = "all:jazz AND submittedDate:[202001010000 TO 202212312359]"

    assert lucene(asked, FIELDS) == And((Term("jazz"), Years(2020, 2022)))


def test_pubmed_tags_follow_their_terms():
    """`"a b"[ti] AND c[au] AND 2010:2020[dp] NOT d` is read term by term."""
    expected = And(
        (Term("a b", "title", phrase=True), Term("c", "author"), Years(2010, 2020), Not(Term("d")))
    )

    assert pubmed('"a b"[ti] AND c[au] AND 2010/01/01:2020/12/31[dp] NOT d', TAGS) == expected


def test_cql_relations():
    """`all` wants every word, `any` one of them, `=` the words as they stand, and dates compare."""
    asked = (
        'dc.title all "a b" and dc.title any "c d" and cql.anywhere = "e f" and dc.date >= "2000"'
    )
    any_of = Or((Term("c", "title"), Term("d", "title")))

    assert cql(asked, INDEXES) == And(
        (Term("a b", "title"), any_of, Term("e f", phrase=True), Years(2000, None))
    )


def test_cql_refuses_an_unknown_index():
    """An index that the catalogue lacks is an error with a name of its own."""
    with pytest.raises(UnknownIndex, match=r"dc\.smell"):
        cql("dc.smell = roses", INDEXES)


@each("text", ["(jazz", "jazz)", '"jazz', "(" * 200 + "jazz", "a " * (MAX_TOKENS + 1)])
def test_what_breaks_the_rules_is_refused(text: str):
    """Unbalanced brackets and quotes, deep nesting and endless queries are refused, not guessed
    at."""
    with pytest.raises(NotUnderstood):
        lucene(text, FIELDS)
    with pytest.raises(NotUnderstood):
        cql(text, INDEXES)


@given(st.text(alphabet='ab ()":[]=<>/\\|*ANDORT2019乳', max_size=60))
def test_no_text_breaks_a_dialect(text: str):
    """Any text is read or refused, and nothing else happens."""
    for read, names in ((lucene, FIELDS), (pubmed, TAGS), (cql, INDEXES)):
        try:
            read(text, names)
        except NotUnderstood:
            continue
