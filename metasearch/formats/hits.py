"""A whole hit as JSON, to be read back as it was: its records, and why they are one work.

This is for what metasearch keeps for itself (`metasearch/engine/results.py`); other programs read
the answer (`answer.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import orjson

from metasearch.message import Message, message_from_json, message_to_json
from metasearch.record import (
    PEOPLE,
    TEXTS,
    Author,
    Hit,
    Match,
    Reason,
    Record,
    Version,
    new_author,
    new_record,
)

#: Of the shape below; a hit that was written in another one is not read.
_SHAPE = 2
#: Most values of a record.
_AS_THEY_ARE = frozenset({str, int, bool, float})
_NAMES: Mapping[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (Author, Match, Reason, Record, Version)
}
#: Which of them is a text for people.
_TEXTS: Mapping[type, str] = {Match: "because", Reason: "text", Version: "kind"}
#: One for all, because making one costs as much as what it encodes of a small hit.
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def write(hit: Hit) -> bytes:
    """The hit, its list position included, as one JSON object in UTF-8."""
    record = _fields(hit.record)
    values = {
        "shape": _SHAPE,
        "id": hit.id,
        "record": record,
        "records": [record if it is hit.record else _fields(it) for it in hit.records],
        "provenance": dict(hit.provenance),
        "matches": [_fields(match) for match in hit.matches],
        "versions": [_fields(version) for version in hit.versions],
        "score": hit.score,
        "rank": hit.rank,
        "reasons": [_fields(reason) for reason in hit.reasons],
        "also": hit.also,
    }
    return dump(values)


def read(data: bytes) -> Hit:
    """The hit that `write` wrote. Raises ValueError: the bytes are damaged, or another release of
    metasearch wrote them.
    """
    try:
        kept = _load(data)
        return Hit(
            id=kept["id"],
            record=_record(kept["record"]),
            records=tuple(map(_record, kept["records"])),
            provenance=kept["provenance"],
            matches=_matches(kept),
            versions=_versions(kept),
            score=kept["score"],
            rank=kept["rank"],
            reasons=tuple(Reason(**_with_message(Reason, reason)) for reason in kept["reasons"]),
            also=tuple(kept["also"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damage(exc) from exc


def read_matches(data: bytes) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
    """`Hit.matches` and `Hit.versions` of the hit that `write` wrote, without its records. Raises
    ValueError: as `read`.
    """
    try:
        kept = _load(data)
        return _matches(kept), _versions(kept)
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damage(exc) from exc


def _load(data: bytes) -> Mapping[str, Any]:
    kept: Mapping[str, Any] = json.loads(data)
    if kept["shape"] != _SHAPE:
        raise ValueError(f"shape {kept['shape']!r}")
    return kept


def _matches(kept: Mapping[str, Any]) -> tuple[Match, ...]:
    return tuple([Match(**_with_message(Match, match)) for match in kept["matches"]])


def _versions(kept: Mapping[str, Any]) -> tuple[Version, ...]:
    return tuple(
        Version(version["kind"], tuple(version["records"]))
        for version in (_with_message(Version, each) for each in kept["versions"])
    )


def _damage(exc: Exception) -> ValueError:
    return ValueError(f"not a hit as this release writes it: {exc!r}")


def record_values(record: Record) -> dict[str, Any]:
    """Field -> value of a record, as JSON has it; empty ones are left out."""
    return _fields(record)


def record_of(values: Mapping[str, Any]) -> Record:
    """Raises TypeError: the values are of another release."""
    return _record(values)


def dump(values: Any) -> bytes:
    """JSON of what such values are part of; ASCII where they hold what UTF-8 cannot."""
    try:
        return orjson.dumps(values)
    except TypeError:  # a lone surrogate, or a number of more than 64 bits; a record may hold both
        return _ENCODER.encode(values).encode("ascii")


def _fields(of: Author | Match | Reason | Record | Version) -> dict[str, Any]:
    """Empty ones are left out of a record and its authors."""
    names = _NAMES[type(of)]
    if not isinstance(of, Author | Record):
        values = {name: getattr(of, name) for name in names}
        if isinstance(text := values[_TEXTS[type(of)]], Message):
            values["message"] = message_to_json(text)
        return values
    return {
        name: value if value.__class__ in _AS_THEY_ARE else _plain(value)
        for name in names
        if (value := getattr(of, name)) is not None and value != "" and value != ()
    }


def _with_message(kind: type, kept: Mapping[str, Any]) -> dict[str, Any]:
    values, name = dict(kept), _TEXTS[kind]
    if held := values.pop("message", None):
        values[name] = message_from_json(values[name], held)
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_fields(part) if isinstance(part, Author) else part for part in value]
    return dict(value) if isinstance(value, Mapping) else value


def _record(kept: Mapping[str, Any]) -> Record:
    values = dict(kept)
    for name in values.keys() & {*TEXTS}:
        values[name] = tuple(values[name])
    for name in values.keys() & {*PEOPLE}:
        values[name] = tuple([new_author(**author) for author in values[name]])
    return new_record(**values)
