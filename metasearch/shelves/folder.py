"""Which shelves there are: the files NAME.sqlite of one folder, and nothing that lies elsewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

from metasearch.errors import ShelfError

#: A shelf is a source, and is called as sources are.
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_ENDING = ".sqlite"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def shelf_names(folder: Path | None) -> list[str]:
    """The shelves of a folder, sorted; none where it is not there."""
    if folder is None:
        return []
    try:
        files = [entry.name for entry in os.scandir(folder) if entry.name.endswith(_ENDING)]
    except OSError:
        return []
    names = (name.removesuffix(_ENDING) for name in files)
    return sorted(name for name in names if NAME.fullmatch(name))


def shelf_file(folder: Path, name: str) -> Path:
    """Where a shelf lies, whether it is there or not.

    Raises:
        ShelfError: The name is none, or the file is a link that leads out of the folder.
    """
    if not NAME.fullmatch(name):
        raise ShelfError(
            name[:60], "that is no name of a shelf", advice="Use lower-case letters, digits, '-' and '_', at most 40."
        )
    path = folder / f"{name}{_ENDING}"
    # PTH: unlike those of `Path`, these functions do not raise where the folder may not be looked into.
    if os.path.islink(path) and os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):  # noqa: PTH114, PTH120
        raise ShelfError(str(path), "it is a link that leads out of the folder of shelves", advice="Remove the link.")
    return path


def name_for(text: str) -> str:
    """A name made of a folder's or a host's: "My Refs" -> "my-refs"; "" where nothing of it can stand in a name."""
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:40].rstrip("-")
