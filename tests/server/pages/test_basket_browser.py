"""Basket and settings in a real browser: a headless Chromium ticks, saves, and is refused."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from metasearch.bib.work_ids import hit_id
from tests.server.fake import FakeEngine, answer, hit

playwright_api = pytest.importorskip("playwright.async_api", reason="no playwright here")
pytestmark = [pytest.mark.browser, pytest.mark.slow]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"]
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true })"
WINDOWS = [
    {"viewport": {"width": 1280, "height": 900}},
    {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "locale": "zh-CN"},
    {"viewport": {"width": 320, "height": 640}},
    {"viewport": {"width": 320, "height": 640}, "forced_colors": "active"},
]


@pytest.fixture
async def chromium() -> AsyncIterator[Any]:
    """The browser; the test skips where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    async with playwright_api.async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        await running.close()


@pytest.fixture
async def address(serve) -> str:
    """A server that finds three works, one of them with a long title, one retracted."""
    works = (
        replace(hit(10), id=hit_id("one")),
        replace(hit(20, title=LONG, venue=LONG, doi="10.5555/2"), id=hit_id("two")),
        replace(hit(30, title="乳腺癌", doi="10.5555/3", retracted=True), id=hit_id("three")),
    )
    client = await serve(FakeEngine(answer(*works)))
    return str(client.make_url("/")).rstrip("/")


async def filled(browser: Any, address: str, **options: Any) -> Any:
    """A window whose reader has ticked all works of a list and added them."""
    context = await browser.new_context(**options)
    context.set_default_timeout(20_000)
    page = await context.new_page()
    await page.goto(f"{address}/search?q=mice")
    for box in await page.locator("#list input[name=id]").all():
        await box.check()
    await page.locator("button[name=do][value=add]").click()
    await page.wait_for_url(f"{address}/search?q=mice*")
    return page


async def test_a_reader_without_script(chromium, address):
    """Ticks works, goes on where it was, exports two of them, removes one, empties the basket."""
    page = await filled(chromium, address, java_script_enabled=False)
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


async def test_settings_hold_for_all_pages(chromium, address):
    """Saved by Enter; the button of a group leaves it open."""
    context = await chromium.new_context()
    page = await context.new_page()
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


async def test_a_page_of_another_site_changes_nothing(chromium, address):
    """Its form arrives, with the cookies of a neighbour, and is refused."""
    page = await filled(chromium, address)
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
    assert await page.locator("main tbody tr").count() == 3


@pytest.mark.parametrize("window", WINDOWS, ids=["light", "dark", "zh", "320", "forced"])
async def test_everybody_can_use_the_pages(chromium, address, window):
    """No violation of axe-core, and nothing is wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.async_playwright").Axe()
    page = await filled(chromium, address, **window)
    for path in ("/basket", "/settings", "/settings?done=saved&group=default"):
        await page.goto(address + path)
        await page.evaluate(OPEN_ALL)
        result = await axe.run(page)
        assert [each["id"] for each in result.response["violations"]] == []
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(wider) <= 0
