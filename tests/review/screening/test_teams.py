"""Which stages a team screens."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log
from metasearch.review.screening import teams
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from tests.review.screening.screened import Screened


def test_a_team_has_two_votes_and_is_blind_by_itself(db: Database, screened: Screened) -> None:
    """The log says how it began; the other stage has none."""
    team = teams.team(screened.project, "title")
    assert team is not None
    assert (team.needed, team.blind, team.screeners) == (2, True, ("ann", "bob"))
    assert teams.team(screened.project, "fulltext") is None
    line = log.lines(db, screened.project.id, most=1)[0]
    assert (line.action, line.after["screeners"]) == ("begin team screening", ["ann", "bob"])


def test_who_screens_votes_and_who_does_not_decides(db: Database, screened: Screened) -> None:
    """A decision of anybody else is that of the project; the log names them all the same."""
    screened.vote("ann", "r")
    screened.vote("owner", ".e")
    assert (screened.decided(), screened.votes(0)) == (".e.", {"ann": "r"})
    assert log.lines(db, screened.project.id, most=1)[0].by == "owner"


def test_without_a_team_a_decision_of_anybody_is_that_of_the_project(db: Database) -> None:
    """Its row names nobody, and the next one replaces it."""
    held = Screened(db, screeners=())
    held.vote("ann", "rr")
    held.vote("bob", "e")
    assert held.decided() == "er."
    assert (held.votes(0), held.votes(1)) == ({}, {})


def test_the_other_stage_is_not_screened_by_the_team(db: Database, screened: Screened) -> None:
    """There a decision of a screener is that of the project."""
    screened.vote("ann", "r", "fulltext")
    assert screened.decided("fulltext") == "r.."


def test_what_cannot_be_a_team_is_refused(db: Database, screened: Screened) -> None:
    """Too few screeners or votes, the same stage twice, nobody to remove, no name."""
    project = screened.project
    for values, words in (
        ({"screeners": ["ann"]}, "more votes"),
        ({"screeners": ["ann", "ann"]}, "more votes"),
        ({"screeners": ["ann"], "needed": 0}, "1 to 5"),
        ({"screeners": list("abcdef"), "needed": 6}, "1 to 5"),
        ({"screeners": ["ann", ""]}, "cannot screen"),
        ({"screeners": ["ann", "a\nb"]}, "cannot screen"),
        ({"screeners": [f"u{n}" for n in range(51)]}, "at most 50"),
    ):
        with pytest.raises(UsageError, match=words):
            teams.begin(project, "fulltext", **values)
    with pytest.raises(UsageError, match="already"):
        teams.begin(project, "title", ["ann", "bob"])
    with pytest.raises(UsageError, match="no screener"):
        teams.change(project, "title", remove=["eve"])
    with pytest.raises(UsageError, match="more votes"):
        teams.change(project, "title", remove=["ann"])
    with pytest.raises(UsageError, match="No team"):
        teams.end(project, "fulltext")
    with pytest.raises(UsageError, match="no stage"):
        teams.begin(project, "all", ["ann", "bob"])  # type: ignore[arg-type]


def test_in_a_workspace_with_users_screeners_are_members_who_may_screen(db: Database) -> None:
    """A reader, a stranger and a disabled user cannot be one."""
    held = Screened(db, screeners=())
    with db.transaction():
        for number, role in enumerate(("screener", "owner", "reader", "editor")):
            user = db.run(
                "INSERT INTO user (uid, name, role, created, disabled)"
                " VALUES (?, ?, 'user', '', ?)",
                f"uid{number}",
                f"name{number}",
                number == 3,
            )
            db.run(
                "INSERT INTO member (project, user, role, added) VALUES (?, ?, ?, '')",
                held.project.id,
                user,
                role,
            )
    try:
        for wrong in ("uid2", "uid3", "uid9"):
            with pytest.raises(UsageError, match="cannot screen"):
                teams.begin(held.project, "title", ["uid0", wrong])
        assert teams.begin(held.project, "title", ["uid1", "uid0"]).screeners == (
            "uid0",
            "uid1",
        )
    finally:
        db.run("DELETE FROM user")


def test_the_votes_of_a_screener_who_leaves_count(db: Database, screened: Screened) -> None:
    """Who comes in their place votes on the rest."""
    screened.vote("ann", "re")
    teams.change(screened.project, "title", add=["cat"], remove=["ann"])
    screened.vote("bob", "r")
    screened.vote("cat", ".e")
    assert screened.decided() == "re."
    screened.vote("ann", "..r")  # now a decision of the project
    assert screened.decided() == "rer"


def test_decisions_follow_the_number_of_votes_that_are_needed(
    db: Database, screened: Screened
) -> None:
    """A third vote that is needed makes works undecided, and decided again without it."""
    screened.vote("ann", "re")
    screened.vote("bob", "rr")
    teams.change(screened.project, "title", add=["cat"], needed=3)
    assert screened.decided() == "..."
    teams.change(screened.project, "title", needed=2)
    assert screened.decided() == "r.."
    teams.change(screened.project, "title", needed=1)
    screened.vote("cat", "..e")
    assert screened.decided() == "r.e"


def test_when_it_ends_votes_stay_and_anybody_decides(db: Database, screened: Screened) -> None:
    """What they have decided stays; what was decided by hand stays when a team begins again."""
    screened.vote("ann", "rr")
    screened.vote("bob", "re")
    teams.end(screened.project, "title")
    assert (screened.decided(), screened.votes(1)) == ("r..", {"ann": "r", "bob": "e"})
    decisions.mark(screened.project.as_user("ann"), screened.uids[1:], "excluded")
    assert screened.decided() == "ree"
    teams.begin(screened.project, "title", ["ann", "bob"])
    assert screened.decided() == "ree"
    screened.vote("bob", ".r")
    assert screened.decided() == "rre"


def test_votes_that_were_seen_cannot_become_blind(db: Database) -> None:
    """Reports say of blind votes that they are independent."""
    held = Screened(db, blind=False)
    teams.change(held.project, "title", blind=True)
    teams.change(held.project, "title", blind=False)
    held.vote("ann", "r")
    with pytest.raises(UsageError, match="were seen"):
        teams.change(held.project, "title", blind=True)
    teams.end(held.project, "title")
    with pytest.raises(UsageError, match="were seen"):
        teams.begin(held.project, "title", ["ann", "bob"])
