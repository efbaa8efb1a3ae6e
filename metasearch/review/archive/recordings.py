"""Recorded pages that an archive has brought: a folder a project, beside the workspace.

`NAME-recorded/UID`, where UID is that of the project, also with "-" and more behind it. Pages that
`--record` keeps lie where a person wants them: they are none of these, and are never removed.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metasearch.review.store.database import Database

#: Thread that removes the pages of a project that is gone.
REMOVING = "recorded pages are removed"


def place_of(workspace: Path) -> Path:
    """The folder of all recorded pages of a workspace."""
    beside = workspace.absolute()
    return beside.with_name(f"{beside.stem}-recorded")


def folders_of(workspace: Path, uid: str) -> list[Path]:
    """The folders of a project."""
    return [folder for folder in folders(workspace) if uid_of(folder) == uid]


def folders(workspace: Path) -> list[Path]:
    """The folders of all projects that are, or were, in a workspace."""
    try:
        found = sorted(place_of(workspace).iterdir())
    except OSError:  # there are none
        return []
    return [folder for folder in found if folder.is_dir() and not folder.is_symlink()]


def uid_of(folder: Path) -> str:
    """The uid of the project that a folder belongs to."""
    return folder.name.partition("-")[0]


def bytes_of(some: Iterable[Path]) -> int:
    """What the files in folders take."""
    return sum(
        entry.stat(follow_symlinks=False).st_size
        for folder in some
        for at, _, _ in os.walk(folder)
        for entry in os.scandir(at)
        if entry.is_file(follow_symlinks=False)
    )


def set_pages(db: Database, project: int, size: int) -> None:
    """Note how many bytes the recorded pages of a project take."""
    db.run("UPDATE stored SET pages = ? WHERE project = ?", size, project)


def remove(some: Iterable[Path]) -> None:
    """Remove folders, beside what the caller does next: many files take seconds. What is left where
    the process ends before is found by `workspace check`.
    """

    def removed() -> None:
        for folder in listed:
            shutil.rmtree(folder, ignore_errors=True)

    if listed := list(some):
        threading.Thread(target=removed, name=REMOVING).start()
