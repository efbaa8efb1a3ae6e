"""Projects: what they are called, how they change, and what goes with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.store.database import Database
from tests import cases
from tests.review.filled import Filled


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new workspace."""
    with Database(tmp_path / "workspace.sqlite3") as opened:
        yield opened


def test_a_project_is_found_by_its_name_and_by_its_uid(db: Database) -> None:
    """Both name the same one."""
    made = projects.create(db, "harms", "review", "Gambling harms")

    assert projects.find(db, "harms") == projects.find(db, made.uid) == made


@cases.each("name", ["harms", "湖泊-2026", "a.b_c", "9", "x" * 60])
def test_a_name(db: Database, name: str) -> None:
    """It has letters of any language, digits, and three signs."""
    assert projects.create(db, name, "plain").name == name


@cases.each(
    "name", ["", " ", "a b", "-a", ".a", "_a", "a/b", "a\nb", "a\n", "x" * 61, "import", "é!"]
)
def test_what_is_no_name(db: Database, name: str) -> None:
    """It is refused, and nothing is made."""
    with pytest.raises(UsageError, match="cannot be a name"):
        projects.create(db, name, "plain")

    assert projects.every(db) == []


def filled(db: Database, name: str) -> Filled:
    """A project with a run, a work that is decided and tagged, and a record that was replaced."""
    project = Filled(db, name)
    first, second = project.found({"a": [1, 2], "b": [2]})
    project.decide(first, "title", "relevant")
    project.tag(second, "later")
    newer = project.record("a", "1", version="2")
    older = "SELECT min(id) FROM record WHERE key = 'a:1' AND project = ?"
    db.run(f"UPDATE record SET superseded = ? WHERE id = ({older})", newer, project.project.id)
    return project


def test_a_name_is_given_once(db: Database) -> None:
    """The second project of a name is refused."""
    projects.create(db, "harms", "review")

    with pytest.raises(UsageError, match="already"):
        projects.create(db, "harms", "plain")


@cases.each("title", [" ", "x" * 501, "a\0b", "a\x1bb"])
def test_what_is_no_title(db: Database, title: str) -> None:
    """A title has something to read, and no control characters."""
    with pytest.raises(UsageError, match="cannot be a title"):
        projects.create(db, "harms", "review", title)


def test_a_kind_that_does_not_exist(db: Database) -> None:
    """It is refused."""
    with pytest.raises(UsageError, match="no kind"):
        projects.create(db, "harms", "thesis")  # type: ignore[arg-type]


def test_there_are_so_many_projects_at_most(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, and told what to do."""
    monkeypatch.setattr(projects, "MOST_PROJECTS", 2)
    projects.create(db, "a", "plain")
    projects.create(db, "b", "plain")

    with pytest.raises(UsageError, match="at most 2"):
        projects.create(db, "c", "plain")


def test_a_name_that_was_mistyped(db: Database) -> None:
    """The names that are near are proposed."""
    projects.create(db, "harms", "review")

    with pytest.raises(UsageError) as raised:
        projects.find(db, "harm")

    assert "harms" in str(raised.value.advice)


def test_a_change_says_what_was_and_what_is(db: Database) -> None:
    """What stays the same is not in the log."""
    project = projects.create(db, "harms", "review", "Gambling")

    changed = projects.update(
        project.as_user("kim"), title="Gambling harms", details={"question": "Which?"}
    )
    projects.update(changed, title="Gambling harms", details={"question": "Which?"})

    assert (changed.title, changed.details) == ("Gambling harms", {"question": "Which?"})
    edit, new = log.lines(db, project.id)
    assert (edit.action, new.action) == ("edit project", "new project")
    assert edit.before == {"title": "Gambling", "question": None}
    assert edit.after == {"title": "Gambling harms", "question": "Which?"}
    assert edit.by == "kim"


def test_a_detail_that_is_none_is_removed(db: Database) -> None:
    """The others stay."""
    project = projects.create(db, "harms", "review")
    projects.update(project, details={"a": "1", "b": "2"})

    assert projects.update(project, details={"a": None}).details == {"b": "2"}


def test_details_that_are_too_long(db: Database) -> None:
    """They are refused, and the old ones stay."""
    project = projects.create(db, "harms", "review")
    projects.update(project, details={"a": "1"})

    with pytest.raises(UsageError, match="too long"):
        projects.update(project, details={"b": "x" * projects.LONGEST_DETAILS})

    assert projects.find(db, "harms").details == {"a": "1"}


def test_the_list_has_the_newest_first_and_those_put_away_last(db: Database) -> None:
    """Whatever they are called."""
    made = [projects.create(db, name, "plain") for name in ("b", "a", "c")]
    projects.update(made[2], archived=True)

    assert [each.name for each in projects.every(db)] == ["a", "b", "c"]


def test_a_project_goes_with_all_that_is_its_own(db: Database) -> None:
    """The other project keeps every row, and the file stays sound."""
    tables = [
        row["name"]
        for row in db.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        )
    ]

    def rows() -> dict[str, int]:
        return {table: db.value(f"SELECT count(*) FROM {table}") for table in tables}

    empty = rows()
    kept = filled(db, "kept")
    alone = rows()
    gone = filled(db, "gone")
    assert rows() != alone != empty

    projects.delete(gone.project)

    words = {table for table in tables if table.startswith("work_words")}
    left = rows()
    assert {each: left[each] for each in tables if each not in words} == {
        each: alone[each] for each in tables if each not in words
    }
    assert db.all("PRAGMA foreign_key_check") == []
    assert projects.find(db, "kept") == kept.project
