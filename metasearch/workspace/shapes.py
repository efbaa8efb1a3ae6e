"""What JSON may look like that the program reads without doubting it: columns of a workspace, and
lines of the log, where they come from a file.

A shape is a function that says whether a value is as it should be. All of them are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any], bool]
#: Levels, and items of one list or table. JSON can be written to 250 levels.
DEEPEST, MOST = 30, 1_000_000
#: Whole numbers that every program reads.
_LARGEST = 2**53 - 1


def text(longest: int = 1_000_000) -> Shape:
    """A text that SQLite can keep."""
    return lambda value: isinstance(value, str) and len(value) <= longest and "\0" not in value


def name(longest: int) -> Shape:
    """A text of one line that is not empty."""
    return lambda value: (
        isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()
    )


def whole(least: int = 0, largest: int = _LARGEST) -> Shape:
    """A whole number, and no boolean."""
    return lambda value: type(value) is int and least <= value <= largest


def number(value: Any) -> bool:
    """A number, and no boolean."""
    return type(value) in (int, float) and abs(value) <= _LARGEST


def yes_or_no(value: Any) -> bool:
    """A boolean."""
    return isinstance(value, bool)


def nothing(value: Any) -> bool:
    """None."""
    return value is None


def one_of(*choices: str) -> Shape:
    """One of some texts."""
    return lambda value: isinstance(value, str) and value in choices


def either(*shapes: Shape) -> Shape:
    """Of one of some shapes."""
    return lambda value: any(shape(value) for shape in shapes)


def maybe(shape: Shape) -> Shape:
    """Of a shape, or None."""
    return either(nothing, shape)


def list_of(shape: Shape, most: int = MOST) -> Shape:
    """A list whose items are of a shape."""
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(shape, value))


def row_of(*shapes: Shape) -> Shape:
    """A list with one item of each shape."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(shapes)
        and all(shape(item) for shape, item in zip(shapes, value, strict=True))
    )


def table_of(key: Shape, shape: Shape, most: int = MOST) -> Shape:
    """An object with any keys of a shape, and values of another one."""
    return lambda value: (
        isinstance(value, dict)
        and len(value) <= most
        and all(key(name) and shape(item) for name, item in value.items())
    )


def object_of(
    needed: Mapping[str, Shape],
    optional: Mapping[str, Shape] | None = None,
    others: Shape | None = None,
) -> Shape:
    """An object. `needed`: key -> shape of its value, of those that are there. `optional`: of those
    that may be there. `others`: of any other key; None where there is no other.
    """
    known = {**(optional or {}), **needed}

    def fits(value: Any) -> bool:
        if not isinstance(value, dict) or not needed.keys() <= value.keys():
            return False
        return all(
            known[name](item) if name in known else others is not None and others(item)
            for name, item in value.items()
        )

    return fits


def anything(value: Any) -> bool:
    """Any JSON that can be written again: of `DEEPEST` levels at most."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            item
            for each in level
            if isinstance(each, (list, dict))
            for item in (each if isinstance(each, list) else each.values())
        ]
        if not level:
            return True
    return False


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)


def moment(value: Any) -> bool:
    """A moment as the workspace writes it; of a search by hand the day alone is known."""
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None
