"""Attempts at fields: which are made at all, and which stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metasearch.adapters.parse.parse import attempts, read_fields
from metasearch.adapters.select.json import compile_json
from metasearch.adapters.spec import FieldRule, Selector, whole
from metasearch.bib.field_limits import Cuts


def asked(expression: str, log: list[str]) -> Selector:
    """A selector that notes when it is asked."""
    select = compile_json(expression)

    def noted(node: Any) -> Any:
        log.append(expression)
        return select.find(node)

    return replace(select, find=noted)


def rule(*selectors: Any, convert: Any = str, field: str = "title") -> FieldRule:
    return FieldRule(field, selectors, convert)


def test_a_selector_that_cannot_find_anything_is_not_asked() -> None:
    """None of its names is there, or the field has its value already."""
    log: list[str] = []
    rules = [rule(*(asked(it, log) for it in ("a.b", "c.d || e.f", "g.h")))]
    node = {"e": {"f": "found"}, "g": {"h": "too late"}}

    assert read_fields(attempts(rules, "json"), node, node, Cuts()) == {"title": "found"}
    assert log == ["c.d || e.f"]


def test_what_says_nothing_does_not_stand() -> None:
    """The next selector is tried, and the next rule; the number 0 says something."""
    rules = [
        rule(compile_json("a"), compile_json("b.c"), convert=lambda it: it),
        rule(compile_json("d")),
    ]

    for node, expected in (
        ({"a": "", "b": {"c": []}, "d": "x"}, {"title": "x"}),
        ({"a": None, "b": {"c": 0}, "d": "x"}, {"title": 0}),
        ({"z": "x"}, {}),
    ):
        assert read_fields(attempts(rules, "json"), node, node, Cuts()) == expected


def test_a_converter_may_take_the_record_itself() -> None:
    """Even one that holds nothing."""
    rules = [rule(Selector(whole), convert=lambda node, _cuts: sorted(node) or "empty")]

    assert read_fields(attempts(rules, "json"), {"b": 1, "a": 2}, {}, Cuts()) == {
        "title": ["a", "b"]
    }
    assert read_fields(attempts(rules, "json"), {}, {}, Cuts()) == {"title": "empty"}
