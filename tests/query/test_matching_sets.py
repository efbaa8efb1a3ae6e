"""Sets of records: the answers of `matches`, for many records at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.query import And, Not, Or, Query, Term, Years, matches
from metasearch.query.matching_sets import MatchingSets, numbers_of
from metasearch.query.tree import Near, conjunction, disjunction, negation
from metasearch.record import Author, Record

WORDS = ("cat", "cats", "catalogue", "c++", "c", "covid-19", "covid", "19", "深度", "学习", "Ca2+")
FIELDS = ("any", "title", "abstract", "subject", "author", "venue")


def texts() -> st.SearchStrategy[str]:
    """Some words, with blanks and without between them."""
    return st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


def records() -> st.SearchStrategy[Record]:
    """Records with or without each text."""
    return st.builds(
        Record,
        source=st.just("x"),
        title=texts(),
        abstract=st.none() | texts(),
        keywords=st.lists(texts(), max_size=2).map(tuple),
        venue=st.none() | texts(),
        authors=st.lists(texts().map(Author), max_size=1).map(tuple),
        year=st.none() | st.integers(2000, 2003),
        doi=st.none() | st.sampled_from(["10.1000/cat", "10.1000/covid-19"]),
    )


def terms_of(field: str) -> st.SearchStrategy[Query]:
    """A word, several, or a phrase of a field; or a word that is cut off."""
    several = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
    words = st.builds(Term, several, st.just(field), st.booleans())
    cut = st.sampled_from(["ca", "cov", "covid-1", "深", "c"])
    return words | st.builds(Term, cut, st.just(field), st.just(False), st.just(True))


def queries() -> st.SearchStrategy[Query]:
    """Trees of all kinds of nodes."""
    terms = st.sampled_from(FIELDS).flatmap(terms_of)
    near = st.builds(
        lambda first, second, within: Near((first, second), within),
        terms_of("any") | st.builds(lambda a, b: disjunction((a, b)), *[terms_of("any")] * 2),
        terms_of("any"),
        st.integers(0, 2),
    )
    leaves = terms | near | st.builds(Years, st.integers(2000, 2003), st.none())
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, min_size=2, max_size=3).map(lambda some: conjunction(*some))
            | st.lists(inner, min_size=2, max_size=3).map(disjunction)
            | inner.map(negation)
        ),
        max_leaves=6,
    )


@given(queries(), st.lists(records(), max_size=12))
def test_the_answers_are_those_of_each_record(query: Query, held: list[Record]) -> None:
    """Whatever is asked for: who fits, who does not, and of whom it is not known."""
    sets = MatchingSets([query])
    for record in held:
        sets.add(record)

    found = sets.of(query)

    answers = [matches(query, record) for record in held]
    assert set(numbers_of(found.fit)) == {n for n, fits in enumerate(answers) if fits}
    assert set(numbers_of(found.fail)) == {n for n, fits in enumerate(answers) if fits is False}


def test_a_part_of_a_query_has_a_set_of_its_own() -> None:
    """What is made of the same leaves needs no second look at the records."""
    cat, dog = Term("cat", "title"), Term("dog", "title")
    sets = MatchingSets([And((cat, Not(dog)))])
    for title in ("cat", "dog", "cat dog"):
        sets.add(Record(source="x", title=title))

    assert list(numbers_of(sets.of(Or((cat, dog))).fit)) == [0, 1, 2]
    assert list(numbers_of(sets.of(Not(cat)).fit)) == [1]
    assert len(sets) == 3
