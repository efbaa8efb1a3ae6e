"""What two people change at once: nobody overwrites what they have not seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import Conflict
from metasearch.review.projects import log, projects
from metasearch.review.projects import projects as details
from metasearch.review.projects.projects import Project
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works import decisions, works
from metasearch.review.works.undo import undo
from tests.review.archive.rows import UIDS, made
from tests.review.store.processes import started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workspace.sqlite3"


@pytest.fixture
def db(file: Path) -> Iterator[Database]:
    made(file)
    with Database(file) as database:
        yield database


@pytest.fixture
def project(db: Database) -> Project:
    """One with two steps and two works, each with a note."""
    return projects.find(db, "lakes")


@pytest.fixture
def strategy(db: Database, project: Project) -> Strategy:
    return strategies.find(project, "one")


def test_a_title_that_was_changed_since_is_not_overwritten(db: Database, project: Project):
    """The error has both, and the version with which it can be sent again."""
    theirs = projects.update(project, title="Rivers", version=project.version)

    with pytest.raises(Conflict) as refused:
        projects.update(project, title="Ponds", version=project.version)

    assert refused.value.status == 409
    assert refused.value.yours == {"title": "Ponds"}
    assert refused.value.theirs == {"title": "Rivers"}
    assert refused.value.version == theirs.version == project.version + 1
    assert projects.find(db, "lakes").title == "Rivers"
    again = projects.update(project, title="Ponds", version=refused.value.version)
    assert (again.title, again.version) == ("Ponds", theirs.version + 1)


def test_without_a_version_a_change_is_made(db: Database, project: Project):
    """As the command line does, which reads and writes at once."""
    projects.update(project, title="Rivers")

    assert projects.update(project, title="Ponds").title == "Ponds"


def test_what_is_sent_twice_is_no_conflict(db: Database, project: Project):
    """Who has not seen the answer sends the same again: it is done already."""
    once = projects.update(project, title="Rivers", version=project.version)
    twice = projects.update(project, title="Rivers", version=project.version)

    assert twice == once


def test_a_call_that_changes_nothing_is_no_new_version(db: Database, strategy: Strategy):
    """Who has the object open need not be told."""
    assert strategies.update(db, strategy, years=strategy.years).version == strategy.version
    assert steps.edit(db, strategy, 1, text="lakes").version == 1


def test_an_answer_is_not_overwritten(db: Database, project: Project):
    """Answers have the version of the project; the error names their questions."""
    first = next(one for one in details.questions(project) if one.kind == "text").key
    details.answer(project, {first: "a"}, version=project.version)

    with pytest.raises(Conflict) as refused:
        details.answer(project, {first: "b"}, version=project.version)

    assert (refused.value.yours, refused.value.theirs) == ({first: "b"}, {first: "a"})
    details.answer(project, {first: "b"}, version=refused.value.version)
    assert details.answers(projects.find(db, "lakes"))[first] == "b"


def test_answers_to_other_questions_are_kept_beside_one_another(db: Database, project: Project):
    """A form has all answers: those that are as they were then do not undo what others have
    answered since.
    """
    first, second, third = [one.key for one in details.questions(project) if one.kind == "text"][:3]
    start = details.answer(project, {first: "a", second: "b"})
    details.answer(start, {first: "theirs", third: "c"}, version=start.version)

    form = {first: "a", second: "mine", third: ""}
    details.answer(start, form, version=start.version)

    now = details.answers(projects.find(db, "lakes"))
    assert [now.get(key) for key in (first, second, third)] == ["theirs", "mine", "c"]
    with pytest.raises(Conflict) as refused:
        details.answer(start, {first: "mine", second: "more"}, version=start.version)
    assert refused.value.yours == {first: "mine", second: "more"}
    assert refused.value.theirs == {first: "theirs", second: "mine"}


def test_a_new_title_is_no_conflict_for_answers(db: Database, project: Project):
    """Although both are of the project."""
    first = next(one.key for one in details.questions(project) if one.kind == "text")
    projects.update(project, title="Rivers")

    details.answer(project, {first: "a"}, version=project.version)

    assert details.answers(projects.find(db, "lakes"))[first] == "a"


def test_a_version_that_the_log_does_not_know_is_a_conflict(db: Database, project: Project):
    """One that never was, or is of a time before an import."""
    first = next(one.key for one in details.questions(project) if one.kind == "text")
    for version in (0, project.version + 1, 2**53):
        with pytest.raises(Conflict):
            details.answer(project, {first: "a"}, version=version)


def test_the_years_of_a_strategy_are_not_overwritten(db: Database, strategy: Strategy):
    """Its steps have versions of their own, so that a new step is no conflict."""
    steps.add(db, strategy, "rivers")
    changed = strategies.update(db, strategy, years="2000-", version=strategy.version)

    with pytest.raises(Conflict) as refused:
        strategies.update(db, strategy, years="2010-", note="ours", version=strategy.version)

    assert refused.value.yours == {"years": "2010-", "note": "ours"}
    assert refused.value.theirs == {"years": "2000-", "note": "first"}
    assert refused.value.version == changed.version


def test_a_step_is_not_overwritten(db: Database, strategy: Strategy):
    """Text, syntax and note have one version."""
    steps.edit(db, strategy, 1, note="theirs", version=1)

    with pytest.raises(Conflict) as refused:
        steps.edit(db, strategy, 1, text="ponds", note="", version=1)

    assert refused.value.yours == {"text": "ponds", "note": ""}
    assert steps.one(db, strategy, 1).note == "theirs"


def test_a_text_that_cannot_be_read_is_a_conflict_first(db: Database, strategy: Strategy):
    """Who corrects it must not save it over what they have not seen."""
    steps.edit(db, strategy, 1, text="rivers")

    with pytest.raises(Conflict):
        steps.edit(db, strategy, 1, text="(ponds", version=1)


def test_a_step_that_was_changed_since_is_not_removed(db: Database, strategy: Strategy):
    """Who removes it sees what it has become."""
    steps.edit(db, strategy, 2, text="#1 AND trout")

    with pytest.raises(Conflict) as refused:
        steps.remove(db, strategy, 2, version=1)

    assert refused.value.theirs is not None
    assert refused.value.theirs["text"] == "#1 AND trout"
    steps.remove(db, strategy, 2, version=refused.value.version)


def test_what_is_typed_for_a_step_that_was_removed_is_not_lost(db: Database, strategy: Strategy):
    """The error has the text; nothing stands there any more."""
    steps.remove(db, strategy, 2)

    with pytest.raises(Conflict) as refused:
        steps.edit(db, strategy, 2, text="#1 AND trout", version=1)

    assert refused.value.yours == {"text": "#1 AND trout"}
    assert (refused.value.theirs, refused.value.version) == (None, None)


def test_another_source_is_not_overwritten(db: Database, project: Project):
    """Nor removed."""
    (one,) = other_sources.of(project)
    new = other_sources.edit(project, one.id, {"identified": 4}, version=one.version)

    with pytest.raises(Conflict) as refused:
        other_sources.edit(project, one.id, {"identified": 5}, version=one.version)
    assert refused.value.theirs == {"identified": 4}
    with pytest.raises(Conflict):
        other_sources.remove(project, one.id, version=one.version)
    other_sources.remove(project, one.id, version=new.version)


def note_version(db: Database, project: Project) -> int:
    return works.find(project, UIDS[0]).note_version


def test_a_note_is_not_overwritten(db: Database, project: Project):
    """Each change of a note is a version, also where it was undone or joined."""
    before = note_version(db, project)
    decisions.set_note(project, UIDS[0], "theirs", version=before)

    with pytest.raises(Conflict) as refused:
        decisions.set_note(project, UIDS[0], "ours", version=before)

    assert (refused.value.yours, refused.value.theirs) == ({"text": "ours"}, {"text": "theirs"})
    assert refused.value.version == note_version(db, project) > before


def test_a_note_that_was_removed_and_written_again_is_another(db: Database, project: Project):
    """Its version is not that of the first one: what was written since stays."""
    decisions.set_note(project, UIDS[0], "first")
    seen = note_version(db, project)
    decisions.set_note(project, UIDS[0], "", version=seen)
    assert note_version(db, project) == 0
    decisions.set_note(project, UIDS[0], "second", version=0)

    with pytest.raises(Conflict):
        decisions.set_note(project, UIDS[0], "ours", version=seen)
    with pytest.raises(Conflict):
        decisions.set_note(project, UIDS[0], "ours", version=0)


def test_the_log_says_who_wrote_the_note_of_the_project(db: Database, project: Project):
    """There is one note of a work, whoever writes it."""
    decisions.set_note(project.as_user("ada"), UIDS[0], "of ada")
    decisions.set_note(project.as_user("bob"), UIDS[0], "of bob")

    assert works.find(project, UIDS[0]).note == "of bob"
    assert [line.by for line in log.lines(db, project.id, most=2)] == ["bob", "ada"]
    assert db.value("SELECT count(*) FROM note JOIN work ON work.id = note.work"
                    " WHERE work.uid = ?", UIDS[0]) == 1  # fmt: skip


def test_what_is_undone_is_a_change_like_others(db: Database, project: Project, strategy: Strategy):
    """It is undone whatever the version, and who has the object open is told."""
    steps.edit(db, strategy, 1, text="rivers", version=1)
    change = log.lines(db, project.id, most=1)[0].id
    undo(project, change)

    assert steps.one(db, strategy, 1).text == "lakes"
    with pytest.raises(Conflict):
        steps.edit(db, strategy, 1, text="ponds", version=2)

    decisions.set_note(project.as_user("ada"), UIDS[0], "theirs")
    seen = note_version(db, project)
    undo(project.as_user("bob"), log.lines(db, project.id, most=1)[0].id)
    assert works.find(project, UIDS[0]).note == "read it"
    with pytest.raises(Conflict):
        decisions.set_note(project, UIDS[0], "ours", version=seen)


#: Adds a line to the title of a project, the note of a step and that of a work, again and again;
#: where somebody else was faster it takes what stands now, and adds to that.
EDITOR = """
import sys
from pathlib import Path
from metasearch.errors import Conflict
from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.works import decisions, works

path, name, most, uid = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
conflicts = 0

def changed(read, write):
    global conflicts
    while True:
        text, version = read()
        try:
            return write(text, version)
        except Conflict:
            conflicts += 1

with Database(path) as db:
    project = projects.find(db, "lakes")
    strategy = strategies.find(project, "one")

    def project_now():
        now = projects.find(db, "lakes")
        return now.title, now.version

    def step_now():
        now = steps.one(db, strategy, 1)
        return now.note, now.version

    def note_now():
        now = works.find(project, uid)
        return now.note, now.note_version

    for number in range(most):
        mine = f" {name}{number}"
        changed(project_now, lambda t, v: projects.update(project, title=t + mine, version=v))
        changed(step_now, lambda t, v: steps.edit(db, strategy, 1, note=t + mine, version=v))
        changed(note_now, lambda t, v: decisions.set_note(project, uid, t + mine, version=v))
print(conflicts)
"""


@pytest.mark.slow
def test_two_processes_that_edit_the_same_lose_nothing(db: Database, file: Path, project: Project):
    """Each change of each is in the text, once: who was later has seen the earlier one."""
    most = 20
    editors = [started(EDITOR, file, name, most, UIDS[0]) for name in ("a", "b")]
    for editor in editors:
        _, errors = editor.communicate()
        assert (errors, editor.returncode) == ("", 0)

    expected = sorted(f"{name}{number}" for name in ("a", "b") for number in range(most))
    now = projects.find(db, "lakes")
    strategy = strategies.find(now, "one")
    texts: list[Any] = [
        now.title.removeprefix("Lakes "),
        steps.one(db, strategy, 1).note,
        works.find(now, UIDS[0]).note.removeprefix("read it "),
    ]
    for text in texts:
        assert sorted(text.split()) == expected
    assert now.version == project.version + 2 * most
