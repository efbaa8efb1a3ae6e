"""Facets count merged works, exactly."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine.facets import FACETS, FacetCounts, facet_names, parse_filters
from metasearch.errors import UsageError
from metasearch.record import Hit
from tests.dedup.records import record
from tests.engine.hits import hit, hits, single


def counted(works: list[Hit], name: str, limit: int = 10) -> dict[str, int]:
    """Value -> count of one facet."""
    (facet,) = FacetCounts([name], limit).count(works).facets
    return {value.value: value.count for value in facet.values}


@given(hits(), st.randoms())
def test_counts_are_those_of_a_count_by_hand(works: list[Hit], chance: random.Random) -> None:
    """Each value's count is the number of works that its filter lets through, and a work without a
    value is counted as missing; the order of arrival has no effect.
    """
    facets = FacetCounts(FACETS, 500).count(works)
    shuffled = works[:]
    chance.shuffle(shuffled)

    assert FacetCounts(FACETS, 500).count(shuffled) == facets
    assert facets.works == len(works)
    for facet in facets.facets:
        assert facet.more == 0
        having = set()
        for value in facet.values:
            passing = [w.id for w in works if parse_filters(value.filter).passes()(w)]
            assert len(passing) == value.count > 0
            having.update(passing)
        assert facet.missing == len(works) - len(having)


def test_spellings_of_one_value_are_one_value() -> None:
    """The commonest spelling is shown."""
    works = [
        single(1, venue="Nature", language="eng"),
        single(2, venue="NATURE", language="en"),
        single(3, venue="Nature", language="English"),
    ]

    assert counted(works, "venue") == {"Nature": 3}
    assert counted(works, "language") == {"en": 3}


def test_a_work_with_several_values_counts_once_in_each() -> None:
    """Two keywords, one of them written twice."""
    works = [single(1, keywords=("Iron", "iron", "Lakes"))]

    assert counted(works, "subject") == {"Iron": 1, "Lakes": 1}


def test_only_counts_works_that_no_other_source_holds() -> None:
    """The facet for what a database alone contributes."""
    works = [hit(record("a", 1, title="T"), record("b", 1, title="T")), single(2, "b", title="U")]

    assert counted(works, "source") == {"a": 1, "b": 2}
    assert counted(works, "only") == {"b": 1}


def test_years_stand_in_their_order_and_all_of_them() -> None:
    """A histogram wants them so; the limit is for other facets."""
    works = [single(year, year=year) for year in (1990, 868, 2020, -50, 2001, -300, 79)]

    years = list(counted(works, "year", limit=1))
    assert years == ["2020", "2001", "1990", "868", "79", "-50", "-300"]


def test_what_is_not_shown_is_counted() -> None:
    """The most frequent values are shown, and how many more there are."""
    works = [single(n, venue=f"Journal {n % 3}") for n in range(7)]

    (facet,) = FacetCounts(["venue"], 1).count(works).facets

    assert [(v.value, v.count) for v in facet.values] == [("Journal 0", 3)]
    assert facet.more == 2


def test_names_are_checked() -> None:
    """An unknown name is refused with the list of names; "all" is all."""
    assert facet_names("year, type,year") == ("year", "type")
    assert facet_names("all") == tuple(FACETS)
    with pytest.raises(UsageError, match=r"no facet 'colour'.*source, only, type"):
        facet_names("colour")


@given(hits(), hits(), st.sampled_from(["", "type:article", "oa:yes,-language:en,year:2020-"]))
def test_a_list_that_grows_is_counted_as_one_that_was_there(
    first: list[Hit], later: list[Hit], text: str
) -> None:
    """Whatever was counted before: hits that changed or are gone leave nothing behind."""
    filters = parse_filters(text)
    counts = FacetCounts(FACETS, 3, filters.failures())
    counts.count(first)
    counts.add(later[:2])
    mixed = [*first[len(later) :], *later]

    assert counts.count(mixed) == FacetCounts(FACETS, 3, filters.failures()).count(mixed)
