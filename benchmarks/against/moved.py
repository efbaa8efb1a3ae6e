"""Things of a package by what they are called: the two checkouts that are compared may keep them in
different modules."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

import metasearch

PACKAGE = Path(metasearch.__file__).parent


def moved(*names: str) -> Any:
    """The things of these names: one, or a tuple of several. They stand in one file of the package,
    and in no other do they stand together; a name too many tells two files apart. A thing that
    was renamed is "its name|its former name".

    Raises:
        ImportError: No file, or more than one, defines them all.
    """
    spellings = [frozenset(name.split("|")) for name in names]
    found = [path for path, defined in files() if all(some & defined for some in spellings)]
    if len(found) != 1:
        shown = ", ".join(sorted(str(path) for path in found)) or "no file"
        raise ImportError(f"{' and '.join(names)} of {PACKAGE}: defined by {shown}")
    module = importlib.import_module(module_of(found[0]))
    things = tuple(
        next(getattr(module, one) for one in name.split("|") if hasattr(module, one))
        for name in names
    )
    return things if len(names) > 1 else things[0]


def module_of(path: Path) -> str:
    """The name of the module that a file of the package is."""
    parts = ("metasearch", *path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


_DEFINED = re.compile(r"^(?:(?:async )?def |class )(\w+)|^(\w+)(?: =|:)", re.MULTILINE)


@cache
def files() -> list[tuple[Path, frozenset[str]]]:
    """Path in the package of all its modules, and the names that each defines."""
    return [
        (
            path.relative_to(PACKAGE),
            frozenset(map("".join, _DEFINED.findall(path.read_text("utf-8")))),
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    ]
