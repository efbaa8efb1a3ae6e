"""JMESPath -> Python expressions: what the closures of json_nodes.py find, as source text.

A closure costs a call for each node of each expression. In source text, a path is a few lookups.
Functions that are made of such text are tested against the closures.

Nothing that a spec says goes into source text as it is: texts and numbers go through `repr`, all
else is a constant of the namespace, and variables have names of our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metasearch.adapters.select.json import finder
from metasearch.adapters.select.json_nodes import (
    EACH_PART,
    FIRST_PART,
    Node,
    flattened,
    is_false,
    same,
)
from metasearch.adapters.shapes import Finder

#: Variables that hold dictionaries: the record, and one of its authors.
RECORD, PERSON = "record", "person"
_GET = {RECORD: "get", PERSON: "person.get"}
#: What the expressions call.
CALLED: Mapping[str, Any] = {"flattened": flattened, "is_false": is_false, "same": same}
#: A tree of more levels is left to its closure: Python's parser takes some hundred brackets.
_DEEPEST = 20
#: Kinds of nodes of which Python's own `and`, `or` and `not` need no closer look.
_CONDITIONS = ("comparator", "not_expression")


class Expressions:
    """Writes expressions that are evaluated in one function. `members`: name of a member of the
    record -> the variable that holds it, for those that are looked up beforehand.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.names.update(CALLED)
        self.members: dict[str, str] = {}
        self._lists = 0

    def constant(self, value: Any, kind: str) -> str:
        """Returns the name by which a function finds an object of ours."""
        name = f"{kind}_{len(self.names)}"
        self.names[name] = value
        return name

    def lookup(self, name: str) -> str:
        """Returns the expression of a member of the record."""
        return self._member(name, RECORD)

    def of_selector(self, tree: Node | None, find: Finder, value: str = RECORD) -> str:
        """Returns the expression of what a selector finds."""
        if tree is None or _levels(tree) > _DEEPEST:
            return f"{self.constant(find, 'find')}({value})"
        return self._found(tree, value)

    def _found(self, tree: Node, value: str) -> str:
        """What a tree finds in the value of an expression."""
        kind, parts = tree["type"], tree["children"]
        if kind == "field":
            return self._member(tree["value"], value)
        if kind == "index":
            return self._item(tree["value"], value)
        if kind in ("subexpression", "index_expression", "pipe"):
            for part in parts:
                value = self._found(part, value)
            return value
        if kind in ("projection", "filter_projection"):
            return self._each(parts, value)
        if kind == "flatten":
            return f"flattened({self._found(parts[0], value)})"
        if kind in ("identity", "current"):
            return value
        if kind == "literal":
            return self._literal(tree["value"])
        # These have several parts that are asked of the same value.
        first, again = self._named(value)
        if first != again:
            return f"{self.constant(finder(tree), 'find')}({value})"
        if kind == "or_expression":
            left, again = self._named(self._found(parts[0], value))
            right = self._found(parts[1], value)
            return f"({again} if {left} or not is_false({again}) else {right})"
        if kind == "and_expression":
            right = self._found(parts[1], value)
            if parts[0]["type"] in _CONDITIONS:
                return f"({right} if {self._holds(parts[0], value)} else False)"
            left, again = self._named(self._found(parts[0], value))
            return f"({right} if {left} or not is_false({again}) else {again})"
        if kind in _CONDITIONS:
            return f"({self._holds(tree, value)})"
        return f"{self.constant(finder(tree), 'find')}({value})"

    def _holds(self, tree: Node, value: str) -> str:
        """A condition of Python: whether what a tree finds is true, as JMESPath has it."""
        kind, parts = tree["type"], tree["children"]
        if value.isidentifier():
            if kind == "not_expression":
                return f"not {self._holds(parts[0], value)}"
            if kind in ("and_expression", "or_expression"):
                both = " and " if kind == "and_expression" else " or "
                return f"({both.join(self._holds(part, value) for part in parts)})"
            if kind == "comparator":
                return self._equal(tree, value)
        first, again = self._named(self._found(tree, value))
        return f"({first} or not is_false({again}))"

    def _equal(self, tree: Node, value: str) -> str:
        left, right = (self._found(part, value) for part in tree["children"])
        what, constant = tree["children"]
        wanted = tree["value"] == "eq"
        is_text = constant["type"] == "literal" and type(constant["value"]) is str
        if what["type"] == "field" and is_text:
            return f"({left} {'==' if wanted else '!='} {right})"
        return f"{'' if wanted else 'not '}same({left}, {right})"

    def _named(self, value: str) -> tuple[str, str]:
        """An expression, which gives its value a name where it is none, and that name.

        Each value is used up before the next one is named, so that one name serves for all: one
        for the function, one for the inside of its lists, which are functions of their own.
        """
        if value.isidentifier():
            return value, value
        name = "inner" if self._lists else "outer"
        return f"({name} := {value})", name

    def _member(self, name: str, value: str) -> str:
        if value == RECORD and name in self.members:
            return self.members[name]
        if value in _GET:
            return f"{_GET[value]}({_text(name)})"
        first, again = self._named(value)
        return f"({again}.get({_text(name)}) if type({first}) is dict else None)"

    def _item(self, at: int, value: str) -> str:
        first, again = self._named(value)
        there = f"len({again}) > {int(at)}" if at >= 0 else f"len({again}) >= {-int(at)}"
        return f"({again}[{int(at)}] if type({first}) is list and {there} else None)"

    def _each(self, parts: list[Node], value: str) -> str:
        """What a projection finds: of each item of a list for which a condition holds."""
        first, again = self._named(self._found(parts[0], value))
        self._lists += 1
        item = f"item_{self._lists}"
        found = self._found(parts[1], item)
        kept = f" if {self._holds(parts[2], item)}" if len(parts) > 2 else ""
        self._lists -= 1
        if found == item:
            items = f"[{item} for {item} in {again}{' if ' if not kept else kept + ' and '}"
            return f"({items}{item} is not None] if type({first}) is list else None)"
        if ":=" in found:  # which is not allowed in what a list is made of
            test = f"{kept} and" if kept else " if"
            each = f"for {item} in {again}{test} (part := {found}) is not None"
            return f"([part {each}] if type({first}) is list else None)"
        # Python makes an assignment of a loop over one item.
        each = f"for {item} in {again}{kept} for part in [{found}] if part is not None"
        return f"([part {each}] if type({first}) is list else None)"

    def _literal(self, value: Any) -> str:
        if type(value) is str:
            return _text(value)
        if value is None or type(value) in (bool, int):
            return repr(value)
        return self.constant(value, "literal")


def _text(value: str) -> str:
    """A text as source text; a subclass might be written in another way."""
    assert type(value) is str
    return repr(value)


def _levels(tree: Node) -> int:
    return 1 + max(map(_levels, tree["children"]), default=0)


def members(tree: Node) -> Iterator[str]:
    """The members of a record that a tree asks for, each as often as it does."""
    if tree["type"] == "field":
        yield tree["value"]
    elif tree["type"] in FIRST_PART:
        yield from members(tree["children"][0])
    elif tree["type"] in EACH_PART:
        for part in tree["children"]:
            yield from members(part)
