"""One query of a step and of all that it names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from metasearch.errors import UsageError
from metasearch.query import parse, terms
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all, resolve_step
from metasearch.review.strategies.step_text import read_step
from metasearch.review.strategies.strategies import Step
from tests.cases import each
from tests.growth import MOST, growth


def step(number: int, text: str, syntax: str = "auto") -> Step:
    return Step(id=number, strategy=1, number=number, kind="query", text=text, syntax=syntax)


def chain(*texts: str) -> list[Step]:
    return [step(number, text) for number, text in enumerate(texts, 1)]


def test_steps_of_mixed_syntaxes_become_one_query() -> None:
    """Sources see one boolean, whatever each step is typed in."""
    steps = chain(
        "gambl* OR betting",
        "(水质+贝类)*生态系统",
        "(harm* adj3 reduc*).ti,ab.",
        "#1 AND #2",
        "#4 NOT #3",
    )
    found = resolve_step(steps, 5)
    assert found.text == (
        "(gambl* OR betting) AND (水质 OR 贝类) AND 生态系统 AND NOT "
        "((title:harm* OR abstract:harm*) NEAR/2 (title:reduc* OR abstract:reduc*))"
    )
    assert found.syntax == ""
    assert resolve_step(steps, 2).syntax == "cnki"


def test_the_text_reads_back_as_the_query() -> None:
    """And the digest is that of the text."""
    found = resolve_step(chain("a b", 'title:"c d"', "#1 OR #2 NOT e", "#3 x year:2020-"), 4)
    assert parse(found.text) == found.query
    assert found.digest == hashlib.sha256(found.text.encode()).hexdigest()


def test_a_digest_knows_only_what_is_meant() -> None:
    """Other spellings of the same query are not stale; another meaning is."""
    one = resolve_step(chain("a", "b", "#1 AND #2"), 3)
    other = resolve_step(chain("a", "b", "and/1-2"), 3)
    third = resolve_step(chain("a", "c", "#1 AND #2"), 3)
    assert one.digest == other.digest != third.digest


def test_notes_of_named_steps_say_whose_they_are() -> None:
    """Each once, with the number; what cannot be excluded as it is written is told."""
    found = resolve_step(chain("harm* adj3 reduc*", "#1 AND x", "y NOT #2", "z NOT #1"), 3)
    assert any(note.startswith("#1: ") for note in found.notes)
    assert not any("is excluded" in note for note in found.notes)
    found = resolve_step([step(1, "harm.ti. and limb?f.ti.", "ovid"), step(2, "z NOT #1")], 2)
    assert any("what #1 finds cannot be excluded" in note for note in found.notes)


@each(
    ("text", "note"),
    [
        ("year:2020-", "it names years alone"),
        ("NOT mice", "it names what is excluded alone"),
        ("english.lg.", "it names languages alone"),
    ],
)
def test_a_step_that_only_narrows_cannot_be_searched_for(text: str, note: str) -> None:
    """Others may name it."""
    if text == "NOT mice":
        steps = chain("mice", "NOT #1", "#2 AND rats")
        alone, used = resolve_step(steps, 2), resolve_step(steps, 3)
    else:
        steps = chain(text, "#1 AND rats")
        alone, used = resolve_step(steps, 1), resolve_step(steps, 2)
    assert not alone.searchable
    assert any(note in it for it in alone.notes)
    assert used.searchable


def test_a_step_with_a_mistake_spoils_only_those_that_name_it() -> None:
    """The reason is told for each."""
    found = resolve_all(chain("a", "(b", "#1 AND #2", "#1 NOT c", "#3 OR d"))
    assert isinstance(found[1], ResolvedStep)
    assert isinstance(found[4], ResolvedStep)
    assert str(found[3]) == (
        "Step 3 cannot be searched for, because step 2 cannot: This bracket is never closed"
    )
    assert isinstance(found[5], UsageError)


def test_a_circle_in_steps_from_elsewhere_is_an_error() -> None:
    """Steps that an archive brings need not have been checked."""
    found = resolve_all(chain("#2 AND a", "#3 AND b", "#1 AND c", "d", "#4 OR #1"))
    assert all(isinstance(found[number], UsageError) for number in (1, 2, 3, 5))
    assert "would name itself" in str(found[3])
    assert isinstance(found[4], ResolvedStep)


def test_a_number_without_a_step_is_an_error() -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="There is no step 9") as caught:
        resolve_step(chain("a", "b"), 9)
    assert caught.value.advice == "There are #1, #2."


def test_a_query_that_would_be_too_large_names_the_step() -> None:
    """It is counted before it is built: this one would have 2 ** 60 words."""
    doubling = [f"(#{n} AND a{n}) OR (#{n} AND b{n})" for n in range(1, 60)]
    found = resolve_all(chain("a", *doubling))
    errors = [number for number, it in found.items() if isinstance(it, UsageError)]
    assert errors[0] == 10
    assert "Step 10 is too large with the steps that it names: it would have 1," in str(found[10])
    assert "because step 10 cannot" in str(found[11])


def test_steps_that_are_shared_stand_once_among_alternatives() -> None:
    """`#1 OR #1` is no more than #1, however often that is repeated."""
    doubling = [f"#{n} OR #{n}" for n in range(1, 60)]
    assert resolve_step(chain("a", *doubling), 60).text == "a"


def test_operators_that_alternate_too_often_are_an_error() -> None:
    """As in a query that is typed."""
    texts = [f"#{number} {'AND' if number % 2 else 'OR'} b{number}" for number in range(1, 160)]
    found = resolve_all(chain("a", *texts))
    broken = next(number for number, it in found.items() if isinstance(it, UsageError))
    assert "alternate more than 60 deep" in str(found[broken])
    good = found[broken - 1]
    assert isinstance(good, ResolvedStep)
    assert parse(good.text) == good.query


def test_the_text_is_short_enough_to_be_read_back() -> None:
    """A query of long words may have too many characters."""
    long = " ".join("w" * 100 + str(number) for number in range(220))
    with pytest.raises(UsageError, match="longer than 30,000 characters"):
        resolve_step(chain(long, long.replace("w", "v"), "#1 OR #2"), 3)


def test_a_long_chain_needs_no_recursion() -> None:
    """Five hundred steps that each name the one before."""
    steps = chain("a", *(f"#{number} AND w{number}" for number in range(1, 500)))
    assert len(list(terms(resolve_step(steps, 500).query))) == 500


@pytest.mark.slow
def test_time_grows_with_the_size_of_the_strategy() -> None:
    """Steps are read once each, however often they are named."""

    def work(size: int) -> Callable[[], object]:
        names = [f"word{number}" for number in range(size)]
        tails = [f"(#{number} OR #1) NOT #{size}" for number in range(1, size)]
        steps = chain(*names, *tails)

        def run() -> None:
            read_step.cache_clear()
            resolve_all(steps)

        return run

    assert growth(work, 60) < MOST
