"""A field rule as one function: from a record's node to the field's value.

Reading fields is most of what a record costs, so what a rule needs is settled once, when the spec is loaded: where the selector is
the plain name of a JSON member, and where the converter is plain text, the reader does both itself in one call.
"""

from __future__ import annotations

from typing import Any

from metasearch import normalise
from metasearch.adapters import convert
from metasearch.adapters.select import as_strings
from metasearch.adapters.spec import Converter, FieldRule, Reader


def reader(rule: FieldRule, body: str) -> Reader:
    """The reader of a rule for bodies of this kind; it gives None where the record does not say."""
    name = getattr(rule.selectors[0], "member", None) if len(rule.selectors) == 1 else None
    if body != "json" or name is None:
        return _general(rule, as_text=body in ("xml", "html") and not rule.nodes, body=body)
    return _text_member(name) if rule.convert is convert.text else _member(name, rule.convert)


def _general(rule: FieldRule, *, as_text: bool, body: str) -> Reader:
    selectors, convert_found = rule.selectors, rule.convert

    def read(node: Any) -> Any:
        for select in selectors:
            found = select(node)
            if found is None or found == [] or found == "":
                continue
            if as_text and found is not node:
                found = as_strings(found, body)
            value = convert_found(found)
            if value is not None and value != () and value != "":
                return value
        return None

    return read


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
