"""What axe-core finds on every page in every state: nothing."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.browser.states import STATES, VARIANTS, shown

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
axe = pytest.importorskip("axe_playwright_python.base", reason="no axe-core here")

#: WCAG 2.0 to 2.2, levels A and AA, and what its authors call best practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FIND = """async tags => (await axe.run({runOnly: tags, resultTypes: ["violations"]}))
  .violations.map(({id, nodes}) => [id, ...nodes.slice(0, 5).map(node => node.html.slice(0, 200))])"""
#: These run always; with the mark `slow` all pages run in all variants.
ALWAYS = {
    *product(STATES.keys() - {"docs"}, ["light"]),
    *product(["start", "finished", "work", "rows", "sources"], ["dark", "narrow"]),
    *product(["project-strategy", "project-works"], ["dark", "zh", "narrow"]),
    ("project-chaxin", "zh"),
    ("project-flow", "narrow"),
    ("finished", "zh"),
    ("running", "narrow"),
}


def cases() -> list[Any]:
    return [
        pytest.param(*case, marks=() if case in ALWAYS else pytest.mark.slow, id="-".join(case))
        for case in product(STATES, VARIANTS)
    ]


@pytest.mark.parametrize(("state", "variant"), cases())
async def test_no_violation(browser, addresses, state, variant):
    async with shown(browser, addresses, state, **VARIANTS[variant]) as view:
        await view.page.evaluate(axe.AXE_SCRIPT)
        assert await view.page.evaluate(FIND, TAGS) == []


async def test_a_violation_is_found(browser, addresses):
    """The rules run: a page that is made worse is not without violations."""
    async with shown(browser, addresses, "start") as view:
        await view.page.evaluate("document.querySelector('label[for=q]').remove()")
        await view.page.evaluate(axe.AXE_SCRIPT)
        assert [rule for rule, *_ in await view.page.evaluate(FIND, TAGS)] == ["label"]
