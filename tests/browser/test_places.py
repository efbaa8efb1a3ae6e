"""The databases and the page of a work in a browser: accessible in every window, and the way from
one to the other, with a script and without.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from metasearch.adapters.fetch.health import SourceState
from metasearch.bib.work_ids import hit_id
from metasearch.record import Version
from metasearch.server.app import make_app
from metasearch.settings import Settings
from tests.server.fake import FakeEngine, answer, hit, record, spec

axe_api = pytest.importorskip("axe_playwright_python.async_playwright", reason="no axe here")

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ID = hit_id("one")
#: Each colour, each language and each width is in one of them.
WINDOWS = {
    "light": {},
    "dark, Chinese, phone": {
        "color_scheme": "dark",
        "locale": "zh-CN",
        "viewport": {"width": 390, "height": 800},
    },
    "narrow, forced colours": {
        "viewport": {"width": 320, "height": 800},
        "forced_colors": "active",
    },
}
UNFOLD = "document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"


@pytest_asyncio.fixture(loop_scope="session")
async def address() -> AsyncIterator[str]:
    """A server with a retracted work of two versions, and with sources in every state."""
    preprint = record("alpha", 1, doi=None, type="preprint", venue="Preprints", open_access="green")
    article = record("beta", 2, retracted=True, citations=12)
    work = replace(
        hit(1),
        id=ID,
        record=replace(article, pdf_url="https://a.example.org/1.pdf"),
        records=(preprint, article),
        versions=(Version("preprint", (preprint.key,)), Version("published", (article.key,))),
    )
    engine = FakeEngine(answer(work), settings=Settings(env={}))
    terms = "Delta forbids programs (https://delta.example.org/terms)"
    engine.registry.specs["delta"] = spec("delta", default=False, enabled=False, terms=terms)
    engine.states["alpha"] = SourceState("alpha", p50_ms=250.0, p95_ms=900.0, requests=3)
    engine.states["beta"] = SourceState("beta", "paused", 90.0, "answered 429")
    server = TestServer(make_app(lambda: engine))  # type: ignore[arg-type,return-value]
    await server.start_server()
    yield str(server.make_url("/")).rstrip("/")
    await server.close()


@pytest.mark.parametrize("options", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("path", ["/sources", f"/work/{ID}?q=mice"])
async def test_no_rule_of_axe_is_broken(window, address, path, options):
    """With every fold open, and without a scroll bar below."""
    page = await window(address + path, **options)
    await page.evaluate(UNFOLD)
    result = await axe_api.Axe().run(page)

    assert result.violations_count == 0, result.generate_report()
    assert await page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("java_script_enabled", [True, False])
async def test_from_the_databases_to_the_basket(window, address, java_script_enabled):
    """Choose databases, search, open a work, put it into the basket and take it out."""
    page = await window(f"{address}/sources", java_script_enabled=java_script_enabled)
    ticked = page.locator("main input[type=checkbox]:checked")

    assert await ticked.count() == 2
    await page.locator("button[name=none]").first.click()
    assert await ticked.count() == 0
    await page.locator("input[value=beta]").check()
    await page.locator("#q").fill("mice")
    await page.locator("#q").press("Enter")
    await page.wait_for_url("**/search?q=mice&sources=beta&format=html")
    await page.locator(".hit-title a").first.click()
    await page.wait_for_url(f"**/work/{ID}?q=mice&sources=beta")
    await page.locator("button[value=add]").click()
    await page.locator("button[value=remove]").click()
    await page.locator("button[value=add]").wait_for()
    assert page.url.endswith(f"/work/{ID}?q=mice&sources=beta")


async def test_a_citation_and_the_lines_of_pins_are_copied(window, address):
    """A script shows the buttons; lines stay lines, and the button says what it did."""
    allowed = ["clipboard-read", "clipboard-write"]
    page = await window(f"{address}/work/{ID}?q=mice", permissions=allowed)
    citation = page.locator("section[aria-labelledby=cite] > div")
    await citation.get_by_role("button", name="Copy").click()

    await citation.get_by_role("button", name="Copied").wait_for()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == await citation.locator(".citation").text_content()
    await page.locator("#not-same > summary").click()
    await page.locator("#not-same").get_by_role("button", name="Copy").click()
    await page.locator("#not-same").get_by_role("button", name="Copied").wait_for()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == "different alpha:alpha-1 beta:beta-2"


async def test_on_paper(window, address):
    """A print of a work has no buttons, forms and links that paper cannot follow."""
    page = await window(f"{address}/work/{ID}?q=mice")
    await page.emulate_media(media="print")

    for gone in ("#take", ".search-area", ".foot", "main button", "#not-same"):
        assert await page.locator(gone).first.is_hidden(), gone
    for kept in ("h1", ".retraction", ".origin", "#versions", ".side .citation"):
        assert await page.locator(kept).first.is_visible(), kept
