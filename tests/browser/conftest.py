"""One headless Chromium for all tests of this folder, and a window in it for each test."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.scripted import ScriptedSearch

playwright_api = pytest.importorskip("playwright.async_api", reason="no playwright here")

Open = Callable[..., Awaitable[Any]]
#: The window of a desktop in which the margin of a hit stands beside it.
DESKTOP = {"width": 1280, "height": 900}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic")

#: Runs before the scripts of every page: it remembers what a test asks for at the end.
WATCH = """
window.watched = {shifts: [], tasks: [], violations: [], errors: []};
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) watched.shifts.push(entry.value);
  }
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) watched.tasks.push(entry.duration);
}).observe({type: "longtask", buffered: true});
document.addEventListener("securitypolicyviolation", event => {
  watched.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
window.addEventListener("error", event => watched.errors.push(event.message));
window.addEventListener("unhandledrejection", event => watched.errors.push(String(event.reason)));
"""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Any]:
    """Chromium, started once; the test skips where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    async with playwright_api.async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(browser) -> AsyncIterator[Open]:
    """Opens an address in a window of its own; further options are those of playwright's
    `new_context`. At the end, no script has failed, and none was refused by the policy."""
    contexts: list[Any] = []
    pages: list[Any] = []

    async def opened(address: str, **options: Any) -> Any:
        context = await browser.new_context(**({"viewport": DESKTOP} | options))
        context.set_default_timeout(60_000)
        await context.add_init_script(WATCH)
        contexts.append(context)
        page = await context.new_page()
        pages.append(page)
        await page.goto(address)
        return page

    yield opened
    for page in pages:
        watched = await page.evaluate("window.watched") if not page.is_closed() else None
        assert not watched or (watched["violations"], watched["errors"]) == ([], [])
    for context in contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def search() -> AsyncIterator[ScriptedSearch]:
    """A result page whose events the test sends."""
    async with ScriptedSearch() as running:
        yield running
