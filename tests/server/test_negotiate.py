"""Accept headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.server.negotiate import choose, parse_accept

OFFERED = (("json", "application/json"), ("html", "text/html"), ("csv", "text/csv"))


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", "json"),
        ("*/*", "json"),
        ("text/html", "html"),
        ("TEXT/HTML;Q=1", "html"),
        ("text/*", "html"),
        ("text/*, text/csv", "csv"),
        ("text/html;q=0.4, text/csv;q=0.5", "csv"),
        ("text/html, */*", "html"),
        ("*/*;q=0.9, text/html;q=0.8", "json"),
        ("*/*, application/json;q=0", "html"),
        ("application/json;charset=utf-8", "json"),
        ("image/png", None),
        ("text/html;q=0", None),
        ("text/html;q=high", None),
        ("nonsense", None),
        ("*/html", None),
        ("text/html;q=1.5", None),
    ],
)
def test_choice(accept, expected):
    """The most specific range decides, then what was named, then our own order."""
    assert expected == choose(accept, OFFERED)


def test_ranges_are_read_with_their_quality():
    """A missing q is 1."""
    assert [(it.type, it.subtype, it.quality) for it in parse_accept("text/html, */*;q=0.8")] == [
        ("text", "html", 1.0),
        ("*", "*", 0.8),
    ]


@given(st.text(alphabet="a/*;,q=.019 \t\xff", max_size=60))
def test_no_header_breaks_it(accept):
    """Whatever a client sends, the choice is one of ours or none."""
    assert choose(accept, OFFERED) in {"json", "html", "csv", None}
