"""What a search gives as plain JSON, field by field, whatever its types are made of: two releases
may hold the same values in a dataclass, a struct, or an object that computes them when asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

import orjson

from metasearch.record import Record

#: Name of a type -> its fields that are compared. A type that inherits from one of these has its
#: fields.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "Author": ("name", "family", "given", "orcid", "affiliation", "collective", "suffix"),
    "Record": tuple(Record.__annotations__),  # as the release that is run declares them
    "Match": ("matcher", "verdict", "score", "because", "left", "right"),
    "Reason": ("text", "points", "source"),
    "Version": ("kind", "records"),
    "Hit": (
        *("id", "record", "records", "provenance", "matches", "versions", "score", "rank"),
        *("reasons", "also"),
    ),
    "Added": ("hit",),
    "Grown": ("hit",),
    "Joined": ("hit", "absorbed"),
    "PageContent": ("records", "total", "next", "unread", "notes", "drifted", "left_out"),
    "Parsed": ("records", "total", "next", "unread", "notes", "drifted", "left_out"),  # before
    "Unread": ("position", "reason"),
    "Request": ("source", "url", "start", "size", "wanted", "step", "cursor"),
}
#: Types whose name belongs to what they say.
_NAMED = frozenset({"Added", "Grown", "Joined"})
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_NON_STR_KEYS


def written(value: object) -> bytes:
    """The value as JSON: equal bytes are equal values, in the same order.

    Raises:
        TypeError: It holds a type that `FIELDS` does not know.
    """
    return orjson.dumps(value, default=_plain, option=_OPTIONS)


def _plain(value: object) -> object:
    for kind in type(value).__mro__:
        if kind.__name__ in FIELDS:
            # a release before a field equals one that leaves it empty
            fields = ((name, getattr(value, name, None)) for name in FIELDS[kind.__name__])
            named = {name: field for name, field in fields if field not in (None, ())}
            return {"is": kind.__name__, **named} if kind.__name__ in _NAMED else named
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__qualname__} is not known to benchmarks/against/plain.py")


def digest(data: bytes) -> str:
    """A short name of bytes, the same on every machine."""
    return hashlib.sha256(data).hexdigest()[:12]


_ABSENT = object()


def differences(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, the one's value, the other's) of each place at which two JSON values differ; "absent"
    stands for what one of them does not have."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = [*one, *(name for name in other if name not in one)]
        for name in names:
            yield from differences(
                one.get(name, _ABSENT), other.get(name, _ABSENT), f"{path}.{name}"
            )
        if one == other and list(one) != list(other):
            yield f"{path} (order of keys)", list(one), list(other)
    elif isinstance(one, list) and isinstance(other, list):
        for number, (a, b) in enumerate(zip_longest(one, other, fillvalue=_ABSENT)):
            yield from differences(a, b, f"{path}[{number}]")
    elif one != other or type(one) is not type(other):
        yield path, _shown(one), _shown(other)


def _shown(value: Any) -> Any:
    return "absent" if value is _ABSENT else value
