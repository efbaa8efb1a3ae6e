"""What the result page costs a browser: bytes, the time to the first hit, and how still it stays.

    python3 tasks.py bench page [--rounds 10]

A headless Chromium (the one of the machine) asks a server in this process, whose simulated
databases answer one after another; nothing is repeated.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import shutil
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from statistics import median
from typing import Any

import aiohttp
from aiohttp.test_utils import TestServer

from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.pages.environment import ASSETS
from metasearch.server.pages.results import Differences, Results
from metasearch.settings import Settings

#: Seconds until each database answers: the first one after the page was sent.
LATENCY = {
    "demo-pubmed": 0.7,
    "demo-openalex": 0.9,
    "demo-crossref": 1.1,
    "demo-arxiv": 1.3,
    "demo-library": 1.5,
    "demo-slow": 2.0,
}
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
#: Remembers when the first hit was painted, what moved and what took long.
_WATCH = """
window.watched = {first: 0, shifts: [], tasks: []};
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) watched.shifts.push(entry.value);
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) watched.tasks.push(entry.duration);
}).observe({type: "longtask", buffered: true});
const look = () => {
  if (!document.querySelector("#hits > li")) return requestAnimationFrame(look);
  setTimeout(() => { watched.first = performance.timeOrigin + performance.now(); });
};
requestAnimationFrame(look);
"""


class Timed(Differences):
    """Remembers when the server first had a hit for a page."""

    first = 0.0

    def events(self, results: Results) -> Iterator[tuple[str, dict[str, Any]]]:
        if results.answer.hits and not Timed.first:
            Timed.first = time.time()
        return super().events(results)


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """The address of a server whose pages are sent before any database has answered."""
    from metasearch.server import search

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(LATENCY) as demo,
            Engine(demo.settings(Settings(timeout=5.0)), spec_files=False) as running,
        ):
            yield running

    setattr(search, "Differences", Timed)  # noqa: B010 - no part of the interface
    server = TestServer(make_app(engine, options=Options(page_wait=0.2)))
    await server.start_server()
    try:
        yield str(server.make_url("")).rstrip("/")
    finally:
        await server.close()


async def weigh(address: str) -> None:
    """Prints the bytes of a page of 20 hits with all that it loads."""
    headers = {"Accept": "text/html", "Accept-Encoding": "identity"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(f"{address}/search?q=gambling&wait=9") as response,
    ):
        page = await response.read()
    sizes = {"page": len(gzip.compress(page))}
    for name in ("style.css", "results.js", "icon.svg"):
        asset = ASSETS[name]
        sizes[name] = len(asset.gzip_body or asset.body)
    hits = page.count(b'<li id="w-')
    print(f"{'bytes, gzip':24}", ", ".join(f"{name} {size:,}" for name, size in sizes.items()))
    print(f"{'together':24} {sum(sizes.values()):,} for {hits} hits (goal 61,440)")


async def watch(address: str, rounds: int, program: str) -> None:
    """Prints how long the first hit takes to the screen, what moves, and what takes long."""
    from playwright.async_api import async_playwright

    delays, shifts, longest = [], [], []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        for query in EXAMPLE_QUERIES[:rounds]:
            context = await browser.new_context(viewport={"width": 1280, "height": 900})
            await context.add_init_script(_WATCH)
            page = await context.new_page()
            Timed.first = 0.0
            await page.goto(f"{address}/search?q={query}")
            while not await page.evaluate("document.getElementById('progress').hidden"):
                await asyncio.sleep(0.05)
            seen = await page.evaluate("watched")
            if Timed.first and seen["first"]:
                delays.append(seen["first"] - 1000 * Timed.first)
            shifts.append(sum(seen["shifts"]))
            longest.append(max(seen["tasks"], default=0.0))
            await context.close()
        await browser.close()
    print(
        f"{'first hit on the screen':24}", _spread(delays), "ms after the server had it (goal 100)"
    )
    print(f"{'layout shift of a run':24}", _spread(shifts, 4), "(goal .05)")
    print(f"{'longest task of a run':24}", _spread(longest), "ms; 0 is below 50 (goal 50)")


def _spread(values: list[float], digits: int = 0) -> str:
    if not values:
        return "nothing measured"
    shown = (min(values), median(values), max(values))
    return "{} least, {} median, {} most".format(*(f"{value:.{digits}f}" for value in shown))


async def _main(rounds: int, program: str) -> None:
    async with served() as address:
        await watch(address, rounds, program)
        await weigh(address)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="searches")
    chosen = parser.parse_args()
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        sys.exit("no Chromium on this machine: nothing is measured")
    asyncio.run(_main(chosen.rounds, found))
