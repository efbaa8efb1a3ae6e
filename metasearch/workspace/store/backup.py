"""A copy of a workspace in a file of its own, made while others write to the workspace.

SQLite copies the whole as it is at one moment. The copy is read through before it gets its name, so
that a file with that name is a whole copy, also after a loss of power.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from metasearch.errors import UsageError, WorkspaceError
from metasearch.message import message
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.failures import unusable


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy that was made. `file`: where it lies. It is a workspace, and can be used as one."""

    file: Path
    bytes: int
    projects: int


def backup(db: Database, target: Path) -> Backup:
    """Copy a workspace to a new file, which only its owner may read. Raises UsageError: there is a
    file already, or no folder for it. Raises WorkspaceError: the workspace cannot be read, or the
    copy cannot be written; no part of it is left.
    """
    if os.path.lexists(target):
        raise _exists(target)
    if not target.parent.is_dir():
        raise UsageError(
            message("there is no folder {folder}", folder=target.parent),
            advice=message("Make it first, or name a file in another folder."),
        )
    draft: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)  # mode 0600
        os.close(handle)
        draft = Path(name)
        projects = _copied(db, draft)
        _on_the_disk(draft, os.O_RDWR)
        size = draft.stat().st_size
        _named(draft, target)
    except (OSError, ValueError, sqlite3.Error) as exc:
        raise unusable(target, exc) from exc
    finally:
        if draft is not None:
            for part in (draft, *(draft.with_name(draft.name + end) for end in ("-wal", "-shm"))):
                with suppress(OSError):
                    part.unlink()
    with suppress(OSError):  # a folder cannot be opened everywhere
        _on_the_disk(target.parent, os.O_RDONLY)
    return Backup(file=target, bytes=size, projects=projects)


def _copied(db: Database, draft: Path) -> int:
    """Copy, and read the copy through; returns how many projects there are. Raises sqlite3.Error:
    the copy cannot be written; WorkspaceError: the workspace is damaged.
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        db.backup_to(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without the log beside it
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise WorkspaceError(
                str(db.path),
                message("the workspace is damaged: {reason}", reason=found),
                advice=message("Run `metasearch workspace check`, or go back to a backup."),
            )
        return int(copy.execute("SELECT count(*) FROM project WHERE hidden = ''").fetchone()[0])


def _on_the_disk(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _named(draft: Path, target: Path) -> None:
    """Give the copy its name, unless another file has it by now."""
    try:
        os.link(draft, target)  # unlike a rename it replaces nothing
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise _exists(target) from None
        draft.rename(target)


def _exists(target: Path) -> UsageError:
    return UsageError(
        message("{file} exists already", file=target),
        advice=message("A backup never replaces a file: name another one, as with the date in it."),
    )
