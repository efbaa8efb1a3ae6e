"""CSS and XPath over HTML, through parsel.

A selector that begins with `/`, `./` or `(` is XPath, everything else CSS (parsel's `::text` and `::attr(name)` work).
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.adapters.spec import Selector

_FORBIDDEN = re.compile(r"\bre:|document\s*\(")


def parse_html(body: bytes, encoding: str = "utf-8") -> Any:
    """The page as a parsel selector; HTML is always readable, so nothing is raised."""
    from parsel import Selector as Page

    return Page(text=body.decode(encoding, "replace") or "<html/>", type="html")


def compile_html(expression: str) -> Selector:
    """A selector over a parsel node; gives a list of nodes.

    Raises:
        ValueError: Neither CSS nor XPath, or it uses a regular expression.
    """
    if _FORBIDDEN.search(expression):
        raise ValueError("regular expressions and document() are not allowed in a selector")
    from parsel import Selector as Page

    empty = Page(text="<html/>", type="html")
    as_xpath = expression.startswith(("/", "./", "("))
    try:
        empty.xpath(expression) if as_xpath else empty.css(expression)
    except Exception as exc:  # cssselect and lxml each have their own family of errors
        raise ValueError(f"not {'XPath' if as_xpath else 'CSS'}: {exc}") from exc
    if as_xpath:
        return lambda node: node.xpath(expression)
    return lambda node: node.css(expression)


def html_text(node: Any) -> str:
    """The text of what was found: an element's whole text, or the string itself."""
    if isinstance(node, str):
        return node
    value = node.root
    return value if isinstance(value, str) else "".join(value.itertext())
