"""The check finds what is wrong with a file, and nothing in a whole one."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from metasearch.review.projects import projects
from metasearch.review.store.checks import check, drive_of
from metasearch.review.store.database import Database
from tests.cases import each
from tests.review.store.damage import damaged_page

NOW = "2026-11-23T05:40:00Z"
#: A project with a run that found a record, which is a work.
ROWS = f"""
INSERT INTO strategy (id, project, name, created) VALUES (1, 1, 's', '{NOW}');
INSERT INTO step (id, strategy, number, kind, text, edited) VALUES (1, 1, 1, 'query', 'x', '{NOW}');
INSERT INTO run (id, project, strategy, number, mode, status, started, tool)
    VALUES (1, 1, 1, 1, 'records', 'done', '{NOW}', 'metasearch');
INSERT INTO answer (id, run, step, source, label, status) VALUES (1, 1, 1, 'a', 'A', 'ok');
INSERT INTO record (id, project, source, key, digest, body, added) VALUES (1, 1, 'a', 'a:1',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', x'', '{NOW}');
INSERT INTO finding (answer, record) VALUES (1, 1);
INSERT INTO work (id, project, uid, component, first_run, added) VALUES (1, 1, 'u', 1, 1, '{NOW}');
INSERT INTO work_body (work, hit, words) VALUES (1, x'', 'lake');
INSERT INTO work_words (rowid, words) VALUES (1, 'lake');
INSERT INTO work_record (record, work) VALUES (1, 1);
INSERT INTO alias (project, name, work) VALUES (1, 'u', 1);
INSERT INTO report (project, kind, number, data, document, digest, frozen) VALUES (1, 'prisma-s',
    '1', '', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '{NOW}');
INSERT INTO user (id, uid, name, role, created) VALUES (1, 'uid', 'anna', 'administrator', '{NOW}');
INSERT INTO member VALUES (1, 1, 'owner', '{NOW}');
INSERT INTO link (digest, kind, project, role, created, expires)
    VALUES (x'00', 'member', 1, 'reader', '{NOW}', '{NOW}');
INSERT INTO saved_search (uid, owner, name, query, feed, created)
    VALUES ('uid', 'uid', 's', 'lakes', 'feed', '{NOW}');
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "workspace.sqlite3"
    with Database(path) as db:
        projects.create(db, "a", "review")
    with sqlite3.connect(path) as raw:
        raw.executescript(ROWS)
    raw.close()
    return path


def told(path: Path) -> list[str]:
    with Database(path) as db:
        return [problem.what for problem in check(db)]


def test_a_whole_file_has_no_problems(file: Path):
    """Nothing is told of a file in which all is as it was saved."""
    assert told(file) == []


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("UPDATE record SET body = x'00'", "1 record is not what was saved"),
        ("UPDATE report SET document = ' '", "the final report prisma-s 1 of a is not what"),
        ("DELETE FROM work_record", "records belong to no work"),
        ("DELETE FROM work_record", "works have no record"),
        ("DELETE FROM alias", "works are not found by their ids"),
        ("DELETE FROM work_body", "works have no content"),
        ("DELETE FROM finding", "records were found by no search"),
        ("DELETE FROM change", "projects have no log"),
        ("INSERT INTO change (project, at, action, object, after) VALUES (1, '', '', '', '{')",
         "lines of logs cannot be read"),
        ("UPDATE project SET details = '{'", "the answers of 1 projects"),
        ("UPDATE run SET status = 'running', started = '2020-01-01T00:00:00Z'", "have no end"),
        ("UPDATE work_body SET words = 'river'", "words of works are not found"),
        ("UPDATE user SET quotas = '{'", "the preferences or quotas of 1 users"),
        ("INSERT INTO audit (at, actor, action, detail) VALUES ('', '', '', '{')", "audit log"),
        ("UPDATE saved_search SET owner = 'gone'", "1 saved searches belong to users who are gone"),
        ("UPDATE link SET project = NULL", "1 links are for nobody, or for no project"),
        ("UPDATE member SET role = 'editor'", "1 projects have members, and no owner"),
        ("UPDATE user SET disabled = 1", "1 projects have members, and no owner"),
        ("UPDATE user SET role = 'guest'", "1 projects have members, and no owner"),
        ("UPDATE user SET disabled = 1", "no administrator who may log in"),
        ("DELETE FROM run", "a row of answer names one of run that is gone"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_told(file: Path, damage: str, expected: str):
    """Each kind of damage is told, with advice."""
    with sqlite3.connect(file) as raw:
        raw.execute(damage)
    raw.close()

    with Database(file) as db:
        found = check(db)

    assert any(expected in problem.what for problem in found)
    assert all(problem.advice for problem in found)


def test_a_damaged_page_is_told_by_the_check(file: Path):
    """A page of another content is a damage of the file."""
    damaged_page(file)

    assert any("the file is damaged" in what for what in told(file))


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_a_file_that_others_may_read_is_a_danger(file: Path):
    """Strategies that nobody published are for their owner; it is told, but is no damage."""
    file.chmod(0o644)

    with Database(file) as db:
        (problem,) = check(db)

    assert "other users" in problem.what
    assert not problem.harmful


@pytest.mark.skipif(sys.platform == "win32", reason="an open file stays there")
def test_a_file_that_was_deleted_while_it_is_open_is_told(file: Path):
    """What is in it can still be saved."""
    with Database(file) as db:
        file.unlink()

        assert any("no longer at its place" in problem.what for problem in check(db))


def test_a_check_changes_nothing(file: Path):
    """Rows and log stay, and a file that may only be read is checked, too."""
    with Database(file) as db:
        before = db.value("PRAGMA data_version"), db.value("SELECT total_changes()")
        assert check(db) == []
        assert db.value("PRAGMA data_version") == before[0]
    with Database(file, read_only=True) as db:
        assert check(db) == []


MOUNTS = [
    "/dev/sda1 / ext4 rw 0 0",
    "server:/export /home nfs4 rw 0 0",
    "tmpfs /home/ada/my\\040data tmpfs rw 0 0",
    "broken",
]


@each(
    ("path", "kind"),
    [
        ("/var/w.sqlite3", "ext4"),
        ("/home/ada/w.sqlite3", "nfs4"),
        ("/homes/w.sqlite3", "ext4"),
        ("/home/ada/my data/w.sqlite3", "tmpfs"),
    ],
)
def test_the_drive_of_a_file_is_the_one_mounted_nearest(path: str, kind: str):
    """The file system that is mounted nearest above a file is that of the file."""
    assert drive_of(path, MOUNTS) == kind
