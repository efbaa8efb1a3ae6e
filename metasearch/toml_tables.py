"""The kinds of values in TOML, named in messages for readers who do not know Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin

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


# Tables of TOML, read into dataclasses.
#
# A key is declared once, where its value goes: as a field with a type and a default, and with `key`
# where there is more to say. From that come the keys that a table may have, the kinds of their
# values and all messages about wrong ones; and for settings their lines in docs/configuration.md.
#
# A class that is read so has real annotations, not strings: its module does without
# `from __future__ import annotations`.

Table = Mapping[str, Any]
#: Takes a reader, a value of the right kind and its place; returns what the field holds. What is
#: wrong is added to the problems of the reader, and the value that is returned then is of no use.
Check = Callable[[Any, Any, str], Any]
T = TypeVar("T")

#: The metadata of a field that no key sets.
NO_KEY: Mapping[str, Any] = {"key": None}
#: Types of fields -> kinds of TOML, where they are not the same.
_KINDS: Mapping[Any, type | tuple[type, ...]] = {
    float: (int, float),
    Path: str,
    tuple: list,
    frozenset: list,
    Mapping: dict,
    Any: object,
}


class TomlKey(NamedTuple):
    """What is known of a key.

    Attributes:
        field: The field that holds its value.
        kind: The kinds of TOML that its value may have.
        choices: All values, where they are a closed list.
        inner: The dataclass that a table is read into.
        check: See `Check`.
        place: "table.key", of a key that belongs to another table than its neighbours; or "table".
        variable: The variable of the environment that comes before the file.
        help: What it means, and other values, for docs/configuration.md.
        example: A value for that page, as TOML; the default if there is none.
        schema: What an editor is told of its value, as JSON Schema, where the kind says too little.
    """

    field: str
    kind: type | tuple[type, ...]
    choices: tuple[str, ...] = ()
    inner: type | None = None
    check: Check | None = None
    place: str = ""
    variable: str = ""
    help: str = ""
    example: str = ""
    schema: Mapping[str, Any] | None = None


def key(default: T, check: Check | None = None, *, repr: bool = True, **more: Any) -> T:  # noqa: A002
    """A field with a key of which more is known than type and default. `more`: attributes of `Key`,
    and `name`, that of the field by default. The kind is that of the type, if no other one is set.
    """
    about = {"key": {"check": check, **more}}
    # A table cannot be a default itself.
    return field(default_factory=lambda: default, repr=repr, metadata=about)


@cache
def keys_of(kind: type) -> Mapping[str, TomlKey]:
    """The keys that the fields of a dataclass declare, by their names."""
    keys: dict[str, TomlKey] = {}
    for each in fields(kind):
        about = each.metadata.get("key", {})
        if about is not None:
            more = {name: value for name, value in about.items() if name != "name"}
            keys[about.get("name", each.name)] = _key(each.name, each.type, more)
    return keys


def _key(name: str, annotation: Any, more: Mapping[str, Any]) -> TomlKey:
    if isinstance(annotation, UnionType):
        annotation = get_args(annotation)[0]
    origin = get_origin(annotation) or annotation
    found: dict[str, Any]
    if origin is Literal:
        found = {"kind": str, "choices": get_args(annotation)}
    elif is_dataclass(origin):
        found = {"kind": dict, "inner": annotation}
    else:
        found = {"kind": _KINDS.get(origin, origin)}
    return TomlKey(name, **{**found, **more})


class TableReader:
    """Reads tables, and gathers what is wrong with them.

    A value that is wrong adds a problem, "table.key: what is wrong; what is allowed", and the
    default stands in its place. `problems`: everything that is wrong, in the order in which it was
    noticed. `env`: the variables of the environment that come before a file.
    """

    env: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.problems: list[str] = []

    def wrong(self, where: str, what: str) -> None:
        """Adds a problem. `where`: the place: "table.key", or the name of a variable."""
        self.problems.append(f"{where}: {what}")

    def check_keys(self, table: Table, allowed: Mapping[str, Any], where: str) -> None:
        for name in table:
            if name not in allowed:
                listed = ", ".join(sorted(allowed))
                self.wrong(below(where, name), f"unknown key; allowed are {listed}")

    def values(self, keys: Mapping[str, TomlKey], table: Table, where: str) -> dict[str, Any]:
        """The values of a table, or of variables, that are right, by their fields; the others are
        left to the defaults. Keys that are not known are not looked for.
        """
        values: dict[str, Any] = {}
        for name, declared in keys.items():
            place = below(where, name)
            given = name in table and self.is_kind(table[name], declared.kind, place)
            if declared.variable and self.env.get(declared.variable):
                variable = declared.variable
                values[declared.field] = self.value(declared, self.env[variable], variable)
            elif given:
                values[declared.field] = self.value(declared, table[name], place)
        return values

    def read(self, kind: Callable[..., T], table: Table, where: str, **others: Any) -> T:
        """The dataclass of a table. `others`: the fields that no key sets."""
        self.check_keys(table, keys_of(kind), where)
        return kind(**self.values(keys_of(kind), table, where), **others)

    def is_kind(self, value: Any, kind: type | tuple[type, ...], where: str) -> bool:
        if kind is object or (isinstance(value, Mapping) if kind is dict else is_of(value, kind)):
            return True
        self.wrong(where, mismatch(value, kind))
        return False

    def value(self, declared: TomlKey, value: Any, where: str) -> Any:
        """What a field holds for a value of the right kind."""
        if declared.kind is list:
            value = self.strings(value, where)
        if declared.check is not None:
            return declared.check(self, value, where)
        if declared.inner is not None:
            return self.read(declared.inner, value, where)
        return one_of(declared.choices)(self, value, where) if declared.choices else value

    def strings(self, value: Any, where: str) -> tuple[str, ...]:
        """The strings of an array; () and a problem if the value is something else."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.wrong(where, "must be a list of strings")
        return ()


def below(where: str, name: str) -> str:
    """The place of a key in a table; "" is the place of the whole file."""
    return f"{where}.{name[:80]}" if where else name[:80]


def one_of(choices: tuple[str, ...], advice: str = "", *, repeat: bool = True) -> Check:
    """A check of a value from a closed list. `repeat`: whether the message may repeat the value,
    which may not be known to others where secrets stand beside it.
    """

    def check(reader: TableReader, value: str, where: str) -> str:
        if value not in choices:
            what = f"{value[:80]!r} is not allowed; write" if repeat else "must be"
            reader.wrong(where, f"{what} one of {', '.join(choices)}{advice}")
        return value

    return check


def within(least: float, most: float, unit: str = "", off: bool = False) -> Check:
    """A check of a number. `unit`: what the message says after the limits. `off`: whether it may be
    0, too.
    """

    def check(reader: TableReader, value: float, where: str) -> float:
        if not (least <= value <= most or (off and value == 0)):
            reader.wrong(where, f"must be {least} to {most}{unit}")
        return value

    return check
