"""Objects of a JSON file one by one, with their lines."""

from __future__ import annotations

import pytest

from metasearch.formats.reading.items import items, load
from tests.cases import each


@each(
    ("text", "values"),
    [
        ('[{"a": 1}, {"b": {"c": [{}]}}]', [{"a": 1}, {"b": {"c": [{}]}}]),
        ('{"items": [{"a": 1}], "items2": [{"b": 1}]}', [{"a": 1}]),
        ('{"x": {"items": [{"a": 1}]}, "y": [{"b": 1}]}', [{"a": 1}]),
        ('{"a": [{"b": 1}]}', [{"a": [{"b": 1}]}]),
        ('{"a": 1}\n{"b": "}]{"}', [{"a": 1}, {"b": "}]{"}]),
        ('[{"a": "\\"}"}]', [{"a": '"}'}]),
        ("[]", []),
        ("nothing", []),
    ],
)
def test_objects(text: str, values: list[object]) -> None:
    """In the file's list, under a key, or on their own; brackets in strings are text."""
    assert [item.value for item in items(text)] == values


def test_lines_and_flaws() -> None:
    """Each begins where it begins; what is broken says so."""
    found = list(items('[\n{"a": 1},\n\n{"b": },\n{"c":\n 1}\n}, {"d": 1}]'))

    assert [(item.line, item.value) for item in found] == [
        (2, {"a": 1}),
        (4, None),
        (5, {"c": 1}),
        (7, None),
        (7, {"d": 1}),
    ]
    assert [bool(item.flaw) for item in found] == [False, True, False, True, False]


def test_leniency() -> None:
    """What strict parsers refuse and people write."""
    assert load('{"a": NaN, "b": "x\ty"}') == {"a": None, "b": "x\ty"}
    with pytest.raises(ValueError, match=r"(?i)recursion|deeply"):
        load("[" * 100_000)
    with pytest.raises(ValueError):
        load("{'a': 1}")


def test_what_stands_before_the_first_object_is_no_key() -> None:
    """A colon where the bracket of the list should be costs nothing."""
    assert [item.value for item in items(':\n {"id": "a"}, {"id": "b"}]')] == [
        {"id": "a"},
        {"id": "b"},
    ]
