"""How many works were missed: published figures, simulations, and when nothing is said."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from metasearch.review.reports.estimate import Overlap, chao, chapman, estimate, interval, overlap
from metasearch.review.store.database import Database
from tests.review.filled import Filled


def test_chao_as_published():
    """The spiders of Sackett and others in the paper of Chao and others (2014) and in their
    program: species, standard error and interval.
    """
    for found, once, twice, occasions, published in (
        (26, 12, 4, 168, (43.893, 14.306, 30.511, 96.971)),
        (37, 14, 4, 252, (61.403, 18.532, 43.502, 128.583)),
    ):
        total, variance = chao(found, once, twice, occasions)
        values = (total, variance**0.5, *interval(found, total, variance))
        assert values == pytest.approx(published, abs=0.001)


def test_chao_where_nothing_was_seen_twice():
    """The form without bias: f1 (f1 - 1) / 2 more; nothing where one alone was seen once."""
    total, variance = chao(10, 5, 0, 10**9)
    assert total == pytest.approx(20)
    assert variance == pytest.approx(5 * 4 / 2 + 5 * 81 / 4 - 625 / 80)
    assert chao(10, 1, 0, 4)[0] == 10
    assert chao(10, 0, 0, 4) == (10, 0)


def test_chapman_as_published():
    """The textbook example: 10 marked, 15 caught, 5 of them marked: 28.3 animals, SE 5.9."""
    total, variance = chapman(10, 15, 5)
    assert total == pytest.approx(28.33, abs=0.01)
    assert variance**0.5 == pytest.approx(5.91, abs=0.01)


def lists(rng: random.Random, chances: list[float], works: list[float]) -> Overlap:
    """What databases find that know a work by these chances, more of it if it is well known."""
    counts: dict[int, int] = {}
    sizes = dict.fromkeys(map(str, range(len(chances))), 0)
    for known in works:
        found = [n for n, chance in enumerate(chances) if rng.random() < chance * known]
        for n in found:
            sizes[str(n)] += 1
        if found:
            counts[len(found)] = counts.get(len(found), 0) + 1
    return Overlap(databases=sizes, counts=counts)


def test_the_interval_holds_the_truth_where_the_assumptions_do():
    """With independent databases and works alike, 95 % intervals hold 400 works nearly always."""
    rng = random.Random(1)
    for chances in ([0.5, 0.4], [0.4, 0.4, 0.4, 0.4]):
        held = 0
        for _ in range(100):
            guessed = estimate(lists(rng, chances, [1.0] * 400))
            assert guessed is not None
            held += guessed.low <= 400 <= guessed.high
        assert held >= 88


def test_it_is_a_lower_bound_where_works_are_unlike():
    """Works that all databases know badly are missed by the estimate, too: it says too little."""
    rng = random.Random(2)
    works = [1.0] * 200 + [0.2] * 200
    totals = []
    for _ in range(50):
        guessed = estimate(lists(rng, [0.5, 0.5, 0.4, 0.4, 0.3], works))
        assert guessed is not None
        assert guessed.found <= guessed.low <= guessed.total <= guessed.high
        totals.append(guessed.total)
    assert 300 < sum(totals) / 50 < 400


def test_nothing_is_said_without_ground():
    """One database, or databases that share hardly a work, allow no estimate."""
    assert estimate(Overlap(databases={"a": 9}, counts={1: 9})) is None
    assert estimate(Overlap(databases={}, counts={})) is None
    assert estimate(Overlap(databases={"a": 9, "b": 9}, counts={1: 14, 2: 2})) is None
    guessed = estimate(Overlap(databases={"a": 9, "b": 9}, counts={1: 12, 2: 3}))
    assert guessed is not None
    assert (guessed.method, guessed.found) == ("chapman", 15)
    assert guessed.number_missed == pytest.approx(9)


def test_where_every_work_was_found_twice_nothing_seems_missed():
    """Two databases with the same works: the estimate is what was found."""
    guessed = estimate(Overlap(databases={"a": 9, "b": 9}, counts={2: 9}))
    assert guessed is not None
    assert (guessed.total, guessed.low, guessed.high, guessed.share) == (9, 9, 9, 1)


def test_the_overlap_is_that_of_databases_that_answered(tmp_path: Path):
    """A source that failed was no occasion; other files are none; an empty one is."""
    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db)
        run, step = filled.run(), filled.step()
        works = filled.found({"a": [1, 2, 3], "b": [2, 3, 4]}, run=run, step=step)
        filled.answer(run, step, "failed", status="error")
        filled.answer(run, step, "none", status="empty")
        filled.answer(run, step, "mail", ["9"], place="other")
        filled.work(run, "mail:9")
        found = overlap(filled.project)
        assert found.databases == {"a": 3, "b": 3, "none": 0}
        assert found.counts == {1: 2, 2: 2}
        filled.decide(works[0], "title", "relevant")
        filled.decide(works[1], "title", "relevant")
        filled.decide(works[1], "fulltext", "excluded")
        assert overlap(filled.project, included=True).counts == {1: 1}
