"""The pages on narrow windows, with wide text, in forced colours and on paper."""

from __future__ import annotations

import pytest

from tests.browser.states import STATES, VARIANTS, shown

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

#: Elements that stand out of a page that scrolls in one direction only; what scrolls by itself can
#: be reached with the keys.
TOO_WIDE = """() => {
  const page = document.scrollingElement;
  const inside = element => {
    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  return page.scrollWidth <= page.clientWidth ? [] : [`${page.scrollWidth} px`,
    ...[...document.body.querySelectorAll("*")].filter(element =>
      element.getBoundingClientRect().right > page.clientWidth + 1 && !inside(element))
    .slice(0, 5).map(element => element.outerHTML.slice(0, 160))];
}"""
#: What can be pressed and is smaller than 24 px; links within sentences may be, and what a label
#: makes larger. (SC 2.5.8; a smaller target passes with 24 px of room around its centre.)
TOO_SMALL = """() => {
  const targets = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter(target => target.checkVisibility({visibilityProperty: true}) && !target.closest(".vh, .skip"))
    .map(target => [target, (target.closest("label") ?? target).getBoundingClientRect()])
    .filter(([, box]) => box.width > 1 && box.height > 1);
  const middle = box => [box.x + box.width / 2, box.y + box.height / 2];
  const near = (box, other) => {
    const [x, y] = middle(box);
    const dx = Math.max(other.left - x, 0, x - other.right);
    const dy = Math.max(other.top - y, 0, y - other.bottom);
    return Math.hypot(dx, dy) < 11.5;
  };
  return targets.filter(([target, box]) => Math.min(box.width, box.height) < 23.5
      && getComputedStyle(target).display !== "inline"
      && targets.some(([other, around]) => other !== target && !target.contains(other) && near(box, around)))
    .slice(0, 5).map(([target, box]) => `${box.width}x${box.height} ${target.outerHTML.slice(0, 160)}`);
}"""
#: Text that its box cuts off, where the box does not scroll and is not meant to show a part.
CUT = """() => [...document.querySelectorAll("main *, header *, footer *")].filter(element => {
    if (element.closest("svg, .vh, .hit-text, .found, select, [tabindex='0'], .skip, .Z3988")) return false;
    const style = getComputedStyle(element);
    if (!["hidden", "clip"].includes(style.overflowY) && !["hidden", "clip"].includes(style.overflowX)) return false;
    if (element.matches("input, progress") || style.clipPath !== "none") return false;
    return element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
  }).slice(0, 5).map(element => element.outerHTML.slice(0, 160))"""
#: Of success criterion 1.4.12.
SPACING = """sheet => {
  const made = new CSSStyleSheet();
  made.replaceSync("* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }");
  document.adoptedStyleSheets = [made];
}"""
NARROW = VARIANTS["narrow"]
ALWAYS = {"start", "finished", "why", "work", "rows", "sources", "settings", "basket"}
EACH = [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.slow) for name in STATES]


@pytest.mark.parametrize("state", EACH)
async def test_a_narrow_window_scrolls_in_one_direction(browser, addresses, state):
    """At 320 px, as it comes and with the spacing of text that a reader may set."""
    async with shown(browser, addresses, state, **NARROW) as view:
        assert await view.page.evaluate(TOO_WIDE) == []
        assert await view.page.evaluate(TOO_SMALL) == []
        await view.page.evaluate(SPACING)
        assert await view.page.evaluate(TOO_WIDE) == []
        assert await view.page.evaluate(CUT) == []


@pytest.mark.parametrize("state", EACH)
async def test_targets_have_room_with_a_mouse(browser, addresses, state):
    async with shown(browser, addresses, state) as view:
        assert await view.page.evaluate(TOO_SMALL) == []


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
