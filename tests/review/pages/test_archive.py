"""A project as an archive, taken from one server and brought to it again by a browser."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from aiohttp import ClientResponse, FormData
from aiohttp.test_utils import TestClient

from metasearch.review.projects import projects
from metasearch.review.service import WORKSPACE
from metasearch.review.store.database import Database
from tests import cases
from tests.review.pages.filled import TEXT, FilledWorkspace, filled
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, text, token


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FilledWorkspace:
    """A workspace with projects; temporary files have a folder of their own."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    """A browser at a server of it."""
    return await serve(FakeEngine(settings=workspace.settings))


async def taken(client: TestClient, workspace: FilledWorkspace) -> bytes:
    """The archive of the review."""
    response = await client.get(f"/projects/{workspace.review.uid}/archive", headers=HTML)
    assert response.status == 200
    assert response.content_type == "application/zip"
    saved = response.headers["Content-Disposition"]
    assert re.search(r'filename="review-\d{4}-\d\d-\d\d\.zip"', saved)
    return await response.read()


async def brought(client: TestClient, content: bytes | None, name: str = "") -> ClientResponse:
    """The answer to the form with an archive."""
    form = FormData(default_to_multipart=True)
    form.add_field("token", await token(client))
    form.add_field("do", "import")
    form.add_field("name", name)
    if content is not None:
        form.add_field("file", content, filename="review.zip")
    return await client.post("/projects", data=form, headers=HTML, allow_redirects=False)


def names(workspace: FilledWorkspace) -> list[str]:
    """Those of the projects that there are."""
    with Database(workspace.path) as db:
        return sorted(project.name for project in projects.every(db))


async def test_an_archive_is_taken_and_brought_again(client, workspace):
    """All of the project is there; the file is on the disk no more, and HEAD makes none."""
    overview = await page(client, f"/projects/{workspace.review.uid}")
    [link] = overview.xpath("//a[@download]/@href")
    assert link == f"/projects/{workspace.review.uid}/archive"
    assert (await client.head(link, headers=HTML)).content_type == "application/zip"

    response = await brought(client, await taken(client, workspace), "copy")

    assert response.status == 303
    address = response.headers["Location"]
    assert "The project was imported from its file." in text(await page(client, address))
    works = await page(client, f"{address.partition('?')[0]}/works")
    assert f"{TEXT} δ1" in text(works)
    assert names(workspace) == ["copy", "empty", "novelty", "review"]
    assert not list((workspace.path.parent / "temporary").iterdir())


async def test_a_name_that_is_taken_gets_a_number(client, workspace):
    """Where none was typed; and the page says so."""
    response = await brought(client, await taken(client, workspace))

    shown = text(await page(client, response.headers["Location"]))
    assert "its short name was taken" in shown
    assert "review-2" in shown


@cases.each(
    ("content", "name", "reason"),
    [
        (b"PK", "", "the archive cannot be imported"),
        (None, "", "No file was chosen"),
        (b"PK", "two words", "cannot be a name"),
    ],
)
async def test_what_is_no_archive_is_told_beside_its_form(client, workspace, content, name, reason):
    """With 400; nothing was imported, and the name that was typed is still there."""
    before = names(workspace)

    response = await brought(client, content, name)

    assert response.status == 400
    shown = await response.text()
    assert reason in shown
    assert f'value="{name}"' in shown
    assert '<details class="fold" id="import" open>' in shown
    assert names(workspace) == before


async def test_an_archive_that_is_too_large_is_refused(client, workspace, monkeypatch):
    """As it is sent, and as it would be unpacked."""
    content = await taken(client, workspace)

    monkeypatch.setattr("metasearch.review.projects.pages.MOST_UNPACKED", 1000)
    refused = await brought(client, content)
    assert refused.status == 400
    assert "larger than 1000 bytes" in await refused.text()
    monkeypatch.setattr("metasearch.review.projects.pages.MOST_BYTES", 1000)
    assert (await brought(client, content)).status == 413
    assert names(workspace) == ["empty", "novelty", "review"]
    assert not list((workspace.path.parent / "temporary").iterdir())


async def test_nothing_is_kept_of_the_archive_of_a_foreign_page(client, workspace):
    """A form whose token is wrong, or behind the file."""
    content = await taken(client, workspace)
    for fields in (["file"], ["file", "token"]):
        form = FormData(default_to_multipart=True)
        for field in fields:
            if field == "file":
                form.add_field("file", content, filename="review.zip")
            else:
                form.add_field("token", await token(client))
        assert (await client.post("/projects", data=form, headers=HTML)).status == 403
    assert names(workspace) == ["empty", "novelty", "review"]


async def test_a_full_disk_is_told(client, workspace, monkeypatch):
    """With 507, and a sentence."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    content = await taken(client, workspace)
    monkeypatch.setattr("metasearch.server.forms._keep", full)

    response = await brought(client, content)

    assert response.status == 507
    assert "The disk of the server is full" in await response.text()
    assert int(response.headers["Retry-After"]) > 0


async def test_only_so_many_archives_are_handled_at_once(client, workspace):
    """Others are told to come again."""
    client.app[WORKSPACE].archives.most = 0

    response = await client.get(f"/projects/{workspace.review.uid}/archive", headers=HTML)

    assert response.status == 503
    assert int(response.headers["Retry-After"]) > 0
    assert (await brought(client, b"PK")).status == 503
