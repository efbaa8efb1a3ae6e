"""Votes follow works that are joined and divided."""

from __future__ import annotations

import pytest

from metasearch.review.projects import log
from metasearch.review.screening import conflicts
from metasearch.review.store.database import Database
from metasearch.review.works import pins
from tests.review.screening.screened import Screened


def join(held: Screened) -> None:
    """Join the first two works."""
    pins.pin(held.project, "same", *held.uids[:2])


def test_votes_of_two_screeners_on_two_works_make_a_decision(
    db: Database, screened: Screened
) -> None:
    """Each had one vote; when they are divided again each has it again."""
    screened.vote("ann", "r")
    screened.vote("bob", ".r")
    join(screened)
    assert (screened.decided(), screened.votes(0)) == ("r.", {"ann": "r", "bob": "r"})
    pins.unpin(screened.project, pins.of(screened.project)[0].id)
    assert screened.votes(1) == {"bob": "r"}


def test_of_two_votes_of_one_screener_the_newer_stands(db: Database, screened: Screened) -> None:
    """And a line of the log says what both were."""
    screened.vote("ann", "re")
    db.run("UPDATE decision SET at = '2026-01-01T00:00:00Z' WHERE verdict = 'excluded'")
    join(screened)
    assert screened.votes(0) == {"ann": "r"}
    (line,) = [one for one in log.lines(db, screened.project.id) if one.action == "join votes"]
    assert {kept[0] for kept in line.before["works"].values()} == {"relevant", "excluded"}
    assert [kept[0] for kept in line.after["works"].values()] == ["relevant"]


def test_decisions_by_votes_that_differ_are_a_conflict(db: Database, screened: Screened) -> None:
    """The decision of the kept work stands no more, for the votes lead to none."""
    screened.vote("ann", "re")
    screened.vote("bob", "r")
    db.run("UPDATE decision SET at = '2026-01-01T00:00:00Z' WHERE verdict = 'relevant'")
    join(screened)
    assert (screened.decided(), conflicts.count(screened.project, "title")) == ("..", 1)


def test_a_divided_work_has_its_votes_and_its_resolution_back(
    db: Database, screened: Screened
) -> None:
    """What was decided on it before it joined is decided again."""
    screened.vote("ann", "rr")
    screened.vote("bob", "re")
    conflicts.resolve(screened.project.as_user("owner"), screened.uids[1:2], "excluded")
    assert screened.decided() == "re."
    join(screened)
    pins.unpin(screened.project, pins.of(screened.project)[0].id)
    work = screened.work(screened.uids[1])
    assert work.decisions["title"].verdict == "excluded"


@pytest.mark.parametrize("order", ["re", "er"])
def test_a_decision_of_the_project_gives_way_to_votes(db: Database, order: str) -> None:
    """A work with votes is decided by them alone; the log has what was decided."""
    held = Screened(db)
    held.vote("owner", order[0])
    held.vote("ann", f".{order[1]}")
    join(held)
    assert (held.decided(), held.votes(0)) == ("..", {"ann": order[1]})
