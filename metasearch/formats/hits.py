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

from metasearch.record import Author, Hit, Match, Reason, Record, Version, made_author, made_record

#: Of the shape below; a hit that was written in another one is not read.
_SHAPE = 1
#: Most values of a record.
_AS_THEY_ARE = frozenset({str, int, bool, float})
_OF_AUTHORS = frozenset({"authors", "editors"})
#: Fields of a record that hold several values; JSON has lists there.
_OF_MANY = frozenset(field.name for field in fields(Record) if field.default == ()) - _OF_AUTHORS
_NAMES: Mapping[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (Author, Match, Reason, Record, Version)
}
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
    return dumped(values)


def read(data: bytes) -> Hit:
    """The hit that `write` wrote. Raises ValueError: the bytes are damaged, or another release of
    metasearch wrote them.
    """
    try:
        kept = _loaded(data)
        return Hit(
            id=kept["id"],
            record=_record(kept["record"]),
            records=tuple(map(_record, kept["records"])),
            provenance=kept["provenance"],
            matches=_matches(kept),
            versions=_versions(kept),
            score=kept["score"],
            rank=kept["rank"],
            reasons=tuple(Reason(**reason) for reason in kept["reasons"]),
            also=tuple(kept["also"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damaged(exc) from exc


def read_matches(data: bytes) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
    """`Hit.matches` and `Hit.versions` of the hit that `write` wrote, without its records. Raises
    ValueError: as `read`.
    """
    try:
        kept = _loaded(data)
        return _matches(kept), _versions(kept)
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damaged(exc) from exc


def _loaded(data: bytes) -> Mapping[str, Any]:
    kept: Mapping[str, Any] = json.loads(data)
    if kept["shape"] != _SHAPE:
        raise ValueError(f"shape {kept['shape']!r}")
    return kept


def _matches(kept: Mapping[str, Any]) -> tuple[Match, ...]:
    return tuple([Match(**match) for match in kept["matches"]])


def _versions(kept: Mapping[str, Any]) -> tuple[Version, ...]:
    return tuple(
        Version(version["kind"], tuple(version["records"])) for version in kept["versions"]
    )


def _damaged(exc: Exception) -> ValueError:
    return ValueError(f"not a hit as this release writes it: {exc!r}")


def record_values(record: Record) -> dict[str, Any]:
    """Field -> value of a record, as JSON has it; empty ones are left out."""
    return _fields(record)


def record_of(values: Mapping[str, Any]) -> Record:
    """The record of these `record_values`. Raises TypeError: they are of another release."""
    return _record(values)


def dumped(values: Any) -> bytes:
    """JSON of what such values are part of; ASCII where they hold what UTF-8 cannot."""
    try:
        return orjson.dumps(values)
    except TypeError:  # a lone surrogate, or a number of more than 64 bits; a record may hold both
        return _ENCODER.encode(values).encode("ascii")


def _fields(of: Author | Match | Reason | Record | Version) -> dict[str, Any]:
    """Field -> value; those that are empty are left out of a record and its authors."""
    names = _NAMES[type(of)]
    if not isinstance(of, Author | Record):
        return {name: getattr(of, name) for name in names}
    return {
        name: value if value.__class__ in _AS_THEY_ARE else _plain(value)
        for name in names
        if (value := getattr(of, name)) is not None and value != "" and value != ()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_fields(part) if isinstance(part, Author) else part for part in value]
    return dict(value) if isinstance(value, Mapping) else value


def _record(kept: Mapping[str, Any]) -> Record:
    values = dict(kept)
    for name in _OF_MANY & values.keys():
        values[name] = tuple(values[name])
    for name in _OF_AUTHORS & values.keys():
        values[name] = tuple([made_author(**author) for author in values[name]])
    return made_record(**values)
