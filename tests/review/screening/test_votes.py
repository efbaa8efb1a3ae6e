"""What follows from votes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.reports.numbers import numbers
from metasearch.review.screening import conflicts, teams, votes
from metasearch.review.screening.votes import Vote, consensus
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from metasearch.review.works import lists as listing
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.undo import undo, undoable
from tests.cases import each
from tests.examples import examples
from tests.review.screening.screened import VERDICTS, Screened
from tests.review.works import held


def test_a_work_is_decided_when_all_votes_are_there_and_agree(
    db: Database, screened: Screened
) -> None:
    """One vote decides nothing, different ones make a conflict; a vote that is changed settles it,
    and one that is taken back takes the decision with it.
    """
    screened.vote("ann", "ree")
    assert screened.decided() == "..."
    screened.vote("bob", "rre")
    assert screened.decided() == "r.e"
    assert conflicts.count(screened.project, "title") == 1
    screened.vote("bob", ".e")
    assert (screened.decided(), conflicts.count(screened.project, "title")) == ("ree", 0)
    screened.vote("ann", "-")
    assert screened.decided() == ".ee"


def test_relevant_and_close_agree_but_in_a_novelty_search(db: Database) -> None:
    """In a review both let a work go on; in a novelty search the report tells them apart."""
    for kind, decided in (("review", "rc."), ("plain", "rc."), ("novelty", ".c.")):
        held = Screened(db, kind)  # type: ignore[arg-type]
        held.vote("ann", "rc")
        held.vote("bob", "cc")
        assert held.decided() == decided, kind


def test_maybe_agrees_with_who_includes_and_not_with_who_excludes(db: Database) -> None:
    """Two who are not sure let a work through, and it stays maybe."""
    held = Screened(db)
    held.vote("ann", "mmm")
    held.vote("bob", "mre")
    assert held.decided() == "mr."
    assert conflicts.count(held.project, "title") == 1


def test_in_the_stage_of_the_whole_text_reasons_must_agree(db: Database) -> None:
    """Reports count them. Who gives none agrees with any; titles are excluded for several."""
    held = Screened(db)
    teams.begin(held.project, "fulltext", ["ann", "bob"])
    for stage, decided in (("title", "eee"), ("fulltext", "e.e")):
        held.vote("ann", "eee", stage, "age")  # type: ignore[arg-type]
        held.vote("bob", "e", stage, "age")  # type: ignore[arg-type]
        held.vote("bob", ".e", stage, "design")  # type: ignore[arg-type]
        held.vote("bob", "..e", stage)  # type: ignore[arg-type]
        assert held.decided(stage) == decided  # type: ignore[arg-type]
    reasons = [work.decisions["title"].reason for work in held.works()]
    assert reasons == ["age", "age; design", "age"]
    assert held.works()[2].decisions["fulltext"].reason == "age"


def test_a_work_takes_no_more_votes_than_it_needs(db: Database) -> None:
    """A third vote would not be independent; those who have voted may change theirs."""
    held = Screened(db, screeners=("ann", "bob", "cat"))
    held.vote("ann", "r")
    held.vote("bob", "e")
    with pytest.raises(UsageError, match="all the votes"):
        held.vote("cat", "r")
    held.vote("bob", "r")
    assert held.decided() == "r.."


def test_a_work_that_the_project_has_decided_on_takes_no_votes(
    db: Database, screened: Screened
) -> None:
    """And one with votes no decision but theirs: both would be lost silently."""
    screened.vote("owner", "r")
    with pytest.raises(UsageError, match="without votes"):
        screened.vote("ann", "e")
    screened.vote("ann", ".e")
    with pytest.raises(UsageError, match="have voted"):
        screened.vote("owner", ".r")
    screened.vote("owner", "-")
    screened.vote("ann", "e")
    assert (screened.decided(), screened.votes(0)) == ("...", {"ann": "e"})


def test_half_screened_works_and_conflicts_are_not_screened_in_reports(
    db: Database, screened: Screened
) -> None:
    """Numbers, filters, facets and the overview count what the project has decided alone."""
    screened.vote("ann", "ree")
    screened.vote("bob", "rr.")
    counted = numbers(screened.project)
    assert (counted.screened, counted.not_screened, counted.excluded) == (1, 2, 0)
    assert projects.overview_of(screened.project).undecided == 2
    assert listing.verdict_counts(screened.project) == {"undecided": 2, "relevant": 1}
    for verdict, count in (("undecided", 2), ("excluded", 0), ("decided", 1), ("conflict", 1)):
        query = WorksQuery(verdict=verdict)  # type: ignore[arg-type]
        assert len(listing.rows(screened.project, query)) == count, verdict
    page = listing.page(screened.project, WorksQuery())
    (facet,) = [one for one in page.facets if one.name == "verdict"]
    assert [(one.value, one.count) for one in facet.values] == [
        ("undecided", 2), ("relevant", 1), ("conflict", 1),
    ]  # fmt: skip


def test_a_screener_lists_their_own_votes(db: Database, screened: Screened) -> None:
    """What is undecided for them is what they can still vote on."""
    screened.vote("owner", "..e")
    screened.vote("ann", "r")

    def listed(voter: str, verdict: str) -> int:
        query = WorksQuery(verdict=verdict, voter=voter)  # type: ignore[arg-type]
        return len(listing.rows(screened.project, query))

    assert [listed("ann", one) for one in ("undecided", "decided", "relevant")] == [1, 1, 1]
    assert [listed("bob", one) for one in ("undecided", "decided", "relevant")] == [2, 0, 0]
    facets = listing.page(screened.project, WorksQuery(voter="ann")).facets
    assert [(v.value, v.count) for v in facets[0].values] == [("undecided", 1), ("relevant", 1)]


def test_in_the_stage_of_the_whole_text_only_what_went_on_is_screened(db: Database) -> None:
    """By the decision of the project on the title, and not by the votes."""
    held = Screened(db)
    teams.begin(held.project, "fulltext", ["ann", "bob"])
    held.vote("ann", "rr")
    held.vote("bob", "re")
    query = WorksQuery(verdict="undecided", stage="fulltext", voter="ann")
    assert listing.uids(held.project, query) == held.uids[:1]


def test_a_vote_is_undone_with_what_followed(db: Database, screened: Screened) -> None:
    """The undo of an undo votes again; the log has who."""
    screened.vote("ann", "r")
    (change,) = screened.vote("bob", "r")
    assert change.change is not None
    back = undo(screened.project.as_user("bob"), change.change)
    assert (screened.decided(), screened.votes(0)) == ("...", {"ann": "r"})
    undo(screened.project.as_user("bob"), back)
    assert screened.decided() == "r.."
    assert log.lines(db, screened.project.id, most=1)[0].by == "bob"


def test_nobody_undoes_the_vote_of_another(db: Database, screened: Screened) -> None:
    """Neither the owner nor the command line; it is not even offered."""
    (change,) = screened.vote("ann", "r")
    screened.vote("bob", "r")
    assert change.change is not None
    for other in ("bob", "owner", ""):
        with pytest.raises(UsageError, match="somebody else"):
            undo(screened.project.as_user(other), change.change)
    lines = log.lines(db, screened.project.id)
    assert change.change in undoable(screened.project.as_user("ann"), lines)
    assert change.change not in undoable(screened.project.as_user("bob"), lines)
    assert screened.votes(0) == {"ann": "r", "bob": "r"}


def test_who_has_left_undoes_no_vote(db: Database, screened: Screened) -> None:
    """Their votes stay and count."""
    (change,) = screened.vote("ann", "r")
    teams.change(screened.project, "title", add=["cat"], remove=["ann"])
    assert change.change is not None
    with pytest.raises(UsageError, match="any more"):
        undo(screened.project.as_user("ann"), change.change)


def test_imported_decisions_of_a_screener_are_votes(db: Database, screened: Screened) -> None:
    """Lines about works that take no vote of theirs are listed with the reason."""
    from metasearch.review.works.decisions_file import import_decisions

    screened.vote("owner", "..r")
    lines = "\n".join(f"{uid},1" for uid in screened.uids)
    done = import_decisions(
        screened.project.as_user("ann"), f"metasearch_id,included\n{lines}\n".encode(), "x.csv"
    )
    assert (done.changed, [one.line for one in done.not_imported]) == (2, [3])
    assert (screened.decided(), screened.votes(0)) == ("..r", {"ann": "r"})


@each("needed", [1, 2, 3])
def test_consensus_does_not_ask_for_the_order(needed: int) -> None:
    """Of any three votes, in any order, the same follows."""
    some = [
        Vote("a", "relevant", "", "1"),
        Vote("b", "close", "x", "2"),
        Vote("c", "relevant", "y", "3"),
    ]
    found = {consensus("review", "title", order, needed) for order in permutations(some)}
    assert found == {("relevant", "x; y")}
    assert consensus("novelty", "title", some, needed) is None


_ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob", "cat"]),
        st.integers(0, 1),
        st.sampled_from("rce-"),
        st.sampled_from(["", "x", "y"]),
    ),
    max_size=14,
)


@examples(2.0)
@given(acts=_ACTS, needed=st.integers(1, 3), kind=st.sampled_from(["review", "novelty"]))
def test_decisions_and_conflicts_are_a_function_of_the_standing_votes(
    db: Database, acts: list[tuple[str, int, str, str]], needed: int, kind: str
) -> None:
    """Whatever the order of votes and changes, and whatever was refused meanwhile."""
    held = Screened(db, kind, ("ann", "bob", "cat"), works=2, needed=needed)  # type: ignore[arg-type]
    for by, place, letter, reason in acts:
        verdict = VERDICTS[letter]
        with suppress(UsageError):
            decisions.mark(
                held.project.as_user(by), [held.uids[place]], verdict,
                reason=reason if verdict == "excluded" else "")  # fmt: skip
    rows = [work.id for work in held.works()]
    standing = votes.of_works(db, rows, "title")
    for work in held.works():
        there = standing.get(work.id, [])
        assert len(there) <= needed
        wanted = consensus(kind, "title", there, needed)
        decided = work.decisions.get("title")
        assert (decided and (decided.verdict, decided.reason)) == wanted
        is_conflict = len(there) == needed and wanted is None
        found = listing.uids(held.project, WorksQuery(verdict="conflict"))
        assert (work.uid in found) == is_conflict
    # The same votes, given once and in another order, lead to the same.
    again = Screened(db, kind, ("ann", "bob", "cat"), works=2, needed=needed)  # type: ignore[arg-type]
    for place, row in enumerate(rows):
        for vote in sorted(standing.get(row, []), key=lambda one: one.by, reverse=True):
            decisions.mark(
                again.project.as_user(vote.by),
                [again.uids[place]],
                vote.verdict,
                reason=vote.reason,
            )
    assert again.decided() == held.decided()


def test_votes_that_are_given_at_once_are_all_kept(tmp_path: Path) -> None:
    """Three processes would do as three connections: each work is decided, none by too many."""
    with held.workspace(tmp_path) as db:
        screened = Screened(db, screeners=("ann", "bob", "cat"), works=12)
        refused: list[str] = []

        def screens(by: str) -> None:
            with Database(db.path) as own:
                for uid in screened.uids:
                    try:
                        decisions.mark(screened.project.at(own, by), [uid], "relevant")
                    except UsageError:
                        refused.append(uid)

        with ThreadPoolExecutor(3) as pool:
            list(pool.map(screens, ("ann", "bob", "cat")))
        assert sorted(refused) == sorted(screened.uids)
        assert screened.decided() == "r" * 12
        assert all(len(screened.votes(place)) == 2 for place in range(12))
