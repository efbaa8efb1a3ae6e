"""A browser logs in and out, sets a password and joins; axe-core finds nothing on these pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from metasearch.review.users import accounts, links
from metasearch.settings.users import UsersSettings
from tests.review.browser.test_accessibility import FIND, TAGS, axe
from tests.review.users.server.served import PASSWORD, Served, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
NARROW = {"width": 360, "height": 740}
NEW = "another horse battery"


@pytest_asyncio.fixture(loop_scope="session")
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """A server where guests may search."""
    async with serving(tmp_path, users=UsersSettings(mode="local", guests=True)) as running:
        running.user("ann", shown=f"Ann {'Lee' * 38}")  # as long as a name may be
        yield running


async def seen(page):
    """What axe-core finds is nothing, and the page is no wider than its window."""
    await page.evaluate(axe.AXE_SCRIPT)
    assert await page.evaluate(FIND, TAGS) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    "options",
    [{}, {"viewport": NARROW}, {"java_script_enabled": False}],
    ids=["desktop", "narrow", "no-script"],
)
async def test_in_and_out(window, served, options):
    """With a wrong password first; the browser comes back to where it was."""
    page = await window(f"{served.base}help", **options)
    scripted = options.get("java_script_enabled", True)
    await page.locator("a:visible", has_text="Log in").first.click()
    await page.fill("#name", "ann")
    await page.fill("#password", "wrong horse battery")
    await page.press("#password", "Enter")
    await page.wait_for_selector("[role=alert]")
    if scripted:
        await seen(page)
    await page.fill("#password", PASSWORD)
    await page.press("#password", "Enter")
    await page.wait_for_url("**/help")
    if scripted:
        await seen(page)
    await page.locator("button:visible", has_text="Log out").first.click()
    await page.wait_for_url("**/login?done=out")
    assert await page.inner_text("[role=status]") == "You are logged out."
    assert "metasearch-session" not in {each["name"] for each in await page.context.cookies()}
    if not scripted:  # nothing was watched
        await page.close()


async def test_a_new_password_an_account_and_an_invitation(window, served):
    """Each by its link."""
    project = served.project("mice", ann="owner")
    with served.database() as db:
        ann = accounts.find(db, "ann")
        secrets = [
            links.create(db, "password", user=ann),
            links.create(db, "account", role="user"),
            links.create(db, "member", project=project, role="screener", by=ann.uid),
        ]
    page = await window(f"{served.base}password/{secrets[0]}", viewport=NARROW)
    await seen(page)
    await page.fill("#new", NEW)
    await page.fill("#again", NEW)
    await page.press("#again", "Enter")
    await page.wait_for_url("**/login?done=password")
    await page.goto(f"{served.base}join/{secrets[1]}?lang=zh")
    await seen(page)
    await page.fill("#name", "bob")
    await page.fill("#new", NEW)
    await page.fill("#again", NEW)
    await page.press("#again", "Enter")
    await page.wait_for_url(served.base)
    await page.goto(f"{served.base}join/{secrets[2]}")
    await seen(page)
    await page.click("main button")
    await page.wait_for_url(f"**/projects/{project.uid}?done=joined")
