"""`extends` and `like`: a spec that takes tables from another spec and changes single keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from metasearch.adapters.specs.tables import Table, TableReader

#: Returns the table of a spec by its name; raises KeyError if there is none.
BaseTable = Callable[[str], Table]
#: The longest chain of specs of which each extends the next one.
LONGEST_CHAIN = 20


def merge(base: Table, over: Table) -> dict[str, Any]:
    """Returns `base` with the keys of `over`: tables are merged key by key, other values replaced.

    The rule of a field is replaced as a whole: {at, as} of the base must not become a part of
    another rule.
    """
    merged = dict(base)
    for key, value in over.items():
        under: Any = merged.get(key)
        both_tables = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = merge(under, value) if both_tables and not _is_rule(value) else value
    return merged


def _is_rule(table: Table) -> bool:
    return any(key in table for key in ("at", "each", "value"))


def resolved(table: Table, base: BaseTable | None, reader: TableReader) -> dict[str, Any]:
    """Returns the table, merged with the specs that it extends."""
    merged: dict[str, Any] = {}
    for layer in reversed(_chain(table, base, reader)):
        layer.pop("extends", None)
        if "url" in layer:  # the short form, for configuration files
            layer["request"] = merge(layer.get("request") or {}, {"url": layer.pop("url")})
        merged = merge(merged, layer)
    also = merged.get("also")
    if isinstance(also, list):
        merged["also"] = [
            _shape_like(shape, f"also[{number}]", base, reader)
            for number, shape in enumerate(also, 1)
        ]
    return merged


def _chain(table: Table, base: BaseTable | None, reader: TableReader) -> list[dict[str, Any]]:
    """The table, the table that it extends, and so on."""
    chain = [dict(table)]
    seen: set[str] = set()
    while True:
        name = chain[-1].get("extends")
        if name is None:
            return chain
        if name in seen or len(chain) > LONGEST_CHAIN:
            reader.wrong("extends", f"{name!r} extends itself, directly or through other specs")
            return chain
        try:
            if base is None or not isinstance(name, str):
                raise KeyError(name)
            seen.add(name)
            chain.append(dict(base(name)))
        except KeyError:
            reader.wrong(
                "extends",
                f"there is no spec called {name!r}; write a name, or a path with a slash or with "
                f"the ending .toml",
            )
            return chain


def _shape_like(shape: Any, where: str, base: BaseTable | None, reader: TableReader) -> Any:
    """A shape, merged with the shape of another spec that it names as `like = "SPEC.SHAPE"`."""
    if not isinstance(shape, Mapping) or "like" not in shape:
        return shape
    name, _, wanted = str(shape["like"]).partition(".")
    try:
        other = base(name) if base is not None else {}
    except KeyError:
        other = {}
    first = {
        **other.get("parse", {}),
        "fields": other.get("fields", {}),
        "ids": other.get("ids", {}),
    }
    shapes = [first, *other.get("also", ())] if wanted else []
    rules = next((each for each in shapes if each.get("name") == wanted), None)
    if rules is None:
        reader.wrong(f"{where}.like", f"there is no shape {shape['like']!r}; write SPEC.SHAPE")
        return shape
    own = {key: value for key, value in shape.items() if key != "like"}
    return merge({key: rules[key] for key in ("body", "fields", "ids") if key in rules}, own)
