"""JSON of what databases sent, without what no format may let through (`text.py`).

Nearly every object is clean. So it is first written as it is and looked at as a whole, which costs
a fraction of a look at each of its texts; only where something is amiss, each text is cleaned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from metasearch.formats.text import (
    clean,
    clean_all,
    clean_map,
    clean_or_none,
    exact_number,
    is_clean,
)

#: How orjson writes control characters that are no tab and no newline. A backslash before one of
#: these letters looks the same; its object is cleaned for nothing.
_CONTROL = re.compile(rb"\\[bfru]")
#: With which bytes all unwanted characters begin in UTF-8; few letters of Europe and none of East
#: Asia do.
_SUSPECT = (b"\x7f", b"\xc2", b"\xe2", b"\xef", b"\xf3")
#: ASCII that no JSON has as it is, or that is never unwanted.
_ASCII = bytes(range(0x7F))
#: Texts that stay "" where nothing is left of them; others become null.
_NEVER_NULL = frozenset(
    ("name", "text", "source", "kind", "matcher", "verdict", "because", "left", "right")
)


def clean_json(made: Mapping[str, Any]) -> bytes | None:
    """The object as JSON; None where something in it must be cleaned before, or seems so."""
    try:
        data = orjson.dumps(made, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:  # a lone surrogate, or a number that is not exact in every reader of JSON
        return None
    if b"\\" in data and _CONTROL.search(data):
        return None
    for byte in _SUSPECT:
        if byte in data:
            return data if is_clean(data.translate(None, _ASCII).decode()) else None
    return data


def cleaned(made: Mapping[str, Any]) -> dict[str, Any]:
    """The object with every text cleaned, and null for numbers that are not exact in every reader
    of JSON.

    `made`: its values are texts, numbers, lists of texts, lists of such objects, and tables of
    texts.
    """
    return {name: _cleaned(name, value) for name, value in made.items()}


def _cleaned(name: str, value: Any) -> Any:
    match value:
        case str():
            return clean(value) if name in _NEVER_NULL else clean_or_none(value)
        case bool():
            return value
        case int():
            return exact_number(value)
        case [{}, *_]:
            return [cleaned(each) for each in value]
        case list():
            return clean_all(value)
        case dict():
            return clean_map(value)
        case _:
            return value
