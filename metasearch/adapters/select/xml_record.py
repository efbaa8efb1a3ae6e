"""An XML record with an index of its elements, and the selectors that read from the index.

A spec's selectors are mostly short paths: a child by its name, or a descendant by its local name.
libxml2 needs two to twenty microseconds for each, most of it to set itself up and to walk the same
record once more. Here a record is walked once; a path whose first step finds nothing is answered
from the index, and so is one whose predicates are simple. All else is left to libxml2, so that
every XPath expression works and means what it means in XPath.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from metasearch.adapters.select.xml import compile_xml, element_text
from metasearch.adapters.select.xpath import (
    NAME,
    Location,
    alternatives,
    closing,
    location,
    parts_of,
)
from metasearch.adapters.shapes import Finder, Selector

Test = Callable[[Any], bool]


class XmlRecord:
    """An element as the selectors of fields see it: its children by tag, its descendants by local
    name. `children`: the children by tag, "{namespace}name", in order.
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


def texts_of_children(found: list[Any]) -> Any:
    """`xml_texts` of children, but the text alone where there is one child."""
    if len(found) == 1:
        child = found[0]
        return element_text(child) if len(child) else child.text or ""
    return [element_text(child) for child in found]


def compile_xml_record(expression: str) -> Selector:
    """Like `compile_xml`, over an `XmlRecord`."""
    search = compile_xml(expression).find
    paths = [_path(part.strip()) for part in alternatives(expression)]
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


class _Path:
    """A location path: how its first step is found, the tests of that step, and the attribute that
    is wanted of it.

    Attributes:
        child: The tag of the child that the first step names; "" where it is another step.
        start: Finds what the first step names, before its predicates.
        whole: Whether the index answers the whole path; otherwise `start` alone decides only that
            the path finds nothing.
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
        wanted = self._attribute
        if len(self._tests) == 1:  # as most have
            test = self._tests[0]
            if wanted:
                return [
                    value
                    for element in found
                    if test(element) and (value := element.get(wanted)) is not None
                ]
            return [element for element in found if test(element)]
        for test in self._tests:
            found = [element for element in found if test(element)]
        if found and wanted:
            return [value for element in found if (value := element.get(wanted)) is not None]
        return found


def _path(expression: str) -> _Path | None:
    """The path that is written there; None for anything else, or another kind of first step."""
    written = location(expression)
    if written is None:
        return None
    tests = [_test(predicate) for predicate in written.predicates]
    return _Path(
        written.tag if not written.deep else "",
        _start(written),
        [test for test in tests if test is not None],
        written.attribute,
        whole=None not in tests and written.ends,
    )


def _start(written: Location) -> Callable[[XmlRecord], list[Any]]:
    if written.tag:
        tag = written.tag
        if not written.deep:
            return lambda record: record.children.get(tag, _NONE)
        local = tag.rpartition("}")[2]
        return lambda record: [element for element in record.named(local) if element.tag == tag]
    names = written.names
    wanted = [f"{{*}}{name}" for name in names]
    if written.within:
        return _inside(written.within, names, wanted)
    if not written.deep:
        return lambda record: list(record.element.iterchildren(*wanted))
    if len(names) == 1:
        return lambda record: record.named(names[0])
    return lambda record: _named_one_of(record, names, wanted)


def _inside(parent: str, names: list[str], tags: list[str]) -> Callable[[XmlRecord], list[Any]]:
    """Finds descendants with one of several local names in the children called `parent`."""
    parent_tag = f"{{*}}{parent}"

    def find(record: XmlRecord) -> list[Any]:
        if not any(record.named(name) for name in names):
            return _NONE
        parents = record.element.iterchildren(parent_tag)
        return [element for each in parents for element in each.iterdescendants(*tags)]

    return find


def _named_one_of(record: XmlRecord, names: list[str], tags: list[str]) -> list[Any]:
    """Descendants with one of several local names, in order; walks only where there are two."""
    lists = [elements for name in names if (elements := record.named(name))]
    if len(lists) > 1:
        return list(record.element.iterdescendants(*tags))
    return lists[0] if lists else _NONE


_HAS = re.compile(rf"@({NAME})")
_IS = re.compile(rf"(?:@({NAME})|\.)\s*(!?=)\s*(?:'([^']*)'|\"([^\"]*)\")")
_LONGER = re.compile(r"string-length\(\.?\)\s*>\s*([0-9]{1,9})")
_PLACE = re.compile(r"\b(?:position|last)\s*\(")
_TEXT = re.compile(r"(contains|starts-with)\(\.,\s*'([^']*)'\)")


def _test(predicate: str) -> Test | None:
    """A predicate as a function of an element, or None where it asks for the element's place."""
    tests = [_condition(part.strip()) for part in parts_of(predicate, " or ")]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return _other_test(predicate)
    return _either(known)


def _either(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda element: one(element) or other(element)
    return lambda element: any(test(element) for test in tests)


def _condition(text: str) -> Test | None:
    """A condition without "or" as a function of an element; None for an unusual one."""
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
    if text.startswith("not(") and closing(text, 3) == len(text) - 1:
        tests = [_condition(part.strip()) for part in parts_of(text[4:-1], " or ")]
        known = [test for test in tests if test is not None]
        return (
            None
            if len(known) < len(tests)
            else lambda element: not any(test(element) for test in known)
        )
    return None


def _equality(attribute: str | None, equal: bool, value: str) -> Test:
    """Whether an attribute, or the text, is that; a missing one is neither equal nor not."""
    if attribute is None:
        return lambda element: (_string(element) == value) == equal
    if equal:
        return lambda element: element.get(attribute) == value
    return lambda element: element.get(attribute, value) != value


def _other_test(predicate: str) -> Test | None:
    """A predicate that libxml2 decides, at the few elements of that name and not at all."""
    if _PLACE.search(predicate):
        return None
    from lxml import etree

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
