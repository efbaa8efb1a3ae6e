"""JSON search files, read and written by a browser without script."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from aiohttp import ClientResponse, FormData
from aiohttp.test_utils import TestClient

from tests import cases
from tests.review.pages.filled import TEXT, FilledWorkspace, filled
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, text, token


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    """A workspace with projects."""
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    """A browser at a server of it."""
    return await serve(FakeEngine(settings=workspace.settings))


async def brought(
    client: TestClient, workspace: FilledWorkspace, content: bytes | None, name: str = ""
) -> ClientResponse:
    """The answer to the form with a search file, for the project without strategies."""
    form = FormData(default_to_multipart=True)
    for field, value in {"token": await token(client), "do": "read", "name": name}.items():
        form.add_field(field, value)
    if content is not None:
        form.add_field("file", content, filename="1.json")
    return await client.post(
        f"/projects/{workspace.empty.uid}/strategies",
        data=form,
        headers=HTML,
        allow_redirects=False,
    )


async def test_what_is_written_is_read_again(client, workspace):
    """With its steps; the page of the strategy has the form that downloads the file."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    [form] = (await page(client, base)).xpath("//form[contains(@action, 'search-file')]")
    assert "pubmed" in form.xpath(".//option/@value")
    written = await client.get(f"{base}/search-file", params={"syntax": "pubmed"}, headers=HTML)
    assert written.status == 200
    assert "attachment" in written.headers["Content-Disposition"]
    content = await written.read()
    assert orjson.loads(content)["platform"] == "pubmed"

    response = await brought(client, workspace, content, "again")

    assert response.status == 303
    shown = text(await page(client, response.headers["Location"]))
    assert "The search file was read." in shown
    assert "εζ OR ηθ" in shown


async def test_what_does_not_hold_of_a_file_is_said(client, workspace):
    """On the list, with the new strategy."""
    file = {"platform": "pubmed", "search_string": "αβ[ti]", "search_language": "el"}

    response = await brought(client, workspace, orjson.dumps(file), "noted")

    assert response.status == 200
    shown = await response.text()
    assert "is not applied" in shown
    assert "noted" in shown


@cases.each(
    ("content", "reason"),
    [(None, "No file was chosen"), (b"[", "1.json"), (b'{"search_string": "(a"}', "(a")],
)
async def test_a_file_that_cannot_be_read_is_told(client, workspace, content, reason):
    """With 400, beside its form; no strategy is made."""
    response = await brought(client, workspace, content, "θ")

    assert response.status == 400
    shown = await response.text()
    assert reason in shown
    assert '<details class="fold" id="read" open>' in shown
    assert not (await page(client, response.url.path)).xpath("//table")


async def test_a_strategy_that_cannot_be_written_is_told(client, workspace):
    """400 for one without steps, and for a syntax that there is not."""
    base = f"/projects/{workspace.review.uid}/strategies"

    empty = await client.get(f"{base}/ε/search-file", headers=HTML)
    assert (empty.status, "no step" in await empty.text()) == (400, True)
    assert (await client.get(f"{base}/{TEXT}/search-file?syntax=x", headers=HTML)).status == 400
