"""What a client is told when the disk of the server is full, or its data cannot be used now.

That it is so, and who can mend it: files, reasons and what to do stand in the log.
"""

from __future__ import annotations

import errno
import logging
import sqlite3
import time

from metasearch.errors import WorkspaceError
from metasearch.message import message
from metasearch.opening import NO_RIGHT, NO_SPACE, sqlite_kind
from metasearch.server.problem import Problem

#: Seconds after which a client may come again: where another process writes, and else.
SOON, LATER = 5, 60
#: Seconds for which the same is logged once: a log must not fill what is left of the disk.
QUIET = 60.0

logger = logging.getLogger("metasearch.server")
#: What was logged -> when.
_logged: dict[str, float] = {}


def is_storage(exc: OSError) -> bool:
    """Whether the system refuses to write, and not to read what somebody has named."""
    return exc.errno in NO_SPACE or exc.errno in NO_RIGHT or exc.errno == errno.EIO


def storage_problem(exc: WorkspaceError | OSError) -> Problem:
    """507 for a full disk, 503 where it cannot be used otherwise; the log gets the details."""
    _log(exc)
    if isinstance(exc, OSError):
        full, busy = exc.errno in NO_SPACE, False
    else:
        busy = sqlite_kind(exc.__cause__) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        full = exc.status == 507
    if full:
        detail = message("The disk of the server is full: nothing of this was saved.")
        advice = message(
            "An administrator must free space; what was saved before is there, and can be read."
        )
    elif busy:
        detail = message("The server is writing something large: nothing of this was saved.")
        advice = message("Try again in a moment.")
    else:
        detail = message("The server cannot read or write its data: nothing of this was saved.")
        advice = message("Tell an administrator; the log of the server has the details.")
    again = {"Retry-After": str(SOON if busy else LATER)}
    return Problem(507 if full else 503, "storage", detail, headers=again, advice=advice)


def _log(exc: WorkspaceError | OSError) -> None:
    """Log it at error level, with the path and the advice for who runs the server."""
    now = time.monotonic()
    text = f"{exc}. {exc.advice}" if isinstance(exc, WorkspaceError) else str(exc)
    if now - _logged.get(text, -QUIET) >= QUIET:
        if len(_logged) >= 100:
            _logged.clear()
        _logged[text] = now
        logger.error("the storage fails: %s", text)
