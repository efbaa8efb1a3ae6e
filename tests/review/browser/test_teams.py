"""The pages of a team in a browser: accessible in every window, for each role, without a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from metasearch.review.reports import reports
from metasearch.review.reports.document import Document, Paragraph
from metasearch.review.store.database import Database
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from tests.browser.test_places import OVERFLOW, UNFOLD, WINDOWS
from tests.review.pages.filled import TEXT
from tests.review.security.team import HEADER, Team, team
from tests.server.fake import FakeEngine

axe_api = pytest.importorskip("axe_playwright_python.async_playwright", reason="no axe here")

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: Who looks at which page of the project.
PAGES = [
    ("owner", "/members"),
    ("reader", "/members"),
    ("reader", ""),
    ("reader", f"/strategies/{TEXT}"),
    ("reader", "/works"),
    ("screener", "/works"),
    ("owner", "/log"),
    ("owner", "/reports/chaxin?frozen=2026-1"),
]


@pytest_asyncio.fixture(loop_scope="session")
async def served(tmp_path: Path) -> AsyncIterator[tuple[str, Team]]:
    """Address of a server of a team, one of whose reports has one signature."""
    made = team(tmp_path / "workspace.sqlite3")
    with Database(made.filled.path) as db:
        document = Document(
            kind="chaxin", title=TEXT, language="zh", blocks=(Paragraph(text=TEXT),)
        )
        report = reports.keep(made.review.at(db), document, number="2026-1")
        reports.sign(
            made.review.at(db, made.uids["editor"]),
            report,
            "searcher",
            name="editor",
            digest=report.digest,
        )
    settings = made.settings()
    app = make_app(
        lambda: FakeEngine(settings=settings),  # type: ignore[arg-type,return-value]
        options=Options(trusted_proxies=settings.server.trusted_proxies),
        users=True,
    )
    server = TestServer(app)
    await server.start_server()
    yield str(server.make_url("/")).rstrip("/"), made
    await server.close()


#: These run always; with the mark `slow` all of them.
ALWAYS = ("light", "dark, Chinese, phone")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.slow) for name in WINDOWS],
)
async def test_no_rule_of_axe_is_broken(window, served, name):
    """With every fold open, and without a scroll bar below."""
    address, made = served
    paths = [(who, f"/projects/{made.review.uid}{path}") for who, path in PAGES]
    for who, path in [*paths, ("administrator", "/admin/projects")]:
        page = await window(address + path, extra_http_headers={HEADER: who}, **WINDOWS[name])
        await page.evaluate(UNFOLD)
        result = await axe_api.Axe().run(page)

        assert result.violations_count == 0, (path, result.generate_report())
        assert await page.evaluate(OVERFLOW) <= 0, path


@pytest.mark.parametrize("java_script_enabled", [True, False])
async def test_an_owner_invites_and_somebody_joins(window, served, java_script_enabled):
    """By a link that is shown once; the new member is in the list, with the role of the link."""
    address, made = served
    here = f"{address}/projects/{made.review.uid}/members"
    how = {"java_script_enabled": java_script_enabled}
    owner = await window(here, extra_http_headers={HEADER: "owner"}, **how)
    await owner.select_option("#invite-role", "editor")
    await owner.click("section[aria-labelledby=invite] button.primary")
    link = await owner.locator("section[aria-labelledby=invite] .notice code").inner_text()

    stranger = await window(link, extra_http_headers={HEADER: "stranger"}, **how)
    await stranger.locator("main form button").first.click()
    await stranger.wait_for_url("**/projects/*")
    assert "You are a member of this project now." in await stranger.inner_text("main")

    await owner.goto(here)
    row = owner.locator("main table").first.locator("tr", has_text="stranger")
    assert "Editor" in await row.inner_text()
    assert await owner.locator("text=Links that nobody has used yet").count() == 0


async def test_a_reviewer_signs(window, served):
    """The one who may: the page then names both, with the digest."""
    address, made = served
    path = f"{address}/projects/{made.review.uid}/reports/chaxin?frozen=2026-1"
    page = await window(path, extra_http_headers={HEADER: "owner"})
    assert await page.locator("button[name=role]").count() == 1
    await page.click("button[value=reviewer]")
    await page.wait_for_url("**done=signed*")

    names = await page.locator("section[aria-labelledby=signatures] tbody td:nth-child(2)").all()
    assert [await one.inner_text() for one in names] == ["editor", "owner"]
    assert await page.locator("button[name=role]").count() == 0
