"""A reader of Chinese reads Chinese: no page, and no report, has a sentence in English.

The databases are those of the demo, so that their names, what they hold, what they note of a
query and why they fail are read, too.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from lxml import html

from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases, notice
from metasearch.demo.databases.database import PURPOSE
from metasearch.engine.engine import Engine
from metasearch.review.reports import novelty_report, prisma_flow, prisma_s, render, searches
from metasearch.review.store.database import Database
from metasearch.server.app import make_app
from tests.review.pages.every_page import HTML, every_page
from tests.review.pages.filled import filled

#: Words of English that stand beside one another, and are no name: one of them is a small word.
_SENTENCE = re.compile(
    r"\b(?:the|of|is|are|was|were|and|or|to|in|on|for|with|by|not|no|that|this|it|has|have|from|at"
    r"|as|be|an?|your?|which|their|its)\b(?=[ ,.;:]*[A-Za-z])",
)
_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]*[ ][A-Za-z' -]*[A-Za-z]")
#: Names, and what a database of the demo answers.
_NAMES = re.compile(f"Web of Science|{PURPOSE}")
#: Half-width signs behind a Chinese character.
_HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][:;?!,](?: |$)|[\u4e00-\u9fff] ?\([^)]*[\u4e00-\u9fff]")
#: Of Markdown: code, and what makes a text bold or escapes a sign.
_MARKUP = re.compile(r"(?s)(`+).*?\1|[*\\]")
#: What is no word of the interface: what people and programs type, and titles in their language.
_OTHERS = "script style code pre textarea kbd samp q cite svg".split()


def texts(page: str) -> Iterator[str]:
    """What a reader sees or hears of a page."""
    tree = html.document_fromstring(page)
    for element in tree.xpath(" | ".join(f"//{name}" for name in _OTHERS)):
        element.drop_tree() if element.getparent() is not None else None
    for element in tree.xpath("//*[contains(@class, 'citation')]"):
        element.drop_tree()
    for element in tree.xpath("//*[@lang='en']"):
        element.drop_tree()
    yield from tree.itertext()
    for element in tree.xpath("//p | //li | //td | //th | //dt | //dd | //summary"):
        yield element.text_content()
    for name in ("aria-label", "placeholder", "alt"):
        yield from tree.xpath(f"//@{name}")


def in_english(text: str) -> list[str]:
    """The sentences of a text that are English."""
    stretches = _WORDS.findall(_NAMES.sub("", " ".join(text.split())))
    return [stretch for stretch in stretches if _SENTENCE.search(stretch)]


def with_half_width(text: str) -> list[str]:
    """The places where signs of English stand behind Chinese."""
    return [text[max(0, one.start() - 10) : one.end() + 10] for one in _HALF_WIDTH.finditer(text)]


def test_the_check_finds_english():
    """Sentences, not names; and signs that are not as wide as characters."""
    assert in_english("检索 cannot express OR: the words are sent") == ["the words are sent"]
    assert in_english("在 Web of Science、Semantic Scholar 中检索 AND、OR") == []
    assert with_half_width("检索: 失败") == ["检索: 失败"]
    assert with_half_width("检索：失败（ISBN: 1）") == []


def faults_of(name: str, page: str) -> list[str]:
    """What is not Chinese on a page."""
    found = [fault for text in texts(page) for fault in in_english(text) + with_half_width(text)]
    return [f"{name}: {fault}" for fault in found]


async def test_no_page_has_an_english_sentence(serve):
    """In every state, workspace and accounts among them."""
    pages = await every_page(serve, "lang=zh-Hans")

    faults = [fault for name, page in pages.items() for fault in faults_of(name, page)]
    assert not faults, "\n".join(faults)


async def test_no_page_of_the_demo_has_an_english_sentence():
    """The databases have names, notes and failures of their own there."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with DemoDatabases(0.0, True) as demo, Engine(demo.settings()) as running:
            yield running

    app = make_app(engine, examples=EXAMPLE_QUERIES, notice=notice())
    faults = []
    async with TestClient(TestServer(app)) as client:
        for address in (
            "/",
            "/search?q=title:湖泊+NEAR/3+贝类+OR+heading:水质&format=html&timeout=60",
            "/search?q=gambling&format=html&timeout=60&filter=type:book",
            "/sources",
            "/advanced?q=gambling+NEAR/3+harm",
            "/help",
        ):
            joined = f"{address}{'&' if '?' in address else '?'}lang=zh-Hans"
            response = await client.get(joined, headers=HTML)
            faults += faults_of(address, await response.text())
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("module", [prisma_flow, prisma_s, searches, novelty_report])
def test_no_report_has_an_english_sentence(module, tmp_path: Path):
    """In its HTML, nor signs of English in its Markdown, which writes some of them itself; other
    files are made of the same texts."""
    workspace = filled(tmp_path / "workspace.sqlite3")
    project = workspace.novelty if module is novelty_report else workspace.review
    with Database(workspace.path) as db:
        made = module.document(project.at(db), language="zh")
    page = render.write(made, "html").decode()
    text = _MARKUP.sub("", render.write(made, "md").decode())

    assert not faults_of(module.__name__, page)
    assert not [fault for line in text.splitlines() for fault in with_half_width(line)]
