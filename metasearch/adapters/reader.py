"""A field rule as one function: from a record's node to the field's value.

Reading fields is most of what a record costs, so what a rule needs is settled once, when the spec is loaded: where the
selector is the plain name of a JSON member, and where the converter is plain text, the reader does both in one call.
"""

from __future__ import annotations

from typing import Any

from metasearch import normalise
from metasearch.adapters import convert
from metasearch.adapters.select import as_strings
from metasearch.adapters.spec import Converter, FieldRule, Reader, Selector


def reader(rule: FieldRule, body: str) -> Reader:
    """The reader of a rule for bodies of this kind; it gives None or something empty where the record does not say."""
    readers = tuple(_one(select, rule, body) for select in rule.selectors)
    if len(readers) == 1:
        return readers[0]

    def read(node: Any) -> Any:
        for attempt in readers:
            value = attempt(node)
            if value or value == 0:
                return value
        return None

    return read


def _one(select: Selector, rule: FieldRule, body: str) -> Reader:
    if select is whole:
        return rule.convert
    name = getattr(select, "member", None)
    if body == "json" and name is not None:
        return _text_member(name) if rule.convert is convert.text else _member(name, rule.convert)
    as_text = body in ("xml", "html") and not rule.nodes
    convert_found = rule.convert

    def read(node: Any) -> Any:
        found = select(node)
        if found is None or found == [] or found == "":
            return None
        return convert_found(as_strings(found, body) if as_text else found)

    return read


def whole(node: Any) -> Any:
    """The selector of a rule whose converter takes the record's node itself."""
    return node


def _member(name: str, convert_found: Converter) -> Reader:
    def read(node: dict[str, Any]) -> Any:
        found = node.get(name)
        return None if found is None else convert_found(found)

    return read


def _text_member(name: str) -> Reader:
    def read(node: dict[str, Any]) -> str | None:
        found = node.get(name)
        if type(found) is list and len(found) == 1:
            found = found[0]
        if type(found) is str:
            # Nearly all text is clean; then there is nothing to take out.
            if found.isprintable() and "<" not in found and "&" not in found and "  " not in found:
                return found.strip()
            return normalise.without_markup(found)
        return None if found is None else convert.text(found)

    return read
