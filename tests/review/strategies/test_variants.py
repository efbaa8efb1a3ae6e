"""What a strategy looks for without a step or an alternative, or with one more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.query import Term, parse, to_text
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all
from metasearch.review.strategies.strategies import Step
from metasearch.review.strategies.variants import StrategyQueries

#: A word, or an operator with its operands.
Tree = str | tuple[str, list["Tree"]]
Path = tuple[int, ...]


def trees() -> st.SearchStrategy[Tree]:
    """Trees of AND and OR, each inside the other, whose words are all unlike."""

    def joined(operator: str, inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        parts = st.lists(inner, min_size=2, max_size=4, unique_by=repr)
        return parts.map(lambda some: (operator, some))

    words = st.sampled_from(["soil", "peat", "marsh*", '"salt marsh"', "title:birds", "roots"])
    alternatives = joined("OR", words | joined("AND", words))
    return alternatives | joined("AND", words | alternatives)


def text_of(tree: Tree, without: Path = ()) -> str:
    """A tree as it is typed, perhaps without the part of a path."""
    if isinstance(tree, str):
        return tree
    operator, parts = tree
    shown = [
        text_of(part, without[1:] if without[:1] == (place,) else ())
        for place, part in enumerate(parts)
        if without != (place,)
    ]
    return f"({f' {operator} '.join(shown)})"


def alternatives(tree: Tree, path: Path = ()) -> Iterator[Path]:
    """The paths of the parts of each OR, from left to right."""
    if isinstance(tree, str):
        return
    operator, parts = tree
    for place, part in enumerate(parts):
        if operator == "OR":
            yield (*path, place)
        yield from alternatives(part, (*path, place))


def strategy(*texts: str) -> list[Step]:
    """Steps with these texts, numbered from 1."""
    return [
        Step(id=number, strategy=1, number=number, kind="query", text=text, syntax="simple")
        for number, text in enumerate(texts, 1)
    ]


def resolved(*texts: str) -> dict[int, str]:
    """The query of each step that has one, as a run would ask it."""
    known = resolve_all(strategy(*texts))
    return {number: one.text for number, one in known.items() if isinstance(one, ResolvedStep)}


@given(trees(), trees())
def test_without_an_alternative_it_is_as_if_it_had_not_been_typed(
    first: Tree, second: Tree
) -> None:
    """In the step, and in those that name it; also where they exclude it."""
    others = (text_of(second), "#1 AND #2", "#2 NOT #1", "#3 OR #4")
    queries = StrategyQueries(strategy(text_of(first), *others), "")
    found = queries.alternatives(1)
    paths = list(alternatives(first))

    assert len(found) == len(paths)
    for one, path in zip(found, paths, strict=True):
        changed = queries.without(one)
        now = resolved(text_of(first, path), *others)
        assert set(changed) == {1, 3, 4, 5}
        for number, query in changed.items():
            assert query is not None
            assert to_text(query) == now[number]


def test_without_a_step_the_others_go_on() -> None:
    """It is left out of what joins it; what has nothing else is gone, too."""
    queries = StrategyQueries(strategy("a", "b", "#1 OR #2", "#1", "#3 AND #1", "b NOT #1"), "")

    changed = queries.without_step(1)

    assert changed == {
        1: None,
        3: parse("b"),
        4: None,
        5: parse("b"),
        6: parse("b"),
    }


def test_steps_that_no_database_can_be_asked_have_no_query() -> None:
    """A step with a mistake, and what names it."""
    queries = StrategyQueries(strategy("(a", "#1 OR b", "c OR d"), "2020-")

    assert {number: to_text(query) for number, query in queries.queries.items()} == {
        3: "(c OR d) AND year:2020-"
    }
    assert queries.alternatives(1) == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a OR b", ["a OR b"]),
        ("(a OR b) AND c NOT d", ["a OR b", "c"]),
        ("#1 OR #2", []),
        ("#1 AND e", ["e"]),
        ("a AND language:en", ["a"]),
    ],
)
def test_where_an_alternative_can_be_added(text: str, places: list[str]) -> None:
    """To each OR of words, and to a word that stands alone."""
    queries = StrategyQueries(strategy("a", "b", text), "")

    assert [one.text for one in queries.places(3)] == places


def test_what_an_added_alternative_changes() -> None:
    """The step, and those that name it."""
    queries = StrategyQueries(strategy("(a OR b) AND c", "#1 AND d"), "")
    place = queries.places(1)[1]

    changed = queries.with_beside(place, Term("e"))

    assert {number: to_text(query) for number, query in changed.items() if query} == {
        1: "(a OR b) AND (c OR e)",
        2: "(a OR b) AND (c OR e) AND d",
    }


@pytest.mark.parametrize(
    ("text", "syntax", "words"),
    [
        ("(gambl* or betting).ti,ab.", "ovid", ["gambl*", "betting"]),
        ("gambl*[tiab] OR betting[ti]", "pubmed", ["gambl*", "title:betting"]),
        ("gambl*.ti,ab.", "ovid", []),
        ("exp Gambling/ or gambling.ti.", "ovid", ["subject:Gambling", "title:gambling"]),
        ("(gambl* adj3 (harm or debt)).ti,ab.", "ovid", ["harm", "debt"]),
        ("TKA='水质'*(TI='贝类'+TI='鱼类')", "cnki", ["title:贝类", "title:鱼类"]),
    ],
)
def test_one_word_in_several_fields_is_one_alternative(
    text: str, syntax: str, words: list[str]
) -> None:
    """As it was typed; a heading is another thing than the word."""
    step = Step(id=1, strategy=1, number=1, kind="query", text=text, syntax=syntax)
    queries = StrategyQueries([step], "")

    found = queries.alternatives(1)

    assert [one.text for one in found] == words
    for one in found:
        left = queries.without(one)[1]
        assert left is not None
        assert one.query not in {left, *getattr(left, "parts", ())}
