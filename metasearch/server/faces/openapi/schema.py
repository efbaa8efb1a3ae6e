"""JSON Schemas (2020-12) in short words, and descriptions from the docstrings of the types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from inspect import cleandoc
from typing import Any

#: A schema, or another object of OpenAPI, as JSON has it.
Schema = dict[str, Any]

_ATTRIBUTE = re.compile(r" {4}([a-z_]+(?:, [a-z_]+)*): ")


def text(**more: Any) -> Schema:
    """A text; `more` are further keywords, such as `description`."""
    return {"type": "string", **more}


def whole(**more: Any) -> Schema:
    """A whole number."""
    return {"type": "integer", **more}


def number(**more: Any) -> Schema:
    """Any number."""
    return {"type": "number", **more}


def yes_or_no(**more: Any) -> Schema:
    """A truth value."""
    return {"type": "boolean", **more}


def one_of(words: Iterable[str], **more: Any) -> Schema:
    """One of some words."""
    return {"type": "string", "enum": list(words), **more}


def listed(items: Schema, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", "items": items, **more}


def by_name(values: Schema, **more: Any) -> Schema:
    """An object whose names are not known before."""
    return {"type": "object", "additionalProperties": values, **more}


def ref(name: str) -> Schema:
    """The schema of this name in the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    made = {**schema, "type": [schema["type"], "null"]}
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return made


def thing(properties: Mapping[str, Schema], *, optional: Iterable[str] = (), **more: Any) -> Schema:
    """An object that has each of its properties, but for the optional ones.

    It may have others: keys may be added to an answer.
    """
    required = [name for name in properties if name not in set(optional)]
    return {"type": "object", "required": required, "properties": dict(properties), **more}


@cache
def attributes(kind: type) -> Mapping[str, str]:
    """Attribute -> its text in the docstring of a class, on one line; nothing where Python runs
    without docstrings.
    """
    section = cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    # A name stands four blanks from the margin; its text goes on eight blanks from it.
    entries = re.sub(r"\n {5,}", " ", section).splitlines()
    described: dict[str, str] = {}
    for entry in entries:
        names = _ATTRIBUTE.match(entry)
        if names is not None:
            sentence = entry[names.end() :].replace("`", "")
            described |= dict.fromkeys(names[1].split(", "), sentence)
    return described


def explained(properties: Mapping[str, Schema], *kinds: type) -> dict[str, Schema]:
    """The properties, each without a description with that of the attribute of the same name in the
    docstrings of the types; the first type that has it holds.
    """
    texts = {name: text for kind in reversed(kinds) for name, text in attributes(kind).items()}
    return {
        name: {"description": texts[name], **schema} if name in texts else schema
        for name, schema in properties.items()
    }
