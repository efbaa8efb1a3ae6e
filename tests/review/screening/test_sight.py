"""In a blind stage nobody sees a vote of another before the work has all of them: each way in which
one could be told is tried.
"""

from __future__ import annotations

import orjson
import pytest

from metasearch.errors import UsageError
from metasearch.review import objects
from metasearch.review.projects import log, projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports import prisma_flow, prisma_s
from metasearch.review.screening import conflicts, sight, teams
from metasearch.review.screening import conflicts as agreement
from metasearch.review.screening import conflicts as progress
from metasearch.review.store.database import Database
from metasearch.review.works import decisions, lists, pins, works
from metasearch.review.works.decisions import reasons
from metasearch.review.works.export import EXPORTS, export
from metasearch.review.works.lists import SORTS, STANDINGS, WorksQuery
from metasearch.review.works.undo import undo, undoable
from tests import cases
from tests.review.screening.screened import Screened

SECRET = "a reason of ann's alone"


def everything(db: Database, project: Project, reader: str) -> bytes:
    """All that a screener is shown of a project, as far as it does not depend on the time."""
    lines = sight.lines(project, reader)
    pages = [
        lists.page(project, WorksQuery(verdict=verdict, sort=sort, stage=stage), reader=reader)
        for verdict in STANDINGS
        for sort in SORTS[:2]
        for stage in ("title", "fulltext")
    ]
    own = [
        lists.page(project, WorksQuery(verdict=one, voter=reader), reader=reader)
        for one in STANDINGS
    ]
    every = [works.find(project, uid, reader) for uid in lists.uids(project, WorksQuery())]
    shown = {
        "log": [objects.change(line) for line in lines],
        "undo": sorted(undoable(project.as_user(reader), lines)),
        "pages": [objects.works_page(page) for page in (*pages, *own)],
        "works": [objects.work(work, works.findings_of(db, work), ()) for work in every],
        "counts": lists.verdict_counts(project),
        "overview": projects.overview_of(project).works - projects.overview_of(project).undecided,
        "reasons": reasons(project, "title", reader),
        "progress": repr(progress.progress(project, reader)),
        "agreement": repr(agreement.agreement(project)),
        "conflicts": repr(conflicts.conflicts(project, "title")),
        "reports": [
            repr((made.blocks, made.draft))
            for made in (prisma_flow.document(project), prisma_s.document(project))
        ],
        "exports": [
            b"".join(export(project, WorksQuery(), name)).decode()
            for name in EXPORTS
            if name in ("asreview", "rayyan", "ris", "csv", "ndjson")
        ],
    }
    return orjson.dumps(shown)


def test_nothing_that_a_screener_is_shown_depends_on_a_vote_of_another(
    db: Database, screened: Screened
) -> None:
    """Votes, reasons, notes, counts, filters, facets, the log, undo, exports, reports, progress."""
    screened.vote("bob", "r")
    before = everything(db, screened.project, "bob")
    screened.vote("ann", ".ee", reason=SECRET)
    decisions.set_note(screened.project.as_user("ann"), screened.uids[1], SECRET)
    assert everything(db, screened.project, "bob") == before
    assert SECRET.encode() in everything(db, screened.project, "ann")


def test_what_a_work_has_of_votes_is_seen_when_it_has_all(db: Database, screened: Screened) -> None:
    """Then its line of the log is there; a line about two works waits for both."""
    decisions.mark(screened.project.as_user("ann"), screened.uids[:2], "excluded", reason=SECRET)

    def votes_of_ann() -> int:
        lines = sight.lines(screened.project, "bob")
        return sum((line.by, line.action) == ("ann", "mark works") for line in lines)

    screened.vote("bob", "r")
    (conflict,) = conflicts.conflicts(screened.project, "title").conflicts
    assert (conflict.votes[0].reason, votes_of_ann()) == (SECRET, 0)
    screened.vote("bob", ".r")
    assert votes_of_ann() == 1


def test_what_is_not_blind_is_seen(db: Database) -> None:
    """The lines of the log at once."""
    held = Screened(db, blind=False)
    held.vote("ann", "e", reason=SECRET)
    assert SECRET.encode() in everything(db, held.project, "bob")


def test_the_end_of_a_stage_opens_no_votes(db: Database, screened: Screened) -> None:
    """Else one could end it, look, and begin again."""
    screened.vote("ann", "e", reason=SECRET)
    teams.end(screened.project, "title")
    assert SECRET.encode() not in everything(db, screened.project, "bob")


def test_the_command_line_reads_the_file_and_is_shown_all(db: Database, screened: Screened) -> None:
    """Somebody without a user is not."""
    screened.vote("ann", "e")
    assert sight.lines(screened.project, None)[0].by == "ann"
    assert sight.lines(screened.project, "")[0].by == ""


def test_an_undo_tells_nothing_of_the_vote_of_another(db: Database, screened: Screened) -> None:
    """A vote that must not be seen is no change that there is."""
    (own,) = screened.vote("bob", "r")
    screened.vote("bob", "e")
    (other,) = screened.vote("ann", ".e")
    assert own.change is not None
    assert other.change is not None
    with pytest.raises(UsageError, match="has no change"):
        undo(screened.project.as_user("bob"), other.change)
    screened.vote("ann", "e")
    screened.vote("ann", "-")
    with pytest.raises(UsageError, match="was changed since") as caught:
        undo(screened.project.as_user("bob"), own.change)
    assert f"change {own.change + 1}," in str(caught.value)


def test_an_archive_is_not_for_who_must_not_see_what_it_holds(
    db: Database, screened: Screened
) -> None:
    """The owner who does not screen gets it; so does everybody when all votes are there."""
    sight.check_archive(screened.project, "bob")
    screened.vote("ann", "r")
    with pytest.raises(UsageError, match="must not see"):
        sight.check_archive(screened.project, "bob")
    sight.check_archive(screened.project, "owner")
    screened.vote("bob", "r")
    sight.check_archive(screened.project, "bob")


def test_works_that_are_joined_tell_nothing_of_votes(db: Database, screened: Screened) -> None:
    """Neither the line about them nor a tag; the screener is told of their two votes."""
    screened.vote("ann", "re", reason=SECRET)
    db.run("UPDATE decision SET at = '2026-01-01T00:00:00Z' WHERE verdict = 'relevant'")
    done = pins.pin(screened.project.as_user("bob"), "same", *screened.uids[:2])
    assert (done.conflicts, screened.works()[0].tags) == ([], ())
    assert SECRET.encode() not in everything(db, screened.project, "bob")
    told = [line.action for line in sight.lines(screened.project, "ann")]
    assert "join votes" in told
    assert screened.votes(0) == {"ann": "e"}


def test_notes_of_a_blind_screener_are_their_own(db: Database, screened: Screened) -> None:
    """The project has its note beside; nobody undoes one of another."""
    uid = screened.uids[0]
    decisions.set_note(screened.project.as_user("owner"), uid, "for all")
    same = decisions.set_note(screened.project.as_user("ann"), uid, "for all")
    assert same.change is None
    own = decisions.set_note(screened.project.as_user("ann"), uid, "mine")
    notes = [
        works.find(screened.project, uid, reader).note for reader in ("", "ann", "bob", "owner")
    ]
    assert notes == ["for all", "mine", "for all", "for all"]
    assert own.change is not None
    with pytest.raises(UsageError, match="has no change"):
        undo(screened.project.as_user("bob"), own.change)
    undo(screened.project.as_user("ann"), own.change)
    assert works.find(screened.project, uid, "ann").note == "for all"


@cases.each(
    "after",
    [
        None,
        [],
        "x",
        {"by": "eve"},
        {"by": 3, "works": {}, "stage": "title"},
        {"by": "eve", "works": [], "stage": "title"},
        {"by": "eve", "works": {}, "stage": ["title"]},
        {"by": "eve", "works": {"nobody": None}, "stage": "title", "seen": ["nobody"]},
        {"by": "eve", "works": {"nobody": None}, "stage": "title", "seen": "nobody"},
        {"by": "eve", "works": {"nobody": None}, "stage": "title", "seen": ["b", {"a": 1}, []]},
    ],
)
def test_lines_that_an_archive_may_bring_break_nothing(
    db: Database, screened: Screened, after: object
) -> None:
    """Whatever stands in them, lists and numbers are made without them."""
    screened.vote("ann", "r")
    for action in ("mark works", "import decisions", "note works", "join and divide works"):
        for before in (None, [{"said": 3}], {"works": [1]}):
            log.write(db, screened.project.id, action, "works", before, after, by="eve")
    assert len(sight.lines(screened.project, "bob")) >= 1
    lines = sight.lines(screened.project, None)
    undoable(screened.project.as_user("bob"), lines)
    assert agreement.agreement(screened.project)["title"].works == 0
