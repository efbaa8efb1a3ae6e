"""A value of a table of strangers as the text that the reader of CSV takes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

#: Names that a table may have for the whole name of a person.
_WHOLE = ("name", "full_name", "fullname", "display_name", "literal", "author")
_FAMILY = ("family", "last", "last_name", "lastname", "surname", "family_name")
_GIVEN = ("given", "first", "first_name", "firstname", "given_name", "forename")


def text_of(value: Any) -> str:
    """The text of a cell; "" for nothing. Lists are joined by semicolons, people are written
    "Family, Given", other tables as "key:value".
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, list):
        items = (text_of(item).replace(";", ",") for item in value)
        return "; ".join(item for item in items if item)
    if isinstance(value, Mapping):
        return _of_table(value)
    return ""


def _of_table(value: Mapping[str, Any]) -> str:
    family, given, whole = (_first(value, names) for names in (_FAMILY, _GIVEN, _WHOLE))
    if family or whole:
        return ", ".join(filter(None, (family, given))) if family else whole
    pairs = ((key, text_of(item).replace(";", ",")) for key, item in value.items())
    return "; ".join(f"{key}:{item}" for key, item in pairs if item)


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = (value.get(name) for name in names)
    return next((text for text in found if isinstance(text, str) and text), "")
