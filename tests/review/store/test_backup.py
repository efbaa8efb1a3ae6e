"""A backup is a whole workspace of one moment, in a file that was not there before."""

from __future__ import annotations

import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from metasearch.errors import UsageError, WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.store.checks import backup, check
from metasearch.review.store.database import Database
from tests.review.store.damage import damaged_page
from tests.review.store.processes import maker


@pytest.fixture
def db(tmp_path: Path):
    with Database(tmp_path / "workspace.sqlite3") as db:
        projects.create(db, "a", "review")
        yield db


def test_a_backup_is_a_workspace_in_one_file(db: Database, tmp_path: Path):
    """It opens as a workspace with the same content; only its owner may read it, and nothing
    else is left beside it."""
    target = tmp_path / "backup" / "copy.sqlite3"
    target.parent.mkdir()

    made = backup(db, target)

    assert (made.file, made.projects) == (target, 1)
    assert made.bytes == target.stat().st_size
    assert list(target.parent.iterdir()) == [target]
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with Database(target) as copy:
        assert [project.name for project in projects.every(copy)] == ["a"]
        assert check(copy) == []


@pytest.mark.parametrize("standing", ["file", "link", "folder", "itself"])
def test_a_backup_replaces_nothing(db: Database, tmp_path: Path, standing: str):
    """Whatever stands at the place stays, also a link that leads nowhere."""
    target = tmp_path / "taken"
    match standing:
        case "file":
            target.write_text("mine")
        case "link":
            target.symlink_to(tmp_path / "nowhere")
        case "folder":
            target.mkdir()
        case _:
            target = db.path
    before = sorted(tmp_path.iterdir())

    with pytest.raises(UsageError, match="exists already"):
        backup(db, target)

    assert sorted(tmp_path.iterdir()) == before
    assert standing != "file" or target.read_text() == "mine"


def test_a_missing_folder_is_told(db: Database, tmp_path: Path):
    """A backup makes no folders: a drive that is not there would be one of the local disk."""
    with pytest.raises(UsageError, match="there is no folder"):
        backup(db, tmp_path / "usb" / "copy.sqlite3")


def test_a_backup_that_cannot_be_written_leaves_nothing(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """When the disk is full, the error says so and no part of the copy stays."""

    def full(target: sqlite3.Connection) -> None:
        page = db.value("PRAGMA page_size")
        target.execute(f"PRAGMA page_size = {page}")
        target.execute("PRAGMA max_page_count = 3")
        target.execute("CREATE TABLE t (x)")
        target.execute("INSERT INTO t VALUES (zeroblob(1000000))")

    monkeypatch.setattr(db, "backup_to", full)
    before = sorted(tmp_path.iterdir())

    with pytest.raises(WorkspaceError) as refused:
        backup(db, tmp_path / "copy.sqlite3")

    assert "Free some space" in refused.value.advice
    assert sorted(tmp_path.iterdir()) == before


def test_a_damaged_workspace_gives_no_backup(tmp_path: Path):
    """A copy that is damaged gets no name."""
    file = tmp_path / "workspace.sqlite3"
    damaged_page(file)

    with Database(file) as db, pytest.raises(WorkspaceError):
        backup(db, tmp_path / "copy.sqlite3")
    assert not (tmp_path / "copy.sqlite3").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["workspace.sqlite3"]


@pytest.mark.slow
def test_a_backup_is_made_while_others_write(tmp_path: Path):
    """Each backup is of one moment between two changes, and the writer goes on."""
    file = tmp_path / "workspace.sqlite3"
    process = maker(file, "p", 100_000)
    assert process.stdout is not None
    process.stdout.readline()
    with Database(file) as db:
        for number in range(4):
            process.stdout.readline()
            backup(db, tmp_path / f"copy-{number}.sqlite3")
    process.kill()
    process.communicate()

    counts = []
    for number in range(4):
        with Database(tmp_path / f"copy-{number}.sqlite3") as copy:
            assert check(copy) == []
            counts.append(len(projects.every(copy)))
    assert counts == sorted(counts)
    assert all(count % 2 == 0 and count > 0 for count in counts)
