"""An XML record with an index of its elements, and the selectors that read from the index.

A spec's selectors are mostly short paths: a child by its name, or a descendant by its local name.
libxml2 needs two to twenty microseconds for each, most of it to set itself up and to walk the same
record once more. Here a record is walked once; a path whose first step finds nothing is answered
from the index, and so is one whose predicates are simple. All else is left to libxml2, so that
every XPath expression works and means what XPath says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from metasearch.adapters.select.xml import NAMESPACES, compile_xml
from metasearch.adapters.shapes import Finder, Selector

Test = Callable[[Any], bool]


class XmlRecord:
    """An element as the selectors of fields see it: its children by tag, its descendants by local
    name.

    Attributes:
        children: The children by tag, "{namespace}name", in order.
    """

    __slots__ = ("_named", "children", "element")

    def __init__(self, element: Any) -> None:
        self.element = element
        self.children: dict[str, list[Any]] = {}
        children = self.children
        for child in element:
            tag = child.tag
            if tag in children:
                children[tag].append(child)
            else:
                children[tag] = [child]
        self._named: dict[str, list[Any]] | None = None

    def named(self, name: str) -> list[Any]:
        """The descendants with this local name, in order."""
        if self._named is None:
            self._named = {}
            for element in self.element.iterdescendants():
                local = element.tag.rpartition("}")[2]
                if local in self._named:
                    self._named[local].append(element)
                else:
                    self._named[local] = [element]
        return self._named.get(name, _NONE)


_NONE: list[Any] = []


def compile_xml_record(expression: str) -> Selector:
    """Like `compile_xml`, over an `XmlRecord`."""
    search = compile_xml(expression).find
    paths = [_path(part.strip()) for part in _alternatives(expression)]
    known = [path for path in paths if path is not None]
    if len(known) < len(paths):
        return Selector(lambda record: search(record.element))

    if len(known) == 1:
        return _sole(known[0], search)

    def select(record: XmlRecord) -> Any:
        alive = [path for path in known if path.start(record)]
        if not alive:
            return []
        if len(alive) == 1 and alive[0].whole:
            return alive[0].narrow(alive[0].start(record))
        return search(
            record.element
        )  # several node sets in one order, or a path that is not simple

    children = tuple(path.child for path in known)
    return Selector(select, needs=children if all(children) else None)


def _sole(path: _Path, search: Finder) -> Selector:
    """The selector of an expression that is one path; `search` finds what the index does not."""
    if path.whole and not path.narrows:
        return Selector(path.start, name=path.child or None)

    def select(record: XmlRecord) -> Any:
        found = path.start(record)
        if not found:
            return found
        return path.narrow(found) if path.whole else search(record.element)

    return Selector(select, needs=(path.child,) if path.child else None)


_NAME = r"[A-Za-z_][\w.-]*"
_LOCAL = r"local-name\(\)\s*=\s*'"
_FIRST = re.compile(
    rf"""(?P<deep>\.//|\*\[local-name\(\)='(?P<within>{_NAME})'\]//)?
         (?:(?P<name>{_NAME}(?::{_NAME})?)|\*\[(?P<locals>{_LOCAL}{_NAME}'(?:\s+or\s+{_LOCAL}{_NAME}')*)\])(?=[\[/]|$)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"'([^']*)'")
_STEP = re.compile(rf"//?(?:@?(?:{_NAME}:)?(?:{_NAME}|\*)|@\*)")
_ATTRIBUTE = re.compile(rf"/@(?P<name>{_NAME}(?::{_NAME})?)")


class _Path:
    """A location path: how its first step is found, the tests of that step, and the attribute that
    is wanted of it.

    Attributes:
        child: The tag of the child that the first step names; "" where it is another step.
        start: Finds what the first step names, before its predicates.
        whole: Whether the index answers the whole path; `start` alone tells only where it leads
            nowhere.
        narrows: Whether there is more to the path than its start.
    """

    __slots__ = ("_attribute", "_tests", "child", "narrows", "start", "whole")

    def __init__(
        self,
        child: str,
        start: Callable[[XmlRecord], list[Any]],
        tests: list[Test],
        attribute: str,
        whole: bool,
    ) -> None:
        self.child = child
        self.start = start
        self._tests = tests
        self._attribute = attribute
        self.whole = whole
        self.narrows = bool(tests or attribute)

    def narrow(self, found: list[Any]) -> list[Any]:
        """What the path finds, of what its start found, in the order of the document."""
        for test in self._tests:
            found = [element for element in found if test(element)]
        if self._attribute:
            return [
                value for element in found if (value := element.get(self._attribute)) is not None
            ]
        return found


def _path(expression: str) -> _Path | None:
    """The path that is written there, or None where it is something else or begins in a way of its
    own.
    """
    first = _FIRST.match(expression)
    if first is None or (first["name"] and first["within"]):
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
        _tag(first["name"]) if first["name"] and not first["deep"] else "",
        _start(first),
        [test for test in tests if test is not None],
        _tag(attribute["name"]) if attribute else "",
        whole=None not in tests and (not rest or attribute is not None),
    )


def _start(first: re.Match[str]) -> Callable[[XmlRecord], list[Any]]:
    if first["name"]:
        tag = _tag(first["name"])
        if first["deep"]:
            local = tag.rpartition("}")[2]
            return lambda record: [element for element in record.named(local) if element.tag == tag]
        return lambda record: record.children.get(tag, _NONE)
    names, within = _QUOTED.findall(first["locals"]), first["within"]
    wanted = [f"{{*}}{name}" for name in names]
    if within:
        inside = f"{{*}}{within}"
        return lambda record: (
            [
                found
                for part in record.element.iterchildren(inside)
                for found in part.iterdescendants(*wanted)
            ]
            if any(record.named(name) for name in names)
            else _NONE
        )
    if not first["deep"]:
        return lambda record: list(record.element.iterchildren(*wanted))
    if len(names) == 1:
        return lambda record: record.named(names[0])
    return lambda record: _named_one_of(record, names, wanted)


def _named_one_of(record: XmlRecord, names: list[str], tags: list[str]) -> list[Any]:
    """The descendants with one of several local names, in order; the record is walked only where it
    has two of them.
    """
    found = [elements for name in names if (elements := record.named(name))]
    return (
        list(record.element.iterdescendants(*tags))
        if len(found) > 1
        else found[0]
        if found
        else _NONE
    )


def _tag(name: str) -> str:
    prefix, colon, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}" if colon else local


def _predicates(expression: str, at: int) -> tuple[int, list[str]]:
    """Where the predicates that begin at a place end, and what stands in their brackets."""
    found = []
    while expression[at : at + 1] == "[":
        end = _closes(expression, at)
        if end < 0:
            break
        found.append(expression[at + 1 : end].strip())
        at = end + 1
    return at, found


def _closes(expression: str, at: int) -> int:
    """Where the bracket that opens at a place closes; -1 where it does not."""
    return next((i for i, depth in _depths(expression, at) if depth == 0), -1)


def _alternatives(expression: str) -> list[str]:
    """The parts of a union."""
    return _parts(expression, "|")


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
_IS = re.compile(rf"(?:@({_NAME})|\.)\s*(!?=)\s*(?:'([^']*)'|\"([^\"]*)\")")
_LONGER = re.compile(r"string-length\(\.?\)\s*>\s*([0-9]{1,9})")
_PLACE = re.compile(r"\b(?:position|last)\s*\(")
_TEXT = re.compile(r"(contains|starts-with)\(\.,\s*'([^']*)'\)")


def _test(predicate: str) -> Test | None:
    """A predicate as a function of an element, or None where it asks for the element's place among
    others.
    """
    tests = [_condition(part.strip()) for part in _parts(predicate, " or ")]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return _other_test(predicate)
    return known[0] if len(known) == 1 else lambda element: any(test(element) for test in known)


def _condition(text: str) -> Test | None:
    """A condition without "or" as a function of an element, or None where it is none of the usual
    ones.
    """
    if text == "not(*)":
        return lambda element: len(element) == 0
    if text == "normalize-space()":
        return lambda element: bool(_string(element).strip(" \t\r\n"))
    if has := _HAS.fullmatch(text):
        return lambda element: element.get(has[1]) is not None
    if within := _TEXT.fullmatch(text):
        part = within[2]
        if within[1] == "contains":
            return lambda element: part in _string(element)
        return lambda element: _string(element).startswith(part)
    if longer := _LONGER.fullmatch(text):
        least = int(longer[1])
        return lambda element: len(_string(element)) > least
    if equal := _IS.fullmatch(text):
        return _equality(equal[1], equal[2] == "=", equal[3] if equal[3] is not None else equal[4])
    if text.startswith("not(") and _closes(text, 3) == len(text) - 1:
        tests = [_condition(part.strip()) for part in _parts(text[4:-1], " or ")]
        known = [test for test in tests if test is not None]
        return (
            None
            if len(known) < len(tests)
            else lambda element: not any(test(element) for test in known)
        )
    return None


def _equality(attribute: str | None, equal: bool, value: str) -> Test:
    """Whether an attribute, or the element's text, is that; an attribute that is not there is
    neither equal nor not.
    """
    if attribute is None:
        return lambda element: (_string(element) == value) == equal
    if equal:
        return lambda element: element.get(attribute) == value
    return lambda element: element.get(attribute, value) != value


def _parts(expression: str, between: str) -> list[str]:
    """The parts of an expression that stand apart by that, outside of quotes and brackets."""
    places = [
        i for i, depth in _depths(expression) if depth == 0 and expression.startswith(between, i)
    ]
    starts = [0, *(i + len(between) for i in places)]
    return [expression[a:b] for a, b in zip(starts, [*places, len(expression)], strict=True)]


def _other_test(predicate: str) -> Test | None:
    """A predicate that libxml2 decides, at the few elements of that name and not at every one of
    the record.
    """
    if _PLACE.search(predicate):
        return None
    try:
        holds = compile_xml(predicate).find
        of_nothing = holds(etree.Element("none"))
    except (ValueError, etree.XPathError):
        return None
    # A number is a place; the type of an expression's result does not depend on the element.
    return None if isinstance(of_nothing, float) else lambda element: bool(holds(element))


def _string(element: Any) -> str:
    """What XPath calls an element's string value."""
    return "".join(element.itertext()) if len(element) else element.text or ""
