"""The pages without a mouse, and without a script."""

from __future__ import annotations

import pytest

from tests.review.browser.states import shown

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: What has the focus, in words, and whether it can be seen: in the window, not under something.
FOCUS = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const box = element.getBoundingClientRect();
  const over = document.elementFromPoint(
    Math.min(Math.max(box.left + Math.min(box.width, 40) / 2, 0), innerWidth - 1),
    Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1));
  const style = getComputedStyle(element);
  return {
    id: element.id, name: element.name ?? "", tag: element.localName, text: element.textContent.trim(),
    place: ["form.search", "#filters", ".list-tools", ".hit-pick", ".hit-title", "summary", "#pages", "footer", ".skip"]
      .filter(selector => element.closest(selector)),
    seen: !!over && (element.contains(over) || over.contains(element)
        || !!element.labels?.[0]?.contains(over)),
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  };
}"""


async def test_everything_is_reached_by_tab(browser, addresses):
    """From the first key to the foot: search, filters, order, tick, title, folds, pages; each is
    seen while it has the focus, and nothing holds the focus."""
    reached: set[str] = set()
    async with shown(browser, addresses, "finished") as view:
        for _ in range(200):
            await view.page.keyboard.press("Tab")
            focus = await view.page.evaluate(FOCUS)
            if focus is None:
                break
            assert focus["seen"], focus
            assert focus["outlined"], focus
            reached.update(focus["place"])
            if "summary" in focus["place"]:
                reached.add(focus["text"])
        else:
            pytest.fail("the focus does not leave the page")
    assert {"form.search", "#filters", ".list-tools", ".hit-pick", ".hit-title"} <= reached
    assert {"#pages", "footer", ".skip", "Why this result", "Databases, one by one"} <= reached


async def test_skip_link_leads_to_the_content(browser, addresses):
    async with shown(browser, addresses, "finished") as view:
        await view.page.keyboard.press("Tab")
        assert (await view.page.evaluate(FOCUS))["place"] == [".skip"]
        await view.page.keyboard.press("Enter")
        assert await view.page.evaluate("document.activeElement.id") == "hits"
        await view.page.keyboard.press("Tab")
        inside = "document.getElementById('hits').contains(document.activeElement)"
        assert await view.page.evaluate(inside)


async def test_folds_open_and_close_by_enter_and_space(browser, addresses):
    async with shown(browser, addresses, "finished") as view:
        fold = view.page.locator("details.why").first
        await fold.locator("> summary").focus()
        for key, is_open in (("Enter", True), ("Space", False), ("Space", True)):
            await view.page.keyboard.press(key)
            assert await fold.evaluate("fold => fold.open") is is_open
        assert await fold.locator(".why-body").is_visible()


async def test_space_ticks_and_enter_searches(browser, addresses):
    async with shown(browser, addresses, "finished") as view:
        box = view.page.locator("#hits input[name=id]").first
        await box.focus()
        await view.page.keyboard.press("Space")
        assert await box.is_checked()
        await view.page.locator("#q").fill("islands")
        await view.page.keyboard.press("Enter")
        await view.page.wait_for_url("**q=islands**")


# ---------------------------------------------------------------------------- without a script


async def test_filters_are_applied_by_the_button(browser, addresses):
    async with shown(browser, addresses, "finished", java_script_enabled=False) as view:
        page = view.page
        await page.locator("#filters input[value='type:thesis']").check()
        await page.locator("#filters .apply button").click()
        await page.wait_for_url("**filter=type**")
        assert await page.locator("#hits > li").count() == 1
        assert "thesis" in await page.locator(".chip").inner_text()


async def test_works_go_into_the_basket(browser, addresses):
    async with shown(browser, addresses, "basket", java_script_enabled=False) as view:
        assert await view.page.locator(".basket input[name=id]").count() == 3


async def test_settings_are_kept(browser, addresses):
    async with shown(browser, addresses, "settings-folded", java_script_enabled=False) as view:
        page = view.page
        await page.locator("input[name=theme][value=dark]").check()
        await page.locator("button[value=save]").first.click()
        assert await page.locator("html").get_attribute("data-theme") == "dark"
        await page.goto(f"{view.server}/")
        assert await page.locator("html").get_attribute("data-theme") == "dark"


async def test_a_row_is_added(browser, addresses):
    async with shown(browser, addresses, "rows", java_script_enabled=False) as view:
        rows = view.page.locator(".clause")
        before = await rows.count()
        async with view.page.expect_event("load"):
            await view.page.locator("button[value=add]").click()
        assert await rows.count() == before + 1


async def test_a_running_list_offers_what_has_arrived(browser, addresses):
    async with shown(browser, addresses, "running", java_script_enabled=False) as view:
        assert await view.page.locator("#hits > li").count() > 0
        assert await view.page.locator("noscript a, .summary a").count() >= 2
