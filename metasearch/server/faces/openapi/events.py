"""The shapes of the events of a stream: what `formats.events` writes.

A stream has no schema as a whole, so each event has one, and `SearchEvent` is any of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.events import Joined, Order, Started
from metasearch.server.faces.openapi.answers import (
    FACETS_PROPERTIES,
    HIT_PROPERTIES,
    PLACE,
    REPORT_PROPERTIES,
    answer_properties,
)
from metasearch.server.faces.openapi.schema import (
    Schema,
    explained,
    listed,
    number,
    ref,
    text,
    thing,
)

#: `event` -> (name in the document, its other members, what it is).
_EVENTS: Mapping[str, tuple[str, Mapping[str, Schema], str]] = {
    "start": (
        "StartEvent",
        explained(
            {"id": text(), "query": text(), "sources": listed(text()), "deadline": number()},
            Started,
        ),
        "The search is planned.",
    ),
    "source": (
        "SourceEvent",
        REPORT_PROPERTIES,
        "The whole state of one source, each time it changes.",
    ),
    "hit": ("HitEvent", HIT_PROPERTIES, "A new hit; its rank and score are 0."),
    "update": ("UpdateEvent", HIT_PROPERTIES, "A changed hit, whole: replace it."),
    "merge": (
        "MergeEvent",
        {
            "id": text(description="The id of the hit."),
            "absorbed": listed(text(), description="Ids of hits to remove."),
            **explained({"hit": ref("Hit")}, Joined),
        },
        "Hits that were shown apart are one: remove the absorbed ones, put the hit under its id.",
    ),
    "order": (
        "OrderEvent",
        explained({"ids": listed(text())}, Order),
        "All hits in the current order of the list.",
    ),
    "facets": ("FacetsEvent", FACETS_PROPERTIES, "The counts as of now: replace them."),
    "done": (
        "DoneEvent",
        answer_properties(ref("Place")),
        "The end: the answer, with no more of its hits than their places.",
    ),
}
#: Name in the document -> schema.
SCHEMAS: Mapping[str, Schema] = {
    "SearchEvent": {
        "oneOf": [ref(name) for name, _, _ in _EVENTS.values()],
        "discriminator": {
            "propertyName": "event",
            "mapping": {
                kind: f"#/components/schemas/{name}" for kind, (name, _, _) in _EVENTS.items()
            },
        },
        "description": "One line of `format=ndjson`, and the data of one event of `format=sse`. "
        "Kinds may be added.",
    },
    **{
        name: thing({"event": text(const=kind), **members}, description=about)
        for kind, (name, members, about) in _EVENTS.items()
    },
    "Place": thing(PLACE, description="The place of a hit in the list."),
}
