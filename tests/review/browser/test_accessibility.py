"""What axe-core finds on every page in every state, and what does not fit: nothing."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.review.browser.states import STATES, VARIANTS, shown

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
axe = pytest.importorskip("axe_playwright_python.base", reason="no axe-core here")

#: WCAG 2.0 to 2.2, levels A and AA, and what its authors call best practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FIND = """async tags => (await axe.run({runOnly: tags, resultTypes: ["violations"]}))
  .violations.map(({id, nodes}) => [id, ...nodes.slice(0, 5).map(node => node.html.slice(0, 200))])"""
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
#: These run always; with the mark `slow` all pages run in both windows.
ALWAYS = {
    *product(STATES.keys() - {"docs"}, ["wide"]),
    *product(["start", "finished", "running", "why", "work", "rows", "sources"], ["narrow"]),
    *product(["settings", "basket", "project-strategy", "project-works"], ["narrow"]),
    ("project-flow", "narrow"),
}


def cases() -> list[Any]:
    return [
        pytest.param(*case, marks=() if case in ALWAYS else pytest.mark.slow, id="-".join(case))
        for case in product(STATES, VARIANTS)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("state", "variant"), cases())
async def test_no_violation(browser, addresses, state, variant):
    """Of the rules of axe; targets have room, and a narrow window scrolls in one direction, also
    with the spacing of text that a reader may set."""
    async with shown(browser, addresses, state, **VARIANTS[variant]) as view:
        await view.page.evaluate(axe.AXE_SCRIPT)
        assert await view.page.evaluate(FIND, TAGS) == []
        assert await view.page.evaluate(TOO_SMALL) == []
        if variant == "narrow":
            assert await view.page.evaluate(TOO_WIDE) == []
            await view.page.evaluate(SPACING)
            assert await view.page.evaluate(TOO_WIDE) == []
            assert await view.page.evaluate(CUT) == []


async def test_a_violation_is_found(browser, addresses):
    """The rules run: a page that is made worse is not without violations."""
    async with shown(browser, addresses, "start") as view:
        await view.page.evaluate("document.querySelector('label[for=q]').remove()")
        await view.page.evaluate(axe.AXE_SCRIPT)
        assert [rule for rule, *_ in await view.page.evaluate(FIND, TAGS)] == ["label"]
