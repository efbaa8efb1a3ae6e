"""JMESPath, compiled to plain Python closures, and to expressions as source text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import jmespath
import jmespath.exceptions

from metasearch.adapters.spec import Finder, Selector

# Closures for the nodes of a JMESPath expression: what each kind of node finds in a value.

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
        return flatten(source(value))

    return Selector(select)


def flatten(items: Any) -> list[Any] | None:
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


# JMESPath, compiled to plain Python closures. The jmespath package interprets its syntax tree for
# every record. Most selectors of a spec are short paths, and for these a chain of closures is about
# ten times as fast. What the compiler does not know is left to jmespath itself, so every JMESPath
# expression works (https://jmespath.org/specification.html).


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
        compiled = Selector(_jmespath_finder(parsed))
    else:
        compiled = replace(compiled, tree=parsed.parsed)
    members = _members(parsed.parsed)
    if members is None or compiled.find({}) not in (None, [], ""):
        return compiled
    return replace(compiled, needs=tuple(sorted(members)))


def _jmespath_finder(parsed: Any) -> Finder:
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


def find_json_people(each: Finder, parts: Mapping[str, Finder], most: int) -> Finder:
    """Finds people who are objects: a list of names and of tables, part -> what its selector finds
    in one of the first `most`; or the text that stands in the place of a list.
    """

    def find(node: Any) -> Any:
        found = each(node)
        if found is None or isinstance(found, str):
            return found
        return [
            item if isinstance(item, str) else {part: read(item) for part, read in parts.items()}
            for item in (found[:most] if isinstance(found, list) else [found])
        ]

    return find


# JMESPath -> Python expressions: what the closures find, as source text. A closure costs a call for
# each node of each expression. In source text, a path is a few lookups. Functions that are made of
# such text are tested against the closures.
#
# Nothing that a spec says goes into source text as it is: texts and numbers go through `repr`, all
# else is a constant of the namespace, and variables have names of our own.

#: Variables that hold dictionaries: the record, and one of its authors.
RECORD, PERSON = "record", "person"
_GET = {RECORD: "get", PERSON: "person.get"}
#: What the expressions call.
CALLED: Mapping[str, Any] = {"flatten": flatten, "is_false": is_false, "same": same}
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
        return self._member(name, RECORD)

    def of_selector(self, tree: Node | None, find: Finder, value: str = RECORD) -> str:
        if tree is None or _levels(tree) > _DEEPEST:
            return f"{self.constant(find, 'find')}({value})"
        return self._expression(tree, value)

    def _expression(self, tree: Node, value: str) -> str:
        """What a tree finds in the value of an expression."""
        kind, parts = tree["type"], tree["children"]
        if kind == "field":
            return self._member(tree["value"], value)
        if kind == "index":
            return self._item(tree["value"], value)
        if kind in ("subexpression", "index_expression", "pipe"):
            for part in parts:
                value = self._expression(part, value)
            return value
        if kind in ("projection", "filter_projection"):
            return self._each(parts, value)
        if kind == "flatten":
            return f"flatten({self._expression(parts[0], value)})"
        if kind in ("identity", "current"):
            return value
        if kind == "literal":
            return self._literal(tree["value"])
        # These have several parts that are asked of the same value.
        first, again = self._name(value)
        if first != again:
            return f"{self.constant(finder(tree), 'find')}({value})"
        if kind == "or_expression":
            left, again = self._name(self._expression(parts[0], value))
            right = self._expression(parts[1], value)
            return f"({again} if {left} or not is_false({again}) else {right})"
        if kind == "and_expression":
            right = self._expression(parts[1], value)
            if parts[0]["type"] in _CONDITIONS:
                return f"({right} if {self._holds(parts[0], value)} else False)"
            left, again = self._name(self._expression(parts[0], value))
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
        first, again = self._name(self._expression(tree, value))
        return f"({first} or not is_false({again}))"

    def _equal(self, tree: Node, value: str) -> str:
        left, right = (self._expression(part, value) for part in tree["children"])
        what, constant = tree["children"]
        wanted = tree["value"] == "eq"
        is_text = constant["type"] == "literal" and type(constant["value"]) is str
        if what["type"] == "field" and is_text:
            return f"({left} {'==' if wanted else '!='} {right})"
        return f"{'' if wanted else 'not '}same({left}, {right})"

    def _name(self, value: str) -> tuple[str, str]:
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
        first, again = self._name(value)
        return f"({again}.get({_text(name)}) if type({first}) is dict else None)"

    def _item(self, at: int, value: str) -> str:
        first, again = self._name(value)
        there = f"len({again}) > {int(at)}" if at >= 0 else f"len({again}) >= {-int(at)}"
        return f"({again}[{int(at)}] if type({first}) is list and {there} else None)"

    def _each(self, parts: list[Node], value: str) -> str:
        """What a projection finds: of each item of a list for which a condition holds."""
        first, again = self._name(self._expression(parts[0], value))
        self._lists += 1
        item = f"item_{self._lists}"
        found = self._expression(parts[1], item)
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
