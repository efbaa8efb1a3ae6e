"""Works that may be one: the same title, and kept apart by the rules."""

from __future__ import annotations

from metasearch.review.store.database import Database
from metasearch.review.works import duplicates, pins
from tests.review.works.held import Held, paper

TITLE = "Harms of gambling to concerned significant others"


def twins(db: Database) -> Held:
    """Two works of one title, whose DOIs differ; two with a short one; and another."""
    held = Held(db)
    held.add(
        paper("a", 1, TITLE, doi="10.5555/one", year=2010, author="Hing"),
        paper("b", 2, TITLE, doi="10.5555/two", year=2022, author="Browne"),
        paper("a", 3, "Editorial", doi="10.5555/three", year=2010, author="Hing"),
        paper("b", 4, "Editorial", doi="10.5555/four", year=2022, author="Browne"),
        paper("a", 5, "Whales of southern seas and their songs"),
    )
    assert len(held.works()) == 5
    return held


def test_works_of_one_title_are_a_pair(db: Database) -> None:
    """A title that many works have is none."""
    held = twins(db)
    total, pair = duplicates.pairs_from(held.project, 0)
    assert total == 1
    assert [work.title for work in pair] == [TITLE, TITLE]
    assert duplicates.pairs_from(held.project, 1) == (1, [])


def test_a_pair_that_somebody_keeps_apart_waits_no_more(db: Database) -> None:
    """It waits again where that is taken back."""
    held = twins(db)
    _, (one, other) = duplicates.pairs_from(held.project, 0)
    pins.pin(held.project, "different", one.uid, other.uid)
    assert duplicates.pairs(held.project) == []
    pins.unpin(held.project, pins.of(held.project)[0].id)
    assert len(duplicates.pairs(held.project)) == 1


def test_a_pair_that_is_joined_is_one_work(db: Database) -> None:
    held = twins(db)
    _, (one, other) = duplicates.pairs_from(held.project, 0)
    pins.pin(held.project, "same", one.uid, other.uid)
    assert duplicates.pairs(held.project) == []
    assert len(held.works()) == 4
