"""`metasearch works conflicts|agreement`, and votes for a user by `works mark --by`."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.review.projects import members, projects
from metasearch.review.screening import teams
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json
from tests.review.screening.screened import Screened


@pytest.fixture
def uids(file: Path) -> list[str]:
    """The works of a review of which ann and bob screen the titles."""
    file.parent.mkdir()
    with Database(file) as db:
        held = Screened(db, screeners=())
        people = [
            accounts.create(db, name, role="user", origin="header", subject=name)
            for name in ("ann", "bob")
        ]
        for person in people:
            members.add(held.project, person, "screener")
        teams.begin(held.project, "title", [person.uid for person in people])
        assert projects.find(db, held.project.name)
        return held.uids


def test_votes_conflicts_and_agreement(run: Run, answered: Json, uids: list[str]) -> None:
    """A vote is given for a user, who is named in the tables."""
    assert run("works", "conflicts").code == 1
    assert run("works", "mark", "relevant", *uids[:2], "--by", "ann").code == 0
    assert run("works", "mark", "excluded", uids[0], "--by", "bob", "--reason", "rats").code == 0
    assert run("works", "mark", "relevant", uids[1], "--by", "bob").code == 0
    table = run("works", "conflicts").out
    assert uids[0] in table
    assert uids[1] not in table
    assert "rats" in table
    (one,) = answered("works", "conflicts")["conflicts"]
    assert [(vote["name"], vote["verdict"]) for vote in one["votes"]] in (
        [("ann", "relevant"), ("bob", "excluded")],
        [("bob", "excluded"), ("ann", "relevant")],
    )
    assert answered("works", "list", "--verdict", "relevant")["total"] == 1
    assert answered("works", "list", "--verdict", "conflict")["total"] == 1
    (stage,) = answered("works", "agreement")["stages"]
    assert (stage["works"], stage["agreed"], stage["pairs"][0]["kappa"]) == (2, 1, 0.0)
    assert "0.00" in run("works", "agreement").out


def test_a_decision_without_a_user_is_that_of_the_project(run: Run, uids: list[str]) -> None:
    """It is refused where screeners have voted; so is a user that there is not."""
    assert run("works", "mark", "relevant", uids[0], "--by", "ann").code == 0
    refused = run("works", "mark", "excluded", uids[0])
    assert refused.code == 2
    assert "screeners have voted on it" in refused.err
    assert run("works", "mark", "excluded", uids[1]).code == 0
    unknown = run("works", "mark", "relevant", uids[2], "--by", "eve")
    assert (unknown.code, "no user 'eve'" in unknown.err) == (2, True)


def test_without_a_team_there_is_no_agreement(run: Run) -> None:
    """Exit code 1, as for any list without an item."""
    run("project", "new", "plain")
    assert run("works", "agreement").code == 1
