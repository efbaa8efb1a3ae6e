"""JSON that Python's own parser reads: what orjson refuses, and what orjson would take long for.

orjson is strict, and it blocks all other threads until it has read the whole body.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import orjson

#: Lines of a body that are tried as JSON, one by one.
_MOST_LINES = 100_000
#: Digits beyond which a whole number is no number that a double can hold, and takes Python
#: quadratic time to read.
_LONGEST_NUMBER = 300
#: Whole numbers that orjson keeps as such.
_WHOLE = range(-(2**63), 2**64)
#: How halves of a character begin where they are escaped, as other characters do, too.
_SURROGATES = ("\\ud", "\\uD")


def in_python(text: str, *, lenient: bool = False) -> Any:
    """A JSON text as orjson would return it; other threads get a turn at each object and number.

    `lenient`: whether it may contain NaN, infinite numbers and control characters. Raises
    ValueError: it is not JSON.
    """
    value = json.loads(
        text,
        object_pairs_hook=_object,
        parse_int=_whole if lenient else _strictly(_whole),
        parse_float=_finite if lenient else _strictly(_finite),
        parse_constant=_no_number if lenient else _strictly(_no_number),
        strict=not lenient,
    )
    return _legal(value) if any(sign in text for sign in _SURROGATES) else value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    # Unlike `dict` itself, a function written in Python lets other threads have a turn.
    return dict(members)


def _whole(digits: str) -> float | None:
    number = int(digits) if len(digits) <= _LONGEST_NUMBER else None
    return number if number is None or number in _WHOLE else float(number)


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _no_number(_: str) -> None:
    return None


def _strictly(read: Callable[[str], float | None]) -> Callable[[str], float]:
    def strict(digits: str) -> float:
        number = read(digits)
        if number is None:
            raise ValueError(f"{digits[:20]} is no number")
        return number

    return strict


def _legal(value: Any) -> Any:
    """The value without lone surrogates, which no text may contain.

    It is edited in place, without recursion.
    """
    whole = [value]
    parts: list[Any] = [whole]
    while parts:
        part = parts.pop()
        for key, inner in list(part.items() if isinstance(part, dict) else enumerate(part)):
            if isinstance(inner, str):
                part[key] = inner.encode("utf-8", "replace").decode()
            elif isinstance(inner, (dict, list)):
                parts.append(inner)
        if isinstance(part, dict) and any(not key.isprintable() for key in part):
            members = {
                key.encode("utf-8", "replace").decode(): inner for key, inner in part.items()
            }
            part.clear()
            part.update(members)
    return whole[0]


def json_lines(body: bytes) -> list[Any] | None:
    """One JSON value for each line, as in dumps; None where any line is something else."""
    if body.count(b"\n") > _MOST_LINES:
        return None
    try:
        return [orjson.loads(line) for line in body.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        return None
