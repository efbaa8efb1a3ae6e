"""What a result page of twenty works costs the network, as a browser asks for it."""

from __future__ import annotations

import re

import pytest

from metasearch.server.pages.environment import ASSETS
from tests.server.fake import FakeEngine, answer, hit

#: Bytes, compressed.
PAGE, SCRIPT = 60_000, 10_000
GZIP = {"Accept": "text/html", "Accept-Encoding": "gzip"}


@pytest.fixture
async def page(serve) -> tuple[int, str, list[int]]:
    """(bytes of the page, its HTML, bytes of each file that it loads)."""
    text = "The survey asks which kinds of harm follow the prevention paradox among gamblers. " * 20
    works = [
        hit(number, title=f"{number}. Gene drives in island mice", abstract=f"{number} {text}")
        for number in range(1, 21)
    ]
    client = await serve(FakeEngine(answer(*works)))
    response = await client.get("/search?q=mice", headers=GZIP)
    shown = await response.text()
    files = re.findall(r'<(?:link|script)[^>]* (?:href|src)="(/(?:static|favicon)[^"]*)"', shown)
    sizes = [
        int((await client.get(path, headers=GZIP)).headers["Content-Length"]) for path in files
    ]
    return int(response.headers["Content-Length"]), shown, sizes


async def test_twenty_works_with_all_files_are_small(page):
    size, shown, files = page

    assert shown.count("<article") == 20
    assert len(files) == 4  # sheet, script, two icons
    assert size + sum(files) <= PAGE


async def test_page_loads_nothing_from_elsewhere(page):
    _, shown, _ = page
    loaded = re.findall(
        r'<(?:img|script|link rel="(?:stylesheet|icon)")[^>]* (?:src|href)="([^"]+)"', shown
    )

    assert loaded
    assert all(address.startswith("/") for address in loaded)


def test_script_is_small():
    compressed = ASSETS["results.js"].gzip_body

    assert compressed is not None
    assert len(compressed) <= SCRIPT
