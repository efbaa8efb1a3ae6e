"""XPath over lxml, compiled once; and the one parser that reads XML from outside.

The parser expands no entities, loads nothing, keeps libxml2's limits on depth and text, and does
not repair what is broken, because a repaired body silently loses records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metasearch.adapters.shapes import Selector
from metasearch.late_pattern import late_pattern
from metasearch.message import message

#: Prefixes that a selector may use without declaring them.
NAMESPACES: Mapping[str, str] = {
    "atom": "http://www.w3.org/2005/Atom",
    "arxiv": "http://arxiv.org/schemas/atom",
    "os": "http://a9.com/-/spec/opensearch/1.1/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "mods": "http://www.loc.gov/mods/v3",
    "marc": "http://www.loc.gov/MARC21/slim",
    "prism": "http://prismstandard.org/namespaces/basic/2.0/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xml": "http://www.w3.org/XML/1998/namespace",
    "xlink": "http://www.w3.org/1999/xlink",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

# EXSLT regular expressions would let a pattern in a spec hold the loop for seconds.
_REGEX_FUNCTION = re.compile(r"\bre:|\bregexp?:|str:tokenize|document\s*\(")


#: What a body that was cut short is called.
BROKEN_OFF = message("it breaks off before its end")
_MESSAGES = (
    ("Premature end of data", BROKEN_OFF),
    ("Excessive depth", message("nested too deeply")),
    ("amplification", message("its entities expand to too much text")),
    ("entity reference loop", message("its entities contain each other")),
)
_PLACE = late_pattern(r" \(<string>, line \d+\)$")


def parse_xml(body: bytes) -> Any:
    """The root element of a body. Raises ValueError: the body is not well-formed, or passes
    libxml2's limits; with the place.
    """
    from lxml import etree  # takes 4 MB, which databases that speak JSON do without

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False,
        remove_comments=True,
        remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise ValueError(_told(str(exc), body)) from exc
    if b"<!DOCTYPE" in body:  # what they stand for was not read, and their names are no text
        etree.strip_tags(root, etree.Entity)
    return root


def _told(text: str, body: bytes) -> str:
    """libxml2's message in words for the reader of a report, where its own are for programmers."""
    for sign, words in _MESSAGES:
        if sign in text:
            return words
    if body.lstrip()[:1] == b"<" and not body[-200:].rstrip().endswith(b">"):
        return BROKEN_OFF
    return _PLACE.sub("", text)


def compile_xml(expression: str) -> Selector:
    """A selector over an element; it returns a list of elements or strings, or one string, number
    or boolean. Raises ValueError: the expression is not XPath 1.0, uses an unknown prefix, or a
    function that is not allowed.
    """
    if _REGEX_FUNCTION.search(expression):
        raise ValueError("regular expressions and document() are not allowed in a selector")
    from lxml import etree  # as above

    # lxml keeps the prefixes with each expression, and enters them, and regular expressions, at
    # each of its calls.
    named = {prefix: uri for prefix, uri in NAMESPACES.items() if f"{prefix}:" in expression}
    try:
        compiled = etree.XPath(expression, namespaces=named, regexp=False, smart_strings=False)
    except etree.XPathSyntaxError as exc:
        raise ValueError(f"not XPath 1.0: {exc}") from exc
    try:
        compiled(etree.Element("none"))  # lxml reports an unknown prefix only when it runs
    except etree.XPathEvalError as exc:
        raise ValueError(f"not usable: {exc}") from exc
    return Selector(compiled)


def xml_texts(selected: Any) -> Any:
    """What was selected, with elements turned into their texts; a number becomes a text."""
    if type(selected) is str:
        return selected
    if type(selected) is list:
        if len(selected) == 1:  # as most are
            item = selected[0]
            return [item if type(item) is str else element_text(item)]
        return [item if type(item) is str else element_text(item) for item in selected]
    return selected if selected is None or isinstance(selected, bool) else text_of(selected)


def text_of(node: Any) -> str:
    """The text of what XPath found: an element's text without its markup, or the string."""
    if isinstance(node, str):
        return node
    if isinstance(node, (int, float, bool)):
        return str(int(node) if isinstance(node, float) and node.is_integer() else node)
    return element_text(node)


def element_text(node: Any) -> str:
    """The whole text of an element."""
    if len(node) == 0:
        return node.text or ""
    parts: list[str] = []
    _gather(node, parts)
    return "".join(parts)


#: Elements that stand apart from the text around them, in JATS, XHTML and what borrows from them.
_BLOCKS = frozenset({"br", "p", "sec", "title", "div", "li", "list-item"})


def _gather(node: Any, parts: list[str]) -> None:
    if node.text:
        parts.append(node.text)
    for child in node:
        apart = " " if child.tag.rpartition("}")[2] in _BLOCKS else ""
        parts.append(apart)
        _gather(child, parts)
        parts.append(apart)
        if child.tail:
            parts.append(child.tail)
