"""What stands around the list while databases answer: numbers, filters, connection, keys."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.browser.scripted import FACETS, Work, id_of, works
from tests.browser.waiting import stands, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_progress_and_parts(search, window):
    """The bar and the heading follow at once; at the end the bar goes and the text is final."""
    page = await window(search.address)
    parts = {"heading": "2 works for <q>mice</q>", "database-rows": "<tr><td>Alpha</td></tr>"}
    await search.page(works(1, 2), answered=7, parts=parts, counts={"type:article": "97"})

    await until(page, "document.getElementById('progress').value === 7")
    assert await page.locator("#heading").text_content() == "2 works for mice"
    assert await page.locator("#database-rows td").text_content() == "Alpha"
    assert await page.locator("[data-count='type:article']").text_content() == "97"
    assert await page.locator("#filters").get_attribute("aria-busy") == "true"
    await search.page(works(1, 2), changed=[], done=True)
    await page.locator("#progress").wait_for(state="hidden")
    text = "10 of 10 databases have answered, 2 works."
    await until(page, f"document.getElementById('status').textContent === '{text}'")
    assert await page.locator("#filters").get_attribute("aria-busy") == "false"


async def test_the_status_changes_calmly(search, window):
    """Many states in a second are one text at most, and the end."""
    started = time.monotonic()
    page = await window(search.address)
    await page.evaluate("""() => {
      window.said = [];
      new MutationObserver(() => said.push(document.getElementById('status').textContent))
        .observe(document.getElementById('status'), {childList: true, characterData: true});
    }""")
    for answered in range(10):
        await search.page(works(1, 2), changed=works(1, 2), answered=answered)
        await asyncio.sleep(0.05)
    await search.page(works(1, 2), changed=[], done=True)

    await until(page, "window.said.at(-1)?.startsWith('10 of 10')")
    # A machine that needs longer for the eleven states may show a text for each second.
    assert await page.evaluate("said.length") <= 2 + int(time.monotonic() - started)


async def test_a_search_that_fails_says_so(search, window):
    search.first = works(1)
    page = await window(search.address)
    await search.send(
        "failed", {"title": "The search failed.", "detail": "<b>No source</b> is up."}
    )

    notice = page.locator("#failures .notice.danger")
    await notice.wait_for()
    assert "<b>No source</b> is up." in await notice.text_content()
    assert await page.locator("#filters").get_attribute("aria-busy") == "false"
    await stands(page, 1)
    assert search.connections == 1


async def test_a_short_break_is_mended_unnoticed(search, window):
    page = await window(search.address)
    await search.page(works(1))
    await page.wait_for_selector("#hits > li")
    await search.drop()
    await search.page(works(1, 2))

    await page.wait_for_selector(f"#w-{id_of(2)}")
    assert await page.locator("#cut").is_hidden()
    assert search.connections == 2


async def test_a_refused_connection_says_so_and_continues(search, window):
    """What is there stays; after "Continue" a whole state comes, and nothing is missing."""
    search.first = works(1)
    page = await window(search.address)
    await search.page(works(1))
    search.refuses = True
    await search.drop()

    cut = page.locator("#cut")
    await cut.wait_for()
    await stands(page, 1)
    assert "The connection broke" in await page.locator("#status").text_content()
    search.refuses = False
    await page.get_by_role("button", name="Continue").click()
    await cut.wait_for(state="hidden")
    await search.page(works(1, 2, 3), done=True)
    await page.wait_for_selector(f"#w-{id_of(3)}")
    assert await page.evaluate("document.activeElement.id") == "results"


async def test_offline_says_so_and_online_continues(search, window):
    search.first = works(1)
    page = await window(search.address)
    await search.page(works(1))
    await page.context.set_offline(True)
    await page.locator("#cut").wait_for()
    await page.context.set_offline(False)

    await page.locator("#cut").wait_for(state="hidden")
    await search.page(works(1, 2), done=True)
    await page.wait_for_selector(f"#w-{id_of(2)}")


async def test_a_tick_in_the_filters_is_sent_at_once(search, window):
    """The next page has the focus on the same tick, at the same place of the window."""
    search.first = works(*range(1, 11))
    search.over = True
    page = await window(search.address)
    await page.evaluate("window.scrollTo(0, 60)")
    # Not by the pointer: what drives the browser may scroll before it clicks.
    await page.get_by_label("article").evaluate("box => box.click()")

    await page.wait_for_url("**/search?filter=type*")
    await until(page, "document.activeElement.value === 'type:article'")
    assert search.asked[-1] == "/search?filter=type%3Aarticle"
    assert await page.evaluate("window.scrollY") == 60


async def test_the_panel_of_filters_is_replaced_when_nobody_uses_it(search, window):
    """The group that the reader opened stays open, and a tick stays."""
    page = await window(search.address)
    await page.locator("[data-facet=lang] > summary").click()
    more = FACETS.replace("English", "English (all)")
    await search.page(works(1), facets=more, done=True)
    await page.wait_for_selector("#hits > li")
    assert await page.get_by_text("English (all)").count() == 0  # the pointer is in the panel

    await page.mouse.move(900, 600)
    await page.evaluate("document.activeElement.blur()")
    await page.get_by_text("English (all)").wait_for()
    assert await page.locator("[data-facet=lang]").get_attribute("open") is not None


async def test_back_restores_folds_ticks_and_order(search, window):
    """Also where the page is another one by then: what was behind the button is there again."""
    search.first = works(1, 2, 3)
    page = await window(search.address)
    await search.page(works(9, 1, 2, 3), done=True)
    await page.get_by_role("button", name="1 new work").wait_for()
    await page.locator(f"#w-{id_of(2)} input").check()
    await page.locator(f"#w-{id_of(2)} .why summary").click()
    search.first, search.over = works(9, 1, 2, 3), True
    await page.locator(f"#w-{id_of(3)} h3 a").click()
    await page.wait_for_url("**/work/**")
    await page.go_back()

    await page.wait_for_url("**/search**")
    await page.get_by_role("button", name="1 new work").wait_for()
    await stands(page, 1, 2, 3)
    assert await page.locator("#hits input:checked").count() == 1
    assert await page.locator(f"#w-{id_of(2)} input").is_checked()
    assert await page.locator("#hits details[open]").count() == 1
    await page.get_by_role("button", name="1 new work").click()
    await page.wait_for_selector(f"#w-{id_of(9)}")
    await stands(page, 9, 1, 2, 3)


async def test_a_new_visit_of_an_address_begins_anew(search, window):
    search.first, search.over = works(1, 2), True
    page = await window(search.address)
    await page.locator(f"#w-{id_of(2)} input").check()
    await until(page, "history.state?.results.ticks.length", 1)
    await page.goto(search.address)

    assert await page.locator("#hits input:checked").count() == 0


async def test_a_citation_is_copied(search, window):
    search.first, search.over = [Work(1, title="A title")], True
    page = await window(search.address, permissions=["clipboard-read", "clipboard-write"])
    await page.locator(".cite summary").click()
    await page.get_by_role("button", name="Copy").click()

    await page.get_by_role("button", name="Copied").wait_for()
    assert await page.evaluate("navigator.clipboard.readText()") == "A title. 2021."
    await page.get_by_role("button", name="Copy", exact=True).wait_for()


async def test_enter_of_an_input_method_sends_no_form(search, window):
    search.first, search.over = works(1), True
    page = await window(search.address)
    sends = """() => document.getElementById('q').dispatchEvent(new KeyboardEvent('keydown', {
      key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"""

    assert await page.evaluate(sends) is False  # it was prevented
    assert await page.evaluate(sends.replace("true, bubbles", "false, bubbles")) is True


async def test_the_keyboard_reaches_everything(search, window):
    """Tab goes through all that can be pressed, in the order of the page, and gets out again."""
    search.first = works(1, 2)
    page = await window(search.address)
    await search.page(works(3, 1, 2), done=True)
    await page.get_by_role("button", name="1 new work").wait_for()
    name = """() => {
      const at = document.activeElement;
      return at === document.body ? '' : at.id || at.name || at.textContent.trim().slice(0, 30);
    }"""
    await page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(60):
        await page.keyboard.press("Tab")
        reached.append(await page.evaluate(name))
        if reached[-1] == "Help":
            break
    want = """() => [...document.querySelectorAll('a[href], button, input, summary')]
      .filter(one => one.checkVisibility({visibilityProperty: true}))
      .map(at => at.id || at.name || at.textContent.trim().slice(0, 30))"""

    assert reached == await page.evaluate(want)
    await page.get_by_role("button", name="1 new work").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_selector(f"#w-{id_of(3)}")
    await page.keyboard.press("Shift+Tab")
    assert await page.evaluate("document.activeElement.name") == "id"


async def test_without_a_script_the_page_is_whole(search, window):
    search.first = works(1, 2)
    page = await window(search.address, java_script_enabled=False)

    assert await page.locator("#hits > li").count() == 2
    assert await page.locator("#new-works").is_hidden()
    assert await page.locator("[data-do=copy]").first.is_hidden()
    assert search.connections == 0
