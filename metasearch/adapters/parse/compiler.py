"""The fields of a shape -> one function, written out as source text and compiled.

`records.py` walks a list of attempts for every record: for each one it looks up whether it can find
anything, calls closures, bounds what they found, calls a converter, and puts the value in a table,
from which a record is made. What is decided there for each record, attempt by attempt, is known
once the shape is: which members are asked for, in which order, what is done with them, and which
fields the record has in the end. A function in which all of this is written out does the same in
little more than half the time. For Crossref's `publisher` it says

    found = get('publisher')
    if found is not None and (found or found == 0 and found is not False):
        if type(found) is list and len(found) == 1 and type(found[0]) is str:
            found = found[0]
        if type(found) is not str or len(found) > 4000:
            found = bounded('publisher', found, cuts)
        publisher_ = convert_40(found)
        if not publisher_ and publisher_ != 0:
            publisher_ = None

and at its end it makes the record, if no value is longer than what is kept. Everything that is not
ordinary is left to the functions that `records.py` calls, and tests hold the two equal. How a field
is found differs from one kind of body to the other (looked_for.py); HTML is read by its attempts
only.

To compile it takes as long as it saves in some hundred records, so it is made for a shape of which
so many were read (`RecordReader.becomes_worth`). How nothing of a spec becomes code is told in
select/json_source.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from metasearch.adapters.parse.looked_for import LOOKING, Looking, Search
from metasearch.adapters.parse.records import of_one_text, whole
from metasearch.adapters.parse.written_people import CALLED as OF_PEOPLE
from metasearch.adapters.parse.written_people import indented, people_of
from metasearch.adapters.parse.written_record import CALLED, PEOPLE, made_of, variable_of
from metasearch.adapters.select.json_source import RECORD, Expressions
from metasearch.adapters.shapes import Always, FieldRule, Selector, Shape
from metasearch.bib import converters, cuts
from metasearch.bib.field_limits import LIMITS, MOST_FOUND, SHORT
from metasearch.record import Record

#: Takes a record as `records.seen` makes it, its position, the name of the source and the cuts;
#: returns the `Record`, or why there is none.
Written = Callable[[Any, int, str, cuts.Cuts], Record | str]
#: Characters of source text that are compiled at most, which takes a millisecond for some thousands
#: of them and keeps everything else waiting. The longest of a shipped source has half as many.
_LONGEST = 100_000
_IDS = "ids."
#: Of nearly all texts that are found: `converters.text` only strips such a one.
_NEEDS_NOTHING = "found.isprintable() and not ('<' in found or '&' in found or '  ' in found)"
#: What every function calls.
_CALLED: Mapping[str, Any] = {**CALLED, **OF_PEOPLE, "bounded": cuts.bounded}


def written(shape: Shape) -> Written | None:
    """The function that reads the records of a shape; None where there cannot be one."""
    names: dict[str, Any] = dict(_CALLED)
    try:
        source = "\n".join(_Writing(shape, names).lines())
        if len(source) > _LONGEST:
            return None
        exec(compile(source, "<records of a shape>", "exec"), names)  # noqa: S102
    # What a user's spec makes too long or too deep for Python, the other reader takes.
    except (MemoryError, RecursionError, SyntaxError, ValueError):
        return None
    read: Written = names["read"]
    return read


class _Writing:
    """Writes the function of one shape; `names` becomes its namespace."""

    def __init__(self, shape: Shape, names: dict[str, Any]) -> None:
        self.body = shape.body
        self.expressions = Expressions(names)
        self.looking: Looking = LOOKING[shape.body](self.expressions)
        self.fields: dict[str, list[FieldRule]] = {}
        for rule in shape.rules:  # those of identifiers are read after all others
            self.fields.setdefault(rule.field, []).append(rule)
        self.ids = [field for field in self.fields if field.startswith(_IDS)]
        self.own = [field for field in self.fields if not field.startswith(_IDS)]

    def lines(self) -> Iterator[str]:
        """The source text."""
        yield f"def read({RECORD}, position, source, cuts):"
        for line in self._body():
            yield f"    {line}"

    def _body(self) -> Iterator[str]:
        yield from self.looking.begin(_selectors(self.fields))
        for field in self.own:
            yield from self._field(field, variable_of(field), field)
        variables = {}
        for number, field in enumerate(self.ids):
            variables[field.removeprefix(_IDS)] = f"id_{number}"
            yield from self._field(field.removeprefix(_IDS), f"id_{number}", field)
        yield "ids = {}"
        for scheme, variable in variables.items():
            yield f"if {variable}: ids[{scheme!r}] = {variable}"
        yield from made_of(self.own)

    # ---------------------------------------------------------------------------- one field

    def _field(self, field: str, variable: str, rules_of: str) -> Iterator[str]:
        """Sets the variable to the value of the first attempt that finds something, or to None."""
        yield f"{variable} = None"
        if field in PEOPLE and rules_of == field:
            yield f"fitting_{field} = False"
        first = True
        for rule in self.fields[rules_of]:
            for select in rule.selectors:
                lines = self._attempt(rule, select, field, variable)
                if first:
                    yield from lines
                else:
                    yield f"if {variable} is None:"
                    yield from indented(lines)
                first = False

    def _attempt(
        self, rule: FieldRule, select: Selector, field: str, variable: str
    ) -> Iterator[str]:
        if rule.people is not None and self.body == "json":
            return people_of(rule, rule.people, field, variable, self.expressions)
        if select.find is whole:
            return self._whole(rule, select, variable)
        if isinstance(select.find, Always) and (value := _converted_once(rule, select, field)):
            return iter((f"{variable} = {self.expressions.constant(value, 'value')}",))
        return self._converted(rule, select, field, variable)

    def _converted(
        self, rule: FieldRule, select: Selector, field: str, variable: str
    ) -> Iterator[str]:
        search = self.looking.search(rule, select)
        lines = _found(search, rule, self.expressions, field, variable)
        if search.condition:
            yield f"if {search.condition}:"
            yield from indented(lines)
        else:
            yield from lines

    def _whole(self, rule: FieldRule, select: Selector, variable: str) -> Iterator[str]:
        """Of a converter that takes the record itself."""
        convert = self.expressions.constant(rule.convert, "convert")
        asked = select if rule.people is None else rule.people.each
        yield f"if {self.looking.whole(asked) or True}:"
        yield f"    {variable} = {convert}({RECORD}, cuts)"
        yield f"    if not {variable} and {variable} != 0: {variable} = None"


def _found(
    search: Search, rule: FieldRule, expressions: Expressions, field: str, variable: str
) -> Iterator[str]:
    convert = expressions.constant(rule.convert, "convert")
    yield f"found = {search.found}"
    yield f"if {search.is_there}:"
    if search.texts:
        yield f"    found = {search.texts}"
    if of_one_text(rule.convert):
        one = "type(found) is list and len(found) == 1 and type(found[0]) is str"
        yield f"    if {'len(found) == 1' if search.is_list else one}:"
        yield "        found = found[0]"
    longest = _unbounded(field)
    converted = (
        f"if type(found) is not str or len(found) > {longest}:",
        f"    found = bounded({field!r}, found, cuts)",
        f"{variable} = {convert}(found)",
        f"if not {variable} and {variable} != 0: {variable} = None",
    )
    if rule.convert is converters.text:
        yield f"    if type(found) is str and len(found) <= {longest} and {_NEEDS_NOTHING}:"
        yield f"        {variable} = found.strip() or None"
        yield "    else:"
        yield from indented(converted, 2)
    elif rule.convert in converters.ORDINARY:
        ordinary = expressions.constant(converters.ORDINARY[rule.convert], "ordinary")
        yield f"    {variable} = {ordinary}(found, {longest})"
        yield f"    if {variable} is None:"
        yield from indented(converted, 2)
    else:
        yield from indented(converted)


def _converted_once(rule: FieldRule, select: Selector, field: str) -> Any:
    """The value of a field that is the same in every record; None where each has to be read."""
    found = select.find(None)
    try:
        if type(found) is str and cuts.bounded(field, found, cuts.Cuts()) == found:
            value = rule.convert(found)
            return value if type(value) is str else None
    except Exception:  # a record of which it is true is unreadable, and its function tells why
        return None
    return None


def _unbounded(field: str) -> int:
    """Characters of a text that `bounded` leaves as it is."""
    limit = LIMITS.get(field, LIMITS["ids"])
    return max(SHORT, min(limit.given, MOST_FOUND))


def _selectors(fields: dict[str, list[FieldRule]]) -> Iterator[Selector]:
    for rules in fields.values():
        for rule in rules:
            if rule.people is not None:
                yield rule.people.each
            else:
                yield from rule.selectors
