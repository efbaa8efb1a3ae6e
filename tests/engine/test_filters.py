"""Filters say which works of a list are shown."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine.facets import MOST_FILTERS, filter_text, parse_filters
from metasearch.errors import UsageError
from metasearch.record import Hit
from tests.cases import each
from tests.engine.hits import hits, single
from tests.growth import MOST, growth


def shown(works: list[Hit], text: str) -> list[str]:
    """Titles that a filter lets through."""
    passes = parse_filters(text).passes()
    return [work.record.title for work in works if passes(work)]


WORKS = [
    single(1, title="One", type="article", year=2019, open_access="gold", venue="Nature, London"),
    single(2, "b", title="Two", type="book", year=2021, open_access="closed"),
    single(3, title="Three", type="article", retracted=True),
]


def test_filters_of_one_name_widen_and_of_different_names_narrow() -> None:
    """type:article,type:book shows both kinds; source:a beside it narrows."""
    assert shown(WORKS, "type:article,type:book") == ["One", "Two", "Three"]
    assert shown(WORKS, "type:article,type:book,source:a") == ["One", "Three"]


def test_a_hyphen_takes_works_away() -> None:
    """-retracted:yes shows what is not retracted."""
    assert shown(WORKS, "type:article,-retracted:yes") == ["One"]


def test_years_may_be_ranges() -> None:
    """A work without a year is not in any range."""
    assert shown(WORKS, "year:2018-2020") == ["One"]
    assert shown(WORKS, "year:2020-") == ["Two"]
    assert shown(WORKS, "-year:2019") == ["Two", "Three"]


def test_a_quoted_value_may_hold_commas() -> None:
    """And spelling does not matter."""
    assert shown(WORKS, 'venue:"nature, london"') == ["One"]
    assert shown(WORKS, "oa:yes") == ["One"]


@each(
    ("text", "message"),
    [
        ("colour:red", "no filter 'colour'; filters are source"),
        ("type", "filter at character 1: 'type' is not name:value"),
        ("type:article,book", "filter at character 14: 'book' is not name:value"),
        ('venue:"Nature', "filter at character 1"),
        ("type:novel", "'novel' is none of article"),
        ("oa:perhaps", "none of yes, no"),
        ("source:", "no value behind the colon"),
        ("year:soon", "filter year: Years are written with four digits"),
        (",".join(f"source:s{n}" for n in range(MOST_FILTERS + 1)), "at most 50"),
        ("source:" + "s" * 6_000, "longer than 5,000 characters"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, message: str) -> None:
    """The message says where, and what there is."""
    with pytest.raises(UsageError, match=message):
        parse_filters(text)


@given(st.text(min_size=1, max_size=30).filter(lambda text: text.strip()))
def test_any_value_can_be_written(value: str) -> None:
    """What `filter_text` writes is read as the same value."""
    text = filter_text("source", value)

    (read,) = parse_filters(text).filters

    assert read.value.strip().lower() == value.strip().lower()


@given(hits(), st.sampled_from(["type:article", "year:2020-", "-oa:yes", 'author:"Berg, A"']))
def test_filters_are_written_as_they_are_read(works: list[Hit], text: str) -> None:
    """Their text is read as the same filters, in one order."""
    filters = parse_filters([text, "source:b", "source:a"])

    assert parse_filters(str(filters)) == filters
    assert str(parse_filters(["source:a", "source:b", text])) == str(filters)


@pytest.mark.slow
def test_reading_takes_linear_time() -> None:
    """Quotation marks that do not end, and blanks."""
    assert growth(lambda n: partial(_refused, 'venue:"' + '""' * n + "x"), 500) < MOST
    assert growth(lambda n: partial(_refused, "source:" + " " * n + '"'), 1_000) < MOST


def _refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_filters(text)
