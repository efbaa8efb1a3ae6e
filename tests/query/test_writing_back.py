"""What is written is read back as the same query, unless a note says what was lost."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from metasearch.bib.languages import languages
from metasearch.query import FIELDS, And, Not, Or, Query, Term, Years, conjunction, read
from metasearch.query.reduction import FIRST_YEAR, LAST_YEAR
from metasearch.query.syntaxes import TARGETS
from metasearch.query.tree import CODED_FIELDS, IDENTIFIERS, searches
from metasearch.query.values import NARROWER, TYPE_NAMES, bare_doi
from metasearch.query.writer import translate
from tests import cases
from tests.examples import examples

#: What is written -> the syntax that it is read in.
READERS: Mapping[str, str] = {to: "cnki" if to == "wanfang" else to for to in TARGETS}

# fmt: off
ODD_WORDS = st.sampled_from([
    "AND", "or", "Not", "NEAR", "adj3", "W", "pre", "TI", "au", "N5", "exp", "same", "to", "-",
    "C++", "COVID-19",
    "2019", "2019-2024", "year:2020", "ti:x", "TS=x", "x.ti.", "a,b", "x/", "Gambling/",
    "10.1000/x", "10.1000/a(b)",
    "基因", "“基因”", '"', "'", "d'Alembert", "O’Brien", "(", ")", "（x）", "\\", "a\\",
    "[tiab]", "x[ti]", "#1", "#",
    "$2", "/SEN", "a/NEAR", "%", "gene*", "wom?n", "behavio$r", "{x}", "<b>", "=", "+", "^", "~",
    "&", "R&D", "p<0.05",
    "é", "与", "或", "非", "*", "a*b", ":", "x:ti,ab", "'x'/exp", "MH", "noft(x)", "ＡＮＤ", "ß",
    "İ",
])
# fmt: on
STRAIGHT = str.maketrans("“”„＂", '""""')
LETTERS = st.characters(exclude_categories=("Cc", "Cs", "Cf", "Cn", "Co", "Zs", "Zl", "Zp"))
PLAIN_WORDS = st.sampled_from(["salt", "marsh", "carbon", "sea-level", "盐沼", "碳"])
WORDS = st.one_of(
    PLAIN_WORDS,
    ODD_WORDS,
    st.text(alphabet="ab01ANDORT:-\"'\\()/.*?#$%[]{}=,", min_size=1, max_size=8),
    # A reader takes a curly quote for a straight one, so no tree that was read has one alone.
    st.text(LETTERS, min_size=1, max_size=6).map(lambda word: word.translate(STRAIGHT)),
)
WORD_FIELDS = [field for field in FIELDS if field not in CODED_FIELDS | IDENTIFIERS]


def terms_of(words: st.SearchStrategy[str], fields: list[str]) -> st.SearchStrategy[Query]:
    """Terms of every kind, made of such words in these fields."""
    return st.one_of(
        st.builds(
            Term,
            st.lists(words, min_size=1, max_size=3).map(" ".join),
            st.sampled_from(fields),
            st.booleans(),
        ),
        st.builds(
            lambda stem, field: Term(stem, field, truncated=True),
            words.filter(lambda word: any(map(str.isalnum, word))),
            st.sampled_from(fields),
        ),
        st.sampled_from([Term("10.1000/x", "doi"), Term("10.1016/s0140-6736(97)1", "doi")]),
        st.sampled_from([Term("0028-0836", "issn"), Term("978-3-16-148410-0", "isbn")]),
        st.builds(Term, st.sampled_from(list(TYPE_NAMES)), st.just("type")),
        st.builds(Term, st.sampled_from(list(languages())), st.just("language")),
    )


#: 1000 and 3000 are open ends, and so are the years near them.
YEAR = st.integers(1001, 2900)
YEARS = st.one_of(
    st.builds(lambda a, b: Years(min(a, b), max(a, b)), YEAR, YEAR),
    YEAR.map(lambda y: Years(y, None)),
    YEAR.map(lambda y: Years(None, y)),
)


def either(parts: list[Query]) -> Query:
    flat = dict.fromkeys(
        inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))
    )
    return Or(tuple(flat)) if len(flat) > 1 else next(iter(flat))


def trees_of(terms: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    return st.recursive(
        st.one_of(terms, terms, YEARS),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: conjunction(*parts)),
            st.lists(inner, min_size=2, max_size=3).map(either),
            # One term in several fields, as [tiab] is read.
            st.builds(
                lambda word, fields: either([Term(word, field) for field in fields]),
                PLAIN_WORDS,
                st.lists(st.sampled_from(WORD_FIELDS), min_size=2, max_size=4, unique=True),
            ),
            inner.map(lambda part: part.part if isinstance(part, Not) else Not(part)),
        ),
        max_leaves=8,
    ).map(lambda tree: tree if searches(tree) else conjunction(Term("needed", "title"), tree))


TREES = trees_of(terms_of(WORDS, WORD_FIELDS))
# What is looked for everywhere is narrowed by some, which is told; so are authors.
PLAIN_TREES = trees_of(terms_of(PLAIN_WORDS, ["title", "abstract", "subject", "venue"]))


def meaning(query: Query) -> object:
    """A form that is equal for queries that find the same, whatever the order of their parts.

    Several words are all of them; one word is no phrase; a range of years in an AND is cut to what
    all ranges share; an alternative that another one holds is none; a DOI is one wherever it is
    looked for; a comma at the end of a word is no part of it; the words of a name stand in any
    order; NOT a AND NOT b is NOT (a OR b), and the other way round.
    """
    match query:
        case Term(text, field, phrase, truncated):
            doi = (
                bare_doi(text)
                if field in ("any", "doi") and not truncated and " " not in text
                else None
            )
            if doi:
                return ("term", doi, "doi", False)
            words = [word for each in text.split() if (word := each.strip(",;"))] or [text]
            if phrase and len(words) > 1 and field != "author":
                return ("phrase", " ".join(words), field)
            if field in IDENTIFIERS | CODED_FIELDS or len(words) == 1:
                return ("term", " ".join(words), field, truncated)
            return meaning(And(tuple(Term(word, field) for word in words)))
        case Years(first, last):
            return ("years", first or FIRST_YEAR, last or LAST_YEAR)
        case Not(part):
            return _not(meaning(part))
        case And(parts):
            flat = _flat("and", [meaning(part) for part in parts])
            years = [it for it in flat if it[0] == "years"]
            if years:
                flat = [it for it in flat if it[0] != "years"]
                flat.append(("years", max(it[1] for it in years), min(it[2] for it in years)))
            return _joined("and", flat)
        case Or(parts):
            flat = _flat("or", [meaning(part) for part in parts])
            for wide, narrow in NARROWER.items():
                if ("term", wide, "type", False) in flat:
                    flat = [
                        it
                        for it in flat
                        if it not in [("term", name, "type", False) for name in narrow]
                    ]
            return _joined("or", flat)


def _flat(kind: str, parts: list) -> list:
    return [it for part in parts for it in (part[1] if part[0] == kind else (part,))]


def _joined(kind: str, parts: list) -> tuple:
    unique = frozenset(parts)
    if len(unique) == 1:
        return next(iter(unique))
    if all(part[0] == "not" for part in unique):
        other = "or" if kind == "and" else "and"
        return ("not", _joined(other, _flat(other, [part[1] for part in unique])))
    return (kind, unique)


def _not(part: tuple) -> tuple:
    return part[1] if part[0] == "not" else ("not", part)


@cases.each("to", READERS)
@cases.each(
    "trees", [pytest.param(TREES, id="odd words"), pytest.param(PLAIN_TREES, id="plain words")]
)
def test_what_is_written_is_read_back(to: str, trees: st.SearchStrategy[Query]) -> None:
    """No note: the same query."""
    told: list[bool] = []

    @examples(0.4, suppress_health_check=list(HealthCheck))
    @given(trees)
    def check(tree: Query) -> None:
        written = translate(tree, to=to)
        told.append(bool(written.notes))
        if not written.notes:
            assert meaning(read(written.text, READERS[to]).query) == meaning(tree), written.text

    check()

    assert trees is TREES or told.count(False) > len(told) / 10  # notes are no way out


@pytest.mark.parametrize("to", TARGETS)
@examples(0.4, suppress_health_check=list(HealthCheck))
@given(TREES)
def test_nothing_is_lost_in_silence(to: str, tree: Query) -> None:
    """Whatever the query, there is a text or a note; brackets and quotes are in pairs; it stands on
    one line."""
    written = translate(tree, to=to)

    assert written.text or written.notes
    assert len(written.text.splitlines()) <= 1
