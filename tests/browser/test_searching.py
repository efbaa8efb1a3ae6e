"""Searching as a reader does it, over simulated databases that answer at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.test_streaming import serving
from tests.browser.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

_AT_ONCE = dict.fromkeys(
    ("demo-pubmed", "demo-openalex", "demo-crossref", "demo-arxiv", "demo-library", "demo-slow"),
    0.0,
)
_OVER = "document.getElementById('filters').ariaBusy !== 'true'"
_LIST = "/search?q=gambling+harms&format=html"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address() -> AsyncIterator[str]:
    async with serving(_AT_ONCE, seconds=30.0) as url:
        yield url


async def finished(window: Any, address: str, **options: Any) -> Any:
    """The page of a search that is over."""
    page = await window(address, **options)
    await until(page, _OVER)
    return page


async def test_a_misspelt_query_is_one_click_from_the_right_one(address, window):
    page = await finished(window, f"{address}/search?q=gambling+harmz+prevalance+xqzt")
    assert await page.locator("#heading").text_content() != ""
    await page.get_by_role("link", name="gambling harm prevalence", exact=True).click()
    await page.wait_for_selector("#hits > li")

    assert await page.locator("#q").input_value() == "gambling harm prevalence"


async def test_a_filter_that_nothing_passes_is_one_click_away(address, window):
    """There are no orders, pages and exports of nothing."""
    page = await finished(window, f"{address}{_LIST}&filter=year:1950,type:article")
    for part in ("#list .list-tools", ".list-end .list-tools", ".take", "#pages li"):
        assert await page.locator(part).locator("visible=true").count() == 0
    await page.get_by_role("link", name="Without the filter “Year: 1950”").click()
    await page.wait_for_selector("#hits > li")

    assert "type" in page.url
    assert "1950" not in page.url


async def test_years_apply_when_the_reader_leaves_them(address, window):
    """Not between the two; there is no button to press, which readers without script have."""
    page = await finished(window, f"{address}{_LIST}")
    assert await page.get_by_role("button", name="Apply").count() == 0
    await page.get_by_label("From year").fill("2019")
    await page.keyboard.press("Tab")
    await page.get_by_label("To year").fill("2020")
    assert "2019" not in page.url
    await page.keyboard.press("Tab")
    await page.wait_for_url("**from=2019&to=2020**")

    assert await page.locator(".chip").text_content() == "Remove the filter Year: 2019-2020"
    still = await window(f"{address}{_LIST}", java_script_enabled=False)
    assert await still.get_by_role("button", name="Apply").is_visible()


async def test_the_first_key_skips_to_the_list(address, window):
    """The next one is at the first work."""
    page = await finished(window, f"{address}{_LIST}")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await until(page, "document.activeElement.id", "hits")
    await page.keyboard.press("Tab")

    assert await page.evaluate("document.activeElement.closest('#hits > li').value") == 1


async def test_a_database_that_fails_is_not_called_ready(address, window):
    await finished(window, f"{address}{_LIST}")
    page = await window(f"{address}/sources?show=failing")

    assert await page.get_by_label("Semantic Scholar (simulated, failing)").is_visible()
    assert "its last request failed" in await page.locator("main").inner_text()


@pytest.mark.parametrize("width", [360, 1280])
async def test_what_stands_around_the_list_is_whole_and_near(address, window, width):
    """Every order is seen; the first work follows its tools at once."""
    size = {"width": width, "height": 800}
    page = await finished(window, f"{address}{_LIST}", viewport=size)
    for order in ("best match", "newest", "most cited", "title"):
        box = await page.get_by_text(order, exact=True).first.bounding_box()
        assert 0 <= box["x"]
        assert box["x"] + box["width"] <= width
    tools = await page.locator(".list-tools.second").bounding_box()
    first = await page.locator("#hits > li").first.bounding_box()

    assert first["y"] - tools["y"] - tools["height"] <= 8


@pytest.mark.parametrize(
    "options",
    [{}, {"viewport": {"width": 360, "height": 800}, "color_scheme": "dark", "locale": "zh-CN"}],
    ids=["light", "dark, Chinese, phone"],
)
@pytest.mark.parametrize(
    "path",
    [_LIST, "/search?q=gambling+harmz+xqzt", f"{_LIST}&filter=year:1950,type:article"],
    ids=["works", "no work", "no work passes"],
)
async def test_no_rule_of_axe_is_broken(address, window, path, options):
    """By a list, with a rank explained, and by what stands in place of one."""
    axe = pytest.importorskip("axe_playwright_python.async_playwright").Axe()
    page = await finished(window, f"{address}{path}", **options)
    await page.evaluate("document.querySelector('details.why')?.setAttribute('open', '')")
    result = await axe.run(page)

    assert result.violations_count == 0, result.generate_report()
    assert await page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
