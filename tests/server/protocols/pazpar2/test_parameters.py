"""Limits, filters and settings: how they are written, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import MultiDict

from metasearch.server.protocols.pazpar2.parameters import (
    CommandParameters,
    CommandRefusal,
    allowed_sources,
    limit_filters,
    pairs,
    sort_keys,
    targets,
)
from tests.cases import each
from tests.growth import MOST, growth

SOURCES = ("alpha", "beta", "gamma")


@each(
    ("text", "read"),
    [
        ("a=1", [("a", ["1"])]),
        ("a=1|2,b=3", [("a", ["1", "2"]), ("b", ["3"])]),
        (r"a=1\,5\|\\|x", [("a", ["1,5|\\", "x"])]),
        ("a=b=c", [("a", ["b=c"])]),
        (" a = 1 ,,", [("a", [" 1 "])]),
        ("a=1\\", [("a", ["1\\"])]),
        ("", []),
    ],
)
def test_pairs(text, read):
    """Names, values, and backslashes before signs that belong to a value."""
    assert pairs("limit", text, "=") == read


@given(st.text(alphabet="ab=|,\\~ "))
def test_any_text_is_read_or_refused(text):
    """Nothing else is raised."""
    for read in (limit_filters, sort_keys, partial(targets, sources=SOURCES, labels={})):
        with suppress(CommandRefusal):
            assert read(text) is not None


@given(st.lists(st.text(min_size=1, max_size=5)))
def test_values_come_back(values):
    """What a client escapes is what the filter holds."""
    escaped = [
        "".join(f"\\{char}" if char in ",|\\" else char for char in value)
        for value in values
        if value.strip()
    ]
    if not escaped:
        return
    ((name, read),) = pairs("limit", f"author={'|'.join(escaped)}", "=")

    assert (name, read) == ("author", [value for value in values if value.strip()])


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a=b,", "a=b|", "\\,", "a", "=", "|", ",", "~"])
def test_time_grows_with_the_length(piece):
    """At most in proportion, also where a parameter is longer than it may be."""

    def work(size: int) -> Callable[[], object]:
        return partial(_read, piece * (size // len(piece)))

    assert growth(work, 20_000) <= MOST


def _read(text: str) -> object:
    try:
        return pairs("limit", text, "=")
    except CommandRefusal as refused:
        return refused


def test_the_first_of_repeated_parameters_holds():
    """As in pazpar2."""
    repeated = CommandParameters(MultiDict([("num", "3"), ("num", "9")]))

    assert repeated.number("num", 20, 200) == 3
    assert CommandParameters(MultiDict(num="999999")).number("num", 20, 200) == 200
    assert CommandParameters(MultiDict()).number("num", 20, 200) == 20


def test_settings_add_and_take_away():
    """In the order in which they are given."""
    settings = [("pz:allow[*]", "1"), ("pz:allow[beta]", "0"), ("pz:allow[beta]", "1")]

    assert allowed_sources(settings, (), SOURCES) == ("alpha", "gamma", "beta")
    assert allowed_sources(settings[:2], ("alpha",), SOURCES) == ("alpha", "gamma")
