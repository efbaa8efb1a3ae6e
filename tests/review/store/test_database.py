"""A workspace file: what is opened and what is refused, transactions, versions."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from metasearch.errors import UsageError, WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.store import database
from metasearch.review.store.database import APPLICATION, Database, migrations
from tests.review.store.damage import damaged_page
from tests.review.store.processes import started

pytestmark = pytest.mark.usefixtures("empty_workspaces")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "workspace.sqlite3"


def names(db: Database) -> set[str]:
    return {project.name for project in projects.every(db)}


def test_a_new_file_is_made_with_its_folder_for_its_owner_alone(file: Path):
    """The file and what SQLite keeps beside it may be read by nobody else."""
    with Database(file) as db:
        projects.create(db, "a", "review")

        modes = {stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()}

        assert len(list(file.parent.iterdir())) == 3
        if sys.platform != "win32":
            assert modes == {0o600}


def test_a_file_keeps_what_was_written(file: Path):
    """What was written is there when the file is opened again, also only to be read."""
    with Database(file) as db:
        projects.create(db, "a", "review")

    for read_only in (False, True):
        with Database(file, read_only=read_only) as db:
            assert names(db) == {"a"}


def test_a_file_that_is_only_read_must_exist_and_refuses_changes(file: Path):
    """Reading makes no file, and a change is refused with advice."""
    with pytest.raises(WorkspaceError):
        Database(file, read_only=True)
    assert not file.parent.exists()

    Database(file).close()
    with Database(file, read_only=True) as db, pytest.raises(WorkspaceError) as refused:
        projects.create(db, "a", "review")
    assert "cannot be written" in refused.value.advice


# ------------------------------------------------------------------------- transactions


def fails_after(db: Database, name: str) -> None:
    """A transaction that makes a project and then fails."""
    with db.transaction():
        projects.create(db, name, "review")
        raise ZeroDivisionError


def test_a_transaction_happens_as_a_whole_or_not_at_all(file: Path):
    """An exception takes back all that was done inside, and the file goes on working."""
    with Database(file) as db:
        with pytest.raises(ZeroDivisionError):
            fails_after(db, "a")
        assert names(db) == set()

        projects.create(db, "b", "review")
        assert names(db) == {"b"}


def test_an_inner_transaction_that_fails_is_taken_back_alone(file: Path):
    """The outer one goes on without what the inner one did."""
    with Database(file) as db:
        with db.transaction():
            projects.create(db, "outer", "review")
            with pytest.raises(ZeroDivisionError):
                fails_after(db, "inner")
            projects.create(db, "later", "review")

        assert names(db) == {"outer", "later"}


def test_what_is_read_together_is_of_one_moment(file: Path):
    """Inside `snapshot`, what others commit meanwhile is not seen, and nothing is written."""
    with Database(file) as db, Database(file) as other:
        projects.create(db, "a", "review")
        with db.snapshot():
            assert names(db) == {"a"}
            projects.create(other, "b", "review")
            assert names(db) == {"a"}
            with pytest.raises(RuntimeError), db.transaction():
                pass

        assert names(db) == {"a", "b"}


@pytest.mark.parametrize("value", ["\ud800", 2**63])
def test_a_value_that_cannot_be_saved_is_told(file: Path, value: object):
    """Half a character or a number that is too large is the user's error, and harms nothing."""
    with Database(file) as db:
        with pytest.raises(UsageError, match="cannot be saved"), db.transaction():
            db.run("SELECT ?", value)

        assert names(db) == set()


# ------------------------------------------------------------------------- what is no workspace


def nothing(path: Path) -> None:
    """A link that leads nowhere."""
    path.symlink_to(path.parent / "not-there")


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def text(path: Path) -> None:
    path.write_text("Dear diary, " * 1_000)


def marked(path: Path) -> None:
    """SQLite's first bytes, and then nothing that makes sense."""
    path.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 64)


def of_another_program(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE song (title TEXT)")
    db.close()


def with_our_mark_alone(path: Path) -> None:
    """Our application id, but a version that no release has written."""
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA application_id = {database.APPLICATION}")
        db.execute("PRAGMA user_version = -1")
        db.execute("CREATE TABLE song (title TEXT)")
    db.close()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
@pytest.mark.parametrize(
    "make", [nothing, folder, pipe, text, marked, of_another_program, with_our_mark_alone]
)
def test_what_is_no_workspace_is_refused_and_stays_as_it_is(
    tmp_path: Path, make: Callable[[Path], None]
):
    """It is not waited for, and no byte of it changes."""
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes() if path.is_file() else None

    for read_only in (False, True):
        with pytest.raises(WorkspaceError) as refused:
            Database(path, read_only=read_only)
        assert refused.value.advice

    assert (path.read_bytes() if path.is_file() else None) == before
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_link_to_a_workspace_is_followed(file: Path, tmp_path: Path):
    """A workspace may lie elsewhere than its name says."""
    with Database(file) as db:
        projects.create(db, "a", "review")
    link = tmp_path / "link"
    link.symlink_to(file)

    with Database(link) as db:
        assert names(db) == {"a"}


def test_a_damaged_page_is_told(file: Path):
    """Reading a damaged table is an error with advice, not a traceback."""
    damaged_page(file)

    with Database(file) as db, pytest.raises(WorkspaceError) as refused:
        db.all("SELECT * FROM change INDEXED BY change_project WHERE project > 0")
    assert "backup" in refused.value.advice


# ------------------------------------------------------------------------- versions


def set_version(path: Path, version: int) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()


def test_a_newer_version_is_refused_and_stays(file: Path):
    """A file of a later release is not touched."""
    Database(file).close()
    set_version(file, len(migrations()) + 1)
    before = file.read_bytes()

    for read_only in (False, True):
        with pytest.raises(WorkspaceError, match="knows versions up to"):
            Database(file, read_only=read_only)
    assert file.read_bytes() == before


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A release whose last version is made by this script."""
    own = migrations()

    def released(script: str) -> None:
        monkeypatch.setattr(database, "migrations", lambda: (*own, script))

    return released


def test_a_file_of_an_earlier_release_gets_the_new_tables(file: Path, later: Callable[[str], None]):
    """A table that others refer to may be made anew; nothing is lost."""
    with Database(file) as db:
        projects.create(db, "a", "review")
    later(
        "CREATE TABLE change_new (id INTEGER PRIMARY KEY, project INTEGER REFERENCES project);\n"
        "INSERT INTO change_new SELECT id, project FROM change;\n"
        "ALTER TABLE project ADD COLUMN owner TEXT NOT NULL DEFAULT 'x;y';"
    )

    with pytest.raises(WorkspaceError, match="while it is only read"):
        Database(file, read_only=True)
    with Database(file) as db:
        assert db.value("PRAGMA user_version") == len(migrations()) + 1
        assert db.value("PRAGMA foreign_keys") == 1
        assert db.value("SELECT owner FROM project WHERE name = 'a'") == "x;y"


#: A step and a run, as the first version of a workspace has them.
FIRST_RUN = f"""
INSERT INTO project (uid, name, kind, title, created) VALUES ('u', 'a', 'review', 'A', '2026');
INSERT INTO strategy (project, name, created) VALUES (1, 'main', '2026');
INSERT INTO step (strategy, number, kind, text, edited) VALUES (1, 1, 'query', 'lake', '2026');
INSERT INTO run (project, strategy, number, mode, status, started, tool)
    VALUES (1, 1, 1, 'records', 'done', '2026', 'metasearch 0.1.0');
PRAGMA user_version = 1;
PRAGMA application_id = {APPLICATION};
"""


def test_a_file_of_the_first_version_keeps_its_runs(file: Path):
    """Its steps and runs stay what they were, and may follow citations now."""
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as first:
        first.executescript(migrations()[0] + FIRST_RUN)

    with Database(file) as db:
        assert db.value("SELECT text FROM step") == "lake"
        assert db.value("SELECT mode FROM run") == "records"
    with closing(sqlite3.connect(file)) as now:
        now.execute("UPDATE step SET kind = 'citations'")
        now.execute("UPDATE run SET mode = 'citations'")


def test_decisions_of_the_second_version_stay(file: Path):
    """With their reasons; who is not sure may say so now."""
    file.parent.mkdir()
    decided = (
        "INSERT INTO work (id, project, uid, component, first_run, added)"
        " VALUES (1, 1, 'w', 1, 1, '2026');\n"
        "INSERT INTO decision VALUES (1, 'title', 'ann', 'excluded', 'rats', '2026');\n"
        "INSERT INTO resolution VALUES (1, 'title', '[]', 'excluded', 'rats', 'bob', '2026');\n"
    )
    with closing(sqlite3.connect(file)) as second:
        second.executescript(migrations()[0] + FIRST_RUN + migrations()[1] + decided)
        second.execute("PRAGMA user_version = 2")

    with Database(file) as db:
        assert tuple(db.one("SELECT by, verdict, reason FROM decision")) == (
            "ann", "excluded", "rats",
        )  # fmt: skip
        assert db.value("SELECT by FROM resolution") == "bob"
    with closing(sqlite3.connect(file)) as now:
        now.execute("UPDATE decision SET verdict = 'maybe'")
        now.execute("UPDATE resolution SET verdict = 'maybe'")


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE new (id INTEGER);\nCREATE TABLE project (id INTEGER);",
        "CREATE TABLE new (id INTEGER);\nDELETE FROM project;",
    ],
    ids=["a statement fails", "rows name one that is gone"],
)
def test_a_migration_that_fails_changes_nothing(
    file: Path, later: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, script: str
):
    """Version and tables stay, and the earlier release opens the file."""
    with Database(file) as db:
        projects.create(db, "a", "review")
    later(script)
    with pytest.raises(WorkspaceError):
        Database(file)
    monkeypatch.undo()

    with Database(file) as db:
        assert names(db) == {"a"}
        assert db.value("SELECT count(*) FROM sqlite_master WHERE name = 'new'") == 0


# ------------------------------------------------------------------------- locks

OPENED = """
import sys
from pathlib import Path
from metasearch.review.store.database import Database

Database(Path(sys.argv[1])).close()
"""


@pytest.mark.slow
def test_opening_a_file_twice_keeps_the_locks_of_the_process(file: Path):
    """The log of an open file stays when another process opens and closes the file: closing it
    there would remove the log if the locks of this process were lost."""
    with Database(file) as db:
        projects.create(db, "a", "review")
        with Database(file) as second:
            assert names(second) == {"a"}

        other = started(OPENED, file)
        assert other.communicate() == ("", "")

        assert file.with_name(f"{file.name}-wal").exists()
        projects.create(db, "b", "review")
    with Database(file) as db:
        assert names(db) == {"a", "b"}
