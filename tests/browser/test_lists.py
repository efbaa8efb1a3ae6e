"""The pages that take a list of works, in a browser: what they cite and what cites them, which
databases know them, and what is wrong with them. Accessible in every window, with a script and
without.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from tests.browser.test_places import OVERFLOW, UNFOLD, WINDOWS
from tests.citation_indexes import TEXT, TITLES, UNKNOWN, CitationIndexes

axe_api = pytest.importorskip("axe_playwright_python.async_playwright", reason="no axe here")

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: A work that both indexes know, one with a wrong title, and one that nobody knows.
LIST = f"""10.1000/1
Adler A. A census of wombats under changing tides, and much besides. 2013. doi:10.1000/3
10.9999/{"a-long-segment-of-a-name/" * 8}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def indexes() -> CitationIndexes:
    return CitationIndexes()


@pytest_asyncio.fixture(loop_scope="session")
async def address(indexes: CitationIndexes) -> AsyncIterator[str]:
    """A server over the indexes."""
    server = TestServer(make_app(lambda: Engine(indexes.settings(), transport=indexes)))
    await server.start_server()
    yield str(server.make_url("/")).rstrip("/")
    await server.close()


Act = Callable[[Any, str], Awaitable[None]]


async def _cite(page: Any, address: str) -> None:
    """From two works, one of which nobody knows, in two rounds."""
    await page.goto(f"{address}/cite?format=html")
    await page.fill("#ids", f"10.1000/1\n{UNKNOWN}")
    await page.select_option("#rounds", "2")
    await page.locator("main form button.primary").click()
    await page.wait_for_url("**/cite?*rounds=2")
    await page.locator("#found").wait_for()


async def _cite_nothing(page: Any, address: str) -> None:
    await page.goto(f"{address}/cite?format=html")


async def _look_up(page: Any, address: str) -> None:
    await _send_list(page, f"{address}/lookup?format=html")


async def _check(page: Any, address: str) -> None:
    await _send_list(page, f"{address}/check?format=html")


async def _send_list(page: Any, address: str) -> None:
    await page.goto(address)
    await page.fill("#list", LIST)
    await page.locator("main form button.primary").click()
    await page.locator("ol.checked li").nth(2).wait_for()


@pytest.mark.parametrize("options", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("act", [_cite_nothing, _cite, _look_up, _check])
async def test_no_rule_of_axe_is_broken(window, address, act: Act, options):
    """With every fold open, and without a scroll bar below."""
    page = await window(address, **options)
    await act(page, address)
    await page.wait_for_load_state()
    await page.evaluate(UNFOLD)
    result = await axe_api.Axe().run(page)

    assert result.violations_count == 0, result.generate_report()
    assert await page.evaluate(OVERFLOW) <= 0


async def test_no_rule_of_axe_is_broken_where_an_index_fails(window, address, indexes):
    """Its state is told in words, and not by a colour alone."""
    indexes.fails = {"beta"}
    page = await window(address)
    await _cite(page, address)
    result = await axe_api.Axe().run(page)

    assert result.violations_count == 0, result.generate_report()
    assert await page.locator("tr", has_text="Beta").get_by_text("no whole answer").count() == 2
    told = await page.locator("section[aria-labelledby=found] .state.failed").text_content()
    assert "these sources failed: Beta" in told


@pytest.mark.parametrize("java_script_enabled", [True, False])
async def test_from_a_work_to_what_cites_it(window, address, java_script_enabled):
    """A form of the keyboard alone; what is found has a page, which leads on."""
    page = await window(f"{address}/cite?format=html", java_script_enabled=java_script_enabled)
    await page.locator("#ids").focus()
    await page.keyboard.type("10.1000/1")
    await page.locator("#direction").press("f")
    await page.locator("#direction").press("Tab")
    await page.locator("#rounds").press("Tab")
    await page.locator("main form button.primary:focus").press("Enter")
    await page.wait_for_url("**/cite?*direction=forward*")
    await page.locator("#found").wait_for()

    assert await page.input_value("#direction") == "forward"
    assert await page.input_value("#ids") == "10.1000/1"
    found = page.locator("section[aria-labelledby=found] h3 a")
    assert sorted(await found.all_text_contents()) == sorted(TITLES[n] for n in (4, 5))
    await found.filter(has_text=TITLES[5]).click()
    await page.get_by_role("link", name="References", exact=True).click()
    await page.wait_for_url("**/cite?*direction=backward")
    assert await page.input_value("#direction") == "backward"
    assert await found.filter(has_text=TITLES[2]).count() == 1


async def test_what_has_no_record_stands_in_folds(window, address):
    """Closed at first; the summary has the number."""
    page = await window(f"{address}/cite?id=10.1000/1&direction=backward&format=html")
    names = {"Known by an identifier alone: 1": UNKNOWN, "Known as text alone: 1": TEXT}

    for summary, name in names.items():
        assert await page.get_by_text(name).is_hidden()
        await page.get_by_text(summary, exact=True).click()
        assert await page.get_by_text(name).is_visible()


async def test_a_name_that_is_none_is_refused_on_a_page(window, address):
    """With what to do; the way back has what was typed."""
    page = await window(f"{address}/cite?format=html")
    await page.fill("#ids", TITLES[1])
    await page.locator("main form button.primary").click()

    await page.get_by_text("neither a DOI").wait_for()
    await page.go_back()
    assert await page.input_value("#ids") == TITLES[1]
    result = await axe_api.Axe().run(page)
    assert result.violations_count == 0, result.generate_report()


@pytest.mark.parametrize(
    ("path", "verdicts"),
    [
        ("lookup", ["Found", "Found", "Not found"]),
        ("check", ["Confirmed", "Differs", "Not found"]),
    ],
)
@pytest.mark.parametrize("java_script_enabled", [True, False])
async def test_a_list_is_sent(window, address, path, verdicts, java_script_enabled):
    """Each work of it has a word for how it fared, and those that are known have a page."""
    page = await window(address, java_script_enabled=java_script_enabled)
    await _send_list(page, f"{address}/{path}?format=html")

    states = await page.locator("ol.checked .state").all_text_contents()
    assert sorted(states) == sorted(verdicts)
    await page.locator("ol.checked a").filter(has_text="census").click()
    await page.locator("h1", has_text=TITLES[3]).wait_for()
