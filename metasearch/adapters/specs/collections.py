"""Which shelves there are: the files NAME.sqlite of one folder, and nothing that lies elsewhere."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from metasearch.errors import ShelfError

#: A shelf is a source, and is called as sources are.
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_ENDING = ".sqlite"
#: Nanoseconds within which two changes of a folder may bear one time, also where disks tell whole
#: seconds.
_MOMENT = 3_000_000_000
#: Folder -> when it was read and when it had changed, in Unix nanoseconds, and the shelves in it;
#: so many at most.
_READ: dict[Path, tuple[int, int, tuple[str, ...]]] = {}
_FOLDERS = 64
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def shelf_names(folder: Path | None) -> list[str]:
    """The shelves of a folder, sorted; none where it is not there.

    A folder is read again when it has changed: every search asks for its shelves.
    """
    if folder is None:
        return []
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return []
    at, known, names = _READ.get(folder, (0, 0, ()))
    # What was read in the moment of a change may lack another one that the clock of the disk does
    # not tell apart.
    if changed != known or at - changed < _MOMENT:
        at, names = time.time_ns(), tuple(_names(folder))
        if len(_READ) >= _FOLDERS:
            _READ.clear()
        _READ[folder] = (at, changed, names)
    return list(names)


def _names(folder: Path) -> list[str]:
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
            name[:60],
            "that is no name of a shelf",
            advice="Use lower-case letters, digits, '-' and '_', at most 40.",
        )
    path = folder / f"{name}{_ENDING}"
    # PTH: unlike those of `Path`, these functions do not raise where the folder may not be looked
    # into.
    if os.path.islink(path) and os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):  # noqa: PTH114, PTH120
        raise ShelfError(
            str(path),
            "it is a link that leads out of the folder of shelves",
            advice="Remove the link.",
        )
    return path


def name_for(text: str) -> str:
    """A name made of a folder's or a host's: "My Refs" -> "my-refs"; "" where nothing of it can
    stand in a name.
    """
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:40].rstrip("-")
