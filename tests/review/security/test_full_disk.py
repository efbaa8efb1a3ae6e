"""A disk that is full or read-only, and a file that is damaged: told as that, with no path of the
server, and all goes on when it is mended.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse

from metasearch.errors import WorkspaceError
from metasearch.review.projects import api, projects
from metasearch.review.service import WORKSPACE
from metasearch.review.store.database import Database, unusable
from metasearch.review.users.permissions_and_quotas import Quotas
from metasearch.review.works import api as files
from metasearch.server import forms, problem
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As
from tests.review.store.processes import started

ZIP = {"Content-Type": "application/zip", "Accept": "application/json"}


@pytest.fixture(autouse=True)
def _nothing_was_logged() -> None:
    problem._logged.clear()


async def told(response: ClientResponse, status: int, team: Team) -> str:
    """The text of an answer that says that the storage fails; no place of the server is in it."""
    text = await response.text()
    assert response.status == status, text
    assert int(response.headers["Retry-After"]) > 0
    for place in (team.filled.path.name, str(team.filled.path.parent), tempfile.gettempdir()):
        assert place not in text
    assert "metasearch workspace" not in text  # which a reader of the page cannot run
    return text


def writer(person: Person) -> Callable[..., Any]:
    """Calls a function where the server writes."""
    service = person.client.app[WORKSPACE]  # type: ignore[union-attr]
    return service.workspace.write  # type: ignore[no-any-return]


def _fill(db: Database) -> None:
    db.run(f"PRAGMA max_page_count = {db.value('PRAGMA page_count')}")


def _free(db: Database) -> None:
    db.run("PRAGMA max_page_count = 1073741823")


async def test_a_full_disk(people: As, team: Team, caplog: pytest.LogCaptureFixture) -> None:
    """507 for a program, a page, and a form; reading goes on, and writing when there is space."""
    owner = people("owner")
    path = f"/api/projects/{team.review.uid}"
    await owner.json(path)
    write = writer(owner)
    await write(_fill)
    steps = f"{path}/strategies/{team.filled.strategy.name}/steps"
    text = " OR ".join(f"soil{'x' * 12}{number}" for number in range(750))

    with caplog.at_level(logging.ERROR, "metasearch.server"):
        refused = await owner.post(steps, text=text)
        again = await owner.post(steps, text=text)
        form = await owner.form(
            f"/projects/{team.review.uid}/strategies/{team.filled.strategy.name}",
            {"do": "add", "text": text},
        )
    assert '"title":"The server cannot store or read its data now"' in await told(
        refused, 507, team
    )
    await told(again, 507, team)
    await told(form, 507, team)
    lines = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(lines) == 1  # the same is logged once, with the place and what to do
    assert str(team.filled.path) in lines[0].getMessage()
    assert "Free some space" in lines[0].getMessage()
    assert (await owner.get(path)).status == 200

    await write(_free)
    assert (await owner.post(steps, text=text)).status == 201


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (sqlite3.SQLITE_FULL, 507),
        (sqlite3.SQLITE_IOERR_WRITE, 503),
        (sqlite3.SQLITE_READONLY_DIRECTORY, 503),
        (sqlite3.SQLITE_CORRUPT, 503),
        (sqlite3.SQLITE_NOTADB, 503),
        (sqlite3.SQLITE_CANTOPEN, 503),
        (sqlite3.SQLITE_BUSY, 503),
    ],
)
async def test_each_kind_of_failure(
    people: As, team: Team, monkeypatch: pytest.MonkeyPatch, code: int, status: int
) -> None:
    """Of the file, at any statement."""
    cause = sqlite3.OperationalError("refused")
    cause.sqlite_errorcode = code

    def failing(*_: Any, **__: Any) -> Any:
        raise unusable(team.filled.path, cause) from cause

    owner = people("owner")
    monkeypatch.setattr(projects, "update", failing)

    await told(await owner.post(f"/api/projects/{team.review.uid}", title="y"), status, team)
    page = await owner.form(f"/projects/{team.review.uid}", {"do": "title", "title": "y"})
    await told(page, status, team)


async def test_a_damaged_file(people: As, team: Team) -> None:
    """Whose pages are overwritten while the server runs."""
    owner = people("owner")
    await owner.json(f"/api/projects/{team.review.uid}")
    size = team.filled.path.stat().st_size
    with Database(team.filled.path) as db:
        db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    with team.filled.path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * (size - 100))

    await told(await owner.get(f"/api/projects/{team.review.uid}/works"), 503, team)


NO_SPACE = OSError(28, "No space left on device", "/srv/secret/archive.zip")


async def test_temporary_files_of_archives_and_exports(
    people: As, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """507, for what is received and for what is written; with space it works."""
    owner = people("owner")

    def full(*_: Any, **__: Any) -> Any:
        raise NO_SPACE

    async def full_body(*_: Any) -> Any:
        raise NO_SPACE

    taken = f"/api/projects/{team.review.uid}/archive"
    export = f"/api/projects/{team.review.uid}/exports?format=ris"

    async def imported() -> ClientResponse:
        return await owner.client.post(
            "/api/projects/import", data=b"PK", headers=owner.headers | ZIP
        )

    with monkeypatch.context() as patch:
        patch.setattr(api, "body_into", full_body)
        assert "secret" not in await told(await imported(), 507, team)
    with monkeypatch.context() as patch:
        patch.setattr(api, "export_project", full)
        assert "secret" not in await told(await owner.get(taken), 507, team)
    with monkeypatch.context() as patch:
        patch.setattr(files, "export", full)
        assert "secret" not in await told(await owner.get(export), 507, team)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", full)
        await told(await owner.get(export), 507, team)
        await told(await owner.get(taken), 507, team)
    with monkeypatch.context() as patch:
        patch.setattr(forms, "_keep", full)
        token = (await owner.page("/settings")).xpath("//input[@name='token']/@value")[0]
        body = (
            f'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n{token}\r\n--b\r\n'
            'Content-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nPK\r\n--b--\r\n'
        )
        head = {"Content-Type": "multipart/form-data; boundary=b", "Accept": "text/html"}
        response = await owner.client.post("/projects", data=body, headers=owner.headers | head)
        await told(response, 507, team)

    assert (await imported()).status == 400
    assert (await owner.get(taken)).status == (await owner.get(export)).status == 200


SMALL = """
import asyncio, resource, sys
from pathlib import Path
from metasearch.review.projects import projects
from metasearch.errors import WorkspaceError
from metasearch.review.store.workspace import Workspace

async def main():
    async with Workspace(Path(sys.argv[1])) as workspace:
        await workspace.write(projects.create, "a", "review")
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        def many(db):
            with db.transaction():
                for number in range(3_000):
                    projects.create(db, f"p{number}", "review", "long " * 90)
        try:
            await workspace.write(many)
        except WorkspaceError as exc:
            print(exc.status)
        print(len(await workspace.read(projects.every)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        await workspace.write(projects.create, "b", "review")
        print(len(await workspace.read(projects.every)))

asyncio.run(main())
"""

READ_ONLY = """
import os, sys
from pathlib import Path
from metasearch.errors import WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.store.database import Database

from metasearch.review.store.database import migrations

migrations()  # which another user may not be able to read
path = Path(sys.argv[1])
if os.getuid() == 0:
    os.chown(path, 65534, -1)
    os.chown(path.parent, 65534, -1)
    os.setuid(65534)
os.chmod(path, 0o444)
with Database(path) as db:
    try:
        projects.create(db, "b", "review")
    except WorkspaceError as exc:
        print(exc.status)
    for end in ("", "-wal", "-shm"):
        os.chmod(f"{path}{end}", 0o644)
    projects.create(db, "b", "review")
    print(len(projects.every(db)))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_file_that_may_not_grow_and_then_may(tmp_path: Path) -> None:
    """The same connections go on, and what was there stays."""
    said, errors = started(SMALL, tmp_path / "workspace.sqlite3").communicate()

    assert errors == ""
    status, before, after = said.split()
    assert status in ("503", "507")  # SQLite calls it a failure of the drive
    assert (before, after) == ("1", "2")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX")
def test_a_file_that_was_read_only_is_written_when_it_may_be() -> None:
    """Without a restart, although it was opened while it could only be read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # which another user may enter
        Path(folder).chmod(0o755)
        path = Path(folder) / "workspace.sqlite3"
        with Database(path) as db:
            projects.create(db, "a", "review")
        said, errors = started(READ_ONLY, path).communicate()

    assert errors == ""
    assert said.split() == ["503", "2"]


def test_the_command_line_names_the_file_and_what_to_do(tmp_path: Path) -> None:
    """Who types a command may read paths, and can mend it; the advice is another command."""
    path = tmp_path / "workspace.sqlite3"
    path.write_bytes(b"no database at all" * 100)

    with pytest.raises(WorkspaceError) as refused:
        Database(path)

    assert str(path) in str(refused.value)
    assert "workspace check" not in refused.value.advice


async def test_searches_of_other_protocols_tell_it_without_a_path(
    people: As, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a search cannot be counted: by the commands of pazpar2, SRU, and a tool of MCP."""
    owner = people("owner")

    def full(*_: object, **__: object) -> None:
        cause = sqlite3.OperationalError("database or disk is full")
        cause.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise unusable(team.filled.path, cause) from cause

    monkeypatch.setattr(Quotas, "take", full)
    pazpar2 = await owner.get("/pazpar2/search.pz2?command=search&session=1&query=soil")
    await told(pazpar2, 507, team)
    sru = await owner.get("/sru?operation=searchRetrieve&query=soil")
    await told(sru, 507, team)

    call = {"name": "search", "arguments": {"query": "soil"}}
    tool = await owner.client.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers=owner.headers | {"Accept": "application/json, text/event-stream"},
    )
    text = await tool.text()
    assert "The disk of the server is full" in text
    assert team.filled.path.name not in text
