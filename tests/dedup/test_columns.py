"""Titles that return in one journal name a column, and join nothing by themselves."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.record import Record
from tests.cases import each
from tests.dedup.records import record

COLUMN: dict[str, Any] = {
    "title": "Letters from the tidal flats and marshes",
    "authors": ["Okafor, Chidi"],
    "venue": "Coastal Naturalist",
}


def works(rows: list[Record]) -> set[frozenset[str]]:
    """The partition of the records, by their keys."""
    stage = OnlineDedup(DEFAULT)
    for row in rows:
        stage.insert(row)
    return {frozenset(rows[number].key for number in numbers) for numbers in stage.clusters()}


def volumes(*years: int, **values: Any) -> list[Record]:
    """The same title in a volume of each year, with its place."""
    return [
        record(
            "a",
            year,
            **{
                **COLUMN,
                "year": year,
                "volume": str(year - 1990),
                "pages": f"{year - 1980}-34",
                **values,
            },
        )
        for year in years
    ]


def sparse(source: str, year: int, number: int = 0, **values: Any) -> Record:
    """The same title in a year, and no more said of its place."""
    return record(source, number or year, **{**COLUMN, "year": year, **values})


def test_a_title_of_three_years_and_volumes_is_that_of_a_column() -> None:
    """Once it has recurred, two records of one year are two works, unless they say that they stand
    in one place."""
    two = [sparse("b", 2003), sparse("c", 2003)]

    assert {"b:2003", "c:2003"} in works([*volumes(1993, 1996), *two])
    assert {"b:2003"} in works([*volumes(1993, 1996, 1999), *two])
    assert {"c:2003"} in works([*volumes(1993, 1996, 1999), *two])


def test_a_column_of_one_place_is_one_work() -> None:
    """Two databases that give the same volume and pages mean one instalment."""
    again = record("b", 2002, **{**COLUMN, "year": 2002, "volume": "12", "pages": "22-34"})

    assert {"a:2002", "b:2002"} in works([*volumes(2001, 2002, 2003), again])


def test_an_identifier_still_joins_a_column() -> None:
    """A DOI names the instalment, whatever its title."""
    two = [sparse("b", 2003, doi="10.5555/cn.1"), sparse("c", 2003, doi="10.5555/cn.1")]

    assert {"b:2003", "c:2003"} in works([*volumes(1993, 1996, 1999), *two])


def test_a_work_cited_with_wrong_years_is_no_column() -> None:
    """It stands in one volume, whatever the year."""
    cited = volumes(2001, 2002, 2003, volume="11", pages="22-34")
    two = [sparse("b", 2002), sparse("c", 2002)]

    assert any({"b:2002", "c:2002"} <= work for work in works([*cited, *two]))


def test_volumes_and_pages_are_not_added_up() -> None:
    """Two volumes and the page of a record without one are not three places."""
    rows = [*volumes(1993, 1996), *volumes(1999, volume=None)]

    assert {"b:2003", "c:2003"} in works([*rows, sparse("b", 2003), sparse("c", 2003)])


def test_a_title_in_three_journals_is_no_column() -> None:
    """It recurs in one venue, not anywhere: three journals may each print a statement."""
    elsewhere = [
        record("a", year, **{**COLUMN, "year": year, "volume": str(year), "venue": venue})
        for year, venue in (
            (1998, "Shore Birds"),
            (2006, "Estuary Letters"),
            (2010, "Journal of Marsh Ecology"),
        )
    ]

    assert {"b:2003", "c:2003"} in works([*elsewhere, sparse("b", 2003), sparse("c", 2003)])


def test_unsigned_titles_of_three_years_are_a_column() -> None:
    """Where neither volume nor page is said, nobody in the author's place tells a column from a
    work cited wrongly."""
    years = [sparse("a", year, authors=[]) for year in (2001, 2002, 2003)]

    assert len(works(years)) == 3
    assert len(works([sparse("a", year) for year in (2001, 2002, 2003)])) < 3


@given(st.data(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(data: st.DataObject, rng: random.Random) -> None:
    """A column that is found last is one for the records that came first, also where they were
    joined already."""
    rows = [
        record(
            data.draw(st.sampled_from("abc")),
            number,
            **{
                **COLUMN,
                "year": data.draw(st.sampled_from([2001, 2002, 2003, None])),
                "volume": data.draw(st.sampled_from(["11", "12", "13", None])),
                "issue": data.draw(st.sampled_from(["1", "2", None])),
                "venue": data.draw(st.sampled_from(["Coastal Naturalist", "Coastal Nat.", None])),
                "doi": data.draw(st.sampled_from(["10.5555/cn.1", None, None])),
            },
        )
        for number in range(data.draw(st.integers(3, 9)))
    ]
    shuffled = rows[:]
    rng.shuffle(shuffled)

    assert works(shuffled) == works(rows)


def test_a_stream_tells_that_a_hit_is_divided() -> None:
    """A hit of two records falls apart when the third volume shows that its title is that of a
    column."""
    stage = OnlineDedup(DEFAULT)
    for row in (*volumes(1993, 1996), sparse("b", 2003), sparse("c", 2003)):
        stage.add(row)
    assert stage.counts.duplicates == 1

    told = stage.add(volumes(1999)[0])

    assert stage.counts.duplicates == 0
    assert {r.key for change in told for r in change.hit.records} >= {"b:2003", "c:2003"}


@each("recurs", [True, False])
def test_copies_of_a_column_are_judged_as_it_is(recurs: bool) -> None:
    """Records that say the same in every field are put beside one another early, and parted where
    the title recurs."""
    copies = [sparse("b", 2003, number) for number in range(1, 41)]
    found = works([*volumes(1993, 1996, *([1999] if recurs else [])), *copies])

    assert len([work for work in found if any(key.startswith("b:") for key in work)]) == (
        40 if recurs else 1
    )
