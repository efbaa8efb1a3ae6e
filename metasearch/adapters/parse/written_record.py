"""The end of the function that `written.py` writes: a record is made of the values of its fields.

Nearly all values are of the kind and the length that their field has. If all of a record are, its
slots are set one by one; of all else `cuts.kept` makes what a record may hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metasearch.adapters.parse.records import NAMELESS
from metasearch.bib import cuts
from metasearch.bib.fast_records import made_record
from metasearch.bib.field_limits import LARGEST_NUMBER, LIMITS
from metasearch.record import Record

#: Fields by what a record holds in them.
PEOPLE = ("authors", "editors")
_TEXTS = ("titles", "isbn", "issn", "keywords", "subjects")
_NUMBERS = ("year", "citations")
#: What stands in a record in the place of a field that is not there; None for all others.
_EMPTY = dict.fromkeys((*PEOPLE, *_TEXTS), "()") | {"title": "''", "source_id": "''"}
#: What these lines call.
CALLED: Mapping[str, Any] = {
    "Record": Record,
    "RecordDraft": made_record,
    "kept": cuts.kept,
    "kept_ids": cuts.kept_ids,
    "new": object.__new__,
    "people_fit": cuts.people_fit,
}


def variable_of(field: str) -> str:
    """The variable of a field; with a line behind, for `type` is a function."""
    assert field in LIMITS
    assert field.isidentifier()
    return f"{field}_"


def made_of(fields: Iterable[str]) -> Iterator[str]:
    """The lines that return the record, or why there is none.

    `fields`: whose variables hold their values, or None; so does `ids`. For people there is
    `fitting_FIELD`, too: whether the function has made them, none longer than is kept.
    """
    there = {field: variable_of(field) for field in fields}
    named = [there[field] for field in ("title", "doi") if field in there]
    last = [there["source_id"]] if "source_id" in there else []
    yield f"if not ({' or '.join([*named, 'ids', *last])}):"
    yield f"    return {NAMELESS!r}"
    if "date" in there:
        if "year" not in there:
            there["year"] = variable_of("year")
            yield f"{there['year']} = None"
        yield f"if {there['year']} is None and {there['date']} is not None:"
        yield f"    {there['year']} = int({there['date']}[:4])"
    fits = [f"({value} is None or {_fits(field, value)})" for field, value in there.items()]
    yield f"if not ({' and '.join(fits)}):"
    yield "    values = {}"
    for field, value in there.items():
        yield f"    if {value} is not None: values[{field!r}] = {value}"
    yield "    values['ids'] = ids"
    yield "    return RecordDraft(source=source, position=position, **kept(values, cuts))"
    yield "if ids:"
    yield "    ids = kept_ids(ids, cuts)"
    yield "draft = new(RecordDraft)"
    given = {"source": "source", "position": "position", "ids": "ids", **there}
    for field in Record.__slots__:
        value, empty = given.get(field, "None"), _EMPTY.get(field)
        yield f"draft.{field} = {value if empty is None else f'{value} or {empty}'}"
    yield "draft.__class__ = Record"
    yield "return draft"


def _fits(field: str, value: str) -> str:
    """The condition under which `kept` leaves a value as it is."""
    if field in _NUMBERS:
        return f"type({value}) is int and {-LARGEST_NUMBER} < {value} < {LARGEST_NUMBER}"
    if field in PEOPLE:
        return f"fitting_{field} or type({value}) is tuple and people_fit({value}, {field!r})"
    if field in _TEXTS:
        limit = LIMITS[field]
        few = f"type({value}) is tuple and len({value}) <= {limit.items}"
        return f"{few} and max(map(len, {value})) <= {limit.text}"
    if field == "retracted":
        return f"{value} is True"
    return f"type({value}) is str and len({value}) <= {LIMITS[field].text}"
