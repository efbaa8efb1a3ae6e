"""The JSON Schema of a spec, for editors that complete and check TOML (taplo, Even Better TOML,
Zed, JetBrains).

The schema is made from the tables of the spec reader, so both always agree. A schema cannot express
that a selector compiles, or that a placeholder is known: `metasearch sources check` checks this.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from metasearch.adapters.specs.shape_tables import RECORD_FIELDS
from metasearch.adapters.specs.tables import CHOICES, KEYS
from metasearch.bib import converters
from metasearch.query.tree import FIELDS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_TRUTH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number", "minimum": 0}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_ANY_TABLE: Schema = {"type": "object"}
_TEMPLATE: Schema = {"anyOf": [_TEXT, _TEXTS, _WHOLE]}
_TEMPLATES: Schema = {"type": "object", "additionalProperties": _TEMPLATE}

#: Keys whose values are not strings, by table.
_KINDS: dict[str, Schema] = {
    "languages": _TEXTS,
    "default": _TRUTH,
    "enabled": _TRUTH,
    "weight": _NUMBER,
    "request.params": _TEMPLATES,
    "request.headers": _TEMPLATES,
    "request.body": _TEMPLATES,
    "request.json": _ANY_TABLE,
    "request.redirects": _TEXTS,
    "request.newest.params": _TEMPLATES,
    "request.newest.body": _TEMPLATES,
    "request.newest.json": _ANY_TABLE,
    "enrich.request.params": _TEMPLATES,
    "enrich.request.headers": _TEMPLATES,
    "query.joined": {"type": "array", "items": {"enum": list(FIELDS)}},
    "query.types": _ANY_TABLE,
    "query.languages": {"anyOf": [_TEXT, _TEXTS, _ANY_TABLE]},
    "query.either": _ANY_TABLE,
    "query.truncated_least": _WHOLE,
    "query.wider": {"type": "array", "items": {"enum": list(FIELDS)}},
    "query.scored": _TRUTH,
    "paging.size": _WHOLE,
    "paging.window": _WHOLE,
    "auth.required": _TRUTH,
    "auth.login": _ANY_TABLE,
    "parse.bare": _TRUTH,
    "parse.promises": {"type": "array", "items": {"enum": sorted(RECORD_FIELDS)}},
    "field.at": {"anyOf": [_TEXT, _TEXTS]},
    "field.as": {"enum": sorted(converters.CONVERTERS)},
    "field.map": {"type": "object", "additionalProperties": _TEXT},
    "field.value": {"type": ["string", "boolean", "integer"]},
} | {f"limits.{name}": _TEXT if name == "stated" else _NUMBER for name in KEYS["limits"]}


def schema() -> Schema:
    """Returns the schema of a spec file, JSON Schema 2020-12."""
    rule = {"anyOf": [_TEXT, {"type": "array"}, _table("field")]}
    fields = {
        "type": "object",
        "properties": dict.fromkeys(sorted(RECORD_FIELDS), rule),
        "additionalProperties": False,
    }
    ids = {"type": "object", "additionalProperties": rule}
    query = _table("query")
    templates = {
        "type": "object",
        "properties": dict.fromkeys(FIELDS, _TEXT),
        "additionalProperties": False,
    }
    query["properties"] |= {
        "fields": templates,
        "phrases": templates,
        "years": _table("query.years"),
    }
    also = _table("parse")
    also["properties"] |= {"fields": fields, "ids": ids, "same_envelope": _TRUTH, "like": _TEXT}
    enrich = _table("enrich", skip=("request",))
    enrich["properties"] |= {"request": _table("enrich.request")}
    request = _table("request", skip=("newest",))
    request["properties"] |= {"newest": _table("request.newest")}
    whole = _table(
        "",
        skip=(
            "request",
            "query",
            "paging",
            "auth",
            "limits",
            "enrich",
            "parse",
            "fields",
            "ids",
            "also",
        ),
    )
    whole["properties"] |= {
        "request": request,
        "query": query,
        "paging": _table("paging"),
        "auth": {"type": "object", "additionalProperties": _table("auth")},
        "limits": _table("limits"),
        "enrich": enrich,
        "parse": _table("parse"),
        "fields": fields,
        "ids": ids,
        "also": {"type": "array", "items": also},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "metasearch source",
        "required": ["name"],
        **whole,
    }


def _table(name: str, skip: Iterable[str] = ()) -> Schema:
    prefix = f"{name}." if name else ""
    properties: dict[str, Any] = {}
    for key in sorted(KEYS[name] - set(skip)):
        choices = CHOICES.get(prefix + key)
        properties[key] = {"enum": list(choices)} if choices else _KINDS.get(prefix + key, _TEXT)
    return {"type": "object", "properties": properties, "additionalProperties": False}
