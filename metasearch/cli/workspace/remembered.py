"""The project that was used last, so that a command need not name it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from metasearch import opening

#: Bytes of the file.
_MOST = 200
_UID = re.compile(r"[a-z0-9]{1,40}")


def place(workspace: Path) -> Path:
    """The file that holds the uid of the project, beside the workspace."""
    return workspace.with_name(f"{workspace.name}.project")


def remembered(workspace: Path) -> str | None:
    """The uid of the project; None where none is remembered."""
    try:
        text = opening.read(place(workspace), _MOST).decode("utf-8", "replace").strip()
    except OSError:
        return None
    return text if _UID.fullmatch(text) else None


def remember(workspace: Path, uid: str) -> None:
    """Remember a project. A folder that cannot be written costs the memory only."""
    if remembered(workspace) == uid:
        return
    final = place(workspace)
    draft = final.with_name(f".{final.name}.{os.getpid()}.part")
    with suppress(OSError):
        draft.write_text(f"{uid}\n", encoding="ascii")
        draft.replace(final)


def forget(workspace: Path, uid: str) -> None:
    """Forget a project that is no longer there."""
    if remembered(workspace) == uid:
        with suppress(OSError):
            place(workspace).unlink()
