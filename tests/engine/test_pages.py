"""Positions that hits keep, the lists that are remembered, and the pages of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine import pages as pages_module
from metasearch.engine.pages import (
    LAST_PLACE,
    MOST_BYTES,
    MOST_LISTS,
    Positions,
    PositionStore,
    sources_with_more,
    totals,
    window,
)
from metasearch.errors import TimedOut
from metasearch.events import Answer, Counts, NextPage, Paging, SourceReport
from metasearch.record import Hit, Record
from tests.cases import each


def hit(*ids: str) -> Hit:
    """The hit of these records."""
    records = tuple(Record(source="a", source_id=name) for name in sorted(ids))
    return Hit(id=min(ids), record=records[0], records=records, provenance={})


def settled(own: Positions, round_: int, *hits: Hit, least: int = 0) -> dict[int, str]:
    """Who sits where after a round; the new ones in the order given."""
    seated, fresh = own.seat(hits)
    own.settle(round_, seated, fresh, least)
    return {place: it.id for place, it in sorted(seated.items())}


def test_what_is_new_goes_to_the_end() -> None:
    """And who has a place keeps it, under whatever name, and wherever it is told."""
    own = Positions()

    assert settled(own, 0, hit("m"), hit("n")) == {0: "m", 1: "n"}
    assert settled(own, 1, hit("z"), hit("b", "n"), hit("m")) == {0: "m", 1: "b", 2: "z"}
    assert len(own) == 3
    assert (own.place_after(1), own.place_after(2)) == (2, 3)


def test_hits_that_join_stand_at_the_first_place() -> None:
    """The other one stays empty; if they part again, both have their own."""
    own = Positions()
    settled(own, 0, hit("a"), hit("b"), hit("c"))

    assert settled(own, 1, hit("c", "a"), hit("b")) == {0: "a", 1: "b"}
    assert settled(own, 2, hit("c"), hit("a"), hit("b"), hit("d")) == {
        0: "a",
        1: "b",
        2: "c",
        3: "d",
    }


def test_hits_that_part_give_one_more_at_the_end() -> None:
    """Which of them stays does not depend on the order in which they are told."""
    one, other = Positions(), Positions()
    for own in (one, other):
        settled(own, 0, hit("a", "b"), hit("c"))

    assert settled(one, 1, hit("a"), hit("b"), hit("c")) == settled(
        other, 1, hit("b"), hit("c"), hit("a")
    )
    assert settled(one, 1, hit("b"), hit("a")) == {0: "a", 2: "b"}


def test_a_round_may_hold_empty_places() -> None:
    """So many it has at least."""
    own = Positions()

    assert settled(own, 0, hit("a"), least=5) == {0: "a"}
    assert settled(own, 1, hit("a"), hit("b")) == {0: "a", 5: "b"}


def test_a_list_that_others_have_written_further() -> None:
    """Who is new in its first round stands behind all that is known; that is reached with its last
    round."""
    own = Positions()
    settled(own, 0, hit("a"))
    settled(own, 1, hit("a"), hit("b"))

    assert settled(own, 0, hit("a"), hit("new")) == {0: "a", 2: "new"}
    assert (own.place_after(1), own.place_after(2), len(own)) == (1, 3, 3)


def test_what_is_lacking() -> None:
    """A record that stood on the page and is in no hit now."""
    own = Positions()
    settled(own, 0, hit("a"), hit("b"), hit("c"))

    assert own.lacks(0, 2, [hit("a")])
    assert not own.lacks(0, 1, [hit("a")])
    assert not own.lacks(0, 2, [hit("a", "b")])


@given(
    st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.integers(0, 10_000)),
    st.lists(st.integers(0, 10_000)),
)
def test_a_packed_list_is_the_same(places: dict[int, int], edges: list[int]) -> None:
    """Twelve bytes a record at most, and a few more."""
    packed = Positions(places, edges).to_bytes()
    back = Positions.from_bytes(packed)

    assert (back._places, back._edges) == (places, edges)
    assert len(packed) <= 32 + 8 * len(edges) + 12 * len(places)


def test_places_that_follow_one_another_take_two_bytes_at_most() -> None:
    """As those of a list do; the hash of a record takes eight."""
    places = {number << 40: number // 2 for number in range(1_000)}

    assert len(Positions(places, [500]).to_bytes()) < 10 * len(places)


def test_a_list_begun_anew_replaces_the_one_that_was_known() -> None:
    """Unless it begins in the same way: then its further rounds are known still."""
    position_store = PositionStore()
    known, same, other = Positions(), Positions(), Positions()
    settled(known, 0, hit("a"), hit("b"))
    settled(known, 1, hit("a"), hit("b"), hit("c"))
    settled(same, 0, hit("a"), hit("b"))
    settled(other, 0, hit("b"), hit("a"))
    position_store.keep("search", known)

    position_store.begin("search", same)
    assert len(position_store.get("search") or Positions()) == 3
    position_store.begin("search", other)
    assert len(position_store.get("search") or Positions()) == 2
    assert position_store.get("another") is None


def test_what_is_remembered_is_bounded() -> None:
    """By lists and by bytes; the one that was not used for longest goes first."""
    position_store = PositionStore()
    small, large = Positions({1: 1}, [1]), Positions(dict.fromkeys(range(MOST_BYTES // 30), 1), [1])
    for number in range(MOST_LISTS):
        position_store.keep(number, small)
    assert position_store.get(0) is not None
    position_store.keep("one more", small)
    assert (len(position_store), position_store.get(1), position_store.get(0) is not None) == (
        MOST_LISTS,
        None,
        True,
    )

    for number in range(5):
        position_store.keep(("large", number), large)
    assert position_store.size == sum(map(len, position_store._lists.values())) <= MOST_BYTES
    assert position_store.get(("large", 4)) is not None
    position_store.keep("too large", Positions(dict.fromkeys(range(MOST_BYTES // 7), 1), [1]))
    assert (len(position_store), position_store.size) == (0, 0)


def test_no_query_is_kept() -> None:
    """What people search for is theirs."""
    position_store = PositionStore()
    position_store.keep(("a secret illness", ("crossref",)), Positions({1: 1}, [1]))

    assert b"illness" not in repr(position_store._lists).encode()
    assert pages_module.MOST_BYTES == 4 * 1024 * 1024


# pages


def whole(*places: int, known: int | None = None) -> Answer:
    """All hits of a list, which stand at these places, from 0; `known` is where it goes on."""
    hits = tuple(
        Hit(id=f"h{place}", record=Record(source="a"), records=(), provenance={}, rank=place + 1)
        for place in places
    )
    paging = Paging(next=None if known is None else NextPage(known))
    return Answer("q", True, Counts(len(hits), len(hits), 0), hits, (), paging=paging)


def page(answer: Answer, start: int, count: int | None) -> tuple[list[int], int | None]:
    """Places of a page, and where the next one starts."""
    cut = window(answer, start, count)
    assert (cut.paging.start, cut.paging.count) == (start, count)
    assert cut.paging.next is None or cut.paging.next.count == count
    return [hit.rank - 1 for hit in cut.hits], cut.paging.next.start if cut.paging.next else None


def test_a_page_and_where_the_next_one_starts() -> None:
    """Until the last one."""
    answer = whole(*range(5))

    assert page(answer, 0, 2) == ([0, 1], 2)
    assert page(answer, 2, 2) == ([2, 3], 4)
    assert page(answer, 4, 2) == ([4], None)
    assert page(answer, 9, 2) == ([], None)
    assert page(answer, 0, None) == ([0, 1, 2, 3, 4], None)


def test_where_a_list_goes_on() -> None:
    """The next page begins where this one ends, or where no more is known."""
    answer = whole(*range(5), known=5)

    assert page(answer, 0, 5) == ([0, 1, 2, 3, 4], 5)
    assert page(answer, 0, 9) == ([0, 1, 2, 3, 4], 5)
    assert page(answer, 0, None) == ([0, 1, 2, 3, 4], 5)


def test_pages_without_hits_are_passed_over() -> None:
    """By whole pages, so that who counts on stays in step."""
    assert page(whole(0, 1, 17), 0, 4) == ([0, 1], 16)
    assert page(whole(0, 1, known=20), 0, 4) == ([0, 1], 20)
    assert page(whole(0, 1, known=19), 0, 4) == ([0, 1], 16)


def test_what_lies_beyond_the_known_is_not_the_next_page() -> None:
    """Hits that others put at the end of the list come after what lies between."""
    assert page(whole(0, 1, 40, known=2), 0, 2) == ([0, 1], 2)
    assert page(whole(0, 1, 40, known=2), 0, None) == ([0, 1], 2)


@each(("count", "following"), [(20, 9_980), (21, None), (None, 9_980)])
def test_a_list_ends_at_its_last_place(count: int | None, following: int | None) -> None:
    """No page is offered that would reach beyond it."""
    assert page(whole(9_979, known=9_980), 9_960, count or None)[1] == (
        following if count != 21 else None
    )
    assert LAST_PLACE == 10_000


@given(st.sets(st.integers(0, 60)), st.integers(1, 9))
def test_pages_hold_every_hit_once(places: set[int], count: int) -> None:
    """Whatever is empty."""
    answer, found, start = whole(*sorted(places)), [], 0
    while start is not None:
        here, start = page(answer, start, count)
        found += here

    assert found == sorted(places)


# --------------------------------------------------------------------------- totals


def report(source: str, count: int, total: int | None = None, **fields: Any) -> SourceReport:
    """A source that has answered."""
    return SourceReport(source, "ok" if count else "empty", count=count, total=total, **fields)


def test_an_estimate_is_the_claims_in_the_share_that_is_distinct() -> None:
    """With its bounds and its basis."""
    it = totals(
        Counts(40, 30, 10), [report("a", 20, 100, more=True), report("b", 20, 300, more=True)]
    )

    assert (it.seen, it.least, it.most, it.estimate, it.reliable) == (30, 30, 400, 300, True)
    assert "30 of 40 records received are works of their own (75%)" in it.basis
    assert "400" in it.basis


def test_what_was_read_to_the_end_is_counted() -> None:
    """Then nothing is estimated."""
    it = totals(Counts(40, 30, 10), [report("a", 20, 20), report("b", 20)])

    assert (it.least, it.most, it.estimate, it.reliable) == (30, 40, 30, True)
    assert it.basis == "all 40 records that the sources have were received"


def test_a_source_that_claims_nothing_counts_with_what_it_gave() -> None:
    """There is no upper bound then, and it is said why."""
    it = totals(Counts(40, 40, 0), [report("a", 20, 100, more=True), report("b", 20, more=True)])

    assert (it.most, it.estimate, it.reliable) == (None, 120, False)
    assert "b counted with what was given" in it.basis


def test_a_source_that_gives_less_than_it_claims() -> None:
    """Its window is smaller than what it has; its claim counts all the same."""
    assert totals(Counts(20, 20, 0), [report("a", 20, 5_000)]).most == 5_000
    assert totals(Counts(20, 20, 0), [report("a", 20, 7)]).most == 20


def test_what_was_filtered_here_cuts_the_claim() -> None:
    """In the same share; the bound stays what the source claims."""
    it = totals(Counts(10, 10, 0), [report("a", 10, 220, filtered=10, more=True)])

    assert (it.most, it.estimate, it.reliable) == (220, 110, False)
    assert "a counted in the share of its records that fit the query" in it.basis
    assert totals(Counts(10, 10, 0), [report("a", 10, 20, filtered=10)]).estimate == 10


def test_a_source_that_failed() -> None:
    """What it had claimed by then counts; else nothing is known of it."""
    late = {"status": "timeout", "error": TimedOut("b", "too slow")}
    known = replace(report("b", 20, 100), **late)
    silent = replace(report("b", 0), **late)

    for it, most in ((totals(Counts(40, 40, 0), [report("a", 20, 20), known]), 120),
                     (totals(Counts(20, 20, 0), [report("a", 20, 20), silent]), None)):  # fmt: skip
        assert (it.most, it.reliable) == (most, False)
        assert "incomplete without b" in it.basis


def test_nothing_received() -> None:
    """Nothing found is a number; nothing received of what is claimed is none. Who was not asked
    does not count."""
    none = totals(Counts(), [report("a", 0, 0)])
    claimed = totals(Counts(), [report("a", 0, 50, filtered=20, more=True)])
    skipped = totals(
        Counts(1, 1, 0), [report("a", 1, 1), replace(report("b", 0), status="skipped")]
    )

    assert (none.estimate, none.most, none.reliable, none.basis) == (0, 0, True, "nothing found")
    assert (claimed.estimate, claimed.most, claimed.reliable) == (None, 50, False)
    assert (skipped.most, skipped.reliable) == (1, True)


@each(("passing", "offered"), [(3, ("a",)), (0, ("a",)), (4, ())])
def test_a_filtered_list_ends_where_no_more_works_pass(
    passing: int, offered: tuple[str, ...]
) -> None:
    """With three hits on the page: sources that hold records back are named where all that pass
    are shown, or none passes.
    """
    hits = tuple(
        Hit(id=str(n), record=Record(source="a"), records=(), provenance={}, rank=n)
        for n in range(1, min(3, passing) + 1)
    )
    counts, sources = Counts(9, 9, 0), (report("a", 9, more=True),)
    seen = replace(totals(counts, sources), seen=passing, least=passing, estimate=None)
    answer = Answer("q", True, counts, hits, sources, totals=seen, filter="oa:yes")

    assert sources_with_more(answer) == offered
    assert answer.expected == passing


@given(
    st.lists(
        st.tuples(
            st.integers(0, 50),
            st.none() | st.integers(0, 500),
            st.integers(0, 20),
            st.booleans(),
            st.booleans(),
        )
    ),
    st.floats(0, 1),
)
def test_the_estimate_lies_between_its_bounds(
    sources: list[tuple[int, int | None, int, bool, bool]], part: float
) -> None:
    """Whatever sources say."""
    reports = [
        SourceReport(
            "s",
            "timeout" if failed else "ok",
            count=count,
            total=total,
            filtered=filtered,
            more=more,
        )
        for count, total, filtered, more, failed in sources
    ]
    received = sum(it.count for it in reports)
    unique = max(min(1, received), round(received * part))
    it = totals(Counts(received, unique, received - unique), reports)

    assert it.least == it.seen == unique
    if it.estimate is not None:
        assert it.least <= it.estimate
        assert it.most is None or it.estimate <= it.most
