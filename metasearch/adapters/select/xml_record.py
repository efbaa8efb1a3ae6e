"""An XML record with an index of its elements, and the selectors that read from the index.

A spec's selectors are mostly short paths: a child by its name, or a descendant by its local name. libxml2 needs two to
twenty microseconds for each, most of it to set itself up and to walk the same record once more. Here a record is walked
once; a path whose first step finds nothing is answered from the index, and so is one whose predicates are simple. All
else is left to libxml2, so that every XPath expression works and means what XPath says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from metasearch.adapters.select.xml import NAMESPACES, compile_xml
from metasearch.adapters.spec import Selector

Test = Callable[[Any], bool]


class XmlRecord:
    """An element as the selectors of fields see it: its children by tag, its descendants by local name."""

    __slots__ = ("_children", "_named", "element")

    def __init__(self, element: Any) -> None:
        self.element = element
        self._children: dict[str, list[Any]] | None = None
        self._named: dict[str, list[Any]] | None = None

    def children(self, tag: str) -> list[Any]:
        """The children with this tag, "{namespace}name", in order."""
        if self._children is None:
            self._children = {}
            for child in self.element:
                _enter(self._children, child.tag, child)
        return self._children.get(tag, _NONE)

    def named(self, name: str) -> list[Any]:
        """The descendants with this local name, in order."""
        if self._named is None:
            self._named = {}
            for element in self.element.iterdescendants():
                _enter(self._named, element.tag.rpartition("}")[2], element)
        return self._named.get(name, _NONE)


_NONE: list[Any] = []


def _enter(index: dict[str, list[Any]], key: str, element: Any) -> None:
    found = index.get(key)
    if found is None:
        index[key] = [element]
    else:
        found.append(element)


def compile_xml_record(expression: str) -> Selector:
    """Like `compile_xml`, over an `XmlRecord`."""
    search = compile_xml(expression)
    paths = [_path(part.strip()) for part in _alternatives(expression)]
    known = [path for path in paths if path is not None]
    if len(known) < len(paths):
        return lambda record: search(record.element)

    def select(record: XmlRecord) -> Any:
        alive = [path for path in known if path.start(record)]
        if not alive:
            return []
        if len(alive) == 1 and alive[0].whole:
            return alive[0].find(record)
        return search(record.element)  # several node sets in one order, or a path that is not simple

    return select if len(known) > 1 else _sole(known[0], search)


def _sole(path: _Path, search: Selector) -> Selector:
    if path.whole:
        return path.find
    return lambda record: search(record.element) if path.start(record) else []


_NAME = r"[A-Za-z_][\w.-]*"
_FIRST = re.compile(
    rf"""(?P<deep>\.//|\*\[local-name\(\)='(?P<within>{_NAME})'\]//)?
         (?:(?P<name>{_NAME}(?::{_NAME})?)|\*\[local-name\(\)='(?P<local>{_NAME})'\])(?=[\[/]|$)""",
    re.VERBOSE,
)
_STEP = re.compile(rf"//?(?:@?(?:{_NAME}:)?(?:{_NAME}|\*)|@\*)")
_ATTRIBUTE = re.compile(rf"/@(?P<name>{_NAME}(?::{_NAME})?)")


class _Path:
    """A location path: how its first step is found, the tests of that step, and the attribute that is wanted of it.

    Attributes:
        start: Finds what the first step names, before its predicates.
        whole: Whether the index answers the whole path; `start` alone tells only where it leads nowhere.
    """

    __slots__ = ("_attribute", "_tests", "start", "whole")

    def __init__(self, start: Callable[[XmlRecord], list[Any]], tests: list[Test], attribute: str, whole: bool) -> None:
        self.start = start
        self._tests = tests
        self._attribute = attribute
        self.whole = whole

    def find(self, record: XmlRecord) -> list[Any]:
        """What the path finds, in the order of the document."""
        found = self.start(record)
        for test in self._tests:
            found = [element for element in found if test(element)]
        if self._attribute and found:
            return [value for element in found if (value := element.get(self._attribute)) is not None]
        return found


def _path(expression: str) -> _Path | None:
    """The path that is written there, or None where it is something else or begins in a way of its own."""
    first = _FIRST.match(expression)
    if first is None or (first["name"] and first["deep"]):
        return None
    at, predicates = _predicates(expression, first.end())
    rest = expression[at:]
    while at < len(expression):
        step = _STEP.match(expression, at)
        if step is None:
            return None
        at, _ = _predicates(expression, step.end())
    attribute = _ATTRIBUTE.fullmatch(rest)
    tests = [_test(predicate) for predicate in predicates]
    return _Path(
        _start(first),
        [test for test in tests if test is not None],
        _tag(attribute["name"]) if attribute else "",
        whole=None not in tests and (not rest or attribute is not None),
    )


def _start(first: re.Match[str]) -> Callable[[XmlRecord], list[Any]]:
    if first["name"]:
        tag = _tag(first["name"])
        return lambda record: record.children(tag)
    local, within = first["local"], first["within"]
    if within:
        inside, wanted = f"{{*}}{within}", f"{{*}}{local}"
        return lambda record: (
            [found for part in record.element.iterchildren(inside) for found in part.iterdescendants(wanted)]
            if record.named(local)
            else _NONE
        )
    if first["deep"]:
        return lambda record: record.named(local)
    return lambda record: list(record.element.iterchildren(f"{{*}}{local}"))


def _tag(name: str) -> str:
    prefix, colon, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}" if colon else local


def _predicates(expression: str, at: int) -> tuple[int, list[str]]:
    """Where the predicates that begin at a place end, and what stands in their brackets."""
    found = []
    while expression[at : at + 1] == "[":
        end = next((i for i, depth in _depths(expression, at) if depth == 0), -1)
        if end < 0:
            break
        found.append(expression[at + 1 : end].strip())
        at = end + 1
    return at, found


def _alternatives(expression: str) -> list[str]:
    """The parts of a union."""
    bars = [i for i, depth in _depths(expression) if depth == 0 and expression[i] == "|"]
    return [expression[a + 1 : b] for a, b in zip([-1, *bars], [*bars, len(expression)], strict=True)]


def _depths(expression: str, at: int = 0) -> list[tuple[int, int]]:
    """Each place outside of quotes, from `at` on, and how many brackets are open behind it."""
    out, depth, quote = [], 0, ""
    for i in range(at, len(expression)):
        character = expression[i]
        if quote:
            quote = "" if character == quote else quote
            continue
        if character in "'\"":
            quote = character
        depth += (character in "[(") - (character in "])")
        out.append((i, depth))
    return out


_HAS = re.compile(rf"@({_NAME})")
_IS = re.compile(rf"@({_NAME})\s*=\s*(?:'([^']*)'|\"([^\"]*)\")")
_TEXT = re.compile(r"(contains|starts-with)\(\.,\s*'([^']*)'\)")


def _test(predicate: str) -> Test | None:
    """A predicate as a function of an element, or None where it is not one of a few simple ones."""
    if predicate == "not(*)":
        return lambda element: len(element) == 0
    if predicate == "normalize-space()":
        return lambda element: bool(_string(element).strip(" \t\r\n"))
    if has := _HAS.fullmatch(predicate):
        return lambda element: element.get(has[1]) is not None
    if text := _TEXT.fullmatch(predicate):
        part = text[2]
        if text[1] == "contains":
            return lambda element: part in _string(element)
        return lambda element: _string(element).startswith(part)
    wanted = []
    for condition in predicate.split(" or "):
        equal = _IS.fullmatch(condition.strip())
        if equal is None:
            return None
        wanted.append((equal[1], equal[2] if equal[2] is not None else equal[3]))
    return lambda element: any(element.get(name) == value for name, value in wanted)


def _string(element: Any) -> str:
    """What XPath calls an element's string value."""
    return "".join(element.itertext()) if len(element) else element.text or ""
