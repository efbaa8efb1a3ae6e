"""The stream: each `SearchEvent` as one object, written as an NDJSON line or a server-sent event.

    start   id, query, sources, deadline
    source  a source report; the whole state of that source, again and again
    hit     a new hit, whole; rank and score are 0 until the end
    update  a known hit, whole: replace it
    merge   id, absorbed, hit: drop the absorbed ones, put the hit under id
    facets  works, facets: the counts as of now; replace them
    order   ids: all hits in the order of the list, as of now
    done    the answer, with no more of its hits than id, rank, score and reasons

`fold` is the reference client: what it makes of a stream is the JSON answer of the same search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from metasearch.record import Hit

#: What "event" is.
_NAMES: Mapping[type[SearchEvent], str] = {
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
    return {"event": _NAMES[type(event)], **_content(event)}


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
            return answer_around(answer, [rank_object(hit) for hit in answer.hits])
        case _:
            assert_never(event)


def _merge(event: Joined, hit: Any) -> dict[str, Any]:
    return {
        "id": clean(event.hit.id),
        "absorbed": [clean(name) for name in event.absorbed],
        "hit": hit,
    }


def rank_object(hit: Hit) -> dict[str, Any]:
    """An entry of "hits" of the last event."""
    return {
        "id": clean(hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [reason_object(reason) for reason in hit.reasons],
    }


def event_json(event: SearchEvent) -> bytes:
    match event:
        case Added(hit) | Grown(hit):
            written = hit_json(hit)
        case Joined(hit):
            written = orjson.dumps(_merge(event, orjson.Fragment(hit_json(hit))))
        case _:
            written = orjson.dumps(_content(event))
    return b'{"event":"%b",%b' % (_NAMES[type(event)].encode(), written[1:])


def ndjson(event: SearchEvent) -> bytes:
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
        _NAMES[type(event)].encode(),
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
