"""How a written function (written.py) looks for a field, in each kind of body.

A record is what `records.seen` makes of a node: a dictionary, an `XmlRecord` or a `MarcRecord`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from metasearch.adapters.parse.records import of_one_text
from metasearch.adapters.select.json_source import RECORD, Expressions, members
from metasearch.adapters.select.marc_source import MarcExpressions
from metasearch.adapters.select.xml import xml_texts
from metasearch.adapters.select.xml_record import texts_of_children
from metasearch.adapters.shapes import FieldRule, Selector

#: What a selector of which nothing is known found.
_SOMETHING = "found is not None and found != [] and found != ''"
#: What a selector found of which a converter `of_one_text` may make something: a text, a list, a
#: table, or a number.
_FILLED = "found is not None and (found or found == 0 and found is not False)"


class Search(NamedTuple):
    """The parts of `if ...: found = ...; if ...: found = ...`.

    Attributes:
        condition: Without it the selector finds nothing; "" where there is no such condition.
        is_there: Whether `found` is something.
        texts: What becomes of it before it is converted; "" for nothing.
        is_list: Whether it is known to be a text or a list; and all that is in a list with one item
            is a text.
    """

    condition: str
    found: str
    is_there: str
    texts: str = ""
    is_list: bool = False


class Looking(Protocol):
    """Writes how a kind of body is searched."""

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """The lines with which the function begins; `selects` are all that it asks."""

    def whole(self, select: Selector) -> str:
        """The condition under which a converter that takes the record itself is called."""

    def search(self, rule: FieldRule, select: Selector) -> Search:
        """How the value of an attempt is found."""


class InJson:
    """In JSON, where `expressions` writes what JMESPath finds."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """`get`, and the members that several selectors ask for."""
        yield f"get = {RECORD}.get"
        asked: Counter[str] = Counter()
        for select in selects:
            if select.tree is not None:
                asked.update(members(select.tree))
        for number, name in enumerate(name for name, times in asked.items() if times > 1):
            yield f"member_{number} = {self._expressions.lookup(name)}"
            self._expressions.members[name] = f"member_{number}"

    def whole(self, select: Selector) -> str:
        """As of `Looking`."""
        return _any_of(select, self._expressions, RECORD)

    def search(self, rule: FieldRule, select: Selector) -> Search:
        """As of `Looking`."""
        found = self._expressions.of_selector(select.tree, select.find)
        condition = "" if select.tree is not None else self.whole(select)
        if of_one_text(rule.convert):
            return Search(condition, found, _FILLED)
        if select.name is not None:  # a member that is there counts, whatever is in it
            return Search(condition, found, "found is not None")
        return Search(condition, found, _SOMETHING)


class InXml:
    """In the elements of an XML record."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """`children`."""
        yield f"children = {RECORD}.children"

    def whole(self, select: Selector) -> str:
        """As of `Looking`."""
        return _any_of(select, self._expressions, "children")

    def search(self, rule: FieldRule, select: Selector) -> Search:
        """As of `Looking`."""
        if select.name is None:
            call = f"{self._expressions.constant(select.find, 'find')}({RECORD})"
            texts = "" if rule.nodes else f"{self._expressions.constant(xml_texts, 'texts')}(found)"
            return Search(self.whole(select), call, _SOMETHING, texts)
        read = texts_of_children if of_one_text(rule.convert) else xml_texts
        texts = "" if rule.nodes else f"{self._expressions.constant(read, 'texts')}(found)"
        return Search("", f"children.get({select.name!r})", "found is not None", texts)


class InMarc:
    """In the fields of a MARC record."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._marc = MarcExpressions()

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """`tags`, `control`, and conditions that several selectors share."""
        return self._marc.begin(selects)

    def whole(self, select: Selector) -> str:
        """As of `Looking`."""
        if select.tree is not None:
            return self._marc.condition(select)
        places = (_any_of(select, self._expressions, place) for place in ("tags", "control"))
        return " or ".join(filter(None, places))

    def search(self, rule: FieldRule, select: Selector) -> Search:
        """As of `Looking`."""
        call = f"{self._expressions.constant(select.find, 'find')}({RECORD})"
        if select.tree is None:
            return Search(self.whole(select), call, _SOMETHING)
        found = self._marc.found(select, call, of_one_text=of_one_text(rule.convert))
        is_list = select.tree.control or select.tree.codes is not None
        return Search(self._marc.condition(select), found, "found", is_list=is_list)


def _any_of(select: Selector, expressions: Expressions, place: str) -> str:
    """The condition that one of the names that a selector needs is there."""
    if select.needs is None:
        return ""
    return f"not {expressions.constant(frozenset(select.needs), 'needs')}.isdisjoint({place})"


#: By kind of body.
LOOKING: Mapping[str, Any] = {"json": InJson, "xml": InXml, "marcxml": InMarc}
