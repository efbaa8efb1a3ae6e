"""The languages of the pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.language import TAGS, language, tag_of
from metasearch.message import message, message_n
from metasearch.server.pages.environment import negotiate_language
from tests.cases import each
from tests.examples import examples
from tests.server.fake import FakeEngine

ROOT = Path(__file__).resolve().parents[3]
SEARCH = "/search?q=mice&format=html"
JUNK = (
    "*",
    "",
    ";;;q=",
    "zh;q=0",
    "x" * 5_000,
    "de,fr;q=0.5",
    "<script>",
    ",".join(["zz"] * 2_000),
)


def html_language(text: str) -> str:
    """What a page says that it is in."""
    (tag,) = re.findall(r'<html lang="([^"]*)"', text)
    return tag


@each(
    ("header", "tag"),
    [
        ("zh", "zh-Hans"),
        ("zh-TW", "zh-Hans"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        ("en-US,en;q=0.9,zh-CN;q=0.8", "en"),
        ("en;q=0.1, zh;q=0.9", "zh-Hans"),
        ("de-DE,de;q=0.9,zh;q=0.5", "zh-Hans"),
        ("de", "en"),
        ("fr, *;q=0.5", "en"),
        ("ZH-hans-CN", "zh-Hans"),
        *((junk, "en") for junk in JUNK),
    ],
)
def test_what_a_browser_likes(header, tag):
    """The first of its languages that we have, by weight; English where it has none of ours."""
    assert negotiate_language(header) == tag


@examples(1.0)
@given(st.text(max_size=200))
def test_any_header_is_read(header):
    """Whatever it is."""
    assert negotiate_language(header) in TAGS
    assert tag_of(header) in (None, *TAGS)


@each(
    ("text", "tag"),
    [
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh_Hans", "zh-Hans"),
        (" ZH-hans ", "zh-Hans"),
        ("en", "en"),
        ("en-GB", "en"),
        ("de", None),
        ("", None),
        ("zhx", None),
        ("*", None),
    ],
)
def test_a_language_as_a_client_writes_it(text, tag):
    """In `lang=`."""
    assert tag_of(text) == tag


async def test_the_page_is_in_the_language_of_the_browser(serve):
    """Where nobody has chosen another one."""
    client = await serve(FakeEngine())
    for header, tag in (("zh-TW", "zh-Hans"), ("de", "en"), ("*", "en"), ("en", "en")):
        response = await client.get(SEARCH, headers={"Accept-Language": header})
        assert html_language(await response.text()) == tag
        assert "metasearch-settings" not in response.cookies


async def test_the_address_wins_and_is_remembered(serve):
    """Over the cookie, and this over the browser."""
    client = await serve(FakeEngine())
    headers = {"Accept-Language": "en"}

    async def shown(address: str) -> str:
        return html_language(await (await client.get(address, headers=headers)).text())

    assert await shown(SEARCH) == "en"
    assert await shown(f"{SEARCH}&lang=zh") == "zh-Hans"
    assert await shown(SEARCH) == "zh-Hans"
    assert await shown(f"{SEARCH}&lang=en") == "en"
    assert await shown(SEARCH) == "en"


@each("given_", ["de", "<script>", "%00", "zh" * 3_000, "*"])
async def test_a_language_that_we_do_not_have_changes_nothing(client, given_):
    """Neither the page nor what is remembered; it is no error."""
    response = await client.get(SEARCH, params={"lang": given_[:2_000]})

    assert response.status == 200
    assert html_language(await response.text()) == "en"


@each("cookie", ["", "x", "zh", "eyJsYW5ndWFnZSI6InpoLUhhbnMifQ.forged", "a" * 5_000])
async def test_a_cookie_that_is_not_ours_is_passed_over(client, cookie):
    """Nobody else can choose for a reader."""
    response = await client.get(SEARCH, headers={"Cookie": f"metasearch-settings={cookie}"})

    assert response.status == 200
    assert html_language(await response.text()) == "en"


async def test_the_other_language_is_a_link(client):
    """Of the same page, in its own name, which a screen reader reads in its language."""
    text = await (await client.get("/search?q=a+%26+b&format=html&start=0&lang=zh")).text()

    assert re.search(
        r'<a href="/search\?q=a\+%26\+b[^"]*lang=en" lang="en" hreflang="en">English', text
    )
    assert 'lang=zh"' not in text


def test_numbers_and_lists():
    """As a reader of the language writes them."""
    english, chinese = language("en"), language("zh-Hans")

    assert english.number(1234567) == chinese.number(1234567) == "1,234,567"
    assert english.percent(0.5) == "50%"
    assert english.enumeration(["A"]) == "A"
    assert english.enumeration(["A", "B"]) == "A and B"
    assert chinese.enumeration(["A", "B"]) == "A、B"
    assert english.enumeration(["A", "B", "C"]) == "A, B, and C"
    assert chinese.enumeration(["A", "B", "C"]) == "A、B、C"
    assert english.enumeration([]) == ""


@each(
    ("code", "names"),
    [
        ("fr", {"French", "法语"}),
        ("fra", {"French", "法语", "fra"}),
        ("zh", {"Chinese", "中文"}),
        ("xx-odd", {"xx-odd"}),
        ("", {""}),
        ("../../etc", {"../../etc"}),
    ],
)
def test_the_names_of_languages(code, names):
    """Of records; what nobody knows stays as it is."""
    for tag in TAGS:
        assert language(tag).language_name(code) in names


def test_a_sentence_of_the_core():
    """With its values; one that has no translation is English."""
    chinese = language("zh-Hans")

    assert language("en").phrase("timed out") == "timed out"
    assert chinese.phrase("timed out") != "timed out"
    assert chinese.phrase("an odd sentence that nobody has written") == (
        "an odd sentence that nobody has written"
    )
    assert chinese.phrase("") == ""
    assert chinese.phrase(message("{name} is odd", name="{x} %(y)s")) == "{x} %(y)s is odd"
    assert (
        language("en").phrase(message_n("{count} odd one", "{count} odd ones", 2)) == "2 odd ones"
    )


def test_a_language_is_read_once():
    """And each is another one."""
    assert language("zh-Hans") is language("zh-Hans")
    assert [language(tag).tag for tag in TAGS] == list(TAGS)


@pytest.mark.slow
def test_the_catalogues_are_complete():
    """Each text of the pages and of the core has its translation, with the same places."""
    checked = subprocess.run(
        [sys.executable, "tools/messages.py", "--check"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    said = checked.stdout + checked.stderr
    assert (checked.returncode, said) == (0, "all texts are translated\n")
