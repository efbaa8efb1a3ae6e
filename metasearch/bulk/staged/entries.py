"""An entry of a file as bytes of a column, and back: the same entry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from metasearch.dedup.contents import NAMES_THE_COPY
from metasearch.formats import hits
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry
from metasearch.formats.reading.result import check_sum

#: Stands before JSON that only Python's own reader reads as it was written: with numbers of more
#: than 64 bits, or lone surrogates.
_SLOW = b" "


def encoded(entry: Entry) -> bytes:
    """JSON of an entry."""
    values: dict[str, Any] = {
        "record": hits.record_values(entry.record),
        "line": entry.line,
        "sum": check_sum([entry]),
    }
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
    """The entry that `encoded` wrote. Raises ValueError: the bytes are damaged, or another release
    of metasearch wrote them.
    """
    return entry_from(values_of(data))


def values_of(data: bytes) -> dict[str, Any]:
    """What `encoded` wrote, as JSON has it: much of an entry without its record. Raises ValueError:
    as `decoded`.
    """
    try:
        values: dict[str, Any] = (json if data.startswith(_SLOW) else orjson).loads(data)
        values["record"], values["line"], values["sum"]
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damaged(exc) from exc
    return values


def entry_from(values: Mapping[str, Any]) -> Entry:
    """The entry of these values. Raises ValueError: as `decoded`."""
    try:
        return Entry(
            record=hits.record_of(values["record"]),
            line=values["line"],
            database=values.get("database"),
            origins=origins_from(values),
            given=given_from(values),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damaged(exc) from exc


def origins_from(values: Mapping[str, Any]) -> tuple[Origin, ...]:
    """`Entry.origins` of these values."""
    return tuple([Origin(file, database) for file, database in values.get("origins", ())])


def given_from(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """`Entry.given` of these values."""
    return tuple([(tag, value) for tag, value in values.get("given", ())])


def content_from(values: Mapping[str, Any]) -> bytes:
    """All that the record of these values says but its own names: the same bytes for records that
    say the same.
    """
    said = {name: value for name, value in values["record"].items() if name not in NAMES_THE_COPY}
    try:
        return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(said, sort_keys=True).encode()


def _damaged(exc: Exception) -> ValueError:
    return ValueError(f"not an entry as this release writes it: {exc!r}")
