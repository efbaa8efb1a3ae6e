"""The review of a strategy in a browser: kept for the reports, and as the form of PRESS."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient

from tests.review.pages.filled import TEXT, FilledWorkspace, filled
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, post


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    return await serve(FakeEngine(settings=workspace.settings))


def place(workspace: FilledWorkspace) -> str:
    return f"/projects/{workspace.review.uid}/strategies/{TEXT}/review"


async def test_the_page_leads_to_the_form_in_two_formats(client, workspace):
    links = (await page(client, place(workspace))).xpath("//a[@download]/@href")
    assert [link.rpartition("/")[2] for link in links] == ["press.html", "press.docx"]
    for link in links:
        response = await client.get(link)
        assert response.status == 200
        assert "attachment" in response.headers["Content-Disposition"]
        assert len(await response.read()) > 1_000


@pytest.mark.parametrize("name", ["press.svg", "press", "x.html", "press.html.exe"])
async def test_there_are_no_other_files(client, workspace, name: str):
    response = await client.get(f"{place(workspace)}/{name}", headers=HTML)
    assert response.status == 404


async def test_a_review_is_kept_by_one_button(client, workspace):
    """And stands in the appendix then."""
    appendix = f"/projects/{workspace.review.uid}/reports/appendix"
    assert "PRESS" not in (await page(client, appendix)).text_content()
    [button] = (await page(client, place(workspace))).xpath("//button[@value='keep']")
    response = await post(client, place(workspace), {button.get("name"): "keep"})
    assert response.status == 303
    assert "done=kept" in response.headers["Location"]
    assert "Peer review by rule (PRESS 2015)" in (await page(client, appendix)).text_content()
