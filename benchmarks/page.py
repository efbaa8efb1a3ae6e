"""What a reader of the result page waits for, measured in a headless Chromium.

    python3 tasks.py bench page [--runs 10]

The demo's databases answer after their usual times; the page is sent before the first of them, so
that all works come by the stream. Measured are, for each run:

first hit   milliseconds from the moment at which the server has the first works for the page, to
            the frame that shows them
shift       the layout shift of the run (CLS), until all databases have answered
longest     the longest task of the page in milliseconds (tasks of 50 ms and more are counted)

and once the bytes of a page of twenty works with its sheet, script and icons, compressed.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from metasearch.server import updates
from metasearch.server.app import listening
from metasearch.server.options import Options
from metasearch.server.pages.assets import ASSETS
from metasearch.server.pages.differences import Differences
from metasearch.server.pages.results import Results
from metasearch.settings import Settings

#: Runs that a browser needs until its caches are filled; they are not counted.
_WARM_UP = 2
_FLAGS = ("--no-sandbox", "--disable-gpu", "--hide-scrollbars")
#: Watches the page from its first moment on.
_WATCH = """
globalThis.measured = {first: 0, shift: 0, longest: 0};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    measured.longest = Math.max(measured.longest, entry.duration);
  }
}).observe({type: "longtask", buffered: true});
const look = () => {
  if (document.querySelector("#hits > li")) measured.first = Date.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One search: milliseconds, layout shift, milliseconds."""

    first_hit: float
    shift: float
    longest: float


class Watched(Differences):
    """Notes when the server has the first works for a page."""

    first = 0.0

    def events(self, results: Results) -> Iterator[tuple[str, dict[str, Any]]]:
        if results.answer.hits and not Watched.first:
            Watched.first = time.time()
        return super().events(results)


@asynccontextmanager
async def _browser() -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if program is None:
        sys.exit("There is no Chromium on this machine.")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=[*_FLAGS])
        yield browser
        await browser.close()


async def _run(browser: Any, address: str) -> Run:
    Watched.first = 0.0
    context = await browser.new_context(viewport={"width": 1280, "height": 860})
    page = await context.new_page()
    await page.add_init_script(_WATCH)
    await page.goto(address, wait_until="commit")
    await page.wait_for_selector("#filters[aria-busy=false], #filters:not([aria-busy])")
    await page.wait_for_timeout(300)
    measured = await page.evaluate("measured")
    await context.close()
    return Run(measured["first"] - Watched.first * 1000, measured["shift"], measured["longest"])


async def _bytes(address: str) -> tuple[int, int]:
    """(those of a page of twenty works, those of the files that it loads)."""
    headers = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    async with (
        aiohttp.ClientSession(auto_decompress=False) as session,
        session.get(address, params={"q": "gambling harms", "wait": "30"}, headers=headers) as sent,
    ):
        page = len(await sent.read())
    names = ("style.css", "results.js", "icon.svg", "favicon.ico")
    return page, sum(len(ASSETS[name].compressed or ASSETS[name].body) for name in names)


async def measure(runs: int) -> None:
    """Prints a line for each figure."""
    updates.Differences = Watched  # type: ignore[misc]
    options = Options(page_wait=0.02, rate_limit=0)
    async with _browser() as browser:
        taken = []
        for _ in range(runs + _WARM_UP):
            # A server of its own for each run: no answer is there before the first search.
            async with listening(Settings(), demo=True, options=options) as address:
                taken.append(await _run(browser, f"{address}search?q=machine+learning"))
    async with listening(Settings(), demo=True) as address:
        page, files = await _bytes(f"{address}search")
    counted = taken[_WARM_UP:]
    for name, unit, values in (
        ("first hit", "ms", [run.first_hit for run in counted]),
        ("shift", "", [run.shift for run in counted]),
        ("longest", "ms", [run.longest for run in counted]),
    ):
        low, middle, high = min(values), statistics.median(values), max(values)
        print(f"{name:10} min {low:8.3f}  median {middle:8.3f}  max {high:8.3f} {unit}")
    print(f"{'bytes':10} page {page:,}, files {files:,}, together {page + files:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=10)
    asyncio.run(measure(parser.parse_args().runs))


if __name__ == "__main__":
    main()
