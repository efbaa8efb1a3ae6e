"""How far screeners agree beyond chance."""

from __future__ import annotations

import math
from itertools import product

import pytest

from metasearch.review.screening import teams
from metasearch.review.screening.conflicts import agreement, cohen
from metasearch.review.store.database import Database
from metasearch.review.works.undo import undo
from tests.cases import each
from tests.review.screening.screened import Screened

#: Tables of counts: rows are the first rater's categories, columns the second's.
TABLES = (
    ((20, 5), (10, 15)),
    ((44, 5, 1), (7, 20, 3), (9, 5, 6)),
    ((1, 7), (6, 2)),
)


def pairs(table: tuple[tuple[int, ...], ...]) -> list[tuple[str, str]]:
    """What two raters have said, by a table of counts."""
    return [
        (str(a), str(b))
        for a, row in enumerate(table)
        for b, count in enumerate(row)
        for _ in range(count)
    ]


def test_kappa_of_a_known_table() -> None:
    """50 grants, 35 read alike, half of that by chance: (0.7 - 0.5) / (1 - 0.5)."""
    found = cohen(pairs(TABLES[0]))
    assert (found.n, found.agreed, found.observed, found.undefined) == (50, 35, 0.7, "")
    assert found.expected == pytest.approx(0.5)
    assert found.kappa == pytest.approx(0.4)


@each("table", TABLES)
def test_the_interval_is_that_of_the_delta_method(table: tuple[tuple[int, ...], ...]) -> None:
    """The published formula gives what the derivatives of kappa, taken numerically, give."""
    size = len(table)
    n = sum(map(sum, table))
    cells = list(product(range(size), range(size)))
    p = {(a, b): table[a][b] / n for a, b in cells}

    def kappa(p: dict[tuple[int, int], float]) -> float:
        whole = sum(p.values())
        p = {cell: value / whole for cell, value in p.items()}
        observed = sum(p[a, a] for a in range(size))
        expected = sum(
            sum(p[a, b] for b in range(size)) * sum(p[b, a] for b in range(size))
            for a in range(size)
        )
        return (observed - expected) / (1 - expected)

    step = 1e-6
    slope = {
        cell: (kappa(p | {cell: p[cell] + step}) - kappa(p | {cell: p[cell] - step})) / (2 * step)
        for cell in cells
    }
    mean = sum(p[cell] * slope[cell] for cell in cells)
    variance = (sum(p[cell] * slope[cell] ** 2 for cell in cells) - mean**2) / n
    found = cohen(pairs(table))
    assert found.kappa == pytest.approx(kappa(p))
    assert found.low is not None
    assert found.low == pytest.approx(max(-1, kappa(p) - 1.959964 * math.sqrt(variance)), abs=1e-6)


def test_where_kappa_is_undefined_it_is_told() -> None:
    """No works; or all of them in one category by both, which chance explains whole."""
    assert (cohen([]).kappa, cohen([]).undefined) == (None, "no works")
    same = cohen([("excluded", "excluded")] * 9)
    assert (same.kappa, same.observed, same.undefined) == (None, 1.0, "one category")
    one_sided = cohen([("a", "a"), ("b", "a")])
    assert (one_sided.kappa, one_sided.undefined) == (0.0, "")


def test_perfect_agreement_is_one() -> None:
    """Its interval has no width."""
    found = cohen([("a", "a")] * 3 + [("b", "b")] * 4)
    assert (found.kappa, found.low, found.high) == (1.0, 1.0, 1.0)


def test_works_that_lack_votes_do_not_count(db: Database, screened: Screened) -> None:
    """A kappa of them would tell one screener of the votes of the other."""
    screened.vote("ann", "ree")
    screened.vote("bob", "re")
    found = agreement(screened.project)["title"]
    assert (found.works, found.agreed, found.blind, found.needed) == (2, 2, True, 2)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.kappa.n, pair.kappa.kappa) == ("ann", "bob", 2, 1.0)


def test_relevant_and_close_are_one_category_of_a_review(db: Database) -> None:
    """As they are one for what the votes decide."""
    for kind, agreed in (("review", 3), ("novelty", 2)):
        held = Screened(db, kind)  # type: ignore[arg-type]
        held.vote("ann", "cre")
        held.vote("bob", "rre")
        assert agreement(held.project)["title"].pairs[0].kappa.agreed == agreed


def test_votes_count_as_they_were_before_others_were_seen(db: Database, screened: Screened) -> None:
    """A vote that is changed afterwards settles a conflict; it makes no agreement of it."""
    screened.vote("ann", "rrc")
    screened.vote("ann", "e")  # nobody has seen anything yet
    screened.vote("bob", "eer")
    screened.vote("bob", ".r")
    (change,) = screened.vote("bob", "..e")
    assert screened.decided() == "er."
    found = agreement(screened.project)["title"]
    assert (found.works, found.agreed) == (3, 2)
    assert change.change is not None
    undo(screened.project.as_user("bob"), change.change)
    assert agreement(screened.project)["title"].agreed == 2


def test_more_than_two_screeners_make_a_table_of_pairs(db: Database) -> None:
    """Each pair has the works that both have voted on; also when the stage has ended."""
    held = Screened(db, screeners=("ann", "bob", "cat"))
    held.vote("ann", "re")
    held.vote("bob", "r.e")
    held.vote("cat", ".er")
    teams.end(held.project, "title")
    found = agreement(held.project)["title"]
    assert [(one.first, one.second, one.kappa.n, one.kappa.agreed) for one in found.pairs] == [
        ("ann", "bob", 1, 1),
        ("ann", "cat", 1, 1),
        ("bob", "cat", 1, 0),
    ]
