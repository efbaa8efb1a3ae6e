"""Browsers: pages, and the description document by which a browser adds a search engine."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin

from lxml import etree, html

from tests.clients.programs import output, program_of
from tests.clients.works import fetched, full_title
from tests.server.pages.test_browser import FLAGS

QUERY = "gambling"
OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"


def shown(url: str, profile: object) -> html.HtmlElement:
    """The document as Chromium holds it after loading."""
    program = program_of("chromium") or ""
    out = output(program, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", url)
    return html.document_fromstring(out[out.index("<html") :])


def described(start: html.HtmlElement, base: str) -> etree._Element:
    """The description document to which a page links."""
    (link,) = start.xpath("//link[@rel='search']")
    assert link.get("type") == "application/opensearchdescription+xml"
    return etree.fromstring(fetched(urljoin(base, link.get("href"))))


def filled(template: str) -> str:
    """An address for the query, as a browser makes it; optional parameters are left empty."""
    return re.sub(r"\{[^}]*\?\}", "", template.replace("{searchTerms}", quote(QUERY)))


def titles_of(page: html.HtmlElement) -> list[str]:
    return [heading.text_content().strip() for heading in page.xpath("//ol[@class='hits']/li//h3")]


def test_chromium_adds_the_search_engine(server, tried, listed, tmp_path):
    """From the link of the start page to the page of results, which loads our script alone."""
    row = tried("Chromium", "start page, OpenSearch, result page", program="chromium")
    start = shown(f"{server}/", tmp_path)
    description = described(start, f"{server}/")
    (template,) = [
        each.get("template")
        for each in description.iter(f"{{{OPENSEARCH}}}Url")
        if each.get("type") == "text/html"
    ]
    page = shown(f"{filled(template)}&wait=30", tmp_path)  # when all databases have answered

    assert titles_of(page) == list(map(full_title, listed(QUERY)))[:20]
    assert [src.partition("?")[0] for src in page.xpath("//script/@src")] == ["/static/results.js"]
    assert page.xpath("//script[not(@src)]") == []
    row.came(f"{len(titles_of(page))} works on the page")


def test_every_address_of_the_description(server, tried):
    """What any reader of OpenSearch can choose: each address answers in the form that it names."""
    row = tried("OpenSearch", "each Url of /opensearch.xml", replayed=True)
    description = described(html.document_fromstring(fetched(f"{server}/")), f"{server}/")
    forms = {}
    for each in description.iter(f"{{{OPENSEARCH}}}Url"):
        body = fetched(filled(each.get("template")))
        forms[each.get("type")] = body[:1]

    assert forms.pop("text/html") == forms.pop("application/atom+xml") == b"<"
    assert forms.pop("application/json") == b"{"
    row.came(f"JSON, HTML, Atom and {len(forms)} others answer")
