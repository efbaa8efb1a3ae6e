"""Closures for the nodes of a JMESPath expression: what each kind of node finds in a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metasearch.adapters.shapes import Finder, Selector

#: A node of jmespath's syntax tree: its "type", its "children", and a "value" where it has one.
Node = dict[str, Any]

#: Nodes of which only the first part is asked of the value itself, and the others of what that
#: finds.
FIRST_PART = frozenset((
    "subexpression", "index_expression", "pipe", "projection", "filter_projection",
    "value_projection", "flatten",
))  # fmt: skip
#: Nodes of which each part is asked of the value itself.
EACH_PART = frozenset((
    "or_expression", "and_expression", "not_expression", "comparator", "multi_select_list",
    "multi_select_dict",
    "key_val_pair", "function_expression",
))  # fmt: skip


def _field(node: Node, _: list[Selector]) -> Selector:
    name = node["value"]

    def select(value: Any) -> Any:
        return value.get(name) if type(value) is dict else None

    return Selector(select, name=name)


def _index(node: Node, _: list[Selector]) -> Selector:
    at = node["value"]

    def select(value: Any) -> Any:
        try:
            return value[at] if isinstance(value, list) else None
        except IndexError:
            return None

    return Selector(select)


def _steps(node: Node) -> list[str | int] | None:
    """The names and indices of a plain path such as `a.b[0].c`."""
    if node["type"] in ("field", "index"):
        return [node["value"]]
    if node["type"] not in ("subexpression", "index_expression"):
        return None
    steps: list[str | int] = []
    for child in node["children"]:
        part = _steps(child)
        if part is None:
            return None
        steps += part
    return steps


def _path(steps: list[str | int]) -> Finder:
    def select(value: Any) -> Any:
        for step in steps:
            if type(value) is dict:
                value = value.get(step)
            elif type(value) is list and type(step) is int and -len(value) <= step < len(value):
                value = value[step]
            else:
                return None
        return value

    return select


def _chain(node: Node, parts: list[Selector]) -> Selector:
    steps = _steps(node)
    if steps is not None:
        return Selector(_path(steps))
    finders = [part.find for part in parts]
    if len(finders) == 2:
        first, second = finders
        return Selector(lambda value: second(first(value)))

    def select(value: Any) -> Any:
        for find in finders:
            value = find(value)
        return value

    return Selector(select)


def _projection(node: Node, parts: list[Selector]) -> Selector:
    source, each = (part.find for part in parts)
    items_themselves = _is_identity(node["children"][1])

    def select(value: Any) -> Any:
        items = source(value)
        if not isinstance(items, list):
            return None
        if items_themselves:
            return [item for item in items if item is not None]
        return [found for item in items if (found := each(item)) is not None]

    # A projection such as `data[].attributes` leaves out the items in which it finds nothing, as
    # JMESPath wants it; where records are counted, those must be seen.
    def select_every(value: Any) -> Any:
        items = source(value)
        if not isinstance(items, list):
            return None
        found = [each(item) for item in items]
        return found if any(item is not None for item in found) else []

    return Selector(select, every=select_every)


def _is_identity(node: Node) -> bool:
    return node["type"] in ("identity", "current")


def _filter(_: Node, parts: list[Selector]) -> Selector:
    source, each, condition = (part.find for part in parts)

    def select(value: Any) -> Any:
        items = source(value)
        if not isinstance(items, list):
            return None
        kept = [item for item in items if not is_false(condition(item))]
        return [found for item in kept if (found := each(item)) is not None]

    return Selector(select)


def _flatten(_: Node, parts: list[Selector]) -> Selector:
    source = parts[0].find

    def select(value: Any) -> Any:
        return flattened(source(value))

    return Selector(select)


def flattened(items: Any) -> list[Any] | None:
    """The items of a list, and in the place of each that is a list, its items; None of all else."""
    if not isinstance(items, list):
        return None
    flat: list[Any] = []
    for item in items:
        if isinstance(item, list):
            flat.extend(item)
        else:
            flat.append(item)
    return flat


def _or(_: Node, parts: list[Selector]) -> Selector:
    left, right = parts
    select = _either(left.find, right.find)
    if left.every is None and right.every is None:
        return Selector(select)
    return Selector(select, every=_either(left.every or left.find, right.every or right.find))


def _either(left: Finder, right: Finder) -> Finder:
    def select(value: Any) -> Any:
        found = left(value)
        return found if found or not is_false(found) else right(value)

    return select


def _and(_: Node, parts: list[Selector]) -> Selector:
    left, right = (part.find for part in parts)

    def select(value: Any) -> Any:
        found = left(value)
        return right(value) if found or not is_false(found) else found

    return Selector(select)


def _not(_: Node, parts: list[Selector]) -> Selector:
    inner = parts[0].find
    return Selector(lambda value: is_false(inner(value)))


def is_false(value: Any) -> bool:
    """JMESPath's own notion of false: null, false and everything empty, but not the number 0."""
    if value:
        return False
    return value is None or value is False or value in ("", [], {})


def _equality(node: Node, parts: list[Selector]) -> Selector | None:
    left, right = (part.find for part in parts)
    if node["value"] not in ("eq", "ne"):
        return None
    wanted = node["value"] == "eq"
    what, constant = node["children"]
    name, text = what.get("value"), constant.get("value")
    if what["type"] == "field" and constant["type"] == "literal" and isinstance(text, str):
        # Nearly all comparisons are of this kind.
        return Selector(
            lambda value: ((value.get(name) if type(value) is dict else None) == text) == wanted
        )

    return Selector(lambda value: same(left(value), right(value)) == wanted)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal; in Python true is 1, in JMESPath it is not."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def _list(_: Node, parts: list[Selector]) -> Selector:
    finders = [part.find for part in parts]
    return Selector(lambda value: None if value is None else [find(value) for find in finders])


def _function(node: Node, parts: list[Selector]) -> Selector | None:
    if node["value"] != "join" or len(parts) != 2:
        return None
    glue, items = (part.find for part in parts)

    def select(value: Any) -> Any:
        between, found = glue(value), items(value)
        if not isinstance(between, str) or not isinstance(found, list):
            return None
        return between.join(found) if all(isinstance(x, str) for x in found) else None

    return Selector(select)


def _identity(_: Node, __: list[Selector]) -> Selector:
    return Selector(lambda value: value)


def _literal(node: Node, _: list[Selector]) -> Selector:
    constant = node["value"]
    return Selector(lambda _: constant)


#: Type of a node -> what makes its selector, of the node and of its parts' selectors; None where
#: jmespath itself must find.
MAKERS: dict[str, Callable[[Node, list[Selector]], Selector | None]] = {
    "field": _field,
    "index": _index,
    "subexpression": _chain,
    "index_expression": _chain,
    "pipe": _chain,
    "projection": _projection,
    "filter_projection": _filter,
    "comparator": _equality,
    "and_expression": _and,
    "not_expression": _not,
    "multi_select_list": _list,
    "function_expression": _function,
    "flatten": _flatten,
    "or_expression": _or,
    "identity": _identity,
    "current": _identity,
    "literal": _literal,
}
