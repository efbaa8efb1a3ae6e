"""Other orders of a list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine.facets import SORTS, Sort, sort_hits
from metasearch.engine.rank import rank
from metasearch.record import Hit
from tests.cases import each
from tests.engine.hits import hits, single


@each(
    ("sort", "titles"),
    [
        ("relevance", "ABCDE"),
        ("date", "CBADE"),
        ("-date", "ABCDE"),
        ("title", "ABCDE"),
        ("citations", "DBACE"),
        ("first-seen", "EDCBA"),
    ],
)
def test_what_each_order_is(sort: Sort, titles: str) -> None:
    """Hits that lack the value come last, equal ones in the order of relevance."""
    works = [
        single(1, title="A", year=2001, citations=0),
        single(2, title="B", year=2020, citations=7),
        single(3, title="C", year=2020, date="2020-05"),
        single(4, title="D", citations=90),
        single(5, title="E"),
    ]
    arrival = {r.key: 10 - n for n, work in enumerate(works) for r in work.records}

    assert "".join(h.record.title for h in sort_hits(works, sort, arrival)) == titles


def test_a_title_is_sorted_without_its_article() -> None:
    """As library catalogues do."""
    works = [single(1, title="The zebra"), single(2, title="An apple"), single(3, title="Moon")]

    assert [h.record.title for h in sort_hits(works, "title", {})] == [
        "An apple",
        "Moon",
        "The zebra",
    ]


@given(hits(), st.sampled_from(SORTS))
def test_nothing_is_lost_and_sorting_again_changes_nothing(works: list[Hit], sort: Sort) -> None:
    """Every order is total over the same hits."""
    ranked = rank(works)
    arrival = {r.key: n for n, work in enumerate(works) for r in work.records}
    once = sort_hits(ranked, sort, arrival)

    assert sorted(h.id for h in once) == sorted(h.id for h in works)
    assert sort_hits(once, sort, arrival) == once
