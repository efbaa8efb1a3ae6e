"""Accept headers, for media types and languages."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.server.problem import choose, parse_accept, preferred_languages
from tests.cases import each
from tests.growth import MOST, growth

OFFERED = (("json", "application/json"), ("html", "text/html"), ("csv", "text/csv"))


@each(
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


@each(
    ("header", "liked"),
    [
        ("", []),
        ("zh-CN,zh;q=0.9,en;q=0.8", ["zh-cn", "zh", "en"]),
        ("en;q=0.2, ZH-Hans ; Q=0.7, fr", ["fr", "zh-hans", "en"]),
        ("en;q=0, *, de;q=0.001", ["de"]),
        ("en;q=high, zh;q=2", []),
        ("de, en, zh", ["de", "en", "zh"]),
        (";;;,,, ;q=1", []),
    ],
)
def test_languages_in_the_order_of_the_browser(header, liked):
    assert preferred_languages(header) == liked


@given(st.text(alphabet="az-;,=q.019* \t\xff", max_size=80))
def test_no_language_header_breaks_it(header):
    assert all(name and name != "*" for name in preferred_languages(header))


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a,", ",", "a;q=0.5,", ";", "a;;;;;;", "zh-Hans-CN;q=0.123,"])
def test_a_long_language_header_takes_no_longer(piece):
    """Only its beginning is read, and that in linear time."""
    beginning = preferred_languages(piece * 1_000)

    assert len(beginning) <= 1_000
    assert growth(lambda size: partial(preferred_languages, piece * size), 20_000) < MOST
