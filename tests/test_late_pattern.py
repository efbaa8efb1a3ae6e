"""A late pattern does what a compiled one does, and is compiled when it is first used."""

from __future__ import annotations

import re

import pytest

from metasearch.late_pattern import late_pattern
from tests.cases import each


@each("text", ["abc", "ABC", "", "bbc"])
def test_it_does_what_a_compiled_pattern_does(text: str) -> None:
    late, compiled = late_pattern("(b)|C", re.IGNORECASE), re.compile("(b)|C", re.IGNORECASE)

    for _ in range(2):  # the second time the methods are there already
        assert late.findall(text) == compiled.findall(text)
        assert late.split(text) == compiled.split(text)
        assert (late.search(text) is None) is (compiled.search(text) is None)
        assert (late.fullmatch(text) is None) is (compiled.fullmatch(text) is None)


def test_its_groups_and_its_text_are_those_of_a_compiled_pattern() -> None:
    late = late_pattern("(?P<one>b)")

    assert late.pattern == "(?P<one>b)"
    assert late.groupindex == {"one": 1}
    assert late.sub(r"<\g<one>>", "abc") == "a<b>c"


def test_it_is_compiled_by_its_first_use() -> None:
    """A pattern that is wrong is refused then, and not before; an unknown method, too."""
    wrong = late_pattern("(")

    with pytest.raises(re.error):
        wrong.search("a")
    with pytest.raises(AttributeError):
        late_pattern("a").no_method  # type: ignore[attr-defined]  # noqa: B018


def test_bytes_are_searched_by_patterns_of_bytes() -> None:
    found = late_pattern(rb"b+").search(b"abb")

    assert found is not None
    assert found[0] == b"bb"
