"""A table that is one test (`cases.py`)."""

from __future__ import annotations

import inspect

import pytest

from tests.cases import each


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    """A failure ends no table, and each is raised with its name."""
    tried = []

    @each(("number", "word"), [(1, "a"), pytest.param(2, "b", id="second"), (3, "c")])
    def check(number: int, word: str) -> None:
        tried.append(word)
        assert number == 1

    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail") as raised:
        check()

    assert tried == ["a", "b", "c"]
    assert [it.__notes__ for it in raised.value.exceptions] == [
        ["the case: second"],
        ["the case: 3, 'c'"],
    ]


def test_what_no_case_fills_is_a_fixture() -> None:
    """pytest sees the other parameters alone, and they reach each case."""

    @each("number", [1, 2], ids=["one", "two"])
    def check(shared: str, number: int) -> None:
        assert (shared, number) == ("x", 1)

    assert [*inspect.signature(check).parameters] == ["shared"]
    with pytest.raises(ExceptionGroup) as raised:
        check(shared="x")
    assert raised.value.exceptions[0].__notes__ == ["the case: two"]


def test_an_empty_table_is_an_error() -> None:
    """It would pass whatever the test says."""
    with pytest.raises(AssertionError, match="without cases"):
        each("number", [])


def test_a_case_bears_no_mark() -> None:
    """It would be passed over without a word."""
    with pytest.raises(AssertionError, match="marks are for tests"):
        each("number", [pytest.param(1, marks=pytest.mark.slow)])
