"""What a real browser makes of the pages: a headless Chromium opens them on a running server."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import orjson
import pytest
from lxml import html

from metasearch.record import Author
from tests.server.fake import FakeEngine, answer, hit, late, report

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--window-size=1200,1000",
)
Browse = Callable[..., Awaitable[str]]


@pytest.fixture
def browse(tmp_path: Path) -> Browse:
    """Opens an address and gives the document as the browser holds it after loading; skips without
    Chromium."""
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if program is None:
        pytest.skip("no Chromium on this machine")

    async def opened(url: str, *flags: str) -> str:
        process = await asyncio.create_subprocess_exec(
            program,
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            *(flags or ("--dump-dom",)),
            url,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(90):
                out, _ = await process.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        return out.decode()

    return opened


HOSTILE = (
    '<script>document.title="broken"</script><img src=x onerror=document.title="broken">"\'</h3>'
)


@pytest.fixture
async def address(serve) -> str:
    """A running server whose answer has three works, one of them hostile, and a source that is
    late."""
    works = (
        hit(1),
        hit(2, title=HOSTILE, abstract=HOSTILE, authors=(Author(HOSTILE),), doi="10.5555/x"),
        hit(3, title="乳腺癌的早期诊断", language="zh", doi=None, abstract=None, type="thesis"),
    )
    reports = [report("alpha", notes=("years were filtered here",)), late("beta")]
    client = await serve(FakeEngine(answer(*works, reports=reports)), examples=["island mice"])
    return str(client.make_url("/")).rstrip("/")


@pytest.mark.slow
async def test_result_page(browse, address):
    """The browser shows every hit as text, the reason for what is missing, and runs nothing that
    upstream sent."""
    shown = html.document_fromstring(await browse(f"{address}/search?q=mice"))
    titles = [it.text_content() for it in shown.xpath("//ol[@class='hits']/li//h3")]

    assert titles == ["Gene drives in island mice", HOSTILE, "乳腺癌的早期诊断"]
    assert shown.findtext(".//title") == "mice · metasearch"
    assert len(shown.xpath("//script")) == 1
    assert shown.xpath("//img[@src='x']") == []
    assert "Beta: timed out" in shown.xpath("//*[@id='failures']")[0].text_content()
    found = shown.xpath("//article")[0].xpath(".//*[@class='found']//li")
    assert [" ".join(" ".join(each.itertext()).split()) for each in found] == [
        "Alpha rank 1",
        "Beta rank 2",
    ]


@pytest.mark.slow
async def test_record_page(browse, address):
    """A hostile title is text, and nothing of it runs; the data for programs is there."""
    listed = html.document_fromstring(await browse(f"{address}/search?q=mice"))
    links = listed.xpath("//article//h3/a/@href")
    shown = html.document_fromstring(await browse(f"{address}{links[1]}"))
    script, ours = shown.xpath("//script")

    assert shown.findtext(".//h1") == HOSTILE
    assert shown.findtext(".//title") == f"{HOSTILE} · metasearch"
    assert script.get("type") == "application/ld+json"
    assert ours.get("src").startswith("/static/results.js?v=")
    assert orjson.loads(str(script.text))["name"] == HOSTILE
    assert shown.xpath("//img[@src='x']") == []


@pytest.mark.slow
async def test_start_page(browse, address):
    """The form is there, and the browser is told where the description document is."""
    shown = html.document_fromstring(await browse(f"{address}/"))

    assert shown.xpath("//link[@rel='search']/@href") == ["/opensearch.xml"]
    assert shown.xpath("//form//input[@name='q']/@type") == ["search"]


@pytest.mark.slow
async def test_description_document(browse, address):
    """The browser reads it as well-formed XML with our name."""
    shown = await browse(f"{address}/opensearch.xml")

    assert "metasearch" in shown
    assert "{searchTerms}" in shown
    assert "parsererror" not in shown


@pytest.mark.slow
async def test_style_sheet_is_applied(browse, address, tmp_path):
    """The policy lets the style sheet in: a screenshot is neither empty nor the browser's plain
    page."""
    styled = tmp_path / "styled.png"
    await browse(f"{address}/search?q=mice", f"--screenshot={styled}")

    # A page without its style sheet has no panels and no columns, and so compresses to far fewer
    # distinct rows.
    assert styled.read_bytes().startswith(b"\x89PNG")
    assert styled.stat().st_size > 20_000
