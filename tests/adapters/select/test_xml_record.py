"""select/xml.py: paths that are answered from an index of the record find what XPath finds,
in its order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.adapters.select.xml import XmlRecord, compile_xml, compile_xml_record
from tests.cases import each

DC, ATOM = "http://purl.org/dc/elements/1.1/", "http://www.w3.org/2005/Atom"
RECORD = (
    f'<record xmlns:dc="{DC}" xmlns:o="urn:other"><title>A</title><dc:title>B</dc:title>'
    '<link rel="alternate" href="http://a.example"/><link rel="self"/><link title="pdf" '
    'href="http://b.example"/>'
    "<recordData><o:title>C<b>d</b></o:title><dc:identifier type='doi'>10.1/x</dc:identifier>"
    "<dc:identifier>http://c.example</dc:identifier><title> </title></recordData>"
    "<part><part><title>inner</title></part><title>outer</title></part></record>"
)
EXPRESSIONS = (
    "title",
    "dc:title",
    "atom:title",
    "none | title",
    "dc:title | title",
    "none | absent",
    "link[@rel='alternate']/@href",
    'link[@rel="self"]/@href',
    "link[@title='pdf' or @rel='alternate']/@href",
    "link[@href]",
    "link[@*]/@href",
    "link[2]",
    "link[last()]/@rel",
    "link[not(@href)]",
    ".//*[local-name()='title']",
    ".//*[local-name()='title'][not(*)]",
    ".//*[local-name()='title'][not(*)][normalize-space()]",
    ".//*[local-name()='title' or local-name()='b']",
    ".//*[local-name()='identifier'][starts-with(., 'http')]",
    ".//*[local-name()='identifier'][contains(., '10.')]",
    ".//*[local-name()='identifier'][@type='doi' and contains(., '10.')]",
    ".//*[local-name()='title' or local-name()='identifier']",
    ".//*[local-name()='identifier' or local-name()='title' or local-name()='b'][not(*)]",
    ".//*[local-name()='absent' or local-name()='b']",
    ".//*[local-name()='title' or local-name()='title'][not(@*)]",
    ".//*[local-name()='link' or local-name()='part']/@rel",
    "*[local-name()='recordData']//*[local-name()='title' or local-name()='identifier']",
    "*[local-name()='title' or local-name()='link']",
    (
        ".//*[local-name()='identifier'][contains(., 'c.')] | .//*[local-name()='nr' or "
        "local-name()='isbn'][not(*)]"
    ),
    ".//*[local-name()='title'][string-length() > 1]",
    ".//*[local-name()='title'][string-length()]",
    ".//*[local-name()='title'][not(@* or starts-with(., 'A')) and not(b)]",
    ".//*[local-name()='identifier'][contains(@*[local-name()='type'], 'do')]",
    ".//*[local-name()='identifier'][contains(namespace-uri(), 'purl')][not(@*)]",
    ".//*[local-name()='title'][../title]",
    ".//*[local-name()='title'][count(../*) = 1]",
    ".//*[local-name()='title'][1]",
    ".//*[local-name()='title'][count(b) + 1]",
    ".//*[local-name()='title']['x']",
    ".//*[local-name()='title'][string(@type)]",
    ".//*[local-name()='title'][not(@type)][1]",
    ".//*[local-name()='title'][last() or @type]",
    "link[not(@rel = 'self')][../title]/@href",
    "title[preceding-sibling::title]",
    ".//dc:title",
    ".//dc:title[normalize-space()]",
    ".//title",
    ".//title[. = 'A']",
    ".//title[.!='A']",
    ".//title[string-length() > 1]",
    ".//title[string-length(.) > 0][not(contains(., 'A'))]",
    ".//title[not(contains(., ' or ') or starts-with(., 'A'))]",
    ".//title[not(not(*) and @type)]",
    ".//link[not(@rel='self' or @rel='doi')]",
    "link[@rel != 'self']/@href",
    ".//dc:title[1]",
    ".//*[local-name()='part']/title",
    ".//*[local-name()='part']//title",
    ".//*[local-name()='absent'][position() = 1]",
    "*[local-name()='recordData']//*[local-name()='title'][not(*)]",
    "*[local-name()='part']//*[local-name()='title']",
    "*[local-name()='recordData']/dc:identifier[@type='doi']",
    "*[local-name()='title']",
    "*",
    ".",
    "@id",
    "..",
    "part/part/title | part/title",
    "part[title='outer']",
    "part[contains(title, ']') or title]",
    "(title | dc:title)[1]",
    "string(title)",
    "title = 'A'",
    "title or absent",
    "count(absent)",
    "concat(absent, '|', title)",
    "normalize-space(absent)",
    "absent[1]/following-sibling::*",
)


def same(element: Any, expression: str) -> bool:
    """Whether both ways find the same; elements are the same where they are one object."""
    return bool(
        compile_xml_record(expression)(XmlRecord(element)) == compile_xml(expression)(element)
    )


@each("expression", EXPRESSIONS)
def test_the_index_answers_as_xpath_does(expression: str) -> None:
    """Whether a path is simple, is not, or is none at all."""
    assert same(etree.fromstring(RECORD), expression)


NAMES = st.sampled_from(
    ["title", f"{{{DC}}}title", "link", "part", "recordData", f"{{{DC}}}identifier", "b"]
)
TEXTS = st.sampled_from([None, "", " ", "A", "http://a.example", "10.1/x", "\u00a0"])
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["rel", "href", "type", "title"]), st.sampled_from(["", "self", "doi"])
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> Any:
    """A record in which anything may lie in anything."""
    element = etree.Element(draw(NAMES), draw(ATTRIBUTES))
    element.text = draw(TEXTS)
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        child = draw(elements(depth - 1))
        child.tail = draw(TEXTS)
        element.append(child)
    return element


@given(elements(), st.sampled_from(EXPRESSIONS))
def test_in_any_record(element: Any, expression: str) -> None:
    """However the elements are nested, what is found and its order are XPath's."""
    assert same(element, expression)


@each("expression", ["title[", "nowhere:title", "re:test(., 'x')", "a//"])
def test_what_xpath_refuses_is_refused(expression: str) -> None:
    """The same expressions are wrong as elsewhere."""
    with pytest.raises(ValueError):
        compile_xml_record(expression)
