"""What a selector found, whatever its form, as strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: A converter of converters.py: takes what a selector found, returns the value of a record's field,
#: or None. One that takes the record's node itself is given `Cuts` as well.
Converter = Callable[..., Any]


def strings(found: Any) -> list[str]:
    """Every string in what was found, in order, without the empty ones; numbers become text."""
    if isinstance(found, str):
        return [found] if found and not found.isspace() else []
    if found is None or found is False or found is True:
        return []
    if isinstance(found, (list, tuple)):
        out: list[str] = []
        for item in found:
            if type(item) is str:
                if item and not item.isspace():
                    out.append(item)
            else:
                out += strings(item)
        return out
    if isinstance(found, (int, float)):
        return [str(found)]
    if isinstance(
        found, dict
    ):  # "one or many" sources write {"text": "..."} or {"@value": "..."} for a string
        for name in ("text", "#text", "@value", "$", "value", "name"):
            if isinstance(found.get(name), str):
                return strings(found[name])
    return []


def first(found: Any) -> str | None:
    """The first string."""
    if isinstance(found, str):
        return found if found and not found.isspace() else None
    if type(found) is list and found:
        head = found[0]
        if type(head) is str and head and not head.isspace():
            return head
    return next(iter(strings(found)), None)
