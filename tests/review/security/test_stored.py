"""What users bring counts before it is written: archives, runs and their pages; and nothing of it
outlives its project.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from metasearch import demo
from metasearch.demo import DemoDatabases
from metasearch.errors import UsageError
from metasearch.review.projects import archive_checks as members_of_archive
from metasearch.review.projects import members, projects, removal
from metasearch.review.projects.archive_format import export_project
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.projects.projects import Project
from metasearch.review.store import workspace as recordings
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from metasearch.review.users.permissions_and_quotas import Quotas
from metasearch.server.app import open_server
from metasearch.settings import ServerSettings, Settings
from metasearch.settings.users import HEADER, UsersSettings
from tests.review.security.team import Team
from tests.review.security.team_fixtures import As, Serving

ZIP = {"Content-Type": "application/zip", "Accept": "application/json"}
#: What stands in a recorded page here.
PAGE = b"x" * 70_000


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    made = tmp_path / "tmp"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


@pytest.fixture
def archive(team: Team, tmp_path: Path) -> Path:
    """An archive of the project of the team, with a recorded page."""
    pages = tmp_path / "kept" / "alpha" / "0123456789abcdef"
    pages.mkdir(parents=True)
    (pages / "page.json").write_bytes(b"{}")
    (pages / "body.txt").write_bytes(PAGE)
    copy = tmp_path / "copy.sqlite3"
    shutil.copy(team.filled.path, copy)
    file = tmp_path / "review.zip"
    with Database(copy) as db, file.open("wb") as out:
        db.run("UPDATE run SET recorded = ?", str(tmp_path / "kept"))
        export_project(projects.find(db, team.review.uid), out)
    return file


def limited(team: Team, name: str, **quotas: int) -> None:
    """Give a user quotas of their own."""
    with Database(team.filled.path) as db:
        accounts.update(db, accounts.find(db, name), quotas=quotas)


async def brought(people: As, archive: Path, name: str = "stranger") -> tuple[int, Any]:
    """Status and answer of an import."""
    response = await people(name).client.post(
        "/api/projects/import", data=archive.read_bytes(), headers=people(name).headers | ZIP
    )
    return response.status, await response.json(content_type=None)


def removed() -> None:
    """Waits until pages are removed."""
    for thread in threading.enumerate():
        if thread.name == recordings.REMOVING:
            thread.join()


@pytest.mark.parametrize("quota", ["stored_records", "stored_bytes"])
async def test_an_archive_counts_by_what_it_brings(
    people: As, team: Team, archive: Path, quota: str
) -> None:
    """Refused as a whole, before anything is written: rows, folders, temporary files."""
    limited(team, "stranger", **{quota: 3})

    status, problem = await brought(people, archive)

    assert (status, problem["quota"], problem["limit"]) == (429, quota, 3)
    with Database(team.filled.path) as db:
        assert len(projects.every(db)) == 3
        assert check(db) == []
    assert recordings.folders(team.filled.path) == []


async def test_recorded_pages_count_for_their_owner(people: As, team: Team, archive: Path) -> None:
    """Until the project is deleted: then they go, too."""
    limited(team, "stranger", stored_bytes=members_of_archive.size_of(archive)[1])
    status, made = await brought(people, archive)
    assert status == 201, made
    with Database(team.filled.path) as db:
        held = Quotas().stored(db, team.uids["stranger"])
    [folder] = recordings.folders(team.filled.path)
    assert (await brought(people, archive))[0] == 429

    stranger = people("stranger")
    uid = made["uid"]
    assert (await stranger.post(f"/api/projects/{uid}/delete", name=made["name"])).status == 200
    removed()

    assert held.bytes > len(PAGE)
    assert folder.name == uid
    assert recordings.folders(team.filled.path) == []
    assert (await brought(people, archive))[0] == 201


def test_pages_that_a_person_keeps_elsewhere_stay(team: Team, tmp_path: Path) -> None:
    """A run with --record names any folder; no deletion touches it."""
    kept = tmp_path / "kept"
    kept.mkdir()
    with Database(team.filled.path) as db:
        db.run("UPDATE run SET recorded = ?", str(kept))
        projects.delete(team.review.at(db))
        removed()
        removal.remove_remains(db)
        removed()

    assert kept.is_dir()


def _deleted_and_then(db: Database, project: Project, name: str) -> None:
    with db.transaction():
        projects.delete(project)
        projects.find(db, name)


def test_a_deletion_that_is_taken_back_keeps_its_pages(team: Team, archive: Path) -> None:
    """They go when the rows have gone, and not before."""
    with Database(team.filled.path) as db:
        made = import_project(db, archive).project
        with pytest.raises(UsageError):
            _deleted_and_then(db, made, "nothing")
        removed()
        with db.transaction():
            projects.create(db, "another", "review")
        removed()

        assert [folder.name for folder in recordings.folders(db.path)] == [made.uid]
        assert projects.find(db, made.uid) == made


def test_what_a_killed_import_leaves_is_found_and_removed(
    team: Team, archive: Path, place: Path
) -> None:
    """A folder of pages without a project, an archive that was received, rows of no project; what
    belongs to a project, or arrives now, stays."""
    path = team.filled.path
    with Database(path) as db:
        made = import_project(db, archive).project
        recordings.set_pages(
            db, made.id, recordings.bytes_of(recordings.folders_of(path, made.uid))
        )
    orphan = recordings.place_of(path) / "zzzzzzzzzzzz-abcd"
    (orphan / "1").mkdir(parents=True)
    (orphan / "1" / "page.json").write_bytes(PAGE)
    old, new = place / "metasearch-archive-old.zip", place / "metasearch-archive-new.zip"
    other = place / "other.zip"
    for file in (old, new, other):
        file.write_bytes(PAGE)
    for file in (old, other):
        os.utime(file, (time.time() - 200_000, time.time() - 200_000))
    with Database(path) as db:
        db.run("PRAGMA foreign_keys = OFF")
        db.run("INSERT INTO strategy (project, name, created) VALUES (999, 'lost', '2026')")
        db.run("UPDATE stored SET records = records + 7 WHERE project = ?", made.id)

    with Database(path) as db:
        told = [str(problem.what) for problem in check(db)]
        repaired = removal.remove_remains(db)
        removed()
        assert any("strategy" in what for what in told)
        assert repaired.folders == (orphan,)
        assert repaired.files == (old,)
        assert repaired.rows == (("strategy", 1),)
        assert repaired.miscounted == (made.id,)
        assert check(db) == []
    assert not orphan.exists()
    assert not old.exists()
    assert new.exists()
    assert other.exists()
    assert [folder.name for folder in recordings.folders(path)] == [made.uid]


def test_pages_of_another_workspace_of_the_same_name_stay(team: Team) -> None:
    """ "workspace.db" and "workspace.sqlite3" share one folder: nobody can tell whose pages lie
    there."""
    path = team.filled.path
    Database(path.with_suffix(".db")).close()
    orphan = recordings.place_of(path) / "zzzzzzzzzzzz"
    orphan.mkdir(parents=True)

    with Database(path) as db:
        assert removal.remove_remains(db).folders == ()
    removed()

    assert orphan.is_dir()


# --------------------------------------------------------------------------- runs


@pytest.fixture
def of_ann(tmp_path: Path) -> tuple[Settings, Project]:
    """A server with a project of a user, and a strategy of two steps."""
    settings = replace(
        Settings(workspace=tmp_path / "w.sqlite3", serve_workspace=True),
        users=UsersSettings(mode="header"),
        server=ServerSettings(trusted_proxies=("127.0.0.1",)),
    )
    assert settings.workspace is not None
    with Database(settings.workspace) as db:
        user = accounts.create(db, "ann", role="user", origin="header", subject="ann")
        project = projects.create(db, "lakes", "review")
        members.add(project, user, "owner")
    return settings, project


class Asking:
    """Somebody who makes strategies and runs them."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def post(self, path: str, **members_: Any) -> tuple[int, Any]:
        async with self.session.post(f"/api/projects/lakes{path}", json=members_) as response:
            return response.status, json.loads(await response.text())

    async def ended(self, number: int) -> Any:
        """The run at its end."""
        while True:
            async with self.session.get(f"/api/projects/lakes/runs/{number}") as response:
                shown = await response.json()
            if shown["status"] != "running":
                return shown
            await asyncio.sleep(0.02)


@pytest.fixture
async def ann(of_ann: tuple[Settings, Project], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The user, at the server."""
    monkeypatch.setattr(demo, "DemoDatabases", lambda **more: DemoDatabases(0.0, **more))
    async with (
        open_server(of_ann[0], demo=True) as url,
        aiohttp.ClientSession(url, headers={HEADER: "ann"}) as session,
    ):
        asking = Asking(session)
        sources = ["demo-crossref", "demo-openalex"]
        assert (await asking.post("/strategies", name="main", sources=sources))[0] == 201
        for text in ("lakes", "rivers"):
            assert (await asking.post("/strategies/main/steps", text=text))[0] == 201
        yield asking


def changed(settings: Settings, **quotas: int) -> None:
    """Give the user quotas."""
    assert settings.workspace is not None
    with Database(settings.workspace) as db:
        accounts.update(db, accounts.find(db, "ann"), quotas=quotas)


async def test_each_step_of_a_run_is_a_search(
    ann: Asking, of_ann: tuple[Settings, Project]
) -> None:
    """Of counts and of records; a run that would be one search too many is not begun."""
    changed(of_ann[0], searches=3)
    status, begun = await ann.post("/runs", mode="counts")
    assert status == 202, begun
    await ann.ended(begun["number"])

    status, problem = await ann.post("/runs", mode="counts")
    assert (status, problem["quota"]) == (429, "searches")
    status, begun = await ann.post("/runs", mode="records", steps=[1], per_source=5)
    assert status == 202, begun
    await ann.ended(begun["number"])
    status, problem = await ann.post("/runs", mode="records", steps=[1], per_source=5)
    assert (status, problem["quota"]) == (429, "searches")


async def test_a_run_asks_as_many_sources_as_a_search_may(
    ann: Asking, of_ann: tuple[Settings, Project]
) -> None:
    """Its sources are those of a search."""
    changed(of_ann[0], sources=1)

    status, problem = await ann.post("/runs", mode="counts")
    fewer, _ = await ann.post("/runs", mode="counts", sources=["demo-crossref"])

    assert (status, problem["quota"], fewer) == (429, "sources", 202)


async def test_a_run_ends_where_no_more_may_be_stored(
    ann: Asking, of_ann: tuple[Settings, Project]
) -> None:
    """What was kept stays, not one record is too many, and the reason is told; the run can go on
    where there is room again."""
    changed(of_ann[0], stored_records=7)
    status, begun = await ann.post("/runs", mode="records", steps=[1], per_source=5)
    assert status == 202, begun

    shown = await ann.ended(begun["number"])

    assert shown["status"] == "interrupted"
    assert "may hold 7 records" in shown["error"]
    page = "/projects/lakes/strategies/main"
    async with ann.session.get(page, headers={"Accept": "text/html"}) as response:
        assert "may hold 7 records" in await response.text()
    assert of_ann[0].workspace is not None
    with Database(of_ann[0].workspace) as db:
        assert 0 < db.value("SELECT count(*) FROM record") <= 7


async def test_the_same_records_again_are_no_more(
    ann: Asking, of_ann: tuple[Settings, Project]
) -> None:
    """A run is repeated where the projects hold as much as they may."""
    _, begun = await ann.post("/runs", mode="records", steps=[1], per_source=5)
    await ann.ended(begun["number"])
    assert of_ann[0].workspace is not None
    with Database(of_ann[0].workspace) as db:
        held = db.value("SELECT count(*) FROM record")
    changed(of_ann[0], stored_records=held + 1)

    _, begun = await ann.post("/runs", mode="records", steps=[1], per_source=5)

    assert (await ann.ended(begun["number"]))["status"] == "done"


async def test_the_same_query_with_more_of_each_source_is_another_search(
    serve_team: Serving, team: Team
) -> None:
    """It asks the sources anew."""
    limited(team, "reader", searches=1)
    reader = (await serve_team())("reader")

    assert (await reader.get("/search?q=mice&format=json&per_source=20")).status == 200
    assert (await reader.get("/search?q=mice&format=json&per_source=20")).status == 200
    assert (await reader.get("/search?q=mice&format=json&per_source=50")).status == 429
