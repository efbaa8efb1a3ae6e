"""The closure compiler finds exactly what jmespath itself finds."""

from __future__ import annotations

from typing import Any

import jmespath
import jmespath.exceptions
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.select.json import _compile, compile_json
from tests.cases import each, sample
from tests.examples import examples

EXPRESSIONS = [
    "a",
    "a.b",
    "a.b.c",
    '"a-b".c',
    "a[0]",
    "a[-1].b",
    "a[].b",
    "a[*].b",
    "a[][]",
    "a[*][0]",
    "[]",
    "[0]",
    "@",
    "a || b",
    "a || b || c",
    "(a || b)[0]",
    "a && b",
    "!a",
    "!(a.b)",
    "!a && b",
    "a == b",
    "a != b",
    "a == `1`",
    "a == `true`",
    "a == 'x'",
    "a[?b]",
    "a[?b].c",
    "a[?!b].c",
    "a[?b=='x'].c",
    "a[?b!='x' && c].b",
    "a[?b=='x' || c=='x']",
    "a[?@]",
    "[@][?a]",
    "@[?a]",
    "[a, b]",
    "a.[b, c]",
    "a[].[b, c]",
    "a[].[b, c][]",
    "a | [0]",
    "a[?b].c | [0]",
    "join('/', [a, b])",
    "join('/', ['x', a])",
    "join(', ', a)",
    "`[1, 2]`",
    "'x'",
]
LEFT_TO_JMESPATH = [
    "a[1:3]",
    "a.*",
    "a[?b > `1`]",
    "length(a)",
    "{x: a, y: b}",
    "sort_by(a, &b)[0]",
    "starts_with(a, 'x')",
]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "x", "y"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "a-b"]), inner, max_size=4)
    ),
    max_leaves=20,
)


def by_jmespath(expression: str, value: Any) -> Any:
    try:
        return jmespath.search(expression, value)
    except (jmespath.exceptions.JMESPathError, TypeError):
        return None


@pytest.mark.parametrize("expression", sample(EXPRESSIONS, 3))
@given(value=VALUES)
@examples(0.25)
def test_equals_jmespath(expression: str, value: Any) -> None:
    """A compiled expression gives what jmespath gives, for whatever it meets."""
    expected = by_jmespath(expression, value)

    found = compile_json(expression)(value)

    assert expected == found
    assert type(expected) is type(found)


@each("place", [-4, -3, -1, 0, 2, 3])
def test_a_place_is_counted_from_either_end(place: int) -> None:
    """Up to the first and the last one; beyond, nothing is there."""
    value = {"a": {"b": ["x", "y", "z"]}}
    expression = f"a.b[{place}]"

    assert by_jmespath(expression, value) == compile_json(expression)(value)


@each("expression", EXPRESSIONS)
def test_is_compiled(expression: str) -> None:
    """None of these costs a walk over jmespath's tree for each record."""
    assert _compile(jmespath.compile(expression).parsed) is not None


@pytest.mark.parametrize("expression", LEFT_TO_JMESPATH)
@given(value=VALUES)
@examples(0.25)
def test_everything_else_works_too(expression: str, value: Any) -> None:
    """What the compiler does not know is answered by jmespath; a type error finds nothing."""
    assert by_jmespath(expression, value) == compile_json(expression)(value)


@each("expression", ["a[", "a..b", "", "join(", "a[?b"])
def test_not_jmespath(expression: str) -> None:
    """A wrong expression is told when it is compiled."""
    with pytest.raises(ValueError, match=r"\S"):
        compile_json(expression)


@each("expression", EXPRESSIONS)
def test_what_a_selector_needs_alone_decides_what_it_finds(expression: str) -> None:
    """Readers leave a selector out where none of the names is there, whatever else the object
    holds."""
    select = compile_json(expression)
    needs = getattr(select, "needs", None)

    if needs is not None:
        others = {name: [{"b": 1}] for name in "abcdxyz" if name not in needs}
        assert select(others) in (None, [], "")
        assert select(others | dict.fromkeys(needs)) in (None, [], "")


def test_which_names_a_selector_needs() -> None:
    """Those that are asked of the object itself; none are known where it finds something in an
    empty object, too."""
    needs = {
        it: getattr(compile_json(it), "needs", None)
        for it in ("a.b[0].c", "a[?b=='x'].c || d", "!a", "@", "`1`")
    }

    assert needs == {
        "a.b[0].c": ("a",),
        "a[?b=='x'].c || d": ("a", "d"),
        "!a": None,
        "@": None,
        "`1`": None,
    }
