"""What was acknowledged stays: after kill -9, with several processes, on a full disk."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from metasearch.errors import WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from tests.review.store.processes import maker, started

ROUNDS = 6


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_a_process_is_killed(tmp_path: Path):
    """After kill -9 at any moment every change that was told is there, no half of one is, and the
    file is whole."""
    file = tmp_path / "workspace.sqlite3"
    dice = random.Random(19)
    told: set[str] = set()
    for number in range(ROUNDS):
        process = maker(file, f"round-{number}", 100_000)
        assert process.stdout is not None
        for _ in range(dice.randrange(1, 25)):
            told.add(process.stdout.readline().strip())
        process.kill()
        rest, errors = process.communicate()
        assert errors == ""
        told |= {line for line in rest.splitlines(keepends=True) if line.endswith("\n")}

    told = {line.strip() for line in told}
    with Database(file) as db:
        names = {project.name for project in projects.every(db)}
        assert check(db) == []
    assert "" not in told
    assert len(told) >= ROUNDS
    assert told <= names
    assert {f"{name}-twin" for name in names if not name.endswith("twin")} == {
        name for name in names if name.endswith("twin")
    }


@pytest.mark.slow
def test_several_processes_write_to_one_file(tmp_path: Path):
    """Processes that make the file and write to it at once wait for one another: each change is
    there, and none fails."""
    file = tmp_path / "workspace.sqlite3"
    makers = [maker(file, f"process-{number}", 15) for number in range(4)]

    for process in makers:
        said, errors = process.communicate()
        assert (errors, process.returncode) == ("", 0)
        assert len(said.splitlines()) == 15

    with Database(file) as db:
        assert len(projects.every(db)) == 4 * 15 * 2
        assert check(db) == []


def many(db: Database) -> None:
    """Several megabytes in one transaction."""
    with db.transaction():
        for number in range(5_000):
            projects.create(db, f"p{number}", "review", "long " * 90)


def test_a_full_disk_is_told_and_harms_nothing(tmp_path: Path):
    """What does not fit is told with advice, nothing of it is saved, and what was there stays."""
    file = tmp_path / "workspace.sqlite3"
    with Database(file) as db:
        projects.create(db, "a", "review")
        db.run(f"PRAGMA max_page_count = {db.value('PRAGMA page_count') + 20}")

        with pytest.raises(WorkspaceError) as refused:
            many(db)
        assert "Free some space" in refused.value.advice

        assert [project.name for project in projects.every(db)] == ["a"]
        projects.create(db, "b", "review")
        assert check(db) == []


LIMITED = """
import resource, sys
from pathlib import Path
from metasearch.errors import WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.store.database import Database

with Database(Path(sys.argv[1])) as db:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        with db.transaction():
            for number in range(3_000):
                projects.create(db, f"p{number}", "review", "long " * 90)
    except WorkspaceError as exc:
        print(exc.advice)
    print(len(projects.every(db)))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_file_that_may_not_grow_is_told_and_harms_nothing(tmp_path: Path):
    """Where a limit of the process or of the drive stops SQLite, nothing is saved in part."""
    file = tmp_path / "workspace.sqlite3"
    with Database(file) as db:
        projects.create(db, "a", "review")

    said, errors = started(LIMITED, file).communicate()

    assert errors == ""
    advice, count = said.splitlines()
    assert "space" in advice
    assert count == "1"
    with Database(file) as db:
        assert check(db) == []
