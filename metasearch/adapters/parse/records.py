"""A record's node -> its `Record`: the rules of a shape's fields as a flat list of attempts, and
what they read.

Reading fields is most of the cost of a record, and half of a spec's selectors find nothing in any
one record. So all that a rule needs is computed once, when the spec is loaded: the names without
which a selector finds nothing (its compiler knows them), and how strings are made of what it finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metasearch.adapters.parse.weight import holds_too_much
from metasearch.adapters.select import texts_of
from metasearch.adapters.select.xml_record import XmlRecord
from metasearch.adapters.spec import AdapterSpec, Attempt, FieldRule, Selector, Shape
from metasearch.bib.cuts import Cuts, bounded, kept
from metasearch.bib.fast_records import made_record
from metasearch.bib.field_limits import SHORT
from metasearch.bib.marc import MarcRecord
from metasearch.record import Record


def attempts(rules: Sequence[FieldRule], body: str) -> list[Attempt]:
    """The attempts at one field, for its rules and this kind of body.

    The value of the first attempt that finds something is taken.
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


def read_fields(
    attempts: Iterable[Attempt], source: Any, there: Mapping[str, Any], cuts: Cuts
) -> dict[str, Any]:
    """Field -> its value, for the fields in which something was found.

    Args:
        attempts: Those of one field behind one another, in the order in which they are made.
        source: The record, as the selectors see it.
        there: What is found in it by names alone.
        cuts: Counts the values that were cut before conversion.
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


def record_of(
    shape: Shape, node: Any, position: int, spec: AdapterSpec, cuts: Cuts
) -> Record | str:
    """The record of a node, or why there is none; cut values are counted in `cuts`."""
    if shape.body == "json" and not isinstance(node, dict):
        return f"not an object but {type(node).__name__}"
    source, there = _seen(node, shape.body)
    values = read_fields(shape.attempts, source, there, cuts)
    ids = read_fields(shape.id_attempts, source, there, cuts)
    if not all(ids.values()):
        ids = {scheme: value for scheme, value in ids.items() if value}
    named = values.get("title") or values.get("doi") or ids or values.get("source_id")
    if not named:
        return "neither a title nor an identifier"
    if "year" not in values and "date" in values:
        values["year"] = int(values["date"][:4])
    values["ids"] = ids
    return made_record(source=spec.name, position=position, **kept(values, cuts))


def record_in_proportion(
    shape: Shape, node: Any, position: int, spec: AdapterSpec, cuts: Cuts
) -> Record | str:
    """As `record_of`, but a record that is larger than any real one is refused: each selector would
    walk over all of it.
    """
    if holds_too_much(node):
        return "it holds too much for a record of one work"
    return record_of(shape, node, position, spec, cuts)


def _seen(node: Any, body: str) -> tuple[Any, Mapping[str, Any]]:
    """A record's node as the selectors of fields see it, and what is found in it by names alone."""
    if body == "json":
        return node, node
    if body == "xml":
        record = XmlRecord(node)
        return record, record.children
    if body == "marcxml":
        marc = MarcRecord(node)
        return marc, marc.there
    return node, {}
