"""An administrator makes two screeners, they join a review and disagree, the owner resolves, and the
report counts: page by page, as people do it in their browsers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from metasearch.review.projects import projects
from metasearch.review.runs.imports import import_file
from metasearch.review.strategies import strategies
from tests.browser.waiting import until
from tests.review.browser.test_workspace import made, sends
from tests.review.pages.filled import RIS
from tests.review.users.server.served import PASSWORD, Served, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """A server with one user, who administers it."""
    async with serving(tmp_path) as running:
        running.user("root", "administrator", shown="Root")
        yield running


async def logs_in(page: Any, name: str, password: str = PASSWORD) -> None:
    await page.fill("#name", name)
    await page.fill("#password", password)
    await sends(page, "main button.primary")


async def new_user(page: Any, server: str, name: str) -> str:
    """The address at which the user sets a password."""
    await page.goto(f"{server}/admin/users")
    await page.fill("#name", name)
    await page.fill("#shown", name.title())
    await sends(page, "section:has(#new) button.primary")
    return str(await page.locator("#link .readback").inner_text())


async def invitation(page: Any, project: str) -> str:
    """The address at which a screener joins."""
    await page.goto(f"{project}/members")
    await page.select_option("#invite-role", "screener")
    await sends(page, "section:has(#invite) button.primary")
    return str(await page.locator(".notice code").inner_text())


async def joins(window: Any, name: str, link: str, invited: str) -> Any:
    """A browser in which a new user has set a password, logged in and joined."""
    page = await window(link)
    await page.fill("input[name=new]", f"{name} has a long password")
    await page.fill("input[name=again]", f"{name} has a long password")
    await sends(page, "main button.primary")
    await logs_in(page, name, f"{name} has a long password")
    await page.goto(invited)
    await sends(page, "main button.primary")
    return page


def imported(served: Served) -> None:
    """Three works, from a file."""
    with served.database() as db:
        project = projects.find(db, "review")
        strategy = strategies.find(project, None)
        import_file(project, strategy, RIS, "1.ris", source="CNKI", searched="2026-05-03")


async def votes(page: Any, project: str, *verdicts: str) -> list[str]:
    """Votes on one work after another; their uids."""
    seen = []
    await page.goto(f"{project}/screening")
    for verdict in verdicts:
        button = page.locator(f"button[name=mark][value^='{verdict}:']")
        seen.append(str(await button.get_attribute("value")).partition(":")[2])
        await button.click()
    await until(page, "Object.keys(sessionStorage).length", 0)
    return seen


async def test_what_was_not_sent_is_gone_after_the_logout(window, served: Served) -> None:
    """The page asks first; and without a session nothing more is sent."""
    served.user("ann", shown="Ann")
    server = served.base.rstrip("/")
    page = await window(f"{server}/login")
    await logs_in(page, "ann")
    project = await made(page, server, "review")
    imported(served)
    await page.goto(f"{project}/works")
    sent = []

    async def refuses(route: Any) -> None:
        if route.request.method == "POST":
            sent.append(route.request)
            await route.abort()
        else:
            await route.continue_()

    await page.route("**/works", refuses)
    await page.locator("button[name=mark]").first.click()
    await page.locator("#unsent").wait_for()
    asked = []

    async def agrees(dialog: Any) -> None:
        asked.append(dialog.type)
        await dialog.accept()

    page.on("dialog", agrees)
    await sends(page, "form[action$='/logout'] button")
    assert (asked, bool(sent)) == (["confirm"], True)
    assert await page.evaluate("Object.keys(sessionStorage).length") == 0


async def test_from_the_first_account_to_the_report(window, served: Served) -> None:
    """The two are blind until both have decided; what the owner resolves is what the flow diagram
    counts."""
    server = served.base.rstrip("/")
    root = await window(f"{server}/login")
    await logs_in(root, "root")
    bea_link, cai_link = [await new_user(root, server, name) for name in ("bea", "cai")]
    project = await made(root, server, "review")
    imported(served)
    bea = await joins(window, "bea", bea_link, await invitation(root, project))
    cai = await joins(window, "cai", cai_link, await invitation(root, project))

    await root.goto(f"{project}/screening")
    for box in await root.locator("input[name=screener]").all():
        label = await box.evaluate("box => box.closest('label').innerText")
        await box.set_checked(label.strip() in ("Bea", "Cai"))
    await sends(root, "#team button.primary")

    works = await votes(bea, project, "relevant", "relevant", "excluded")
    await cai.goto(f"{project}/screening")
    assert "Bea" not in await cai.locator("main article").first.inner_text()
    verdicts = dict(zip(works, ("relevant", "excluded", "excluded"), strict=True))
    order = []
    for _ in works:
        value = await cai.locator("button[name=mark][value^='excluded:']").get_attribute("value")
        order.append(value.partition(":")[2])
        await votes(cai, project, verdicts[order[-1]])
    assert sorted(order) == sorted(works)

    await root.goto(f"{project}/screening")
    conflict = root.locator("button[name=resolve]")
    assert f"relevant:{works[1]}" in [
        await each.get_attribute("value") for each in await conflict.all()
    ]
    await sends(root, f"button[name=resolve][value='relevant:{works[1]}']")

    with served.database() as db:
        decided = db.all(
            "SELECT work.uid, verdict FROM decision JOIN work ON work.id = decision.work"
            " WHERE decision.by = '' AND stage = 'title'"
        )
    assert {row["uid"]: row["verdict"] for row in decided} == {
        works[0]: "relevant",
        works[1]: "relevant",
        works[2]: "excluded",
    }
    await root.goto(f"{project}/reports/prisma-flow")
    numbers = await root.locator("main").inner_text()
    for line in ("Records screened: 3", "Records excluded: 1", "Reports sought for retrieval: 2"):
        assert line in numbers
    assert "3 works have the votes of 2 or more people, independently" in numbers

    # A screener is no editor, and no administrator.
    assert (await bea.goto(f"{server}/admin/users")).status == 403
    await bea.goto(f"{project}/strategies")
    assert await bea.locator("main form button.primary").count() == 0


async def test_a_user_makes_a_token_and_ends_the_other_browser(window, served: Served) -> None:
    """The token is on the page once; the other browser is at the login again."""
    served.user("ann", shown="Ann")
    server = served.base.rstrip("/")
    here, there = await window(f"{server}/login"), await window(f"{server}/login")
    for page in (here, there):
        await logs_in(page, "ann")
    await here.goto(f"{server}/account")
    await here.click("#new-token > summary")
    await here.fill("#token-name", "Koha")
    await sends(here, "#new-token form button")
    token = await here.locator("#secret .readback").inner_text()
    assert token.startswith("ms_")

    await here.goto(f"{server}/account")
    assert token not in await here.content()
    await sends(here, "button[name=end][value=others]")
    await there.goto(f"{server}/account")
    assert "/login" in there.url
