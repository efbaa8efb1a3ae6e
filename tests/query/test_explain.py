"""Query errors as a terminal shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from metasearch.errors import QuerySyntaxError
from metasearch.query import FIELDS, explain, parse


def explained(text: str, width: int = 80) -> list[str]:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    return explain(caught.value, width).split("\n")


def test_four_lines_tell_query_place_reason_and_correction() -> None:
    """The carets stand under the characters at fault."""
    assert explained("gene titel:drive NOT") == [
        "gene titel:drive NOT",
        "     ^^^^^",
        f'There is no field "titel"; the fields are {", ".join([*FIELDS, "year"])}.',
        "Try: gene title:drive",
    ]


def test_full_width_characters_take_two_columns() -> None:
    """The caret line is indented by columns, not by characters."""
    assert explained("深度学习 titel:x")[:2] == ["深度学习 titel:x", " " * 9 + "^" * 5]
    assert explained("基因，（）")[:2] == ["基因，()", " " * 6 + "^" * 2]


def test_combining_characters_take_none() -> None:
    """A letter with a combining accent is one column."""
    assert explained("e\u0301te\u0301 )")[1] == "    ^"


def test_control_characters_do_not_reach_the_terminal() -> None:
    """They are shown as blanks, a lone surrogate as a replacement character."""
    text = "\n".join(explained("a\x1b[31m\r\u202e\ud800 ("))

    assert not set(text) & set("\x1b\r\u202e\ud800")


def test_a_long_query_is_shown_around_the_mistake() -> None:
    """Ellipses stand for what is left out, and the caret stays under its character."""
    shown, carets, *_ = explained("word " * 50 + ") " + "word " * 40, width=40)

    assert shown.startswith("…")
    assert shown.endswith("…")
    assert shown[carets.index("^")] == ")"


@given(st.text(alphabet="a深) \u0301\t", max_size=200), st.integers(20, 100))
def test_lines_fit_and_the_caret_is_inside(text: str, width: int) -> None:
    """Neither line is wider than asked for."""
    try:
        parse(text)
    except QuerySyntaxError as error:
        shown, carets, *_ = explain(error, width).split("\n")

        assert wcswidth(shown) <= width
        assert len(carets) <= width + 1
        assert carets.strip(" ").strip("^") == ""
