"""The kinds of values in TOML, named in messages for readers who do not know Python."""

from __future__ import annotations

from typing import Any

_NAMES = {
    bool: "a boolean",
    str: "a string",
    int: "a whole number",
    float: "a number",
    list: "an array",
    dict: "a table",
}


def is_of(value: Any, kind: type | tuple[type, ...]) -> bool:
    """Whether a value is of a kind. A boolean is an int in Python, but no number in TOML."""
    return isinstance(value, kind) and (isinstance(value, bool) <= (kind is bool))


def mismatch(value: Any, kind: type | tuple[type, ...]) -> str:
    """Returns what is wrong with a value of another kind: "must be a number, is a string"."""
    wanted = "true or false" if kind is bool else _name(kind)
    actual = "a decimal number" if isinstance(value, float) else _name(type(value))
    return f"must be {wanted}, is {actual}"


def _name(kind: type | tuple[type, ...]) -> str:
    kinds = set(kind) if isinstance(kind, tuple) else {kind}
    if float in kinds:
        kinds.discard(int)
    return " or ".join(sorted(_NAMES.get(each, each.__name__) for each in kinds))
