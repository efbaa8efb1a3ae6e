"""Checks the values of an archive's rows: the rest of the program reads what stands in a workspace
without doubting it.

What only SQL can say (kinds, rows that are there twice) the tables check themselves.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, get_args

import orjson

from metasearch.bib import record_json
from metasearch.errors import UsageError
from metasearch.events import Status
from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Verdict
from metasearch.workspace import details, logged, other_sources
from metasearch.workspace.archive.members import wrong
from metasearch.workspace.archive.tables import Columns
from metasearch.workspace.shapes import (
    Shape,
    anything,
    either,
    list_of,
    maybe,
    moment,
    number,
    object_of,
    one_of,
    row_of,
    table_of,
    text,
    whole,
    yes_or_no,
)
from metasearch.workspace.store.uids import is_uid
from metasearch.workspace.strategies import strategies
from metasearch.workspace.works.said import LONGEST_REASON
from metasearch.workspace.works.works import VERDICTS

#: Columns that hold a moment, in whichever table.
_MOMENTS = frozenset({"created", "edited", "started", "ended", "asked_at", "added", "at", "frozen"})
_ANY = object_of({}, {}, anything)
_SENT = maybe(either(text(), list_of(row_of(text(), text()))))
_OPTIONS = object_of(
    {},
    {
        "steps": maybe(list_of(whole())),
        "sources": maybe(list_of(text(1_000))),
        "per_source": maybe(whole()),
        "years": maybe(text(100)),
        "timeout": maybe(number),
        "follows": maybe(whole()),
        "file": maybe(text()),
        "searched": maybe(text(100)),
    },
    anything,
)
_NUMBERS = object_of(
    {},
    {
        "last_run_id": maybe(whole()),
        "other": list_of(object_of({"id": whole()}, {}, anything)),
        "previous": maybe(
            object_of({}, {"run": maybe(whole()), "other_sources": list_of(whole())}, anything)
        ),
    },
    anything,
)
#: (table, column) -> the shape of its JSON.
JSON: Mapping[tuple[str, str], Shape] = {
    ("project", "details"): _ANY,  # `details.check` knows the answers
    ("strategy", "sources"): logged.SOURCES,
    ("strategy", "details"): logged.STRATEGY_DETAILS,
    ("step", "details"): logged.STEP_DETAILS,
    ("run", "options"): _OPTIONS,
    ("answer", "requests"): list_of(
        object_of({}, {"method": text(100), "url": text(), "body": _SENT}, anything)
    ),
    ("answer", "notes"): list_of(text()),
    ("other_source", "details"): _ANY,  # `other_sources.check`
    ("joined_work", "state"): logged.STATE,
    ("report", "data"): object_of(
        {},
        {"title": text(), "language": text(100), "draft": yes_or_no, "numbers": _NUMBERS},
        anything,
    ),
    ("resolution", "votes"): list_of(row_of(is_uid, one_of(*VERDICTS), text(LONGEST_REASON))),
    ("change", "before"): anything,
    ("change", "after"): anything,
}
#: Of a hit, beside its records.
_HIT = object_of(
    {
        "id": text(),
        "record": _ANY,
        "records": list_of(_ANY),
        "provenance": table_of(text(), text()),
        "score": number,
        "rank": whole(),
        "also": list_of(text()),
    },
    {
        "shape": whole(),
        "matches": list_of(
            object_of(
                {
                    "matcher": text(),
                    "verdict": one_of(*get_args(Verdict)),
                    "score": number,
                    "because": text(),
                    "left": text(),
                    "right": text(),
                }
            )
        ),
        "versions": list_of(object_of({"kind": text(), "records": list_of(text())})),
        "reasons": list_of(
            object_of({"text": text(), "points": number}, {"source": maybe(text())})
        ),
    },
)
_PLAIN = frozenset({str, int, float, bytes, type(None)})
_STATUSES = frozenset(get_args(Status))


class Rows:
    """Checks the rows of one table. `present`: those that the archive has: the keys of its first
    row. Raises UsageError: a column is not known, or lacking; with the place.
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
        self._json = [(name, JSON[table, name]) for name in known if (table, name) in JSON]
        self._json = [(name, shape) for name, shape in self._json if name in self._keys]
        self._check = _CHECKS.get(table)

    def read(self, row: dict[str, Any], place: str) -> dict[str, Any]:
        """The row, with bytes where the workspace has bytes. Raises UsageError: a value cannot be;
        with the place.
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
            if row[name] is not None and not moment(row[name]):
                raise wrong(f"{place}, {name}", message("it is no moment as 2026-11-23T05:40:00Z"))
        for name, shape in self._json:
            _json(row[name], shape, f"{place}, {name}")
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


def _json(value: Any, shape: Shape, place: str) -> None:
    try:
        found = orjson.loads(value)
    except (ValueError, TypeError) as exc:
        raise wrong(place, message("it is no JSON")) from exc
    if not shape(found):
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


def _strategy(values: Mapping[str, Any]) -> None:
    if not 1 <= values.get("number", 1) <= strategies.MOST_STRATEGIES:
        raise ValueError("there is no such number of a strategy")
    try:
        strategies.check_years(values.get("years", ""))
        strategies.check_note(values.get("note", ""))
    except UsageError as exc:
        raise ValueError(exc.message) from exc


def _work_body(values: Mapping[str, Any]) -> None:
    hits.read(values["hit"])
    kept = orjson.loads(values["hit"])
    if not _HIT(kept):
        raise ValueError("a hit is not as metasearch writes it")
    for one in (kept["record"], *kept["records"]):
        if not isinstance(one.get("source", ""), str):
            raise ValueError("a source is no text")
        record_json.unpacked(one, one.get("source", ""), 0)


def _change(values: Mapping[str, Any]) -> None:
    before, after = (orjson.loads(values.get(name, "null")) for name in ("before", "after"))
    if not logged.fits(values["action"], values["object"], before, after):
        raise ValueError("a line of the log is not as metasearch writes it")


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "project": _project,
    "strategy": _strategy,
    "other_source": _other_source,
    "answer": _answer,
    "record": _record,
    "work": _uid,
    "work_body": _work_body,
    "joined_work": _uid,
    "known_work": _known_work,
    "report": _report,
    "change": _change,
}
