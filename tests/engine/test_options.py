"""The options of a search: declared once, checked when they are made."""

from __future__ import annotations

import dataclasses
from typing import Any, get_type_hints

import pytest

from metasearch.adapters.specs.specfile import SourcesLike
from metasearch.engine.options import (
    LAST_PLACE,
    MAX_PER_SOURCE,
    MAX_TIMEOUT,
    OPTIONS,
    SearchKeywords,
    SearchOptions,
    search_options,
)
from metasearch.errors import UsageError
from tests.cases import each

NAMES = {"SourcesLike": SourcesLike}


def test_the_keywords_are_the_fields() -> None:
    """What type checkers know as keyword arguments are the fields, with their types and in their
    order.
    """
    fields = get_type_hints(SearchOptions, localns=NAMES)
    keywords = get_type_hints(SearchKeywords, localns=NAMES)

    assert list(keywords.items()) == [
        (name, kind) for name, kind in fields.items() if name != "query"
    ]


@each("name", OPTIONS)
def test_each_field_is_explained(name: str) -> None:
    """In a sentence, for `--help` and the tables of the documentation."""
    option = OPTIONS[name]

    assert option.help.endswith(".")
    assert option.default
    assert option.choices or option.kind != "choice"


def test_they_are_frozen() -> None:
    """A search is not changed while it runs."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        SearchOptions(query="reef").limit = 3  # type: ignore[misc]


@each(
    ("options", "place"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": LAST_PLACE + 1}, "limit"),
        ({"start": -1}, "start"),
        ({"start": LAST_PLACE}, "start"),
        ({"start": LAST_PLACE - 1, "limit": 2}, "start and limit together"),
        ({"per_source": MAX_PER_SOURCE + 1}, "per_source"),
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": MAX_TIMEOUT + 1}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
    ],
)
def test_limits(options: dict[str, Any], place: str) -> None:
    """A number outside its limits is refused with its name and the limits."""
    with pytest.raises(UsageError, match=f"^{place} must be between .* and .*, is "):
        SearchOptions(query="reef", **options)


def test_modes_of_versions() -> None:
    """A word that is no mode is refused with those that there are."""
    with pytest.raises(UsageError, match="versions must be one of group, separate, merge, is 'all"):
        SearchOptions(query="reef", versions="all")  # type: ignore[arg-type]


def test_keywords_replace_what_options_hold() -> None:
    """And without keywords the same options are used."""
    options = SearchOptions(query="reef", limit=3)

    assert search_options(options, {}) is options
    assert search_options(options, {"limit": 4}) == SearchOptions(query="reef", limit=4)
    with pytest.raises(UsageError, match="limit"):
        search_options(options, {"limit": 0})
