"""Facets as lines of text: one a facet, within the width, deaf to what upstream text holds."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from metasearch.engine.facets import FACETS, FacetCounts
from metasearch.events import Facet, Facets, FacetValue
from metasearch.formats.table import MOST_RANGES, facet_lines, year_ranges
from metasearch.record import Hit
from tests.formats.samples import hostile_hits, properties


def facet(name: str, *counts: tuple[str, int], more: int = 0, missing: int = 0) -> Facet:
    values = tuple(FacetValue(value, count, f"{name}:{value}") for value, count in counts)
    return Facet(name, values, more, missing)


def lines(*facets: Facet, works: int = 100, width: int = 80, bars: bool = False) -> list[str]:
    shown = facet_lines(Facets(works, facets), width, bars=bars)
    return [name + text for name, text in shown]


def test_a_line_a_facet() -> None:
    """Aligned, with what is not shown at the end."""
    types = facet("type", ("article", 1200), ("book", 12), more=2)
    languages = facet("language", ("en", 80), missing=20)

    assert lines(types, languages, works=1234) == [
        "Facets of 1,234 works:",
        "  type      article 1,200 · book 12 · 2 more",
        "  language  en 80 · 20 without",
    ]


def test_a_facet_of_nothing() -> None:
    """It says so; and one work is one work."""
    assert lines(facet("type"), works=1) == ["Facets of 1 work:", "  type  no values"]


def test_a_list_with_filters_says_how_it_was_counted() -> None:
    """A facet looks past its own filter, so its counts may be more than the works of the list."""
    heading, *_ = facet_lines(Facets(3, ()), filtered=True)

    assert heading == ("", "Facets of 3 works, each counted without its own filter:")


def test_long_facets_wrap_between_values() -> None:
    """A value and its count stay together, below the first value."""
    venues = facet("venue", ("Journal of Islands", 3), ("Annals of Tides", 2), ("Reefs", 1))

    assert lines(venues, width=40)[1:] == [
        "  venue  Journal of Islands 3 ·",
        "         Annals of Tides 2 · Reefs 1",
    ]


def test_years_are_ranges() -> None:
    """As many years in each as are needed for few ranges; a few years stand by themselves."""
    many = facet("year", *((str(year), 2) for year in range(2024, 1974, -1)))
    few = facet("year", ("2024", 3), ("2021", 1), missing=4)

    assert year_ranges(many) == [
        ("2020-2029", 10),
        ("2010-2019", 20),
        ("2000-2009", 20),
        ("1990-1999", 20),
        ("1980-1989", 20),
        ("1970-1979", 10),
    ]
    assert lines(few)[1:] == ["  year  2024 3 · 2021 1 · 4 without"]


@given(st.dictionaries(st.integers(1, 9999), st.integers(1, 1000), max_size=300))
def test_ranges_hold_every_work(years: dict[int, int]) -> None:
    """There are few, they do not overlap, and their counts add up."""
    found = year_ranges(facet("year", *((str(year), count) for year, count in years.items())))

    assert sum(count for _, count in found) == sum(years.values())
    assert len(found) <= MOST_RANGES + 2
    first = [int(label.partition("-")[0]) for label, _ in found]
    assert first == sorted(first, reverse=True)
    assert len(set(first)) == len(first)


def test_bars_where_there_is_room() -> None:
    """The longest range has the longest bar, and every range has some; no bars in few columns."""
    years = facet("year", ("2024", 80), ("2023", 40), ("2022", 1), missing=2)

    assert lines(years, bars=True)[1:] == [
        f"  year  2024 {'#' * 40} 80",
        f"        2023 {'#' * 20} 40",
        "        2022 # 1",
        "        2 without",
    ]
    assert lines(years, bars=True, width=59)[1:] == [
        "  year  2024 80 · 2023 40 · 2022 1 · 2 without"
    ]


@pytest.mark.parametrize("width", [24, 60, 80])
@properties
@given(hits=st.lists(hostile_hits(), max_size=3), bars=st.booleans())
def test_lines_keep_to_the_width_and_hold_no_control_characters(
    width: int, hits: list[Hit], bars: bool
) -> None:
    """Whatever upstream calls a venue, an author or a subject."""
    for name, text in facet_lines(FacetCounts(FACETS).count(hits), width, bars=bars):
        if name:
            assert wcswidth(name + text) <= width
        assert not {c for c in text if unicodedata.category(c) in ("Cc", "Cs")}
        assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
