"""CSS and XPath over HTML: parsed as parsel parses it, selected by lxml with expressions that are
compiled once.

A selector that begins with `/`, `./` or `(` is XPath, everything else CSS (parsel's `::text` and
`::attr(name)` work).
"""

from __future__ import annotations

import codecs
from typing import Any

from metasearch.adapters.select.xml import text_of
from metasearch.adapters.spec import Selector
from metasearch.late_pattern import late_pattern

_FORBIDDEN = late_pattern(r"\bre:|document\s*\(")
#: Bytes of a page that is not made a text first, and those that are decoded at once.
_LONG_PAGE, _STRETCH = 1_000_000, 65_536
_NAMESPACES = {"set": "http://exslt.org/sets"}


def parse_html(body: bytes) -> Any:
    """The root element of the page; HTML is always readable, so nothing is raised."""
    from parsel import Selector as Page

    if len(body) > _LONG_PAGE and _is_utf8(body):
        return Page(
            body=body, encoding="utf8", type="html"
        ).root  # its text may take four times as many bytes
    return Page(text=body.decode("utf-8", "replace") or "<html/>", type="html").root


def _is_utf8(body: bytes) -> bool:
    """Whether it is, without a copy of the whole."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(body), _STRETCH):
            decoder.decode(body[start : start + _STRETCH], final=start + _STRETCH >= len(body))
    except UnicodeDecodeError:
        return False
    return True


def compile_html(expression: str) -> Selector:
    """A selector over an element; that returns a list of elements or strings. Raises ValueError:
    neither CSS nor XPath, or it uses a regular expression.
    """
    if _FORBIDDEN.search(expression):
        raise ValueError("regular expressions and document() are not allowed in a selector")
    from lxml import etree
    from parsel.csstranslator import css2xpath

    as_xpath = expression.startswith(("/", "./", "("))
    try:
        path = expression if as_xpath else css2xpath(expression)
        search = etree.XPath(path, namespaces=_NAMESPACES, regexp=False, smart_strings=False)
        # lxml reports an unknown prefix or function only when the expression runs.
        search(etree.Element("none"))
    except Exception as exc:  # cssselect and lxml each have their own family of errors
        raise ValueError(f"not {'XPath' if as_xpath else 'CSS'}: {exc}") from exc

    def select(element: Any) -> list[Any]:
        found = search(element)
        return found if isinstance(found, list) else [found]

    return Selector(select)


def html_texts(selected: Any) -> Any:
    """What was selected, with elements turned into their texts; a number becomes a text."""
    if selected is None or isinstance(selected, bool):
        return selected
    if isinstance(selected, (str, float, int)):
        return text_of(selected)
    return [html_text(item) for item in selected]


def html_text(node: Any) -> str:
    """The text of what was found: an element's whole text, or the string itself."""
    if isinstance(node, (str, int, float)):
        return text_of(node)
    return "".join(node.itertext()) if len(node) else node.text or ""
