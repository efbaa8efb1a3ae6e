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
from metasearch.server.options import Options
from metasearch.settings import Settings
from tests.browser.waiting import IDS, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: Seconds until each database answers; the last one does not before the search gives up.
ONE_AFTER_ANOTHER = {
    "demo-pubmed": 0.0,
    "demo-openalex": 0.8,
    "demo-crossref": 1.1,
    "demo-arxiv": 1.4,
    "demo-library": 1.7,
    "demo-slow": 60.0,
}
OVER = "document.getElementById('progress').hidden"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address() -> AsyncIterator[str]:
    """A server whose pages are sent with what is there after a third of a second."""
    async with serving(ONE_AFTER_ANOTHER) as url:
        yield url


@asynccontextmanager
async def serving(latency: Mapping[str, float]) -> AsyncIterator[str]:
    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(latency) as demo,
            Engine(demo.settings(Settings(timeout=4.0)), spec_files=False) as running,
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
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(f"{address}/search?{query}&count=20") as response:
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
    page = await window(f"{address}/search?q=mice")
    await until(page, OVER)

    failures = await page.locator("#failures").text_content()
    assert "demo-failing" in failures or "Demo failing" in failures or "failing" in failures.lower()
    rows = await page.locator("#database-rows tr").all_text_contents()
    assert len(rows) == 7
    assert await page.locator("#filters").get_attribute("aria-busy") != "true"
