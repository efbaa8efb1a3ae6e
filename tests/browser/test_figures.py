"""How calm the page stays: layout shift, as the browser counts it, and many works."""

from __future__ import annotations

import asyncio
import gzip
import random
from dataclasses import replace

import pytest

from metasearch.server.pages.environment import ASSETS
from tests.browser.scripted import Work, works
from tests.browser.waiting import stands, until

pytestmark = pytest.mark.browser

ONE_LOOP = pytest.mark.asyncio(loop_scope="session")
#: The sum of the worst window of a second, as Cumulative Layout Shift has it, is at most this sum.
MOST_SHIFT = 0.05


@pytest.mark.parametrize("name", ["results.js", "decisions.js"])
def test_the_script_is_small(name: str):
    """At most 10 KB as it is sent."""
    assert len(gzip.compress(ASSETS[name].body)) <= 10 * 1024


@ONE_LOOP
@pytest.mark.parametrize("width", [1280, 1000, 360])
async def test_a_run_of_ten_sources_shifts_nothing(search, window, width):
    """Each source brings works, changes others, and one of them fails; some folds grow."""
    generator = random.Random(7)
    page = await window(search.address, viewport={"width": width, "height": 800})
    known: dict[int, Work] = {}
    sources = [f"source{number}" for number in range(10)]
    for turn, source in enumerate(sources):
        brought = range(turn * 4 + 1, turn * 4 + 7)
        for number in brought:
            work = known.get(number, Work(number, sources=()))
            known[number] = replace(work, sources=(*work.sources, source))
        order = sorted(known.values(), key=lambda work: generator.random())[:20]
        parts = {
            "heading": f"{len(known)} works for <q>mice</q>",
            "failures": '<p><span class="state failed">Beta failed.</span></p>' if turn > 4 else "",
            "database-rows": "".join(f"<tr><td>{name}</td></tr>" for name in sources[:turn]),
            "pages": "<a href='/search'>2</a>" if len(known) > 20 else "",
        }
        await search.page(order, answered=turn, parts=parts, done=source == sources[-1])
        await asyncio.sleep(0.1)

    await page.get_by_role("button", name="new works").wait_for()
    shift = sum(await page.evaluate("watched.shifts"))
    print(f"layout shift at {width} px: {shift:.4f}")
    assert shift <= MOST_SHIFT


@ONE_LOOP
async def test_five_hundred_works(search, window):
    """They come in pieces, and all of them stand in order."""
    page = await window(search.address)
    numbers = list(range(1, 501))
    random.Random(1).shuffle(numbers)
    await search.page(works(*numbers), done=True)

    await stands(page, *numbers)


@ONE_LOOP
async def test_a_thousand_works_change_and_move(search, window):
    """1,000 works, 1,000 changes of them and another order of all, which waits for the reader: the
    list has them all. (`tasks.py bench page` measures how long the page computes.)"""
    page = await window(search.address)
    generator = random.Random(3)
    known = [Work(number) for number in range(1, 1001)]
    await search.page(known)
    await stands(page, *range(1, 1001))
    for _ in range(20):
        changed = generator.sample(range(1000), 50)
        for index in changed:
            sources = (*known[index].sources, f"source{len(known[index].sources)}")
            known[index] = replace(known[index], sources=sources)
        await search.page(known, changed=[known[index] for index in changed])
    generator.shuffle(known)
    await search.page(known, changed=[], done=True)
    await until(page, "document.getElementById('new-works').hidden", want=False)
    await page.evaluate("document.querySelector('#new-works button').click()")

    await stands(page, *(work.number for work in known))
