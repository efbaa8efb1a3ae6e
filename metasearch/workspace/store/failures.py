"""What is told when SQLite or the system refuses something of a workspace file, with advice."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from metasearch import opening
from metasearch.errors import WorkspaceError
from metasearch.message import Message, message
from metasearch.opening import NO_RIGHT, NO_SPACE, sqlite_kind

#: Kinds of SQLite's errors that a sound program does not meet with a sound file.
_MISTAKES = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_AUTH})


def unusable(path: Path, cause: Exception) -> WorkspaceError:
    """The error for a file that cannot be used now."""
    return WorkspaceError(
        str(path),
        message("the workspace cannot be used: {reason}", reason=opening.why(cause)),
        advice=_advice(cause),
        status=_status(cause),
    )


def _status(cause: Exception) -> int:
    kind = sqlite_kind(cause)
    if kind == sqlite3.SQLITE_FULL or getattr(cause, "errno", None) in NO_SPACE:
        return 507
    return 500 if kind in _MISTAKES or isinstance(cause, sqlite3.ProgrammingError) else 503


def _advice(cause: Exception) -> Message:
    kind = sqlite_kind(cause)
    system = getattr(cause, "errno", None)
    if kind == sqlite3.SQLITE_FULL or system in NO_SPACE:
        return message("Free some space; what was saved before is there, and nothing of this is.")
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return message("Another process is writing to it; try again when it has finished.")
    if kind in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return message(
            "Go back to a backup, or save what can be read by `metasearch project export`."
        )
    if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM) or system in NO_RIGHT:
        return message(
            "It cannot be written: check who owns the file and its folder, and whether the drive "
            "is read-only."
        )
    if kind == sqlite3.SQLITE_CANTOPEN:
        return message(
            "Check that its folder exists and can be written: SQLite keeps two files beside it "
            "while it is open."
        )
    if kind == sqlite3.SQLITE_IOERR:
        return message(
            "The drive refused to read or write: check its free space, the largest size of a file "
            "(ulimit -f), and that it is no network drive. What was saved before is there."
        )
    if kind in _MISTAKES or isinstance(cause, sqlite3.ProgrammingError):
        return message(
            "Nothing was changed. If `metasearch workspace check` finds no damage, this is a "
            "mistake of metasearch: please report it."
        )
    return message("Check that the file exists, who owns it, and the free space.")
