"""A whole hit as JSON, to be read back as it was: its records, and why they are one work.

This is for what metasearch keeps for itself (`metasearch/engine/works.py`); other programs read the
answer (`answer.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, assert_never

import orjson

from metasearch.errors import FormatError
from metasearch.events import (
    Added,
    FacetsChanged,
    Finished,
    Grown,
    Joined,
    Order,
    SearchEvent,
    SourceProgress,
    Started,
)
from metasearch.formats.answer import (
    answer_around,
    facets_object,
    hit_json,
    hit_object,
    reason_object,
    report_object,
)
from metasearch.formats.text import clean
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


# The stream: each `SearchEvent` as one object, written as an NDJSON line or a server-sent event.
#
#     start   id, query, sources, deadline
#     source  a source report; the whole state of that source, again and again
#     hit     a new hit, whole; rank and score are 0 until the end
#     update  a known hit, whole: replace it
#     merge   id, absorbed, hit: drop the absorbed ones, put the hit under id
#     facets  works, facets: the counts as of now; replace them
#     order   ids: all hits in the order of the list, as of now
#     done    the answer, with no more of its hits than id, rank, score and reasons
#
# `fold` is the reference client: what it makes of a stream is the JSON answer of the same search.

#: What "event" is.
_NAMES_EVENTS: Mapping[type[SearchEvent], str] = {
    Started: "start",
    SourceProgress: "source",
    Added: "hit",
    Grown: "update",
    Joined: "merge",
    FacetsChanged: "facets",
    Order: "order",
    Finished: "done",
}


def event_object(event: SearchEvent) -> dict[str, Any]:
    """One line of the stream; "event" is its first key."""
    return {"event": _NAMES_EVENTS[type(event)], **_content(event)}


def _content(event: SearchEvent) -> dict[str, Any]:
    match event:
        case Added(hit) | Grown(hit):
            return hit_object(hit)
        case Joined(hit):
            return _merge(event, hit_object(hit))
        case Order(ids):
            return {"ids": [clean(i) for i in ids]}
        case FacetsChanged(facets):
            return facets_object(facets) or {}
        case SourceProgress(report):
            return report_object(report)
        case Started(id_, query, sources, deadline):
            return {
                "id": clean(id_),
                "query": clean(query),
                "sources": list(sources),
                "deadline": deadline,
            }
        case Finished(answer):
            return answer_around(answer, [ranked_object(hit) for hit in answer.hits])
        case _:
            assert_never(event)


def _merge(event: Joined, hit: Any) -> dict[str, Any]:
    return {
        "id": clean(event.hit.id),
        "absorbed": [clean(name) for name in event.absorbed],
        "hit": hit,
    }


def ranked_object(hit: Hit) -> dict[str, Any]:
    """One entry of "hits" of the last event."""
    return {
        "id": clean(hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [reason_object(reason) for reason in hit.reasons],
    }


def event_json(event: SearchEvent) -> bytes:
    """`event_object` as JSON, for less."""
    match event:
        case Added(hit) | Grown(hit):
            written = hit_json(hit)
        case Joined(hit):
            written = orjson.dumps(_merge(event, orjson.Fragment(hit_json(hit))))
        case _:
            written = orjson.dumps(_content(event))
    return b'{"event":"%b",%b' % (_NAMES_EVENTS[type(event)].encode(), written[1:])


def ndjson(event: SearchEvent) -> bytes:
    """The event as one line of NDJSON."""
    return event_json(event) + b"\n"


def sse(event: SearchEvent, event_id: int | str) -> bytes:
    """The event as one server-sent event with `event:`, `id:` and `data:`.

    `event_id`: what a browser sends back as `Last-Event-ID` when it reconnects. Raises ValueError:
    the id holds a line break or NUL, which would end the field early or void it.
    """
    shown = str(event_id)
    if any(char in shown for char in "\r\n\0"):
        raise ValueError(f"{shown!r} cannot be the id of an event")
    # JSON escapes line breaks, so the data is always one line.
    return b"event: %b\nid: %b\ndata: %b\n\n" % (
        _NAMES_EVENTS[type(event)].encode(),
        shown.encode(),
        event_json(event),
    )


def fold(lines: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer that a stream of event objects amounts to; the reference client.

    `start`, `source` and `order` serve clients that show a search while it runs; `done` repeats
    what is final in them. Events of unknown kinds are passed over, so that kinds can be added.
    Raises FormatError: the stream ends before `done`, or `done` lists a hit that was never sent.
    """
    hits: dict[str, dict[str, Any]] = {}
    for event in lines:
        match event["event"]:
            case "hit" | "update":
                hits[event["id"]] = {
                    name: value for name, value in event.items() if name != "event"
                }
            case "merge":
                for gone in event["absorbed"]:
                    hits.pop(gone, None)
                hits[event["id"]] = dict(event["hit"])
            case "done":
                unknown = [ranked["id"] for ranked in event["hits"] if ranked["id"] not in hits]
                if unknown:
                    raise FormatError(
                        f"`done` lists hits that the stream never sent: {', '.join(unknown[:5])}"
                    )
                answer = {name: value for name, value in event.items() if name != "event"}
                answer["hits"] = [hits[ranked["id"]] | ranked for ranked in event["hits"]]
                return answer
    raise FormatError(
        "the stream broke off before `done`",
        advice="Search again; what came so far may be incomplete.",
    )
