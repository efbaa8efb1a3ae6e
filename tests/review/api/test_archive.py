"""A project as one archive by the JSON interface: taken, and brought."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from metasearch.review.projects import api as archive
from metasearch.review.service import MOST_ARCHIVES
from metasearch.review.store.database import Database
from metasearch.server import forms
from metasearch.settings import Settings
from tests.cases import each
from tests.review.api.conftest import Api

ZIP = {"Content-Type": "application/zip"}


async def taken(api: Api, project: str = "g") -> bytes:
    """The archive of a project."""
    async with api.session.get(f"{api.base}/{project}/archive") as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "application/zip"
        assert "Lacking-Runs" not in response.headers
        return await response.read()


async def brought(
    api: Api, body: Any, status: int = 201, headers: dict[str, str] | None = None, **asked: str
) -> Any:
    """The JSON answer to an archive that is posted."""
    async with api.session.post(
        f"{api.base}/import", data=body, params=asked, headers=ZIP | (headers or {})
    ) as response:
        assert response.status == status, await response.text()
        return await response.json(content_type=None)


@pytest.fixture
async def review(api: Api) -> Api:
    """A project that has been run once."""
    await api.post("", 201, name="g", kind="review")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed"])
    await api.post("/g/strategies/main/steps", 201, text="gambling")
    begun = await api.post("/g/runs", 202)
    await api.ended(f"/g/runs/{begun['number']}")
    return api


async def test_an_archive_is_a_project_again(review: Api) -> None:
    """It holds what the first one holds, and it has a name and a uid of its own."""
    content = await taken(review)

    made = await brought(review, content)
    named = await brought(review, content, name="other")
    first, second = await review.get("/g"), await review.get("/g-2")

    assert (made["name"], named["name"]) == ("g-2", "other")
    assert first["uid"] != second["uid"] == made["uid"]
    assert made["rows"]["work"] == made["new_uids"] == first["holds"]["works"] > 0
    assert second["holds"] == first["holds"]
    assert await taken(review) == content


async def test_what_is_no_archive(review: Api) -> None:
    """It is refused as a whole, whatever is wrong with it, and leaves no project."""
    content = await taken(review)
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("manifest.json", "{}")

    for body in (b"", b"PK", content[: len(content) // 2], other.getvalue()):
        problem = await brought(review, body, 400)
        assert "archive" in problem["detail"]
        assert tempfile.gettempdir() not in problem["detail"]
    await brought(review, content, 400, name="a b")

    assert [each["name"] for each in (await review.get())["projects"]] == ["g"]


@each(
    ("headers", "status"),
    [
        ({"Content-Type": "application/json"}, 415),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=a"}, 415),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
async def test_what_a_page_of_another_site_can_send(
    review: Api, headers: dict[str, str], status: int
) -> None:
    """It is refused."""
    content = await taken(review)

    await brought(review, content, status, headers)

    assert len((await review.get())["projects"]) == 1


async def test_a_body_that_is_too_large(review: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """413, whether it says so before or only grows."""
    monkeypatch.setattr(archive, "MOST_PACKED", 100_000)

    async def growing() -> Any:
        for _ in range(20):
            yield b"\0" * 10_000

    await brought(review, b"\0" * 100_001, 413)
    await brought(review, growing(), 413)

    assert len((await review.get())["projects"]) == 1


async def test_so_many_archives_at_a_time(review: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others get 503 and when to ask again; afterwards there is room again."""
    began, go_on = asyncio.Event(), asyncio.Event()
    into = forms.body_into
    waiting = 0

    async def held(*given: Any) -> None:
        nonlocal waiting
        waiting += 1
        if waiting == MOST_ARCHIVES:
            began.set()
        await go_on.wait()
        await into(*given)

    content = await taken(review)
    monkeypatch.setattr(archive, "body_into", held)
    async with asyncio.TaskGroup() as group:
        for _ in range(MOST_ARCHIVES):
            group.create_task(brought(review, content))
        await began.wait()
        async with review.session.get(f"{review.base}/g/archive") as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "30")
        go_on.set()

    assert len((await review.get())["projects"]) == 1 + MOST_ARCHIVES
    await taken(review)


async def test_a_full_disk_is_told(review: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """507 with a sentence, and nothing is imported."""
    content = await taken(review)

    async def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "body_into", full)
    problem = await brought(review, content, 507)

    assert "The disk of the server is full" in problem["detail"]
    assert len((await review.get())["projects"]) == 1


async def test_runs_whose_pages_are_gone_are_named(review: Api, settings: Settings) -> None:
    """An archive is made without them, and a header says so."""
    assert settings.workspace is not None
    with Database(settings.workspace) as db, db.transaction():
        db.run("UPDATE run SET recorded = ?", str(Path("/nowhere/at/all")))

    async with review.session.get(f"{review.base}/g/archive") as response:
        assert (response.status, response.headers["Lacking-Runs"]) == (200, "1")


async def test_no_project_is_called_import(api: Api) -> None:
    """Its address would be that of the import of archives."""
    await api.post("", 400, name="import")
