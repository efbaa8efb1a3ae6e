"""Leases: one process at a time does what a lease names, and one that was killed loses it in time.

A lease is a row with a name, a holder and an end. Moments are those of the clock of the host, which
all processes that have the file open share.
"""

from __future__ import annotations

import os
import secrets
import time

from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import written

#: Seconds after its end at which a lease that nobody gave back is forgotten.
_FORGOTTEN = 86_400.0


def new_holder() -> str:
    """A name for who takes leases, different from all others."""
    return f"{os.getpid()}-{secrets.token_hex(8)}"


def take(db: Database, name: str, holder: str, seconds: float, *, at: float | None = None) -> bool:
    """Take or renew a lease; returns whether the holder has it now.

    `holder`: of `new_holder`. `seconds`: for which it holds, counted from now; it ends at a whole
    second. `at`: the moment in Unix time; None is now.
    """
    now = time.time() if at is None else at
    with db.transaction():
        row = db.one(
            "INSERT INTO lease (name, holder, until) VALUES (?1, ?2, ?3)"
            " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
            " WHERE lease.until <= ?4 OR lease.until > ?5 OR lease.holder = excluded.holder"
            " RETURNING holder",
            name,
            holder,
            written(now + seconds),
            written(now),
            written(now + 2 * seconds),  # the clock was set back: who knows when it would end
        )
    return row is not None


def holds(db: Database, name: str, holder: str) -> bool:
    """Whether nobody else has taken a lease since the holder did; it may be over."""
    return bool(db.value("SELECT holder FROM lease WHERE name = ?", name) == holder)


def release(db: Database, name: str, holder: str) -> None:
    """Give a lease back; one that somebody else holds stays."""
    with db.transaction():
        db.run(
            "DELETE FROM lease WHERE (name = ? AND holder = ?) OR until <= ?",
            name,
            holder,
            written(time.time() - _FORGOTTEN),
        )
