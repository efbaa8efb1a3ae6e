"""Solr writes the same answer as JSON or as XML; the XML is turned into the JSON, so that a spec
names a field once.

https://solr.apache.org/guide/solr/latest/query-guide/response-writers.html
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import orjson

from metasearch.adapters.parse.bodies import kind_of, load
from metasearch.adapters.parse.parse import PageContent, body_steps
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.record import Record

#: Solr's elements with a value: its type, and how it is read.
_NUMBERS = frozenset({"int", "long", "short", "float", "double"})


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, PageContent | None]:
    """The records of an XML answer of Solr, by the spec's rules for JSON; None for every other
    body. Raises NotParsable: it is XML, but not well-formed.
    """
    body = page.body.strip()
    if not body or kind_of(body) != "xml" or b"<response" not in body[:1000]:
        return None
    root, notes = load("xml", body, page, spec)
    if root.tag != "response" or (root.find("result") is None and root.find("lst") is None):
        return None
    parsed = yield from body_steps(replace(page, body=orjson.dumps(_answer(root))), spec)
    return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed


def _answer(root: Any) -> dict[str, Any]:
    """What Solr writes with `wt=json`: {"response": {"numFound": 2, "docs": [...]}, ...}."""
    out: dict[str, Any] = {}
    for part in root:
        name = part.get("name", "")
        if part.tag == "result":
            found = part.get("numFound", "")
            docs = [_members(doc) for doc in part if doc.tag == "doc"]
            out[name] = {
                "numFound": int(found) if found.isdecimal() and len(found) < 16 else None,
                "docs": docs,
            }
        elif part.tag == "lst" and name == "error":
            out[name] = _members(part)
    return out


def _members(parent: Any) -> dict[str, Any]:
    return {name: _value(child) for child in parent if (name := child.get("name"))}


def _value(element: Any) -> Any:
    """A string, number, truth value or list; what is nested deeper is no fact about a work."""
    if element.tag == "arr":
        return [_value(child) for child in element if child.tag not in ("arr", "lst", "doc")]
    text = "".join(element.itertext())
    if element.tag in _NUMBERS:
        return int(text) if text.isdecimal() and len(text) < 16 else text
    return text == "true" if element.tag == "bool" else text
