"""Two windows with the same page: who saves later sees both texts, and axe-core finds nothing on
that page. And a browser that logs in at a provider.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.settings.users import OidcSettings, UsersSettings
from tests.review.browser.test_accessibility import FIND, TAGS, axe
from tests.review.users.server.fake_provider import CLIENT, SECRET, FakeProvider, running
from tests.review.users.server.served import serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
NARROW = {"width": 360, "height": 740}


async def seen(page):
    """What axe-core finds is nothing, and the page is no wider than its window."""
    await page.evaluate(axe.AXE_SCRIPT)
    assert await page.evaluate(FIND, TAGS) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("options", [{}, {"viewport": NARROW}], ids=["desktop", "narrow"])
async def test_both_texts_are_shown_and_mine_is_saved(window, tmp_path: Path, options):
    """After a change that another window has made to the same step."""
    async with serving(tmp_path, users=UsersSettings()) as served:
        with Database(served.path) as db:
            project = projects.create(db, "lakes", "review")
            strategy = strategies.create(project, "main")
            steps.add(db, strategy, "lakes")
        page = await window(f"{served.base}projects/lakes/strategies/main?edit=1", **options)
        with Database(served.path) as db:
            steps.edit(db, strategy, 1, text=f"rivers OR {'x' * 400}")
        await page.fill("#edit-text", "lakes OR ponds")
        await page.click("#edit button[value=edit]")
        await page.wait_for_selector("#clash")
        await seen(page)
        assert await page.input_value("#edit-text") == "lakes OR ponds"
        await page.click("#clash button")
        await page.wait_for_url("**done=edited#steps")
        with Database(served.path) as db:
            assert steps.one(db, strategy, 1).text == "lakes OR ponds"


async def test_a_browser_logs_in_at_a_provider(
    window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It goes there and comes back to where it was, with the cookies that browsers keep."""
    monkeypatch.setenv("OIDC_SECRET", SECRET)
    user = {"sub": "1815", "preferred_username": "ada"}
    async with running(FakeProvider(user=user)) as provider:
        oidc = OidcSettings(issuer=provider.issuer, client_id=CLIENT, client_secret="OIDC_SECRET")
        users = UsersSettings(mode="oidc", oidc=oidc)
        async with serving(tmp_path, users=users) as served:
            page = await window(f"{served.base}projects")
            await page.wait_for_url("**/projects")
            names = {each["name"] for each in await page.context.cookies()}
            assert "metasearch-session" in names
            assert "metasearch-login" not in names
            await page.goto(f"{served.base}login/oidc/back?state=x&code=y")
            assert "begun in another browser" in await page.inner_text("main")
            await seen(page)
