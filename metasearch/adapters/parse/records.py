"""The rules of a shape's fields as a flat list of attempts, and what they make of a record.

Reading fields is most of what a record costs, and of the selectors of a spec half find nothing in
any one record. What a rule needs is settled once, when the spec is loaded: which names must be
there for a selector to find anything (its compiler says so), and what must be done to make strings
of what it finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metasearch.adapters.select import texts_of
from metasearch.adapters.spec import Attempt, FieldRule, Selector
from metasearch.bib.field_limits import SHORT, Cuts, bounded


def attempts(rules: Sequence[FieldRule], body: str) -> list[Attempt]:
    """The attempts at a field, whose rules are these, in bodies of this kind.

    The first rule, and of a rule the first selector, with which the record says something stands.
    """
    return [_attempt(select, rule, body) for rule in rules for select in rule.selectors]


def whole(node: Any) -> Any:
    """What the selector of a rule finds whose converter takes the record's node itself."""
    return node


def _attempt(select: Selector, rule: FieldRule, body: str) -> Attempt:
    if select.find is whole:
        return Attempt(rule.field, None, select.needs, None, None, rule.convert)
    texts = None if rule.nodes else texts_of(body)
    return Attempt(rule.field, select.name, select.needs, select.find, texts, rule.convert)


def read(
    attempts: Iterable[Attempt], source: Any, there: Mapping[str, Any], cuts: Cuts
) -> dict[str, Any]:
    """Field -> its value, of the fields of which the record says something.

    Args:
        attempts: Those of one field behind one another, in the order in which they are made.
        source: The record, as the selectors see it.
        there: What is found in it by names alone.
        cuts: Where it is counted that a value was cut before its converter saw it.
    """
    values: dict[str, Any] = {}
    lacks = there.keys().isdisjoint
    for field, name, needs, find, texts, convert in attempts:
        if name is not None:
            found = there.get(name)
            if found is None or field in values:
                continue
        elif (needs is not None and lacks(needs)) or field in values:
            continue
        elif find is None:
            value = convert(source, cuts)  # it selects for itself, and so bounds what it finds
            if value or value == 0:
                values[field] = value
            continue
        else:
            found = find(source)
            if not found and (found is None or found == [] or found == ""):
                continue
        if texts is not None:
            found = texts(found)
        # Nearly all that is found is one short text, which needs no closer look.
        if type(found) is not str or len(found) > SHORT:
            found = bounded(field, found, cuts)
        value = convert(found)
        if value or value == 0:
            values[field] = value
    return values
