"""Messages name the kinds of TOML, not those of Python."""

from __future__ import annotations

import datetime as dt
from typing import Any

from metasearch.toml_tables import is_of, mismatch
from tests.cases import each


@each(
    ("value", "kind", "message"),
    [
        ("3", (int, float), "must be a number, is a string"),
        (True, int, "must be a whole number, is a boolean"),
        (1.5, int, "must be a whole number, is a decimal number"),
        (0, bool, "must be true or false, is a whole number"),
        ({}, list, "must be an array, is a table"),
        ([], str, "must be a string, is an array"),
        (dt.date(2026, 1, 1), str, "must be a string, is date"),
    ],
)
def test_a_value_of_another_kind(value: Any, kind: Any, message: str) -> None:
    """The message says what is wanted and what is there."""
    assert not is_of(value, kind)
    assert message == mismatch(value, kind)


@each(
    ("value", "kind"), [(1, int), (1, (int, float)), (1.5, (int, float)), (True, bool), ("", str)]
)
def test_a_value_of_the_kind(value: Any, kind: Any) -> None:
    """A whole number is a number; a boolean is a boolean only."""
    assert is_of(value, kind)
