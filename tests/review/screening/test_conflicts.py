"""Works whose votes differ, and who resolves them."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log
from metasearch.review.screening import conflicts, teams
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from metasearch.review.works.undo import undo
from tests.review.screening.screened import Screened


@pytest.fixture
def apart(screened: Screened) -> Screened:
    """Ann and bob differ on two works, and agree on one."""
    screened.vote("ann", "rer")
    screened.vote("bob", "eer", reason="rats")
    screened.vote("ann", "..c")
    screened.vote("bob", ".r.")
    return screened


def test_a_conflict_has_all_votes_with_their_reasons(db: Database, apart: Screened) -> None:
    """And what the screeners have noted for themselves; the list has pages."""
    decisions.set_note(apart.project.as_user("bob"), apart.uids[0], "rats only")
    found = conflicts.conflicts(apart.project, "title")
    assert (found.total, [one.work.uid for one in found.conflicts]) == (2, apart.uids[:2])
    first = found.conflicts[0]
    assert [(vote.by, vote.verdict, vote.reason) for vote in first.votes] == [
        ("ann", "relevant", ""),
        ("bob", "excluded", "rats"),
    ]
    assert first.notes == {"bob": "rats only"}
    second = conflicts.conflicts(apart.project, "title", start=1, count=1)
    assert (second.total, [one.work.uid for one in second.conflicts]) == (2, apart.uids[1:2])


def test_a_resolution_decides_and_its_reason_is_kept(db: Database, apart: Screened) -> None:
    """It is one line of the log, and can be taken back."""
    done = conflicts.resolve(
        apart.project.as_user("owner"), apart.uids[:2], "excluded", reason=" no\nhumans "
    )
    assert (done.works, apart.decided()) == (2, "eer")
    assert apart.works()[0].decisions["title"].reason == "no humans"
    line = log.lines(db, apart.project.id, most=1)[0]
    assert (line.action, line.by, line.id) == ("resolve conflicts", "owner", done.change)
    again = conflicts.resolve(apart.project, apart.uids[:1], "excluded", reason="no humans")
    assert (again.works, again.unchanged) == (0, 1)
    conflicts.resolve(apart.project, apart.uids[:1], None)
    assert apart.decided() == ".er"


def test_a_resolution_is_for_just_these_votes(db: Database, apart: Screened) -> None:
    """A vote that changes withdraws it; when the votes are again what they were it holds again."""
    conflicts.resolve(apart.project, apart.uids[:1], "excluded")
    (change,) = apart.vote("ann", "c")
    assert apart.decided()[0] == "."
    assert change.change is not None
    undo(apart.project.as_user("ann"), change.change)
    assert apart.decided()[0] == "e"
    apart.vote("bob", "r")
    assert apart.decided()[0] == "r"


def test_a_resolution_is_undone(db: Database, apart: Screened) -> None:
    """And done again; not where the votes have changed since."""
    done = conflicts.resolve(apart.project.as_user("owner"), apart.uids[:1], "excluded")
    assert done.change is not None
    back = undo(apart.project.as_user("owner"), done.change)
    assert apart.decided()[0] == "."
    again = undo(apart.project.as_user("owner"), back)
    assert apart.decided()[0] == "e"
    apart.vote("ann", "c")
    with pytest.raises(UsageError, match=r"changed since|not as change"):
        undo(apart.project.as_user("owner"), again)


def test_only_a_conflict_is_resolved(db: Database, apart: Screened) -> None:
    """Neither what is agreed on nor what is half screened, nor a stage without a team."""
    half = Screened(db)
    half.vote("ann", "r")
    for held, place in ((apart, 2), (half, 0), (half, 1)):
        with pytest.raises(UsageError, match="no conflict"):
            conflicts.resolve(held.project, [held.uids[place]], "relevant")
    with pytest.raises(UsageError, match="No team"):
        conflicts.resolve(apart.project, apart.uids[:1], "relevant", stage="fulltext")
    with pytest.raises(UsageError, match="verdict"):
        conflicts.resolve(apart.project, apart.uids[:1], "unavailable")


def test_a_screener_resolves_where_they_have_not_voted(db: Database, apart: Screened) -> None:
    """A third one does; those who differ do not, nor does a stranger."""
    for by in ("ann", "eve", ""):
        with pytest.raises(UsageError, match="another screener"):
            conflicts.resolve(apart.project.as_user(by), apart.uids[:1], "relevant", owner=False)
    teams.change(apart.project, "title", add=["cat"])
    conflicts.resolve(apart.project.as_user("cat"), apart.uids[:1], "relevant", owner=False)
    assert apart.decided()[0] == "r"
