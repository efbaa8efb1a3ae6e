"""An expression in Python finds what the closure of the same JMESPath finds, and is no way for a
spec to run code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.select.json import Expressions, compile_json, members
from tests.adapters.select.test_json import EXPRESSIONS, LEFT_TO_JMESPATH, VALUES
from tests.cases import each, sample
from tests.examples import examples

RECORDS = st.dictionaries(st.sampled_from(["a", "b", "c", "a-b"]), VALUES, max_size=4)
#: Texts that end what they stand in, if they are put there as they are.
ENDING = ["'", '"', "\\", "\\'", "\n", "')", "'''", "{", "{x}", "#", "\ud800", "\x00", ":=", "\r"]
CODE = "__import__('sys').exit(1)"


def function(expression: str, variable: str, *, known: tuple[str, ...] = ()) -> Callable[..., Any]:
    """What finds the same, by source text."""
    names: dict[str, Any] = {}
    written = Expressions(names)
    written.members.update({name: f"known_{number}" for number, name in enumerate(known)})
    select = compile_json(expression)
    found = written.of_selector(select.tree, select.find, variable)
    lookups = "".join(f"    known_{at} = get({name!r})\n" for at, name in enumerate(known))
    get = "    get = record.get\n" if variable == "record" else ""
    exec(f"def read({variable}):\n{get}{lookups}    return {found}", names)
    read: Callable[..., Any] = names["read"]
    return read


@pytest.mark.parametrize("expression", sample(EXPRESSIONS + LEFT_TO_JMESPATH, 4))
@given(value=VALUES)
@examples(0.25)
def test_finds_what_the_closure_finds(expression: str, value: Any) -> None:
    """In whatever it meets."""
    expected = compile_json(expression)(value)

    found = function(expression, "value")(value)

    assert expected == found
    assert type(expected) is type(found)


@pytest.mark.parametrize("expression", sample(EXPRESSIONS + LEFT_TO_JMESPATH, 4))
@given(record=RECORDS)
@examples(0.25)
def test_finds_the_same_in_a_record(expression: str, record: Any) -> None:
    """Whether its members are looked up where they are asked for, or before."""
    expected = compile_json(expression)(record)

    assert expected == function(expression, "record")(record)
    assert expected == function(expression, "record", known=("a", "b"))(record)


@each("text", [part + CODE + part for part in ENDING])
def test_names_and_texts_are_never_code(text: str) -> None:
    """They are found, and compared with, as they are."""
    name = '"' + "".join(f"\\u{ord(letter):04x}" for letter in text) + '"'
    literal = f"`{name}`"

    assert function(name, "record")({text: "found"}) == "found"
    assert function(f"a.{name}", "record")({"a": {text: "found"}}) == "found"
    assert function(f"a[?{name}==`1`].{name}", "record")({"a": [{text: 1}]}) == [1]
    assert function(f"a=={literal}", "record")({"a": text}) is True
    assert function(f"a && {literal}", "record")({"a": 1}) == text
    assert function(f"a.[{name}]", "record")({"a": {text: 2}}) == [2]


def test_what_python_could_not_parse_is_left_to_its_closure() -> None:
    """Brackets in brackets, a hundred levels of them."""
    deep = "a" + ".[b][0]" * 60

    value: Any = "found"
    for _ in range(60):
        value = {"b": value}
    assert function(deep, "record")({"a": value}) == "found"


def test_members_are_those_of_the_record() -> None:
    """Not those of what is found in it, each as often as it is asked for."""
    tree = jmespath.compile("a.b || c[?d].e || [a, f.g][0]").parsed

    assert sorted(members(tree)) == ["a", "a", "c", "f"]
