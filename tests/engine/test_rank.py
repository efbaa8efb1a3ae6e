"""Ranking: every point has a reason, and the order is total."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup.fingerprint import fingerprint
from metasearch.dedup.merge import merge
from metasearch.engine.rank import K, rank
from metasearch.query.ast import Term
from metasearch.record import Hit, Record
from tests.dedup.records import record, records


def hit(*rows: Record) -> Hit:
    """The hit of these records."""
    return merge([(r.key, r, fingerprint(r)) for r in rows])


def test_more_sources_outvote_one() -> None:
    """Second in two sources beats first in one."""
    both = hit(record("a", 2, title="Both"), record("b", 2, title="Both"))
    single = hit(record("a", 1, title="Single"))

    assert [h.record.title for h in rank([single, both])] == ["Both", "Single"]


def test_the_score_is_the_sum_of_its_reasons() -> None:
    """Reciprocal ranks, weighted, one vote a source by its best position."""
    twice = hit(record("a", 3, title="T"), record("a", 9, title="T"), record("b", 1, title="T"))

    (ranked,) = rank([twice], weights={"b": 2.0})

    assert [(r.source, r.points) for r in ranked.reasons] == [
        ("a", round(1 / (K + 3), 9)),
        ("b", round(2 / (K + 1), 9)),
    ]
    assert ranked.score == round(sum(r.points for r in ranked.reasons), 9)


def test_a_title_that_holds_the_query_is_boosted() -> None:
    """Of two hits at one rank the one whose title holds the words comes first, and says why."""
    named = hit(record("b", 1, title="Phosphate sorption in lakes"))
    other = hit(record("a", 1, title="Iron in lakes"))

    first, second = rank([other, named], Term("phosphate sorption"))

    assert first.record.title == "Phosphate sorption in lakes"
    assert any("every word" in r.text for r in first.reasons)
    assert any("in order" in r.text for r in first.reasons)
    assert all(r.source for r in second.reasons)


@given(records(), st.randoms(use_true_random=False))
def test_the_order_is_total(rows: list[Record], rng: random.Random) -> None:
    """However the hits come in, they go out in one order, ranked from 1."""
    hits = [hit(r) for r in {r.key: r for r in rows}.values()]
    shuffled = hits[:]
    rng.shuffle(shuffled)

    assert rank(shuffled) == rank(hits)
    assert [h.rank for h in rank(hits)] == list(range(1, len(hits) + 1))
