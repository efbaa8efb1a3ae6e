"""A project that is exported and imported is the same project, in whichever workspace."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.projects.archive_format import TABLES, export_project, export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.runs import other_sources
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from tests.review.archive.rows import UIDS, made

#: What an import adds a line to, and what names the digests of the members.
DIFFERS = {"tables/change.jsonl", "manifest.json"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workspace.sqlite3"


@pytest.fixture
def project(file: Path) -> Project:
    return made(file)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lines(content: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in content.splitlines()]


#: Made of the tables of an archive: the index of words and the records that wait by the import, the
#: others by the next addition of records, which finds no row in works_made (works/intake.py).
#: Triggers count what is stored.
DERIVED = set(
    "entering work_words record_place record_signature record_sketch journal_title works_made "
    "stored".split()
)
#: Of the workspace and its users, who are others elsewhere. Votes, lines of the log, and the stages
#: that several people screen keep the uids of users, which name nobody where there is no such user.
#: A signature is good where the person who signed has logged in: nobody can bring one.
OF_USERS = set(
    "user session token link login_failure login_state source_switch usage audit member signature "
    "saved_search saved_run saved_answer saved_name saved_news mail mail_owner mail_told lease "
    "run_carrier address_proof address_mail".split()
)


def test_every_table_is_archived_or_made_of_others_or_of_users(file: Path):
    """A table that is new in the schema is not forgotten."""
    with Database(file) as db:
        rows = db.all("SELECT name FROM sqlite_master WHERE type = 'table'")
    of_schema = {row["name"] for row in rows}

    assert {table.name for table in TABLES} | DERIVED | OF_USERS == {
        name for name in of_schema if not name.startswith("work_words_")
    }


def test_the_same_project_gives_the_same_bytes(file: Path, project: Project, tmp_path: Path):
    """Dates, order and names of the archive depend on the project alone."""
    with Database(file) as db:
        first, second = io.BytesIO(), io.BytesIO()
        exported = export_project(project.at(db), first)
        export_project(project.at(db), second)
        export_to(project.at(db), tmp_path / "lakes.zip")

    assert first.getvalue() == second.getvalue() == (tmp_path / "lakes.zip").read_bytes()
    assert exported.bytes == len(first.getvalue())
    assert all(exported.rows.values())


def test_an_archive_can_be_read_without_metasearch(file: Path, project: Project, tmp_path: Path):
    """Each member is JSON, one object a line; records are JSON in it, and Chinese is as written."""
    with Database(file) as db:
        export_to(project.at(db), tmp_path / "lakes.zip")
    found = members(tmp_path / "lakes.zip")

    (first, *_) = lines(found["tables/record.jsonl"])
    assert json.loads(str(first["body"]))["title"] == "沉水植物 and lakes, part 1"
    assert "某公司".encode() in found["tables/project.jsonl"]
    manifest = json.loads(found["manifest.json"])
    assert [member["name"] for member in manifest["members"]] == list(found)[:-1]


def test_a_project_survives_the_way_into_another_workspace(
    file: Path, project: Project, tmp_path: Path
):
    """Exported, imported elsewhere and exported again, all rows are what they were; the log has
    one line more, that of the import. Names and uids stay."""
    with Database(file) as db:
        export_to(project.at(db), tmp_path / "first.zip")
    made(
        tmp_path / "other.sqlite3",
        "another",
        3,
        iter(("aaaaaaaaaaaa", "b" * 12, "c" * 12, "d" * 12)),
    )
    with Database(tmp_path / "other.sqlite3") as db:
        imported = import_project(db, tmp_path / "first.zip", by="ada")
        export_to(imported.project, tmp_path / "second.zip")
        newest = log.lines(db, imported.project.id, most=1)[0]

        assert (imported.project.name, imported.project.uid) == ("lakes", project.uid)
        assert imported.new_uids == 0
        assert (newest.action, newest.by) == ("import project", "ada")
        assert check(db) == []
    first, second = members(tmp_path / "first.zip"), members(tmp_path / "second.zip")
    assert {name for name in first if first[name] != second[name]} == DIFFERS
    assert second["tables/change.jsonl"].startswith(first["tables/change.jsonl"])


def test_a_project_can_be_imported_beside_itself(file: Path, project: Project, tmp_path: Path):
    """The copy gets another name and other uids; its works are found by the old ones, too, and its
    log names the new ones."""
    with Database(file) as db:
        export_to(project.at(db), tmp_path / "lakes.zip")
        imported = import_project(db, tmp_path / "lakes.zip")
        third = import_project(db, tmp_path / "lakes.zip")

        assert (imported.project.name, third.project.name) == ("lakes-2", "lakes-3")
        assert imported.name == "lakes"
        assert imported.project.uid != project.uid
        assert imported.new_uids == 3
        works = {
            row["name"]: row["uid"]
            for row in db.all(
                "SELECT alias.name, work.uid FROM alias JOIN work ON work.id = alias.work"
                " WHERE alias.project = ?",
                imported.project.id,
            )
        }
        assert set(UIDS) < works.keys()
        assert not set(UIDS) & set(works.values())
        (undo, marked) = log.lines(db, imported.project.id, most=3)[1:]
        assert marked.object == undo.object == f"work:{works[UIDS[1]]}"
        assert marked.after == {"stage": "title", "by": "", "works": {works[UIDS[1]]: None}}
        assert undo.undoes == marked.id
        assert check(db) == []


def test_a_line_of_the_log_names_what_the_copy_has(file: Path, project: Project, tmp_path: Path):
    """Strategies and steps by their numbers in the project, another source by its new row."""
    with Database(file) as db:
        export_to(project.at(db), tmp_path / "lakes.zip")
        copy = import_project(db, tmp_path / "lakes.zip").project
        (source,) = other_sources.of(copy)
        found = {change.object for change in log.lines(db, copy.id) if ":" in change.object}

    assert {one for one in found if not one.startswith(("work:", "report:"))} == {
        "strategy:1", "strategy:2", "step:1/1", "step:1/2", f"other_source:{source.id}",
    }  # fmt: skip


def test_a_name_can_be_chosen(file: Path, project: Project, tmp_path: Path):
    """A name that is given is taken, or refused where a project has it."""
    with Database(file) as db:
        export_to(project.at(db), tmp_path / "lakes.zip")

        assert import_project(db, tmp_path / "lakes.zip", name="rivers").project.name == "rivers"
        for name in ("rivers", "no name", ""):
            with pytest.raises(UsageError):
                import_project(db, tmp_path / "lakes.zip", name=name)
        assert len(projects.every(db)) == 2


def test_an_export_replaces_a_file_only_where_that_is_asked(
    file: Path, project: Project, tmp_path: Path
):
    """A file that is there stays, and nothing is left of an export that is refused."""
    path = tmp_path / "lakes.zip"
    path.write_text("mine")
    with Database(file) as db:
        with pytest.raises(UsageError, match="exists already"):
            export_to(project.at(db), path)
        with pytest.raises(UsageError, match="cannot be written"):
            export_to(project.at(db), tmp_path / "nowhere" / "lakes.zip")
        assert path.read_text() == "mine"

        export_to(project.at(db), path, replace=True)
    assert zipfile.is_zipfile(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["lakes.zip", "workspace.sqlite3"]


# ------------------------------------------------------------------------- recorded pages

PAGE = Path("crossref", "0123456789abcdef", "page.json")


def record_run(file: Path, project: Project, folder: Path) -> None:
    """Let the run of a project have its pages in a folder, beside other files."""
    (folder / PAGE).parent.mkdir(parents=True)
    (folder / PAGE).write_text('{"status": 200}')
    (folder / PAGE.with_name("body.json")).write_text("{}")
    (folder / PAGE.with_name("secret.txt")).write_text("not a page")
    (folder / "diary.txt").write_text("not a page")
    with Database(file) as db:
        db.run("UPDATE run SET recorded = ? WHERE project = ?", str(folder), project.id)


def test_recorded_pages_travel_with_a_run(file: Path, project: Project, tmp_path: Path):
    """The pages of a run are in the archive, and beside the workspace that imports it; other files
    of the folder are not."""
    record_run(file, project, tmp_path / "pages")
    with Database(file) as db:
        exported = export_to(project.at(db), tmp_path / "first.zip")
    other = tmp_path / "other" / "w.sqlite3"
    with Database(other) as db:
        imported = import_project(db, tmp_path / "first.zip")
        recorded = Path(db.value("SELECT recorded FROM run"))
        export_to(imported.project, tmp_path / "second.zip")

    assert exported.pages == imported.pages == 2
    assert (recorded / PAGE).read_text() == '{"status": 200}'
    assert recorded.is_relative_to(other.parent / "w-recorded" / project.uid)
    assert not list(other.parent.rglob("*.txt"))
    first, second = members(tmp_path / "first.zip"), members(tmp_path / "second.zip")
    assert {name for name in first if first[name] != second[name]} == DIFFERS


def test_pages_that_are_gone_are_told(file: Path, project: Project, tmp_path: Path):
    """A run whose folder is no longer there is exported without pages."""
    with Database(file) as db:
        db.run("UPDATE run SET recorded = ?", str(tmp_path / "gone"))
        exported = export_to(project.at(db), tmp_path / "lakes.zip")
        imported = import_project(db, tmp_path / "lakes.zip")

        assert exported.lacking == (1,)
        assert imported.pages == 0
        assert db.value("SELECT recorded FROM run WHERE project = ?", imported.project.id) == ""


def test_a_run_that_was_going_on_is_stopped_in_the_copy(
    file: Path, project: Project, tmp_path: Path
):
    """Nobody continues it in the other workspace."""
    with Database(file) as db:
        db.run("UPDATE run SET status = 'running'")
        export_to(project.at(db), tmp_path / "lakes.zip")
        copy = import_project(db, tmp_path / "lakes.zip").project

        assert db.value("SELECT status FROM run WHERE project = ?", copy.id) == "stopped"


def test_the_numbers_of_a_finished_report_name_the_rows_of_this_workspace(
    file: Path, project: Project, tmp_path: Path
):
    """A report that continues the copied one counts from the copied run and the copied sources."""
    with Database(file) as db:
        export_to(project.at(db), tmp_path / "lakes.zip")
        copy = import_project(db, tmp_path / "lakes.zip").project
        (report,) = reports.frozen(copy)
        (other,) = other_sources.of(copy)

        assert [one["id"] for one in report.data["numbers"]["other"]] == [other.id]
        assert report.last_run == db.value("SELECT id FROM run WHERE project = ?", copy.id)
        assert reports.is_unchanged(db, report)
