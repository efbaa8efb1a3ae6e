"""Lists the collections: the files NAME.sqlite of one folder, and no file outside this folder.

A collection is a source, so its name must be that of a source.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from metasearch.adapters.spec import SOURCE_NAME
from metasearch.errors import CollectionError
from metasearch.late_pattern import late_pattern

_ENDING = ".sqlite"
#: Nanoseconds within which two changes of a folder may have the same time; some file systems store
#: whole seconds.
_MOMENT = 3_000_000_000
#: Folder -> (time of reading, time of its last change, both in Unix nanoseconds; its collections).
_READ: dict[Path, tuple[int, int, tuple[str, ...]]] = {}
#: Entries of this table at most.
_FOLDERS = 64
_NOT_IN_NAMES = late_pattern(r"[^a-z0-9]+")


def collection_names(folder: Path | None) -> list[str]:
    """The names of the collections in a folder, sorted; [] where there is no folder.

    Every search calls this, so a folder is read again only after it has changed.
    """
    if folder is None:
        return []
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return []
    at, known, names = _READ.get(folder, (0, 0, ()))
    # A list that was read right after a change may lack a second change with the same time stamp.
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
    return sorted(name for name in names if SOURCE_NAME.fullmatch(name))


def collection_file(folder: Path, name: str) -> Path:
    """The path of a collection's file, which need not exist. Raises CollectionError: the name is
    not allowed, or the file is a link out of the folder.
    """
    if not SOURCE_NAME.fullmatch(name):
        raise CollectionError(
            name[:60],
            "this cannot be the name of a collection",
            advice="Use lower-case letters, digits, '-' and '_', at most 40.",
        )
    path = folder / f"{name}{_ENDING}"
    # PTH: unlike those of `Path`, these functions do not raise where the folder may not be looked
    # into.
    if os.path.islink(path) and os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):  # noqa: PTH114, PTH120
        raise CollectionError(
            str(path),
            "the file is a link that leads out of the folder of collections",
            advice="Remove the link.",
        )
    return path


def name_for(text: str) -> str:
    """A collection's name from that of a folder or host: "My Refs" -> "my-refs"; "" where no
    character of it is allowed in a name.
    """
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:40].rstrip("-")
