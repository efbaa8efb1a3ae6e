"""The values of Arrow's arrays as plain ones of Python, one by one, so that no more than a row is
unpacked at once: what a file says once in a dictionary, a million rows may repeat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Bytes of one text, in UTF-8.
LONGEST = 4_000_000
#: Entries of one list.
MOST_ITEMS = 20_001

#: Gives the value at a place of an array.
Values = Callable[[int], Any]


def values_of(array: Any) -> Values:
    """What gives the value at a place: None, a text, a number, a date, a list or a dict; maps are
    dicts. Of a list longer than `MOST_ITEMS`, only so many are given.

    `array`: a `pyarrow.Array`. Raises ValueError: (when a value is asked for) A text is longer than
    `LONGEST`.
    """
    from pyarrow import types

    kind = array.type
    if types.is_dictionary(kind):
        return _nullable(array, _of_dictionary(array))
    if types.is_map(kind):
        return _nullable(array, _of_map(array))
    if types.is_list(kind) or types.is_large_list(kind):
        return _nullable(array, _of_list(array.offsets.to_pylist(), values_of(array.values)))
    if types.is_fixed_size_list(kind):
        return _nullable(array, _of_scalars(array))
    if types.is_struct(kind):
        return _nullable(array, _of_struct(array))
    if _is_text(kind):
        return _of_texts(array)
    if types.is_timestamp(kind):
        return _of_dates(array)
    return _of_scalars(array)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _nullable(array: Any, values: Values) -> Values:
    if not array.null_count:
        return values
    valid = array.is_valid().to_pylist()
    return lambda place: values(place) if valid[place] else None


def _of_dictionary(array: Any) -> Values:
    codes = array.indices.to_pylist()
    texts = values_of(array.dictionary)
    known: dict[int, Any] = {}  # rows share the objects of what they repeat

    def value(place: int) -> Any:
        code = codes[place]
        if code not in known:
            known[code] = texts(code)
        return known[code]

    return value


def _of_texts(array: Any) -> Values:
    import pyarrow as pa

    # Bytes are not taken for UTF-8 before they are looked at.
    plain = array.cast(pa.large_binary())

    def value(place: int) -> str | None:
        scalar = plain[place]
        buffer = scalar.as_buffer()
        if buffer is None:
            return None
        if buffer.size > LONGEST:
            raise ValueError(f"it has a text of more than {LONGEST:,} bytes")
        return str(buffer.to_pybytes(), "utf-8", "replace")

    return value


def _of_list(offsets: list[int], values: Values) -> Values:
    def value(place: int) -> list[Any]:
        first, end = offsets[place], offsets[place + 1]
        return [values(item) for item in range(first, min(end, first + MOST_ITEMS))]

    return value


def _of_map(array: Any) -> Values:
    keys = _of_list(array.offsets.to_pylist(), values_of(array.keys))
    items = _of_list(array.offsets.to_pylist(), values_of(array.items))

    def value(place: int) -> dict[Any, Any]:
        return dict(zip(keys(place), items(place), strict=True))

    return value


def _of_struct(array: Any) -> Values:
    parts = [
        (field.name, values_of(part))
        for field, part in zip(array.type, array.flatten(), strict=True)
    ]
    return lambda place: {name: part(place) for name, part in parts}


def _of_dates(array: Any) -> Values:
    """Of a moment the day, which is all that a record has of it."""
    import pyarrow as pa

    return _of_scalars(array.cast(pa.date32(), safe=False))


def _of_scalars(array: Any) -> Values:
    return lambda place: array[place].as_py()
