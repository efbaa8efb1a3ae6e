"""A project comes to a workspace, and goes, in portions: all of it, or nothing, however it ends."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from metasearch.errors import UsageError, WorkspaceError
from metasearch.review.projects import archive_reader, log, projects, removal
from metasearch.review.projects.archive_format import TABLES, columns, export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.store import database
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from tests.review.archive.rows import made
from tests.review.archive.test_archive import DIFFERS, members
from tests.review.store.processes import started

RECORDS = 130
ALPHABET = "abcdefghijkmnpqrstuvwxyz"

#: Imports or deletes, and dies between two portions, or instead of the last transaction.
KILLED = """
import os, signal, sys
from pathlib import Path
from metasearch.review.projects import projects
from metasearch.review.projects import archive_reader as reading
from metasearch.review.store import database as portions
from metasearch.review.store.database import Database

file, archive, what, stage = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def count(_seconds):
    global left
    left -= 1
    left or die()

if stage == "reading":
    reading._ArchiveReader.read = die
elif stage == "last":
    reading._ArchiveReader.show = die
else:
    left, portions.let_others = int(stage), count
with Database(file) as db:
    if what == "import":
        reading.import_project(db, archive)
    else:
        projects.delete(projects.find(db, "lakes"))
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a project with rows enough for several portions."""
    folder = tmp_path_factory.mktemp("many")
    uids = ("".join(some) for some in itertools.product(ALPHABET, repeat=12))
    project = made(folder / "w.sqlite3", records=RECORDS, uids=uids)
    with Database(folder / "w.sqlite3") as db:
        export_to(project.at(db), folder / "lakes.zip")
    return folder / "lakes.zip"


@pytest.fixture
def db(tmp_path: Path):
    """A workspace with a project of its own."""
    made(tmp_path / "data" / "w.sqlite3", "rivers", uids=iter(("x" * 12, "y" * 12, "z" * 12)))
    with Database(tmp_path / "data" / "w.sqlite3") as db:
        yield db


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Sets what happens between two portions."""

    def happens(what: Callable[[], None]) -> None:
        monkeypatch.setattr(database, "let_others", lambda _: what())

    return happens


def names(db: Database) -> list[str]:
    return sorted(project.name for project in projects.every(db))


def left(db: Database) -> dict[str, int]:
    """Table -> rows that belong to no project that is there."""
    own = "(SELECT id FROM project WHERE hidden <> '')"
    found = {}
    for table in TABLES:
        where = table.where.replace("= ?", f"IN {own}")
        found[table.name] = db.value(f"SELECT count(*) FROM {table.name} WHERE {where}")
    return {name: count for name, count in found.items() if count}


def test_each_table_with_numbers_keeps_them_free(db: Database) -> None:
    """A table that is new is not forgotten."""
    numbered = [table.name for table in TABLES if columns(db, table).numbered]

    assert numbered == ["project", *archive_reader._BEHIND]


@pytest.mark.slow
def test_others_write_while_a_project_arrives(
    db: Database, archive: Path, tmp_path: Path, between: Callable[[Callable[[], None]], None]
) -> None:
    """Between its portions others make rows of every kind, which get numbers of their own; no list
    shows the project; at the end both are whole."""
    count = itertools.count()
    uids = ("".join(some) for some in itertools.product("98765432", repeat=12))

    def write() -> None:
        number = next(count)
        assert names(db) == sorted(["rivers", *(f"other-{each}" for each in range(number))])
        with pytest.raises(UsageError):
            projects.find(db, "lakes")
        made(db.path, f"other-{number}", 3, uids)

    between(write)
    imported = import_project(db, archive)
    export_to(imported.project, tmp_path / "again.zip")

    assert next(count) > 20
    assert check(db) == []
    first, second = members(archive), members(tmp_path / "again.zip")
    assert {name for name in first if first[name] != second[name]} == DIFFERS


def test_one_archive_is_imported_twice_at_once(
    db: Database, archive: Path, between: Callable[[Callable[[], None]], None]
) -> None:
    """Who is slower gets other uids for its works, and another name."""
    waiting = [True]

    def import_too() -> None:
        if waiting:
            waiting.clear()
            import_project(db, archive)

    between(import_too)
    slower = import_project(db, archive)

    assert names(db) == ["lakes", "lakes-2", "rivers"]
    assert (slower.project.name, slower.new_uids) == ("lakes-2", RECORDS + 1)
    assert left(db) == {}
    assert check(db) == []


def test_what_fails_on_its_way_leaves_nothing(
    db: Database, archive: Path, between: Callable[[Callable[[], None]], None]
) -> None:
    """Between portions, and in the last transaction."""
    before = [tuple(row) for row in db.all("SELECT * FROM change")]
    count = itertools.count()

    def fail() -> None:
        if next(count) == 5:
            raise WorkspaceError("w", "the disk is full")

    between(fail)
    with pytest.raises(WorkspaceError, match="the disk is full"):
        import_project(db, archive)
    assert left(db) == {}

    def refuse(project: projects.Project) -> None:
        log.write(db, project.id, "new owner", "project", None, None)
        raise UsageError("no more projects")

    with pytest.raises(UsageError, match="no more projects"):
        import_project(db, archive, last=refuse)

    assert left(db) == {}
    assert names(db) == ["rivers"]
    assert [tuple(row) for row in db.all("SELECT * FROM change")] == before
    assert [file.name for file in db.path.parent.iterdir() if "arriving" in file.name] == []
    assert check(db) == []


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["reading", "1", "7", "18", "last"])
def test_an_import_that_is_killed_is_none(db: Database, archive: Path, stage: str) -> None:
    """After kill -9 nothing shows the project; the next one that cleans up removes the rows and the
    file beside the workspace, and the archive can be imported."""
    process = started(KILLED, db.path, archive, "import", stage)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (-9, "")

    assert names(db) == ["rivers"]
    assert left(db)["project"] == 1
    assert [problem.harmful for problem in check(db)] == [False]
    assert removal.remove_hidden(db) == 1
    assert left(db) == {}
    assert [file.name for file in db.path.parent.iterdir() if "arriving" in file.name] == []
    assert check(db) == []
    assert import_project(db, archive).project.name == "lakes"


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["1", "4", "6"])
def test_a_deletion_that_is_killed_is_ended_later(db: Database, archive: Path, stage: str) -> None:
    """The project is gone for all who look from its first moment, and its name is free."""
    import_project(db, archive)
    process = started(KILLED, db.path, archive, "delete", stage)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (-9, "")

    assert names(db) == ["rivers"]
    assert left(db)["project"] == 1
    assert projects.create(db, "lakes", "review").name == "lakes"
    assert removal.remove_hidden(db) == 1
    assert left(db) == {}
    assert check(db) == []


@pytest.mark.slow
def test_an_import_that_goes_on_is_not_cleaned_up(
    db: Database, archive: Path, between: Callable[[Callable[[], None]], None]
) -> None:
    """Whoever cleans up meanwhile, in this process or in another one."""
    cleaner = (
        "import sys; from pathlib import Path\n"
        "from metasearch.review.projects.removal import remove_hidden\n"
        "from metasearch.review.store.database import Database\n"
        "with Database(Path(sys.argv[1])) as db: print(remove_hidden(db))"
    )
    removed: list[str] = []

    def clean() -> None:
        if not removed:
            removed.append(str(removal.remove_hidden(db)))
            removed.append(started(cleaner, db.path).communicate()[0].strip())

    between(clean)
    import_project(db, archive)

    assert removed == ["0", "0"]
    assert names(db) == ["lakes", "rivers"]
    assert check(db) == []
