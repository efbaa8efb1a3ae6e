"""JSON schemas of what the tools return."""

from __future__ import annotations

from typing import Any

from metasearch.engine.options import OPTIONS

_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_NUMBER, _WHOLE, _YES = {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
_NOTES = {**_TEXTS, "description": "What was cut, changed or not understood, a sentence each."}


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _list_of(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties, *required)}


_ALIKE = _list_of(
    {"sources": _TEXTS, "status": _TEXT, "reason": _TEXT}, "sources", "status", "reason"
)
_SOURCES = _object(
    {
        "answered": _TEXTS,
        "failed": _ALIKE,
        "not_asked": _ALIKE,
        "running": _TEXTS,
    },
    "answered",
)
_RESULT = {
    "id": {**_TEXT, "description": "For fetch and explain; it is known for a day."},
    "title": _TEXT,
    "url": _TEXT,
    "authors": _TEXTS,
    "year": _WHOLE,
    "venue": _TEXT,
    "doi": _TEXT,
}
_OF_ANSWER = {
    "query": {**_TEXT, "description": "The query as it was understood."},
    "complete": {**_YES, "description": "False where a source failed or was too slow."},
    "found": _object({"works": _WHOLE, "records": _WHOLE}, "works", "records"),
    "sources": _SOURCES,
    "notes": _NOTES,
}
_FACET = _object(
    {
        "values": _list_of({"value": _TEXT, "count": _WHOLE, "filter": _TEXT}, "value", "count"),
        "more": _WHOLE,
        "missing": _WHOLE,
    },
    "values",
)

SEARCH = _object(
    {
        "results": _list_of({**_RESULT, "text": _TEXT}, "id", "title", "url"),
        **_OF_ANSWER,
    },
    "results",
    *_OF_ANSWER,
)
FETCH = _object(
    {
        "id": _TEXT,
        "title": _TEXT,
        "text": _TEXT,
        "url": _TEXT,
        "metadata": {"type": "object"},
        "sources": _SOURCES,
    },
    "id",
    "title",
    "text",
    "url",
    "metadata",
)
SEARCH_PAPERS = _object(
    {
        "works": _list_of(
            {
                **_RESULT,
                "rank": _WHOLE,
                "type": _TEXT,
                "pdf_url": _TEXT,
                "abstract": _TEXT,
                "language": _TEXT,
                "citations": _WHOLE,
                "open_access": _TEXT,
                "retracted": _YES,
                "sources": _TEXTS,
            },
            "id",
            "title",
            "url",
        ),
        "start": _WHOLE,
        "next_start": {
            "type": ["integer", "null"],
            "description": "The start of the next page; null at the end of the list.",
        },
        "sort": _TEXT,
        "filter": _TEXT,
        "total": {
            "type": ["object", "null"],
            "description": "How many works there may be in all, and how sure that is.",
        },
        "facets": {"type": ["object", "null"], "additionalProperties": _FACET},
        **_OF_ANSWER,
    },
    "works",
    "start",
    "next_start",
    *_OF_ANSWER,
)
LIST_SOURCES = _object(
    {
        "sources": _list_of(
            {
                "name": _TEXT,
                "label": _TEXT,
                "default": _YES,
                "status": _TEXT,
                "coverage": _TEXT,
            },
            "name",
            "label",
            "default",
            "status",
        ),
        "groups": _TEXTS,
        "notes": _NOTES,
    },
    "sources",
    "groups",
    "notes",
)
EXPLAIN = _object(
    {
        "id": _TEXT,
        "title": _TEXT,
        "rank": _WHOLE,
        "score": _NUMBER,
        "ranked_because": _list_of({"text": _TEXT, "points": _NUMBER}, "text", "points"),
        "merged_because": _list_of(
            {"records": _TEXTS, "verdict": _TEXT, "because": _TEXT}, "records", "because"
        ),
        "records": _list_of(
            {"record": _TEXT, "title": _TEXT, "year": _WHOLE, "doi": _TEXT}, "record"
        ),
        "field_sources": _list_of({"field": _TEXT, "source": _TEXT}, "field", "source"),
        "query": _TEXT,
        "syntax": {"type": "string", "description": OPTIONS["syntax"].help},
        "query_notes": _TEXTS,
        "sources": _list_of(
            {
                "source": _TEXT,
                "asked": _YES,
                "query": _TEXT,
                "filtered_afterwards": _TEXT,
                "lost": _TEXTS,
                "reason": _TEXT,
            },
            "source",
            "asked",
        ),
        "notes": _NOTES,
    },
    "notes",
)
