"""Whatever the text: a step, lines of a strategy or a `UsageError`, in linear time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query import CHOICES, terms
from metasearch.query.characters import plain_characters
from metasearch.review.strategies.paste import read_paste
from metasearch.review.strategies.references import combination
from metasearch.review.strategies.step_text import read_step, renumber
from tests.examples import examples
from tests.growth import MOST, growth

PIECES = [
    *"()（）\"'“”*+-:=%$~,\\\n\t\0\ud800 ",
    *("#1", "#2", "S1", "1", "12", "or/1-4", "and/1,3", "{or #1-#3}", "#1-#4", "limit 3 to "),
    *("AND", "OR", "NOT", "and", "not", "与", "gambl*", "水质", "TI=", "title:", "[tiab]", "1. "),
    *(".ti,ab.", "exp X/", "year:2020-", "12,345", "Search: ", "Filters: x", "\U00012000"),
]
#: Letters that stand for steps while a text is read.
DEAD = {chr(code) for code in range(0x12000, 0x13430)}
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def error_of(read: Callable[[], object]) -> UsageError | None:
    try:
        read()
    except UsageError as error:
        return error
    return None


@examples(3)
@given(TEXTS, st.sampled_from(CHOICES))
def test_any_text_is_a_step_or_an_error_at_a_place(text: str, syntax: str) -> None:
    """The error is about the text in plain characters; its suggestion can be read as a step."""
    error = error_of(lambda: read_step(text, syntax))
    if error is None:
        words = "".join(term.text for term in terms(read_step(text, syntax).query, negated=True))
        assert set(map(str.casefold, words)) & DEAD <= set(text)
        return
    assert isinstance(error, QuerySyntaxError)
    assert error.text == plain_characters(text)
    assert 0 <= error.position <= max(1, len(error.text))
    if error.suggestion is not None:
        read_step(error.suggestion, syntax)


@examples(2)
@given(TEXTS, st.sampled_from(CHOICES), st.integers(1, 900))
def test_other_numbers_change_nothing_else(text: str, syntax: str, more: int) -> None:
    """Or they are refused."""
    try:
        step = read_step(text, syntax)
        new = renumber(text, syntax, {number: number + more for number in step.numbers})
    except UsageError:
        return
    again = read_step(new, syntax)
    assert again.numbers == tuple(number + more for number in step.numbers)
    assert again.syntax == step.syntax


@examples(2)
@given(st.lists(TEXTS, max_size=5).map("\n".join))
def test_any_text_has_lines_or_is_an_error(text: str) -> None:
    """Each with a query and a number of its own."""
    error = error_of(lambda: read_paste(text))
    assert error.advice if error else all(line.text for line in read_paste(text).lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["#1 ", "(", "#1-#2 ", "or/1,", "or/1-2 ", "#1 AND ", "title:(#1 ", "TI=(#1*", '"#1" ', "#1*水",
     "and #1 ", "1 or ", "'", "{or #1 ", "\\#1"],
)  # fmt: skip
def test_time_is_linear(piece: str) -> None:
    """In the length of the text."""

    def work(size: int) -> Callable[[], object]:
        text = piece * (size // len(piece)) + "x"

        def run() -> None:
            read_step.cache_clear()
            for syntax in ("auto", "simple", "cnki"):
                error_of(partial(combination, text, syntax))
                error_of(partial(read_step, text, syntax))

        return run

    assert growth(work, 1_200) < MOST


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", ["# ", "1\t", "x   1 ", "1. a\n", "Search: ", "12:00 ", "\t", "(1)"]
)
def test_lines_are_read_in_linear_time(row: str) -> None:
    """However odd they are."""

    def work(size: int) -> Callable[[], object]:
        text = row * (size // len(row))

        def run() -> None:
            error_of(lambda: read_paste(text))

        return run

    assert growth(work, 4_000) < MOST
