"""Real searches in a browser: simulated databases that answer one after another, fail, or hang."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.settings import Settings
from tests.browser.waiting import IDS, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: Seconds until each database answers; the last one does not before the search gives up.
ONE_AFTER_ANOTHER = {
    "demo-pubmed": 0.0,
    "demo-openalex": 0.6,
    "demo-crossref": 0.8,
    "demo-arxiv": 1.0,
    "demo-library": 1.2,
    "demo-slow": 60.0,
}
OVER = "document.getElementById('progress').hidden"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address() -> AsyncIterator[str]:
    """A server whose pages are sent with what is there after a third of a second."""
    async with serving(ONE_AFTER_ANOTHER) as url:
        yield url


@asynccontextmanager
async def serving(latency: Mapping[str, float], seconds: float = 2.5) -> AsyncIterator[str]:
    """The address of a server over simulated databases.

    Args:
        latency: Seconds until each of them answers.
        seconds: After which a search gives up.
    """

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(latency) as demo,
            Engine(demo.settings(Settings(timeout=seconds)), spec_files=False) as running,
        ):
            yield running

    app = make_app(engine, options=Options(page_wait=0.3))
    async with AsyncExitStack() as stack:
        server = TestServer(app)
        await server.start_server()
        stack.push_async_callback(server.close)
        yield str(server.make_url("")).rstrip("/")


async def listed(address: str, query: str) -> list[str]:
    """The ids of the list as programs read it."""
    headers = {"Accept": "application/json"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(f"{address}/search?{query}&count=20") as response,
    ):
        answer = json.loads(await response.text())
    return [hit["id"] for hit in answer["hits"]]


async def test_the_order_at_the_end_is_that_of_the_list(address, window):
    """What came late waits until the reader asks; then each work stands where the answer has it."""
    page = await window(f"{address}/search?q=gambling")
    first = await page.evaluate(IDS)
    assert first
    await page.locator("#hits .why summary").first.click()
    await until(page, OVER)

    assert (await page.evaluate(IDS))[: len(first)] == first
    assert await page.locator("#hits > li").first.locator(".why").get_attribute("open") is not None
    button = page.locator("#new-works button")
    if await button.is_visible():
        await button.click()
    want = await listed(address, "q=gambling")
    await until(page, IDS, want)
    shift = sum(await page.evaluate("watched.shifts"))
    print(f"layout shift of a whole run: {shift:.4f}")
    assert shift <= 0.05


async def test_failing_and_hanging_databases_are_named(address, window):
    """The page ends nevertheless, and says in words what is missing."""
    page = await window(f"{address}/search?q=mice")
    await until(page, OVER)

    failures = await page.locator("#failures").text_content()
    assert "dblp (simulated, slow): timed out" in failures
    assert "Semantic Scholar (simulated, failing): failed" in failures
    await page.locator("#databases > summary").click()
    rows = await page.locator("#database-rows tr").all_text_contents()
    assert len(rows) == 7
    assert any("timed out" in row for row in rows)
    assert await page.locator("#filters").get_attribute("aria-busy") != "true"


async def test_where_all_fail_the_page_says_so(address, window):
    page = await window(f"{address}/search?q=mice&sources=demo-failing,demo-slow")
    await until(page, OVER)

    assert await page.locator("#hits > li").count() == 0
    failures = await page.locator("#failures").text_content()
    assert "failed" in failures
    assert "timed out" in failures


async def test_where_nothing_is_found_the_page_says_so(address, window):
    page = await window(f"{address}/search?q=zyxwvut&sources=demo-crossref,demo-openalex")
    await until(page, OVER)

    assert await page.locator("#hits > li").count() == 0
    assert (await page.locator("#nothing").text_content()).strip()
    assert await page.locator("#new-works").is_hidden()


async def test_in_chinese(address, window):
    """What comes by the stream is in the language of the page, too."""
    page = await window(f"{address}/search?q=乳腺癌&lang=zh-Hans")
    await until(page, OVER)

    assert await page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert "databases" not in await page.locator("#status").text_content()
    button = page.locator("#new-works button")
    if await button.is_visible():
        assert "篇" in await button.text_content()
        await button.click()
    await until(page, IDS, await listed(address, "q=乳腺癌"))


async def test_back_from_a_work_restores_the_list(address, window):
    page = await window(f"{address}/search?q=gambling")
    await until(page, OVER)
    before = await page.evaluate(IDS)
    await page.locator("#hits .why summary").nth(1).click()
    await page.locator("#hits input[name=id]").nth(2).check()
    await page.evaluate("window.scrollTo(0, 400)")
    before_scrolled = await page.evaluate("window.scrollY")
    await page.locator("#hits h3 a").nth(2).evaluate("link => link.click()")
    await page.wait_for_url("**/work/**")
    await page.go_back()

    await until(page, IDS, before)
    await until(page, "performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
    assert await page.locator("#hits > li").nth(1).locator(".why[open]").count() == 1
    assert await page.locator("#hits input[name=id]").nth(2).is_checked()
    assert await page.locator("#hits input[name=id]:checked").count() == 1
    await until(page, f"Math.abs(window.scrollY - {before_scrolled}) < 2")


async def test_without_a_script_a_link_shows_more(address, window):
    """The page is whole; nothing reloads by itself, and a link waits for all."""
    page = await window(f"{address}/search?q=psilocybin", java_script_enabled=False)
    shown = await page.locator("#hits > li").count()

    await page.locator("noscript a").last.click()
    assert await page.locator("#progress").is_hidden()
    assert await page.locator("#hits > li").count() >= max(1, shown)


async def test_a_broken_connection_is_continued(window):
    """Offline and online again in the middle of a search: at the end nothing is missing."""
    # Long enough for a browser that is slow to load the page while the search goes on.
    async with serving(ONE_AFTER_ANOTHER, seconds=10.0) as address:
        page = await window(f"{address}/search?q=breast+cancer")
        await page.context.set_offline(True)
        await page.locator("#cut").wait_for()
        await page.context.set_offline(False)

        await page.locator("#cut").wait_for(state="hidden")
        await until(page, OVER)
        button = page.locator("#new-works button")
        if await button.is_visible():
            await button.click()
        await until(page, IDS, await listed(address, "q=breast+cancer"))
