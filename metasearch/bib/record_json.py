"""A record as JSON without empty fields, as a collection stores it, and back: the same record.

What is read back is checked, because the file may have come from anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import orjson

from metasearch.bib.web_addresses import web_url
from metasearch.record import OPEN_ACCESS, TYPES, Author, Record

#: Fields that a collection sets when it answers: its own name and the place of the record.
_PLACE = frozenset({"source", "position"})
_NAMES = tuple(field.name for field in fields(Record) if field.name not in _PLACE)
_NUMBERS = frozenset({"year", "citations"})
_TUPLES = frozenset({"titles", "isbn", "issn", "keywords", "subjects"})
_PEOPLE = frozenset({"authors", "editors"})
_LINKS = frozenset({"url", "pdf_url"})
_PARTS = {field.name: bool if field.name == "collective" else str for field in fields(Author)}


def packed(record: Record) -> bytes:
    """The record as JSON, without its source and position.

    Raises:
        ValueError: It holds what JSON cannot, such as a number of thirty digits.
    """
    values = {name: value for name in _NAMES if _is_filled(value := getattr(record, name))}
    for role in _PEOPLE & values.keys():
        values[role] = [
            {part: value for part in _PARTS if _is_filled(value := getattr(author, part))}
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


def unpacked(found: Any, source: str, position: int) -> Record:
    """The record again, as one of `source`.

    Raises:
        ValueError: It is none; says which field is not what a record has there.
    """
    if not isinstance(found, Mapping):
        raise ValueError("not an object")
    values = {name: _checked(name, found[name]) for name in _NAMES if name in found}
    if not any(values.get(name) for name in ("title", "authors", "doi", "ids", "source_id")):
        raise ValueError("neither a title nor an identifier")
    return Record(source=source, position=position, **values)


def _checked(name: str, value: Any) -> Any:
    if name in _PEOPLE and isinstance(value, list):
        return tuple(_person(name, item) for item in value)
    if name in _TUPLES and _strings(value):
        return tuple(value)
    if name == "ids" and isinstance(value, dict) and _strings(list(value.values())):
        return value
    if name in _LINKS and isinstance(value, str):
        return web_url(value)
    closed = {"type": TYPES, "open_access": OPEN_ACCESS}.get(name)
    kind = int if name in _NUMBERS else bool if name == "retracted" else str
    if (
        type(value) is not kind
        or name in _PEOPLE | _TUPLES | {"ids"}
        or (closed and value not in closed)
    ):
        raise ValueError(f"{name} is not what a record has there")
    return value


def _person(name: str, found: Any) -> Author:
    fits = isinstance(found, dict) and all(
        type(value) is _PARTS.get(part) for part, value in found.items()
    )
    if not fits or not found.get("name"):
        raise ValueError(f"{name} is not what a record has there")
    return Author(**found)


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is str for item in value)
