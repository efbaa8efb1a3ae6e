"""What people decide on works, and how it is undone."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.works import decisions, lists
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.undo import undo, undoable
from tests.review.works.held import Held, paper

TITLES = ("Harms of gambling", "Soil of the plains", "Whales of southern seas")


@pytest.fixture
def held(db: Database) -> Held:
    """A project of three works."""
    held = Held(db)
    held.add(*(paper("a", n, title, author=f"Name{n}") for n, title in enumerate(TITLES, 1)))
    return held


def verdicts(held: Held, stage: str = "title") -> list[str]:
    """What is decided on each work."""
    return [
        work.decisions[stage].verdict if stage in work.decisions else ""  # type: ignore[index]
        for work in held.works()
    ]


def uids(held: Held) -> list[str]:
    """The names of all works."""
    return [work.uid for work in held.works()]


def test_many_works_are_marked_at_once(db: Database, held: Held) -> None:
    """One line of the log says of each what was there before."""
    done = decisions.mark(held.project, uids(held), "excluded", reason="  wrong\n topic ")
    assert (done.works, verdicts(held)) == (3, ["excluded"] * 3)
    assert held.works()[0].decisions["title"].reason == "wrong topic"
    line = log.lines(db, held.project.id, most=1)[0]
    assert (line.id, line.action) == (done.change, "mark works")
    assert set(line.before["works"].values()) == {None}
    again = decisions.mark(held.project, uids(held), "excluded", reason="wrong topic")
    assert (again.works, again.unchanged, again.change) == (0, 3, None)


def test_each_stage_has_its_own_decision(db: Database, held: Held) -> None:
    """None makes a work undecided again in one stage."""
    decisions.mark(held.project, uids(held)[:1], "relevant")
    decisions.mark(held.project, uids(held)[:1], "unavailable", stage="fulltext")
    decisions.mark(held.project, uids(held)[:1], None)
    assert (verdicts(held)[0], verdicts(held, "fulltext")[0]) == ("", "unavailable")


def test_who_is_not_sure_lets_a_work_through(db: Database, held: Held) -> None:
    """Maybe by title: the whole text is to be looked at, where nobody is unsure any more."""
    first = uids(held)[:1]
    decisions.mark(held.project, first, "maybe")
    query = WorksQuery(verdict="undecided", stage="fulltext")
    assert lists.uids(held.project, query) == first
    assert lists.verdict_counts(held.project, "fulltext") == {"undecided": 1}
    with pytest.raises(UsageError, match="verdict"):
        decisions.mark(held.project, first, "maybe", stage="fulltext")


def test_what_was_excluded_by_title_is_not_in_the_stage_of_the_whole_text(
    db: Database, held: Held
) -> None:
    """But where its whole text was decided on, too: somebody must see that both contradict."""
    first, second, third = uids(held)
    decisions.mark(held.project, [first, second], "excluded")
    decisions.mark(held.project, [second], "relevant", stage="fulltext")
    query = WorksQuery(stage="fulltext", sort="title")
    assert set(lists.uids(held.project, query)) == {second, third}
    assert len(lists.uids(held.project, WorksQuery())) == 3


def test_the_reasons_of_the_project_go_before_others(db: Database, held: Held) -> None:
    """In the order of its list, so that a key has the same reason every day."""
    projects.answer(held.project, {"screening.reasons": "age\nlanguage"})
    decisions.mark(held.project, uids(held)[:2], "excluded", reason="rats")
    decisions.mark(held.project, uids(held)[2:], "excluded", reason="language")
    project = held.project.fresh()
    assert decisions.reasons(project, "title") == ["age", "language", "rats"]


def test_a_novelty_search_has_no_maybe(db: Database) -> None:
    project = projects.create(db, "novel", "novelty")
    with pytest.raises(UsageError, match="verdict"):
        decisions.mark(project, [], "maybe")


def test_what_cannot_be_decided_is_refused(db: Database, held: Held) -> None:
    """An unknown verdict, one of the other stage, an unknown work."""
    for verdict in ("good", "unavailable"):
        with pytest.raises(UsageError, match="verdict"):
            decisions.mark(held.project, uids(held), verdict)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="not names"):
        decisions.mark(held.project, [*uids(held), "nobody"], "relevant")
    assert verdicts(held) == [""] * 3


def test_marks_are_undone_and_done_again(db: Database, held: Held) -> None:
    """An undo is a change, too."""
    decisions.mark(held.project, uids(held)[:1], "close")
    change = decisions.mark(held.project, uids(held), "relevant").change
    assert change is not None
    undone = undo(held.project, change)
    assert verdicts(held) == ["close", "", ""]
    undo(held.project, undone)
    assert verdicts(held) == ["relevant"] * 3
    undo(held.project, change)
    assert verdicts(held) == ["close", "", ""]
    with pytest.raises(UsageError, match="already"):
        undo(held.project, change)


def test_nothing_is_undone_where_something_newer_is(db: Database, held: Held) -> None:
    """The error names the later change."""
    first = decisions.mark(held.project, uids(held), "relevant").change
    later = decisions.mark(held.project, uids(held)[1:2], "excluded").change
    assert first is not None
    with pytest.raises(UsageError, match=f"change {later}"):
        undo(held.project, first)
    assert verdicts(held) == ["relevant", "excluded", "relevant"]


def test_tags(db: Database, held: Held) -> None:
    """Added and taken away, with one line, and undone."""
    decisions.tag(held.project, uids(held)[:2], ["core"])
    done = decisions.tag(held.project, uids(held), ["read ", "read"], ["core"])
    assert [work.tags for work in held.works()] == [("read",)] * 3
    assert done.change is not None
    undo(held.project, done.change)
    assert [work.tags for work in held.works()] == [("core",), ("core",), ()]
    for tag in ("", "x" * 200, "a\x07b"):
        with pytest.raises(UsageError, match="tag"):
            decisions.tag(held.project, uids(held), [tag])


def test_notes(db: Database, held: Held) -> None:
    """Written, changed, removed, undone."""
    name = uids(held)[0]
    decisions.set_note(held.project, name, "first")
    change = decisions.set_note(held.project, name, "").change
    assert held.works()[0].note == ""
    assert change is not None
    undo(held.project, change)
    assert held.works()[0].note == "first"


def test_changes_of_projects_strategies_and_steps(db: Database, held: Held) -> None:
    """They are undone by what changes them; other changes say that they cannot be undone."""
    projects.update(held.project, title="Another", details={"x": 1})
    strategy = strategies.create(held.project, "second")
    step = steps.add(db, strategy, "gambling")
    steps.edit(db, strategy, step.number, text="gambling AND harm")
    strategies.update(db, strategy, note="why")
    lines = log.lines(db, held.project.id)
    can = undoable(held.project, lines)
    assert {line.action for line in lines if line.id in can} == {
        "edit project",
        "edit strategy",
        "edit step",
    }
    for line in lines:
        if line.id in can:
            undo(held.project, line.id)
        else:
            with pytest.raises(UsageError, match="cannot be undone"):
                undo(held.project, line.id)
    assert steps.of(db, strategy)[0].text == "gambling"
    assert strategies.by_id(db, strategy.project, strategy.id).note == ""
    found = projects.find(db, held.project.uid)
    assert (found.title, dict(found.details)) == (held.project.title, {})
