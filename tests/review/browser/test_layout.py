"""Pages in forced colours, without motion and on paper, and lines that are cut. (That every page fits
into its window is in test_accessibility.py, which opens all of them.)"""

from __future__ import annotations

import pytest

from tests.review.browser.states import VARIANTS, shown

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

NARROW = VARIANTS["narrow"]


async def test_a_cut_line_of_databases_ends_with_dots(browser, addresses):
    """Below the wide window the databases of a hit are one line: the whole list is on its page."""
    async with shown(browser, addresses, "finished", **NARROW) as view:
        found = view.page.locator(".found").first
        assert await found.evaluate("box => getComputedStyle(box).textOverflow") == "ellipsis"
        assert await found.bounding_box() is not None


async def test_forced_colours_keep_what_colour_says(browser, addresses):
    """With the colours of the system: marks are underlined, the retraction has a frame, the bar is
    drawn, and focus is seen."""
    async with shown(browser, addresses, "finished", forced_colors="active") as view:
        style = "(element, name) => getComputedStyle(element)[name]"
        mark = view.page.locator("mark").first
        assert "underline" in await mark.evaluate(style, "textDecorationLine")
        band = view.page.locator(".retraction")
        assert await band.evaluate(style, "borderTopStyle") == "solid"
        assert await band.locator("strong").is_visible()
        await view.page.keyboard.press("Tab")
        width = "getComputedStyle(document.activeElement).outlineWidth"
        assert float((await view.page.evaluate(width)).removesuffix("px")) >= 2


async def test_nothing_moves_for_those_who_want_no_motion(browser, addresses):
    moving = """() => [...document.querySelectorAll("*")].flatMap(element => ["", "::before", "::after"]
      .map(part => getComputedStyle(element, part)))
      .filter(style => parseFloat(style.transitionDuration) > 0 || style.animationName !== "none").length"""
    async with shown(browser, addresses, "why", reduced_motion="reduce") as view:
        assert await view.page.evaluate(moving) == 0
    async with shown(browser, addresses, "why", reduced_motion="no-preference") as view:
        assert await view.page.evaluate(moving) > 0


async def test_a_printed_list_has_its_works_and_no_controls(browser, addresses):
    async with shown(browser, addresses, "finished") as view:
        page = view.page
        works = await page.locator("#hits > li").count()
        await page.emulate_media(media="print")
        assert works > 5
        assert await page.locator("#hits h3:visible").count() == works
        assert await page.locator(".hit-by:visible").count() == works
        assert await page.locator(".retraction strong").is_visible()
        controls = "nav:visible, button:visible, input:visible, select:visible, summary:visible"
        assert await page.locator(controls).count() == 0
        long = page.locator(".hit-text.long").first
        whole = "text => text.scrollHeight <= text.clientHeight + 1"
        assert await long.evaluate(whole)
