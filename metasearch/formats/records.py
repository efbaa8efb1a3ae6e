"""Bare records as NDJSON: one `Record` a line, as an object of those fields that say something.

The field names are those of `Record`; `source` and `position` are always there. So `metasearch
parse` writes what it reads, `metasearch dedup` reads it back (`metasearch/formats/own.py`), and a
record is the same afterwards, text that no format may let through excepted (`text.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import orjson

from metasearch.formats.text import clean, exact_number
from metasearch.record import Author, Record

_ALWAYS = ("source", "position")


def write(records: Iterable[Record]) -> bytes:
    """The records as NDJSON in UTF-8, in the order given; b"" for none."""
    return b"".join(
        orjson.dumps(record_object(record), option=orjson.OPT_APPEND_NEWLINE) for record in records
    )


def record_object(record: Record) -> dict[str, Any]:
    """The object of a record: {"source": "crossref", "position": 1, "title": ..., ...}."""
    found = ((field.name, _plain(getattr(record, field.name))) for field in fields(record))
    return {
        name: value for name, value in found if name in _ALWAYS or value not in (None, "", [], {})
    }


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return exact_number(value)
    if isinstance(value, Author):
        parts = ((part.name, _plain(getattr(value, part.name))) for part in fields(value))
        return {name: part for name, part in parts if part not in (None, False)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None:
        return None
    return {clean(name): clean(text) for name, text in value.items()}
