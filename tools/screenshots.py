#!/usr/bin/env python3
"""Take the pictures of the pages in docs/images: states of the demo, in a headless Chromium.

Call: python tools/screenshots.py [FOLDER]; it needs the dependency group `test`, and chromium.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp.test_utils import TestServer
from playwright.async_api import Browser, Page, async_playwright

from metasearch.demo import EXAMPLE_QUERIES, NOTICE, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.review import examples
from metasearch.review.examples import EXAMPLES
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import accounts, links, source_switches, tokens
from metasearch.review.users.passwords import Passwords
from metasearch.server.app import make_app, open_server
from metasearch.settings import Settings
from metasearch.settings.users import UsersSettings

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
_FLAGS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
_PASSWORD = "a password of the demo"  # noqa: S105
_QUERY = "/search?q=gambling+harms"
#: The worked examples.
_REVIEW, _NOVELTY = (f"/projects/{module.NAME}" for module in (examples, examples))


async def _nothing(_: Page) -> None:
    """The page as it comes."""


async def _without_focus(page: Page) -> None:
    await page.evaluate("document.activeElement.blur()")


async def _finished(page: Page) -> None:
    await page.wait_for_selector("#filters:not([aria-busy=true])", state="attached")
    if await page.locator("#new-works").is_visible():
        await page.click("#new-works button")
        await page.evaluate("scrollTo(0, 0); document.activeElement.blur()")


async def _running(page: Page) -> None:
    """The reader has begun to read: works of slower databases wait behind the button."""
    await page.hover("#hits > li:nth-child(1) h3")
    await page.wait_for_selector("#new-works:not([hidden]) button")
    await asyncio.sleep(0.5)


async def _why(page: Page) -> None:
    await _finished(page)
    await page.click("#hits > li:nth-child(1) details.why > summary")
    await page.mouse.move(0, 0)


async def _first_work(page: Page) -> None:
    await _finished(page)
    await page.click("#hits > li:nth-child(1) h3 a")
    await page.wait_for_selector("h1")


async def _stale(page: Page) -> None:
    """A step of the worked example was changed, so that it and those that name it are stale."""
    await page.goto(f"{page.url}?edit=2")
    await page.fill("#edit-text", "harm* OR consequence*")
    await page.click("button[value=edit]")
    await page.goto(page.url.partition("?")[0])


async def _works(page: Page) -> None:
    await page.evaluate("document.querySelector('#results').scrollIntoView()")


@dataclass(frozen=True)
class State:
    """One picture.

    Attributes:
        name: Of its file.
        path: Address of the page.
        then: What is done before the picture is taken.
        size: Of the window.
        locale: What the browser prefers.
        dark: Whether the system of the reader is dark.
        slowness: Scales the time that the databases of the demo take.
        user: Who is logged in, on the server with users; "" for nobody.
        users: Whether it is a page of the server with users.
    """

    name: str
    path: str
    then: Callable[[Page], Awaitable[None]] = _nothing
    size: tuple[int, int] = (1280, 820)
    locale: str = "en-GB"
    dark: bool = False
    slowness: float = 1.0
    user: str = ""
    users: bool = False


STATES = (
    State("page-start", "/"),
    State("page-running", f"{_QUERY}&wait=0.6", _running, slowness=6.0),
    State("page-done", _QUERY, _finished),
    State("page-facets", f"{_QUERY}&filter=type:article,year:2018-2022", _finished),
    State("page-why", _QUERY, _why, (1280, 1000)),
    State("page-work", _QUERY, _first_work, (1280, 1000)),
    State(
        "page-advanced-zh",
        "/advanced?q=%E9%A2%98%E5%90%8D%3D%E4%B9%B3%E8%85%BA%E7%99%8C&do=plan",
        _without_focus,
        locale="zh-CN",
    ),
    State("page-works", f"{_REVIEW}/works", _works, (1280, 1000)),
    State("page-report", f"{_REVIEW}/reports/prisma-flow", size=(1280, 1300)),
    State("page-report-zh", f"{_NOVELTY}/reports/chaxin", size=(1280, 1300), locale="zh-CN"),
    State("page-strategy", f"{_REVIEW}/strategies/main", _stale),
    State("page-phone-dark", _QUERY, _finished, (390, 844), dark=True),
    State("page-login", "/login", _without_focus, (1280, 560), users=True),
    State("page-account", "/account", size=(1280, 1000), user="anna", users=True),
    State("page-admin-users", "/admin/users", user="anna", users=True),
    State("page-admin-sources-zh", "/admin/sources", locale="zh-CN", user="anna", users=True),
)


async def take(browser: Browser, address: str, state: State, folder: Path) -> None:
    """Take one picture."""
    context = await browser.new_context(
        viewport={"width": state.size[0], "height": state.size[1]},
        locale=state.locale,
        color_scheme="dark" if state.dark else "light",
        reduced_motion="reduce",
    )
    page = await context.new_page()
    if state.user:
        await page.goto(f"{address}login")
        await page.fill("#name", state.user)
        await page.fill("#password", _PASSWORD)
        async with page.expect_navigation():
            await page.click("main button.primary")
    await page.goto(address.rstrip("/") + state.path)
    await state.then(page)
    await page.screenshot(path=folder / f"{state.name}.png")
    await context.close()


@asynccontextmanager
async def demo(slowness: float, workspace: Path) -> AsyncIterator[str]:
    """A server of the demo, with the worked examples; yields its address."""
    async with Workspace(workspace) as kept:
        for install in EXAMPLES.values():
            await install(kept)

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(slowness) as databases,
            Engine(
                replace(databases.settings(), workspace=workspace, serve_workspace=True)
            ) as running,
        ):
            yield running

    app = make_app(engine, examples=EXAMPLE_QUERIES, notice=NOTICE)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))


@asynccontextmanager
async def with_users(workspace: Path) -> AsyncIterator[str]:
    """A server of the demo with users; yields its address."""
    kept = Passwords().hash(_PASSWORD)
    with Database(workspace) as db:
        anna = accounts.create(
            db,
            "anna",
            role="administrator",
            shown="Anna Berg",
            email="anna@example.org",
            password=kept,
        )
        for name, shown in (("ben", "Ben Okri"), ("chen", "陈晨"), ("dora", "Dora Lind")):
            accounts.create(db, name, shown=shown, email=f"{name}@example.org")
        tokens.create(db, anna, "Koha", ["search"], 90)
        links.create(db, "account", role="user", by=anna.uid)
        source_switches.set_switch(db, "demo-slow", False, by=anna.uid)
    settings = replace(
        Settings(), workspace=workspace, serve_workspace=True, users=UsersSettings(mode="local")
    )
    async with open_server(settings, demo=True) as address:
        yield f"{address.rstrip('/')}/"


async def main(folder: Path) -> None:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    async with AsyncExitStack() as stack:
        temporary = Path(stack.enter_context(TemporaryDirectory()))
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=program, args=_FLAGS)
        stack.push_async_callback(browser.close)
        addresses = {
            slowness: await stack.enter_async_context(
                demo(slowness, temporary / f"{slowness}.sqlite3")
            )
            for slowness in sorted({state.slowness for state in STATES})
        }
        users = await stack.enter_async_context(with_users(temporary / "users.sqlite3"))
        for state in STATES:
            address = users if state.users else addresses[state.slowness]
            await take(browser, address, state, folder)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if sys.argv[1:] else FOLDER))
