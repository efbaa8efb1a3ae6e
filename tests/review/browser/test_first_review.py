"""The first review of somebody who has never made one: a strategy pasted, counted and run, two files,
forty works, the conflicts with a second screener, the report. How often that person must click is
counted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from metasearch.review.projects import members, projects
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from metasearch.review.works import decisions
from metasearch.server.app import open_server
from metasearch.settings import Settings
from metasearch.settings.server import ServerSettings
from metasearch.settings.users import UsersSettings
from tests.browser.waiting import until
from tests.review.browser.test_screening import current, presses
from tests.review.security.team import HEADER

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: Clicks of the whole way; keys are not counted.
MOST = 40
#: As Ovid shows a history: numbers before, counts behind.
LINES = """1     exp Gambling/ (5834)
2     (gambl* or betting or wager* or lotter*).ti,ab. (14210)
3     (casino* or pokies).ti,ab. (2311)
4     1 or 2 or 3 (16902)
5     (harm* or debt* or suicid*).ti,ab. (402118)
6     ((problem or patholog* or disorder*) adj3 gambl*).ti,ab. (6120)
7     5 or 6 (406995)
8     (prevent* or regulat* or intervention*).ti,ab. (3981122)
9     4 and 7 (7402)
10     8 and 9 (2801)
11     9 or 10 (7402)
12     11 not (animal* or rat or rats or mice).ti. (7190)"""


class Hand:
    """A person at a page, whose clicks are counted."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.clicks = 0

    async def clicks_on(self, selector: str) -> None:
        self.clicks += 1
        await self.page.locator(selector).first.click()

    async def follows(self, selector: str) -> None:
        """Clicks on a link or button, and waits for the page that it leads to."""
        async with self.page.expect_event("load"):
            await self.clicks_on(selector)

    async def writes(self, selector: str, text: str) -> None:
        """Clicks into a field and writes there, or pastes."""
        await self.clicks_on(selector)
        await self.page.locator(selector).fill(text)

    async def chooses(self, selector: str, file: Path) -> None:
        """Opens the window of files, and takes one of them by a second click."""
        async with self.page.expect_file_chooser() as waiting:
            await self.clicks_on(selector)
        self.clicks += 1
        await (await waiting.value).set_files(file)


def records(first: int, last: int) -> str:
    """A file of works that differ in all that is compared."""
    return "".join(
        f"TY  - JOUR\nTI  - {word} of reeds in lake {number}\nAU  - Writer{number}, A\n"
        f"PY  - {1980 + number}\nDO  - 10.5555/lake.{number}\nER  - \n\n"
        for number in range(first, last)
        for word in (["Growth", "Decline", "Colour", "Weight"][number % 4],)
    )


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncIterator[tuple[str, Path]]:
    """The demo with two users and no project; gives its address and the workspace."""
    settings = replace(
        Settings(),
        workspace=tmp_path / "workspace.sqlite3",
        serve_workspace=True,
        users=UsersSettings(mode="header", header=HEADER),
        server=ServerSettings(trusted_proxies=("127.0.0.1",)),
    )
    assert settings.workspace is not None
    with Database(settings.workspace) as db:
        for name in ("ann", "bob"):
            accounts.create(db, name, origin="header", subject=name)
    async with open_server(settings, demo=True) as address:
        yield address.rstrip("/"), settings.workspace


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_the_first_review_takes_at_most_forty_clicks(window, server, tmp_path: Path) -> None:
    """From the start page to the file of the flow diagram."""
    address, workspace = server
    page = await window(f"{address}/", extra_http_headers={HEADER: "ann"})
    hand = Hand(page)

    await hand.follows("nav a[href='/projects']")
    await hand.writes("#title", "Gambling harms")
    await page.keyboard.press("Tab")
    await page.keyboard.type("gambling")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/projects/*")
    project = page.url.partition("?")[0]
    await hand.follows("nav.tabs a[href$='/strategies']")
    await hand.follows("form button.primary")

    await hand.clicks_on("#paste > summary")
    await hand.writes("#lines", LINES)
    await hand.follows("#paste button.primary")
    assert await page.locator("table.steps tbody tr[id^=step-]").count() == 12
    for what in ("count", "run"):
        await hand.follows(f"button[value={what}]")
        await until(page, "document.body.dataset.run", "done")

    for name, first, last in (("one.ris", 0, 24), ("two.ris", 16, 40)):
        file = tmp_path / name
        file.write_text(records(first, last))
        await hand.clicks_on("#import > summary")
        await hand.chooses("#file", file)
        await hand.writes("#database", "Library")
        await hand.follows("#import button")
    assert await page.locator("table.steps tbody tr[id^=step-]").count() == 14

    # Who is in the project is said by its owner once; the second one votes elsewhere.
    with Database(workspace) as db:
        bob = accounts.by_name(db, "bob")
        row = projects.find(db, project.rpartition("/")[2])
        assert bob is not None
        members.add(row.at(db), bob, "screener")
    await hand.follows("nav.tabs a[href$='/screening']")
    for name in ("ann", "bob"):
        await hand.clicks_on(f"#team label:has-text('{name}')")
    await hand.follows("#team button.primary")

    screened: list[str] = []
    for number in range(40):
        screened.append(await page.evaluate(current()))
        await presses(page, "e" if number % 2 else "i")
    assert len(set(screened)) == 40
    with Database(workspace) as db:
        votes_of_bob = ["relevant"] * 4 + ["relevant", "excluded"] * 18
        for uid, verdict in zip(screened, votes_of_bob, strict=True):
            decisions.mark(row.at(db, bob.uid), [uid], verdict)  # type: ignore[arg-type]

    await hand.follows("nav.tabs a[href$='/screening']")
    differ = page.locator("article.conflict")
    while left := await differ.count():
        await hand.follows("article.conflict button[value^='excluded:']")
        assert await differ.count() == left - 1

    await hand.follows("nav.tabs a[href$='/reports']")
    await hand.follows("main a[href$='/reports/prisma-flow']")
    async with page.expect_download() as waiting:
        await hand.clicks_on("main a.button[href*='prisma-flow.']")
    report = await (await waiting.value).path()
    assert report.stat().st_size > 1_000
    assert hand.clicks <= MOST
