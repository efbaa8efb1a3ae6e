"""The rules of a field as one function: from a record's node to the field's value.

Reading fields is most of what a record costs, so what a rule needs is settled once, when the spec is loaded: where the
selector is the plain name of a JSON member, and what must be done to make strings of what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from metasearch.adapters.select import texts_of
from metasearch.adapters.spec import Converter, FieldRule, Reader, Selector


def reader(rules: Sequence[FieldRule], body: str) -> Reader:
    """The reader of a field for bodies of this kind.

    The first rule, and of a rule the first selector, with which the record says something stands; where there is none,
    the reader gives None or something empty.
    """
    readers = tuple(_one(select, rule, body) for rule in rules for select in rule.selectors)
    if len(readers) == 1:
        return readers[0]

    def read(node: Any) -> Any:
        for attempt in readers:
            value = attempt(node)
            if value or value == 0:
                return value
        return None

    return read


def whole(node: Any) -> Any:
    """The selector of a rule whose converter takes the record's node itself."""
    return node


def _one(select: Selector, rule: FieldRule, body: str) -> Reader:
    if select is whole:
        return rule.convert
    name = getattr(select, "member", None)
    if body == "json" and name is not None:
        return _member(name, rule.convert)
    texts = None if rule.nodes else texts_of(body)
    return _found(select, rule.convert) if texts is None else _found_nodes(select, texts, rule.convert)


def _member(name: str, convert: Converter) -> Reader:
    def read(node: dict[str, Any]) -> Any:
        found = node.get(name)
        return None if found is None else convert(found)

    return read


def _found(select: Selector, convert: Converter) -> Reader:
    def read(node: Any) -> Any:
        found = select(node)
        if not found and (found is None or found == [] or found == ""):
            return None
        return convert(found)

    return read


def _found_nodes(select: Selector, texts: Callable[[Any], Any], convert: Converter) -> Reader:
    def read(node: Any) -> Any:
        found = select(node)
        if not found and (found is None or found == [] or found == ""):
            return None
        return convert(texts(found))

    return read
