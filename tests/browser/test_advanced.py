"""The advanced search by keyboard alone, in a browser without scripts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import pytest_asyncio

from metasearch.server.app import make_app
from tests.server.fake import FakeEngine

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
GAMBLING = 'title:"gambling harm" AND (prevent* OR reduc*) AND year:2015-'


@pytest_asyncio.fixture(loop_scope="session")
async def address() -> AsyncIterator[str]:
    """A server with two works."""
    from aiohttp.test_utils import TestServer

    engine = FakeEngine()
    server = TestServer(make_app(lambda: engine))  # type: ignore[arg-type,return-value]
    await server.start_server()
    yield str(server.make_url("")).rstrip("/")
    await server.close()


@pytest_asyncio.fixture(loop_scope="session")
async def without_script(browser, address) -> AsyncIterator[object]:
    """Opens a path of the server."""
    context = await browser.new_context(java_script_enabled=False)
    context.set_default_timeout(60_000)
    page = await context.new_page()
    await page.goto(f"{address}/advanced")
    yield page
    await context.close()


def words(page, number: int):
    """The field of a row."""
    return page.get_by_label(f"Words of line {number}", exact=True)


async def focused(page) -> str | None:
    """The name of what has the focus, as a screen reader says it."""
    element = page.locator(":focus")
    return await element.get_attribute("aria-label") or await element.text_content()


async def test_enter_in_a_row_searches(without_script):
    """Though the first button that is seen is another one."""
    page = without_script
    await words(page, 1).fill("mice")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/search?**")

    assert dict(parse_qsl(urlsplit(page.url).query)) == {"q": "mice"}


async def test_a_row_is_added_and_removed_by_keyboard(without_script):
    """The cursor stands in the new row, and nothing that was typed is lost."""
    page = without_script
    await words(page, 2).fill("islands")
    await page.get_by_role("button", name="Add a line").press("Enter")
    await words(page, 4).wait_for()

    assert await focused(page) == "Words of line 4"
    await page.keyboard.type("drives")
    await page.get_by_role("button", name="Remove line 1").press("Space")
    await words(page, 4).wait_for(state="detached")
    texts = [await words(page, at).input_value() for at in (1, 2, 3)]
    assert texts == ["islands", "", "drives"]
    assert await page.locator(".readback").text_content() == "title:islands AND drives"


async def test_rows_and_text_become_each_other(without_script, address):
    """By the tabs; Back returns to the rows as they were."""
    page = without_script
    await page.goto(f"{address}/advanced?{urlencode({'q': GAMBLING})}")
    await page.get_by_role("button", name="Expert", exact=True).press("Enter")

    assert await page.get_by_label("Query", exact=True).input_value() == GAMBLING
    await page.get_by_role("button", name="Lines", exact=True).press("Enter")
    assert await words(page, 2).input_value() == "prevent* reduc*"
    assert await page.get_by_label("From year").input_value() == "2015"
    await page.go_back()
    await page.go_back()
    assert await words(page, 1).input_value() == "gambling harm"


async def test_the_plan_is_read_from_its_heading(without_script):
    """The focus stands there once the page is loaded."""
    page = without_script
    await words(page, 1).fill("mice")
    await page.get_by_role("button", name="Show what each database will be asked").press("Enter")
    await page.get_by_role("table").wait_for()

    assert await focused(page) == "What each database will be asked"
    assert await page.get_by_role("row").count() == 3


async def test_a_mistake_is_described_to_who_types(without_script):
    """The field has the focus, and says what is wrong with it."""
    page = without_script
    await words(page, 2).fill("(islands")
    await page.keyboard.press("Enter")
    await page.locator("#fault-2").wait_for()

    assert await focused(page) == "Words of line 2"
    described = await page.locator(":focus").get_attribute("aria-describedby")
    assert "This bracket is never closed" in (
        await page.locator(f"#{described}").text_content() or ""
    )
