"""The nodes of records -> `Record`s, by the rules of a shape's fields as a flat list of attempts.

Reading fields is most of the cost of a record, and half of a spec's selectors find nothing in any
one record. So all that a rule needs is computed once, when the spec is loaded: the names without
which a selector finds nothing (its compiler knows them), and how strings are made of what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from metasearch.adapters.parse.bodies import holds_too_much
from metasearch.adapters.select import TEXTS
from metasearch.adapters.select.marc import CutRecord, MarcText
from metasearch.adapters.select.xml import XmlRecord
from metasearch.adapters.spec import AdapterSpec, Attempt, FieldRule, Selector, Shape
from metasearch.bib import converters
from metasearch.bib.field_limits import SHORT, Cuts, bounded, kept
from metasearch.bib.marc import MarcRecord
from metasearch.bib.texts import Converter, strings
from metasearch.record import Record, made_record

Result = TypeVar("Result")

#: A page on which a larger share of the records lacks a promised field has drifted; fewer records
#: are too few to judge.
DRIFT_SHARE, DRIFT_RECORDS = 0.5, 4
#: Records that are read in one step: few, because somebody waits for the first hit. Whoever takes
#: the steps decides how many of them follow one another.
STEP = 4
#: Why a record is none.
NAMELESS = "neither a title nor an identifier"


@dataclass(frozen=True, slots=True)
class Unread:
    """A record that could not be read: its position in the source's answer, from 1, and why."""

    position: int
    reason: str


def attempts(rules: Sequence[FieldRule], body: str) -> list[Attempt]:
    """The attempts at one field, for its rules and this kind of body.

    The value of the first attempt that finds something is taken.
    """
    return [_attempt(select, rule, body) for rule in rules for select in rule.selectors]


def whole(node: Any) -> Any:
    """What the selector of a rule finds whose converter takes the record's node itself."""
    return node


def text_finder(select: Selector, body: str) -> Callable[[Any], Any]:
    """Finds texts where XPath and CSS find nodes, because converters take strings."""
    find, texts = select.find, TEXTS.get(body)
    if texts is None:
        return find
    if body == "xml" and select.name is not None:
        return _text_of_children(select.name, texts)
    return lambda node: texts(find(node))


def _text_of_children(name: str, texts: Callable[[Any], Any]) -> Callable[[XmlRecord], Any]:
    def find(record: XmlRecord) -> Any:
        found = record.children.get(name)
        return None if found is None else texts(found)

    return find


class Constant:
    """A converter that returns the same value for all that has a text, and None for the rest."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, selected: Any) -> Any:
        """The value, or None."""
        return self.value if strings(selected) else None


class LookedUp:
    """A converter that replaces words by those in a table, in which "*" stands for all others.

    Case does not matter; of a text with semicolons, the first part that is in the table counts.
    """

    __slots__ = ("_others", "_words")

    def __init__(self, table: Mapping[str, str]) -> None:
        self._words = {key.casefold(): value for key, value in table.items()}
        self._others = self._words.get("*")

    def __call__(self, selected: Any) -> str | None:
        """The word of the table, or None."""
        words = self._words
        if type(selected) is list and len(selected) == 1:
            selected = selected[0]
        if type(selected) is str and ";" not in selected:
            if selected in words:
                return words[selected]
            word = selected.strip().casefold()
            return words.get(word) or (self._others if word else None)
        parts = [part.strip().casefold() for v in strings(selected) for part in v.split(";")]
        known = next((words[part] for part in parts if part in words), None)
        return known or (self._others if parts else None)


def of_one_text(convert: Converter) -> bool:
    """Whether a list of one text is as good as the text to a converter, and `False` is nothing."""
    return convert in converters.OF_ONE_TEXT or isinstance(convert, (Constant, LookedUp))


def filled_in(template: str, inner: Converter) -> Converter:
    """A converter that writes what `inner` returns, percent-encoded, for "{x}" in a template."""

    def fill(selected: Any) -> str | None:
        value = inner(selected)
        return template.format(x=quote(value, safe="/:")) if isinstance(value, str) else None

    return fill


def _attempt(select: Selector, rule: FieldRule, body: str) -> Attempt:
    if select.find is whole:
        return Attempt(rule.field, None, select.needs, None, None, rule.convert)
    texts = None if rule.nodes else TEXTS.get(body)
    return Attempt(rule.field, select.name, select.needs, select.find, texts, rule.convert)


def read_fields(
    attempts: Iterable[Attempt], source: Any, there: Mapping[str, Any], cuts: Cuts
) -> dict[str, Any]:
    """Field -> its value, for the fields in which something was found. `attempts`: those of one
    field behind one another, in the order in which they are made.
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
            if not found and _is_nothing(found):
                continue
        if texts is not None:
            found = texts(found)
        # Nearly all that is found is one short text, which needs no closer look.
        if type(found) is list and len(found) == 1 and type(found[0]) is str:
            if len(found[0]) >= SHORT:
                found = bounded(field, found, cuts)
        elif type(found) is not str or len(found) > SHORT:
            found = bounded(field, found, cuts)
        value = convert(found)
        if value or value == 0:
            values[field] = value
    return values


def _is_nothing(selected: Any) -> bool:
    """Whether a selector found nothing; 0 and False are something."""
    return selected is None or selected == [] or selected == ""


def record_of(
    shape: Shape, node: Any, position: int, spec: AdapterSpec, cuts: Cuts
) -> Record | str:
    """The record of a node, or why there is none; cut values are counted in `cuts`."""
    read, is_json = shape.reader.read, shape.body == "json"
    if is_json and not isinstance(node, dict):
        return f"not an object but {type(node).__name__}"
    source = node if is_json else seen(node, shape.body)
    if read is not None and (not is_json or type(node) is dict):
        record: Record | str = read(source, position, spec.name, cuts)
        return record
    there = _there(source, shape.body)
    of_fields: Iterable[Attempt] = shape.attempts
    of_ids: Iterable[Attempt] = shape.id_attempts
    if shape.by_tag is not None:
        of_fields, of_ids = shape.by_tag(there)
    values = read_fields(of_fields, source, there, cuts)
    ids = read_fields(of_ids, source, there, cuts)
    if not all(ids.values()):
        ids = {scheme: value for scheme, value in ids.items() if value}
    named = values.get("title") or values.get("doi") or ids or values.get("source_id")
    if not named:
        return NAMELESS
    if "year" not in values and "date" in values:
        values["year"] = int(values["date"][:4])
    values["ids"] = ids
    return made_record(source=spec.name, position=position, **kept(values, cuts))


def record_in_proportion(
    shape: Shape, node: Any, position: int, spec: AdapterSpec, cuts: Cuts
) -> Record | str:
    """As `record_of`, but a record that is larger than any real one is refused: each selector would
    go through all of it.
    """
    if holds_too_much(node):
        return "it holds too much for a record of one work"
    return record_of(shape, node, position, spec, cuts)


def seen(node: Any, body: str) -> Any:
    """A record's node as the selectors of fields see it."""
    if body == "json":
        return node
    if body == "xml":
        return XmlRecord(node)
    if body == "marcxml":
        return MarcText(*node) if type(node) is CutRecord else MarcRecord(node)
    return node


def _there(source: Any, body: str) -> Mapping[str, Any]:
    """What is found in a record by names alone."""
    if body == "json":
        return source  # type: ignore[no-any-return]
    if body == "xml":
        return source.children  # type: ignore[no-any-return]
    return source.there if body == "marcxml" else {}


def in_stretches(
    nodes: Sequence[Any], start: int, make: Callable[[Any, int], Record | str]
) -> Generator[tuple[Record, ...], None, tuple[tuple[Record, ...], tuple[Unread, ...]]]:
    """The records of some nodes, a step at a time; what it returns is all of them, and what could
    not be read.

    `start`: position of the first, from 0. `make`: node and position, from 1 -> its record, or why
    there is none.
    """
    records: list[Record] = []
    unread: list[Unread] = []
    given = 0
    for number, node in enumerate(nodes):
        if number and number % STEP == 0:
            yield tuple(records[given:])
            given = len(records)
        position = start + number + 1
        try:
            record = make(node, position)
        except Exception as exc:  # an odd record may raise anything, and the others must be kept
            unread.append(Unread(position, f"{type(exc).__name__}: {exc}"[:200]))
            continue
        if isinstance(record, Record):
            records.append(record)
        else:
            unread.append(Unread(position, record))
    return tuple(records), tuple(unread)


def changed(
    reading: Generator[tuple[Record, ...], None, Result],
    change: Callable[[tuple[Record, ...]], tuple[Record, ...]],
) -> Generator[tuple[Record, ...], None, Result]:
    """The same steps and result, with the records of each stretch changed."""
    while True:
        try:
            records = next(reading)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield change(records)


def drift(shape: Shape, records: Sequence[Record], nodes: int) -> tuple[str, float] | None:
    if nodes < DRIFT_RECORDS:
        return None
    for name in shape.promises:
        share = 1 - sum(1 for record in records if getattr(record, name)) / nodes
        if share > DRIFT_SHARE:
            return (name, share)
    return None
