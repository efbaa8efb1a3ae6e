"""An entry of a file as bytes of a column, and back: the same entry."""

from __future__ import annotations

import json
from typing import Any

import orjson

from metasearch.formats import hits
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry

#: Stands before JSON that only Python's own reader reads as it was written: with numbers of more
#: than 64 bits, or lone surrogates.
_SLOW = b" "


def encoded(entry: Entry) -> bytes:
    """JSON of an entry."""
    values: dict[str, Any] = {"record": hits.record_values(entry.record), "line": entry.line}
    if entry.database is not None:
        values["database"] = entry.database
    if entry.origins:
        values["origins"] = [[origin.file, origin.database] for origin in entry.origins]
    if entry.given:
        values["given"] = entry.given
    try:
        return orjson.dumps(values)
    except TypeError:
        return _SLOW + hits.dumped(values)


def decoded(data: bytes) -> Entry:
    """The entry that `encoded` wrote.

    Raises:
        ValueError: The bytes are damaged, or another release of metasearch wrote them.
    """
    try:
        values = json.loads(data) if data.startswith(_SLOW) else orjson.loads(data)
        return Entry(
            record=hits.record_of(values["record"]),
            line=values["line"],
            database=values.get("database"),
            origins=tuple(Origin(file, database) for file, database in values.get("origins", ())),
            given=tuple((tag, value) for tag, value in values.get("given", ())),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise ValueError(f"not an entry as this release writes it: {exc!r}") from exc
