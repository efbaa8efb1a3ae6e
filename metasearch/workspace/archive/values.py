"""Checks the values of an archive's rows: the rest of the program reads what stands in a workspace
without doubting it.

What only SQL can say (kinds, rows that are there twice) the tables check themselves.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import orjson

from metasearch.bib import record_json
from metasearch.events import Status
from metasearch.formats import hits
from metasearch.message import message
from metasearch.workspace.archive.members import wrong
from metasearch.workspace.archive.tables import Columns
from metasearch.workspace.store.uids import is_uid

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
#: Columns that hold a moment, in whichever table.
_MOMENTS = frozenset({"created", "edited", "started", "ended", "asked_at", "added", "at", "frozen"})
#: (table, column) -> what its JSON is.
_JSON: Mapping[tuple[str, str], type] = {
    ("project", "details"): dict,
    ("strategy", "sources"): list,
    ("strategy", "details"): dict,
    ("step", "details"): dict,
    ("run", "options"): dict,
    ("answer", "requests"): list,
    ("answer", "notes"): list,
    ("other_source", "details"): dict,
    ("joined_work", "state"): dict,
    ("change", "before"): object,
    ("change", "after"): object,
}
_STATUSES = frozenset(get_args(Status))


def read(table: str, shape: Columns, row: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The values of a row, with bytes where the workspace has bytes. Columns that the archive does
    not have are left out.

    Raises:
        UsageError: A column is not known or lacking, or a value cannot be; with the place.
    """
    known = frozenset(shape.names)
    if not row.keys() <= known:
        name = min(map(str, row.keys() - known))
        raise wrong(place, message("there is no column {name}", name=repr(name[:80])))
    lacking = shape.required - row.keys()
    if lacking:
        raise wrong(place, message("the column {name} is not there", name=min(lacking)))
    values = dict(row)
    for name in shape.blobs & values.keys():
        values[name] = _bytes(values[name], f"{place}, {name}")
    for name, value in values.items():
        if name not in shape.blobs and not isinstance(value, str | int | float | None):
            raise wrong(f"{place}, {name}", message("it is no text and no number"))
        if name in _MOMENTS and value is not None and not _is_moment(value):
            raise wrong(f"{place}, {name}", message("it is no moment as 2026-11-23T05:40:00Z"))
        kind = _JSON.get((table, name))
        if kind is not None:
            _json(value, kind, f"{place}, {name}")
    check = _CHECKS.get(table)
    if check is not None:
        try:
            check(values)
        except (ValueError, TypeError, KeyError) as exc:
            raise wrong(place, str(exc) or type(exc).__name__) from exc
    return values


def _bytes(value: Any, place: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except binascii.Error:
            pass
    raise wrong(place, message("it is no text and no base64"))


def _is_moment(value: Any) -> bool:
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


def _json(value: Any, kind: type, place: str) -> None:
    try:
        found = orjson.loads(value)
    except (ValueError, TypeError) as exc:
        raise wrong(place, message("it is no JSON")) from exc
    if not isinstance(found, kind):
        raise wrong(place, message("it is other JSON than metasearch writes there"))


def _record(values: Mapping[str, Any]) -> None:
    if hashlib.sha256(values["body"]).hexdigest() != values["digest"]:
        raise ValueError("the record is not the one of its digest")
    record_json.unpacked(orjson.loads(values["body"]), values["source"], 0)


def _report(values: Mapping[str, Any]) -> None:
    if hashlib.sha256(values["document"].encode()).hexdigest() != values["digest"]:
        raise ValueError("the report is not the one of its digest")


def _known_work(values: Mapping[str, Any]) -> None:
    record_json.unpacked(orjson.loads(values["body"]), "known", 0)


def _answer(values: Mapping[str, Any]) -> None:
    if values["status"] not in _STATUSES:
        raise ValueError("there is no such status")


def _uid(values: Mapping[str, Any]) -> None:
    if not is_uid(values["uid"]):
        raise ValueError("the uid is none of metasearch")


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "project": _uid,
    "answer": _answer,
    "record": _record,
    "work": _uid,
    "work_body": lambda values: hits.read(values["hit"]),
    "joined_work": _uid,
    "known_work": _known_work,
    "report": _report,
}
