"""Each work stands in a basket once, whatever its searches have called it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from metasearch.record import Hit
from metasearch.server.pages.basket import distinct
from tests.growth import MOST, growth
from tests.server.fake import hit, record


def work(name: str, *keys: int) -> Hit:
    """A hit with records of these numbers."""
    return replace(hit(), id=name, records=tuple(record(position=key) for key in keys))


def named(*hits: Hit) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.hit.id, tuple(each.ids)) for each in distinct(hits)]


def test_works_without_a_common_record_stay_apart():
    assert named(work("a", 1), work("b", 2)) == [("a", ("a",)), ("b", ("b",))]
    assert named() == []


def test_works_with_a_common_record_are_one():
    """The one with more records, at the place of the first."""
    hits = work("a", 1), work("b", 2), work("c", 1, 3)

    assert named(*hits) == [("c", ("a", "c")), ("b", ("b",))]
    assert named(*reversed(hits)) == [("c", ("c", "a")), ("b", ("b",))]


def test_a_work_that_joins_two_others():
    """And one more that shares a record with any of them."""
    hits = work("a", 1), work("b", 2), work("x", 9), work("c", 1, 2), work("d", 2, 3, 4)

    assert named(*hits) == [("d", ("a", "b", "c", "d")), ("x", ("x",))]


def test_one_id_twice():
    assert named(work("a", 1), work("a", 2, 3)) == [("a", ("a",))]


@pytest.mark.slow
def test_time_is_linear_in_the_records():
    """Also where all are one work, and where none is."""

    def apart(size: int) -> list[Hit]:
        return [work(f"h{each}", *range(each * 10, each * 10 + 10)) for each in range(size)]

    def chained(size: int) -> list[Hit]:
        return [work(f"h{each}", each, each + 1) for each in range(size)]

    assert growth(lambda size: partial(distinct, apart(size)), 100) < MOST
    assert growth(lambda size: partial(distinct, chained(size)), 100) < MOST
