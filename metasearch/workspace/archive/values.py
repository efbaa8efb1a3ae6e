"""Checks the values of an archive's rows: the rest of the program reads what stands in a workspace
without doubting it.

What only SQL can say (kinds, rows that are there twice) the tables check themselves.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, get_args

import orjson

from metasearch.bib import record_json
from metasearch.errors import UsageError
from metasearch.events import Status
from metasearch.formats import hits
from metasearch.message import message
from metasearch.workspace import details, other_sources
from metasearch.workspace.archive.members import wrong
from metasearch.workspace.archive.tables import Columns
from metasearch.workspace.store.uids import is_uid

#: Of a search by hand the day alone is known.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)
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
    ("report", "data"): dict,
    ("resolution", "votes"): list,
    ("change", "before"): object,
    ("change", "after"): object,
}
_PLAIN = frozenset({str, int, float, bytes, type(None)})
_STATUSES = frozenset(get_args(Status))


class Rows:
    """Checks the rows of one table.

    Args:
        table: Its name.
        shape: Its columns in this release.
        present: Those that the archive has: the keys of its first row.
        place: Of that row.

    Raises:
        UsageError: A column is not known, or lacking; with the place.
    """

    def __init__(self, table: str, shape: Columns, present: Iterable[str], place: str) -> None:
        self._keys = frozenset(present)
        known = frozenset(shape.names)
        if not self._keys <= known:
            name = min(map(str, self._keys - known))
            raise wrong(place, message("there is no column {name}", name=repr(name[:80])))
        self._complete(shape.required - self._keys, place)
        self._blobs = sorted(shape.blobs & self._keys)
        self._moments = sorted(_MOMENTS & self._keys)
        self._json = [(name, _JSON[table, name]) for name in known if (table, name) in _JSON]
        self._json = [(name, kind) for name, kind in self._json if name in self._keys]
        self._check = _CHECKS.get(table)

    def read(self, row: dict[str, Any], place: str) -> dict[str, Any]:
        """The row, with bytes where the workspace has bytes.

        Raises:
            UsageError: A value cannot be; with the place.
        """
        if row.keys() != self._keys:
            self._complete(self._keys - row.keys(), place)
            raise wrong(place, message("it has other columns than the first line"))
        for name in self._blobs:
            row[name] = _bytes(row[name], f"{place}, {name}")
        if not _PLAIN.issuperset(map(type, row.values())):
            name = next(name for name in row if type(row[name]) not in _PLAIN)
            raise wrong(f"{place}, {name}", message("it is no text and no number"))
        for name in self._moments:
            if row[name] is not None and not _is_moment(row[name]):
                raise wrong(f"{place}, {name}", message("it is no moment as 2026-11-23T05:40:00Z"))
        for name, kind in self._json:
            _json(row[name], kind, f"{place}, {name}")
        if row.get("by", "") and not is_uid(row["by"]):
            raise wrong(f"{place}, by", message("it is the uid of no user"))
        if self._check is not None:
            try:
                self._check(row)
            except (ValueError, TypeError, KeyError) as exc:
                raise wrong(place, str(exc) or type(exc).__name__) from exc
        return row

    @staticmethod
    def _complete(lacking: AbstractSet[str], place: str) -> None:
        if lacking:
            raise wrong(place, message("the column {name} is not there", name=min(lacking)))


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


def _project(values: Mapping[str, Any]) -> None:
    _uid(values)
    try:
        details.check(orjson.loads(values["details"]))
    except UsageError as exc:
        raise ValueError(exc.message) from exc


def _other_source(values: Mapping[str, Any]) -> None:
    try:
        other_sources.check(values["kind"], values["name"], values["details"])
    except UsageError as exc:
        raise ValueError(exc.message) from exc


def _resolution(values: Mapping[str, Any]) -> None:
    for vote in orjson.loads(values["votes"]):
        by, verdict, reason = vote
        if not is_uid(by) or not isinstance(verdict, str) or not isinstance(reason, str):
            raise ValueError("a vote is not as metasearch writes it")


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "project": _project,
    "other_source": _other_source,
    "answer": _answer,
    "record": _record,
    "work": _uid,
    "work_body": lambda values: hits.read(values["hit"]),
    "joined_work": _uid,
    "known_work": _known_work,
    "report": _report,
    "resolution": _resolution,
}
