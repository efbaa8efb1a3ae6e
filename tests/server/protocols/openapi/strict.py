"""The operations and references of the document, and its schemas, in which no key is allowed that
they do not name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator


def closed(schema: Any) -> Any:
    """The schema, and all in it, without further keys."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(each) for name, each in schema.items()}
    if made.get("type") == "object" and isinstance(made.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    return made


def check(document: dict[str, Any], name: str, *values: Any) -> None:
    """Raise a ValidationError unless each value is what the document calls by this name, and no
    more.
    """
    check_schema(document, {"$ref": f"#/components/schemas/{name}"}, *values)


def check_schema(document: dict[str, Any], schema: dict[str, Any], *values: Any) -> None:
    """The same for a schema."""
    root = {"components": closed(document["components"]), **closed(schema)}
    validator = Draft202012Validator(root)  # made once: its references take as long as a value
    for value in values:
        validator.validate(value)


def every(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(path, method, operation) of each."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def refs(value: Any) -> Iterator[str]:
    """All references in the document."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for each in value.values():
            yield from refs(each)
    elif isinstance(value, list):
        for each in value:
            yield from refs(each)
