"""A record as JSON without empty fields, as a collection stores it, and back: the same record.

What is read back is checked, because the file may have come from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import orjson

from metasearch.bib.identifiers import web_url
from metasearch.record import FIELDS, PEOPLE, Author, Kind, Record

#: Fields that a collection sets when it answers: its own name and the place of the record.
_PLACE = frozenset({"source", "position"})
_NAMES = tuple(name for name in FIELDS if name not in _PLACE)
_STRINGS = frozenset({str})
_PARTS = {field.name: bool if field.name == "collective" else str for field in fields(Author)}


def record_to_json(record: Record) -> bytes:
    """The record as JSON, without its source and position. Raises ValueError: it holds what JSON
    cannot, such as a number of thirty digits.
    """
    values = {
        name: value
        for name in _NAMES
        if (value := getattr(record, name)) or (value is not None and _is_filled(value))
    }
    for role in values.keys() & {*PEOPLE}:
        values[role] = [
            {
                part: value
                for part in _PARTS
                if (value := getattr(author, part)) or (value is not None and _is_filled(value))
            }
            for author in values[role]
        ]
    try:
        return orjson.dumps(values)
    except TypeError:
        try:
            return orjson.dumps(encodable(values))
        except TypeError as exc:
            raise ValueError(str(exc)) from exc


def _is_filled(value: Any) -> bool:
    """Whether a value is not empty; a count of 0 is a value."""
    return value is not None and value is not False and value not in ("", (), {})


def encodable(value: Any) -> Any:
    """The value without lone surrogates, which a file may hold and UTF-8 may not."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return [encodable(item) for item in value] if isinstance(value, list | tuple) else value


def record_from_json(found: Any, source: str, position: int) -> Record:
    """The record again, as one of `source`. Raises ValueError: it is none; says which field is not
    what a record has there.
    """
    if not isinstance(found, Mapping):
        raise ValueError("not an object")
    values = {name: _CHECKS[name](name, found[name]) for name in _NAMES if name in found}
    if not any(values.get(name) for name in ("title", "authors", "doi", "ids", "source_id")):
        raise ValueError("neither a title nor an identifier")
    return Record(source=source, position=position, **values)


def _is_other(name: str) -> ValueError:
    return ValueError(f"{name} is not what a record has there")


def _text(name: str, value: Any) -> str:
    if type(value) is not str:
        raise _is_other(name)
    return value


def _number(name: str, value: Any) -> int:
    if type(value) is not int:
        raise _is_other(name)
    return value


def _yes_or_no(name: str, value: Any) -> bool:
    if type(value) is not bool:
        raise _is_other(name)
    return value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not _strings(value):
        raise _is_other(name)
    return tuple(value)


def _identifiers(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not _strings(list(value.values())):
        raise _is_other(name)
    return value


def _link(name: str, value: Any) -> str | None:
    return web_url(_text(name, value))


def _word(name: str, value: Any) -> str:
    if _text(name, value) not in FIELDS[name].words:
        raise _is_other(name)
    return str(value)


def _people(name: str, value: Any) -> tuple[Author, ...]:
    if not isinstance(value, list):
        raise _is_other(name)
    return tuple([_person(name, item) for item in value])


def _person(name: str, found: Any) -> Author:
    if not isinstance(found, dict) or not found.get("name"):
        raise _is_other(name)
    for part, value in found.items():
        if type(value) is not _PARTS.get(part):
            raise _is_other(name)
    return Author(**found)


def _strings(value: Any) -> bool:
    return isinstance(value, list) and {*map(type, value)} <= _STRINGS


_OF_KIND: Mapping[Kind, Callable[[str, Any], Any]] = {
    "text": _text,
    "word": _word,
    "link": _link,
    "number": _number,
    "flag": _yes_or_no,
    "texts": _texts,
    "people": _people,
    "ids": _identifiers,
}
#: Field -> what checks and converts its value: one look for each, as whole collections are read.
_CHECKS = {name: _OF_KIND[FIELDS[name].kind] for name in _NAMES}
