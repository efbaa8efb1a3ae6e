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
    and in no other do they stand together; a name too many tells two files apart.

    Raises:
        ImportError: No file, or more than one, defines them all.
    """
    patterns = [
        re.compile(rf"^(?:(?:async )?def |class ){name}\b|^{name}(?: =|:)", re.MULTILINE)
        for name in names
    ]
    found = [path for path, text in sources() if all(pattern.search(text) for pattern in patterns)]
    if len(found) != 1:
        shown = ", ".join(sorted(str(path) for path in found)) or "no file"
        raise ImportError(f"{' and '.join(names)} of {PACKAGE}: defined by {shown}")
    module = importlib.import_module(module_of(found[0]))
    things = tuple(getattr(module, name) for name in names)
    return things if len(names) > 1 else things[0]


def module_of(path: Path) -> str:
    """The name of the module that a file of the package is."""
    parts = ("metasearch", *path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def sources() -> list[tuple[Path, str]]:
    """Path in the package and text of all its modules."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return [(path.relative_to(PACKAGE), path.read_text(encoding="utf-8")) for path in paths]
