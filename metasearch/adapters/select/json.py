"""JMESPath, compiled to plain Python closures.

The jmespath package interprets its syntax tree for every record. Most selectors of a spec are short
paths, and for these a chain of closures is about ten times as fast. What the compiler does not know
is left to jmespath itself, so every JMESPath expression works
(https://jmespath.org/specification.html).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jmespath
import jmespath.exceptions

from metasearch.adapters.select.json_nodes import EACH_PART, FIRST_PART, MAKERS, Node
from metasearch.adapters.shapes import Finder, Selector


def compile_json(expression: str) -> Selector:
    """A selector over what orjson.loads returns. Raises ValueError: the expression is not JMESPath;
    the message names the place.
    """
    try:
        parsed = jmespath.compile(expression)
    except jmespath.exceptions.JMESPathError as exc:
        raise ValueError(str(exc).splitlines()[0]) from exc
    compiled = _compile(parsed.parsed)
    if compiled is None:
        compiled = Selector(_searched(parsed))
    else:
        compiled = replace(compiled, tree=parsed.parsed)
    members = _members(parsed.parsed)
    if members is None or compiled.find({}) not in (None, [], ""):
        return compiled
    return replace(compiled, needs=tuple(sorted(members)))


def _searched(parsed: Any) -> Finder:
    """What jmespath itself finds."""

    def find(value: Any) -> Any:
        try:
            return parsed.search(value)
        except (jmespath.exceptions.JMESPathError, TypeError):
            return None  # a value of another type than expected

    return find


def _members(node: Node) -> frozenset[str] | None:
    """Members of an object that alone decide what the node finds; None where more may."""
    kind = node["type"]
    if kind == "field":
        return frozenset((node["value"],))
    if kind == "literal":
        return frozenset()
    if kind in FIRST_PART:
        return _members(node["children"][0])
    if kind not in EACH_PART:
        return None
    names: frozenset[str] = frozenset()
    for child in node["children"]:
        members = _members(child)
        if members is None:
            return None
        names |= members
    return names


def finder(tree: Node) -> Finder:
    """The closure of a `Selector.tree`, or of a part of one."""
    compiled = _compile(tree)
    assert compiled is not None
    return compiled.find


def _compile(node: Node) -> Selector | None:
    """A closure for the node, or None where the node or a part of it is left to jmespath."""
    if node["type"] not in MAKERS:  # a slice's children, for one, are numbers and not nodes
        return None
    parts = [_compile(child) for child in node["children"]]
    if any(part is None for part in parts):
        return None
    return MAKERS[node["type"]](node, [part for part in parts if part is not None])
