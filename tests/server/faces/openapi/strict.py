"""The schemas of the document, in which no key is allowed that they do not name."""

from __future__ import annotations

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
