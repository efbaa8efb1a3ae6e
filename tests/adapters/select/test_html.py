"""CSS and XPath over web pages."""

from __future__ import annotations

import pytest

from metasearch.adapters.select.xml import compile_html, html_texts, parse_html
from tests.cases import each

PAGE = (
    b"<html><body><ul class=hits><li id=a>One <b>bold</b></li><li id=b>Two</li></ul><p>End</body>"
)


@each(
    ("selector", "found"),
    [
        ("ul.hits > li", ["One bold", "Two"]),
        ("li::text", ["One ", "Two"]),
        ("li::attr(id)", ["a", "b"]),
        ("//li[@id='b']", ["Two"]),
        ("./body/p", ["End"]),
        ("(//li)[1]/b", ["bold"]),
        ("table", []),
    ],
)
def test_selectors_find_what_they_name(selector: str, found: list[str]) -> None:
    """Elements, texts and attributes, in the order of the page."""
    assert html_texts(compile_html(selector)(parse_html(PAGE))) == found


def test_a_selector_looks_within_its_record() -> None:
    """As those of fields do."""
    first, second = compile_html("li")(parse_html(PAGE))

    assert html_texts(compile_html("b")(first)) == ["bold"]
    assert compile_html("b")(second) == []


@each("selector", ["li[", "//li[", "//li[re:test(., 'x')]", "document('/etc/passwd')", "//a:b"])
def test_what_is_no_selector_is_refused(selector: str) -> None:
    """When the spec is loaded, and not when an answer comes."""
    with pytest.raises(ValueError, match=r"not CSS|not XPath|not allowed"):
        compile_html(selector)
