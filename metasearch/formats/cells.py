"""What a cell of a table may hold, such as NaN or a number of numpy's, read for `record_of`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from metasearch.bib.field_limits import LIMITS, MOST_FOUND
from metasearch.errors import UsageError
from metasearch.formats.reading import values
from metasearch.record import Author


def python_value(value: Any) -> Any:
    """A number of numpy's as one of Python's."""
    item: Callable[[], Any] | None = getattr(value, "item", None)
    return item() if item and type(value).__module__ == "numpy" and value.ndim == 0 else value


def is_nothing(value: Any) -> bool:
    """None, "", and tables' nothing: NaN, NaT, NA of pandas, unequal to themselves."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, Real):
        return math.isnan(value)
    return type(value).__name__ in ("NaTType", "NAType")


def text_of(field: str, value: Any) -> str:
    """The text of a cell: a text or a number, as spreadsheets make of volumes and ids."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value):
        number = float(value)
        return str(int(number)) if number.is_integer() else str(number)
    if not isinstance(value, str):
        raise wrong(field, value, "a text or a number")
    limit = LIMITS.get(field, LIMITS["ids"])
    # What is kept whole or not at all is not markup either, and its readers look at so many
    # characters.
    most = min(limit.text, values.SHORT) if limit.whole else limit.given
    if len(value) > most:
        raise UsageError(f"{field} has more than {most:,} characters")
    return values.text(value)


def items_of(field: str, value: Any) -> list[Any]:
    """The items of a list, without those that are nothing; of one text or number, itself."""
    if isinstance(value, str | Author | Mapping) or not isinstance(value, Iterable):
        return [] if is_nothing(value) else [value]
    items: list[Any] = []
    for item in value:
        if len(items) >= MOST_FOUND:
            raise UsageError(f"{field} has more than {MOST_FOUND:,} entries")
        if not is_nothing(item):
            items.append(python_value(item))
    return items


def wrong(field: str, value: Any, wanted: str) -> UsageError:
    """The error of a value that is no such thing; it names the field. `wanted`: what the field
    takes: "a text or a number".
    """
    shown = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    return UsageError(
        f"{field} must be {wanted}, is {shown if len(shown) <= 80 else shown[:79] + '…'}"
    )
