"""What holds for the HTML of every page, in every state and language, without script."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest
from lxml import html

from tests import cases
from tests.review.pages.every_page import every_page

#: Elements that a reader can change.
CONTROLS = "//input[not(@type='hidden')] | //select | //textarea"
_LOCAL_OR_WEB = re.compile(r"/(?![/\\])|#|https?://[^/]")


def named(tree: html.HtmlElement, control: html.HtmlElement) -> bool:
    """Whether a control has a name for those who do not see what stands beside it."""
    name = control.get("id")
    labels = [label for label in tree.xpath("//label[@for]") if label.get("for") == name and name]
    around = list(control.iterancestors("label"))
    texts = [label.text_content().strip() for label in (*labels, *around)]
    return any(texts) or bool(control.get("aria-label") or control.get("aria-labelledby"))


def words(element: html.HtmlElement) -> str:
    """What a screen reader reads of a link or a button."""
    return element.get("aria-label") or element.text_content().strip()


@pytest.mark.parametrize("language", cases.sample(["en", "zh-Hans"], 2))
async def test_every_page_is_sound(serve, language):
    """Each fault is listed with its page."""
    faults = [
        f"{name}: {fault}"
        for name, text in (await every_page(serve, f"lang={language}")).items()
        for fault in faults_of(text, language)
    ]

    assert not faults, "\n".join(faults)


def faults_of(text: str, language: str) -> list[str]:
    """What is wrong with a page."""
    tree = html.document_fromstring(text)
    found = []

    def check(is_right: object, fault: str) -> None:
        if not is_right:
            found.append(fault)

    check(text.startswith("<!DOCTYPE html>"), "begins with something else than the doctype")
    check(tree.get("lang") == language, f"lang is {tree.get('lang')}")
    check((tree.findtext(".//title") or "").strip(), "no title")
    for path in ("//h1", "//main", "//body/header", "//body/footer"):
        check(len(tree.xpath(path)) == 1, f"{path}: {len(tree.xpath(path))}")
    skips = [href.removeprefix("#") for href in tree.xpath("//a[@class='skip']/@href")]
    check(len(skips) == 1 and tree.xpath("//*[@id=$id]", id=skips[0]), "no link to skip the head")
    check(tree.xpath("//meta[@name='viewport']"), "no viewport")
    check(not tree.xpath("//meta[@http-equiv]"), "reloads by itself")

    levels = [int(heading.tag[1]) for heading in tree.xpath("//h1 | //h2 | //h3 | //h4 | //h5")]
    gaps = [pair for pair in itertools.pairwise(levels) if pair[1] - pair[0] > 1]
    check(not gaps, f"gaps between headings: {gaps}")
    check(all(words(each) for each in tree.xpath("//h1 | //h2 | //h3 | //h4")), "an empty heading")

    ids = Counter(tree.xpath("//@id"))
    check(max(ids.values()) == 1, f"ids twice: {[name for name, n in ids.items() if n > 1]}")
    for attribute in ("aria-labelledby", "aria-describedby", "aria-controls", "for", "form"):
        for value in tree.xpath(f"//@{attribute}"):
            check(set(value.split()) <= set(ids), f"{attribute}={value} leads nowhere")
    for link in tree.xpath("//a/@href[starts-with(., '#')]"):
        check(link[1:] in ids, f"{link} leads nowhere")

    for control in tree.xpath(CONTROLS):
        where = html.tostring(control, encoding="unicode", with_tail=False)[:100]
        check(named(tree, control), f"no label: {where}")
    for element in tree.xpath("//a | //button | //summary"):
        where = html.tostring(element, encoding="unicode", with_tail=False)[:100]
        check(words(element) or element.getparent().get("hidden") is not None, f"no words: {where}")
    for fieldset in tree.xpath("//fieldset"):
        check("".join(fieldset.xpath("legend//text()")).strip(), "a fieldset without legend")
    # Tables of a report stand below headings of their own.
    for table in tree.xpath("//table[not(ancestor::article[contains(@class, 'report')])]"):
        is_named = table.xpath("caption") or table.get("aria-label") or table.get("aria-labelledby")
        check(is_named, "a table without caption")
        check(table.xpath(".//th"), "a table without heads")
    navs = [nav.get("aria-label") or nav.get("aria-labelledby") for nav in tree.xpath("//nav")]
    check(all(navs) and len(set(navs)) == len(navs), f"navigations are not told apart: {navs}")
    for image in tree.xpath("//img | //svg"):
        hidden = (
            image.get("aria-hidden") == "true" or image.getparent().get("aria-hidden") == "true"
        )
        check(
            hidden
            or image.get("alt") is not None
            or image.get("aria-label")
            or image.get("aria-labelledby"),
            "a picture unnamed",
        )

    for address in tree.xpath("//@href | //@src | //@action | //@formaction"):
        check(_LOCAL_OR_WEB.match(address), f"an address: {address}")
    loaded = [
        link.get("href")
        for link in tree.xpath("//link")
        if not {"stylesheet", "icon", "preload", "modulepreload"}.isdisjoint(
            link.get("rel").split()
        )
    ]
    for address in (*loaded, *tree.xpath("//script/@src | //img/@src")):
        check(address.startswith("/"), f"loaded from elsewhere: {address}")
    check(not tree.xpath("//style | //*[@style]"), "an inline style")
    check(not tree.xpath("//@*[starts-with(name(), 'on')]"), "an event attribute")
    for script in tree.xpath("//script[not(@type='application/ld+json')]"):
        check(script.get("src") and not (script.text or "").strip(), "an inline script")
    for form in tree.xpath("//form"):
        method = form.get("method", "get").lower()
        token = form.xpath(".//input[@name='token']/@value")
        # The address that ends e-mails is a secret by itself.
        needs_none = method == "get" or form.get("action").startswith("/unsubscribe/")
        check(needs_none or len(token) == 1, f"a form without token: {form.get('action')}")
        check(method == "post" or not token, "a token in an address")
        buttons = form.xpath(".//button | .//input[@type='submit']")
        buttons += [
            each for each in tree.xpath("//button[@form]") if each.get("form") == form.get("id")
        ]
        # The filters of a list without values have nothing to send.
        is_sent = buttons or form.get("id") == "filters"
        check(is_sent, f"a form that cannot be sent: {form.get('action')}")
    for title in tree.xpath("//*[contains(@class, 'hit-title')]"):
        check(title.get("lang"), "a title without its language")
    check(not tree.xpath("//*[@autofocus]") or len(tree.xpath("//*[@autofocus]")) == 1, "two foci")
    return found
