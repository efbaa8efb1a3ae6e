"""Basket and settings in a real browser: a headless Chromium ticks, saves, and is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from metasearch.bib.work_ids import hit_id
from metasearch.server.app import make_app
from tests.server.fake import FakeEngine, answer, hit

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="session"),
]

Opened = Callable[..., Awaitable[Any]]
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true })"
#: Each colour, each language and each width is in one of them.
WINDOWS = {
    "light": {"viewport": {"width": 1280, "height": 900}},
    "dark, Chinese, phone": {
        "viewport": {"width": 390, "height": 844},
        "color_scheme": "dark",
        "locale": "zh-CN",
    },
    "narrow, forced colours": {
        "viewport": {"width": 320, "height": 640},
        "forced_colors": "active",
    },
}


@pytest_asyncio.fixture(loop_scope="session")
async def address() -> AsyncIterator[str]:
    """A server that finds three works, one of them with a long title, one retracted."""
    works = (
        replace(hit(10), id=hit_id("one")),
        replace(hit(20, title=LONG, venue=LONG, doi="10.5555/2"), id=hit_id("two")),
        replace(hit(30, title="乳腺癌", doi="10.5555/3", retracted=True), id=hit_id("three")),
    )
    engine = FakeEngine(answer(*works))
    server = TestServer(make_app(lambda: engine))  # type: ignore[arg-type,return-value]
    await server.start_server()
    yield str(server.make_url("/")).rstrip("/")
    await server.close()


@pytest_asyncio.fixture(loop_scope="session")
async def opened(browser: Any) -> AsyncIterator[Opened]:
    """Opens a window, which is closed at the end; its options are those of playwright's
    `new_context`."""
    contexts: list[Any] = []

    async def new_page(**options: Any) -> Any:
        context = await browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(60_000)
        return await context.new_page()

    yield new_page
    for context in contexts:
        await context.close()


async def filled(opened: Opened, address: str, **options: Any) -> Any:
    """A window whose reader has ticked all works of a list and added them."""
    page = await opened(**options)
    await page.goto(f"{address}/search?q=mice")
    for box in await page.locator("#list input[name=id]").all():
        await box.check()
    await page.locator("button[name=do][value=add]").click()
    await page.wait_for_url(f"{address}/search?q=mice*")
    return page


async def test_a_reader_without_script(opened, address):
    """Ticks works, goes on where it was, exports two of them, removes one, empties the basket."""
    page = await filled(opened, address, java_script_enabled=False)
    assert (await page.locator(".tally").first.inner_text()).split()[0] == "3"
    await page.goto(f"{address}/basket")
    await page.locator("input[name=id]").nth(1).uncheck()
    async with page.expect_download() as loading:
        await page.locator("main button.primary").click()
    download = await loading.value
    assert Path(await download.path()).read_text(encoding="utf-8").count("TY  - ") == 2
    assert download.suggested_filename == "metasearch-basket.ris"

    await page.locator("button[form=change]").first.click()
    await page.wait_for_selector("h1:has-text('2 works')")
    await page.locator("details summary").last.click()
    await page.locator("button[value=clear]").click()
    await page.wait_for_selector("text=The basket is empty.")


async def test_settings_hold_for_all_pages(opened, address):
    """Saved by Enter; the button of a group leaves it open."""
    page = await opened()
    await page.goto(f"{address}/settings")
    await page.locator("input[name=theme][value=dark]").check()
    await page.locator("input[name=theme][value=dark]").press("Enter")
    await page.wait_for_url("**/settings?done=saved")
    await page.goto(f"{address}/basket")
    assert await page.locator("html").get_attribute("data-theme") == "dark"
    await page.goto(f"{address}/settings")
    await page.locator("details.group summary").first.click()
    await page.locator("button[name=all]").first.click()
    await page.wait_for_url("**/settings?done=saved&group=default#groups")
    assert await page.locator("#g-default input:checked").count() == 2
    assert await page.locator("#g-default input").first.is_visible()


async def test_a_page_of_another_site_changes_nothing(opened, address):
    """Its form arrives, with the cookies of a neighbour, and is refused."""
    page = await filled(opened, address)
    form = f'<form method="post" action="{address}/basket"><input name="do" value="clear"><button>'

    async def evil(_: web.Request) -> web.Response:
        return web.Response(text=form, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", evil)
    async with TestServer(app) as other:
        await page.goto(str(other.make_url("/")).replace("127.0.0.1", "localhost"))
        async with page.expect_response(f"{address}/basket") as answering:
            await page.locator("button").click()
        assert (await answering.value).status == 403
    await page.goto(f"{address}/basket")
    assert await page.locator("main .hit-title").count() == 3


@pytest.mark.parametrize("options", WINDOWS.values(), ids=WINDOWS)
async def test_everybody_can_use_the_pages(opened, address, options):
    """No violation of axe-core, and nothing is wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.async_playwright").Axe()
    page = await filled(opened, address, **options)
    for path in ("/basket", "/settings", "/settings?done=saved&group=default"):
        await page.goto(address + path)
        await page.evaluate(OPEN_ALL)
        result = await axe.run(page)
        assert [each["id"] for each in result.response["violations"]] == []
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(wider) <= 0
