"""How far a stage is."""

from __future__ import annotations

from metasearch.review.screening import teams
from metasearch.review.screening.conflicts import progress
from metasearch.review.store.database import Database
from tests.review.screening.screened import Screened


def test_works_and_screeners_are_counted(db: Database) -> None:
    """By votes, decisions and conflicts; what the project has decided on waits for nobody."""
    held = Screened(db, works=6)
    held.vote("owner", ".....e")
    held.vote("ann", "rrr")
    held.vote("bob", "re.e")
    found = progress(held.project)["title"]
    assert (found.works, found.decided, found.conflicts) == (6, 2, 1)
    assert found.votes == {0: 1, 1: 2, 2: 2}
    assert [(one.by, one.done, one.left) for one in found.screeners] == [
        ("ann", 3, 2),
        ("bob", 3, 2),
    ]


def test_a_blind_screener_is_told_of_nobody_else(db: Database, screened: Screened) -> None:
    """Not even how many votes there are; the owner who does not screen is told."""
    before = progress(screened.project, "ann")
    screened.vote("bob", "re")
    assert progress(screened.project, "ann") == before
    assert progress(screened.project, "owner")["title"].votes == {0: 1, 1: 2}
    teams.change(screened.project, "title", blind=False)
    assert progress(screened.project, "ann")["title"].votes == {0: 1, 1: 2}


def test_the_whole_text_has_the_works_that_went_on(db: Database) -> None:
    """And a screener who has left keeps their line."""
    held = Screened(db)
    held.vote("ann", "rre")
    held.vote("bob", "rre")
    teams.begin(held.project, "fulltext", ["ann", "bob"])
    held.vote("ann", "e", "fulltext")
    teams.change(held.project, "fulltext", add=["cat"], remove=["ann"])
    found = progress(held.project)["fulltext"]
    assert (found.works, found.decided, found.votes) == (2, 0, {0: 1, 1: 1})
    assert [(one.by, one.done, one.left) for one in found.screeners] == [
        ("ann", 1, 0),
        ("bob", 0, 2),
        ("cat", 0, 2),
    ]
