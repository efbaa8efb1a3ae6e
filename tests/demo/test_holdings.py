"""Works are found by their words and ranked by where these stand."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.demo import catalogue
from metasearch.demo.catalogue import CatalogueWork, Holdings, dice, words
from metasearch.query import And, Not, Or, Query, Term, Years, parse
from tests.cases import each


def work(number: int, title: str, **facts: object) -> CatalogueWork:
    base = {
        "authors": (("Ellington", "Duke"),),
        "year": 1990,
        "type": "book",
        "language": "en",
        "subject": "jazz",
    }
    return CatalogueWork(id=f"w{number:03}", title=title, **base | facts)  # type: ignore[arg-type]


SHELF = Holdings(
    "test",
    [
        work(1, "Bebop and after"),
        work(2, "Thinking in jazz", subtitle="The infinite art of improvisation", year=1994),
        work(
            3, "Napoléon intime", subject="french-history", authors=(("Lévy", "Arthur"),), year=1910
        ),
        work(4, "乳腺癌患者的护理研究", subject="chinese", authors=(("张", "瑞"),), year=2020),
        work(5, "Duke", authors=(("Collier", "James"),), isbn=("9780195037708",)),
    ],
)


@each(
    ("query", "expected"),
    [
        ("improvisations", ["w002"]),
        ("napoleon", ["w003"]),
        ("author:levy", ["w003"]),
        ("title:ellington", []),
        ('"art of improvisation"', ["w002"]),
        ('"improvisation art"', []),
        ("乳腺癌护理", ["w004"]),
        ("张瑞", ["w004"]),
        ("isbn:9780195037708", ["w005"]),
        ("jazz year:1994", ["w002"]),
        ("jazz NOT thinking NOT bebop", ["w005"]),
        ("levy OR collier", ["w003", "w005"]),
    ],
)
def test_finding(query: str, expected: list[str]):
    """Plurals, accents, phrases, fields, Chinese runs, numbers, years and operators are all
    honoured."""
    assert sorted(found.id for found in SHELF.find(parse(query))) == expected


def test_a_word_of_the_title_counts_most():
    """The work that has the word in its title stands before those that are only indexed under
    it."""
    assert SHELF.find(parse("jazz"))[0].id == "w002"


def test_a_lenient_shelf_finds_works_with_half_of_the_words():
    """Where nothing has all the words, leniency finds what has at least half of them."""
    query = parse("thinking jazz quantum")

    assert SHELF.find(query) == []
    assert [found.id for found in SHELF.find(query, lenient=True)] == ["w002"]


def test_no_query_finds_everything():
    """Without a query the whole holdings is the answer, in a stable order."""
    assert SHELF.find(None) == list(SHELF.works)
    assert len(SHELF.works) == 5


def test_dice_never_change():
    """The dice of a database depend on their words alone, so that every run holds the same
    works."""
    assert dice("demo-crossref", "w001", "held") == pytest.approx(0.734711, abs=1e-6)
    assert dice("a", "b") == dice("a", "b") != dice("a", "c")


def test_words_are_folded():
    """Case, accents and plural s go; Chinese stays in runs."""
    assert words("Les Études: MicroRNA在乳腺癌中") == ("les", "etude", "microrna", "在乳腺癌中")


@given(
    st.text(alphabet=st.characters(max_codepoint=127))
    | st.text(alphabet="aSsuix0* -é")
    | st.text(alphabet="sS中́ßﬁ é–")
)
def test_words_are_found_by_the_fast_patterns_as_by_the_slow_one(text: str):
    """Marks, the patterns for ASCII and the plural: nothing differs from a look at each character
    and each word."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))

    assert words(text) == tuple(map(catalogue._singular, catalogue._RUN.findall(plain)))


class Scanned(Holdings):
    """Looks at each work, without an index."""

    class _index:  # noqa: N801
        candidates = with_half = staticmethod(lambda _asked: range(len(ALL)))


_WORDS = ("bebop", "the", "jazz", "art", "of", "improvisations", "napoléon", "乳腺癌", "癌患", "护")
_TEXTS = [*_WORDS, *map(" ".join, pairwise(_WORDS)), "", "improv*", "乳腺*", "art of impro*"]
_TEXTS += ["a* search", "αβ癌x", "1994", "w*", "*", "é"]
_NUMBERS = ["10.1/A", "7", "2001.00001", "978-0195037708", "W90000001", "book"]
_FIELDS = ["any", "title", "author", "venue", "abstract", "subject", "tiab", "doi", "isbn", "issn"]
_FIELDS += ["pmid", "arxiv", "openalex", "type", "pmcid"]
ALL = (
    *SHELF.works,
    work(6, "A* search of the αβγ癌xyz", doi="10.1/a", pmid="7", arxiv="2001.00001", year=0),
    work(7, "Jazz", subject="nobody's", doi="10.1/b", issn=("1234-567X",), keywords=("护理 art",)),
)
_TERMS = st.builds(
    Term, st.sampled_from(_TEXTS + _NUMBERS), st.sampled_from(_FIELDS), phrase=st.booleans()
)
_YEARS = st.builds(Years, st.sampled_from([None, 1990]), st.sampled_from([None, 1994]))
_QUERIES = st.recursive(
    _TERMS | _YEARS,
    lambda part: (
        st.builds(Not, part)
        | st.builds(And, st.tuples(part, part))
        | st.builds(Or, st.tuples(part, part))
    ),
    max_leaves=6,
)


@given(_QUERIES, st.booleans())
def test_the_index_finds_what_a_look_at_each_work_finds(query: Query, lenient: bool):
    """The same works in the same order, for every kind of query."""
    indexed, scanned = Holdings("test", ALL), Scanned("test", ALL)

    assert indexed.find(query, lenient=lenient) == scanned.find(query, lenient=lenient)
