"""Who carries out a run that is under way: its row, by which every process on the file knows
whether the run lives.

A run lives while its process does. Whether a process of this host is there is asked of the system;
of another host, and of a system that does not tell, it is gone `LEASE` seconds after its last sign
of life. A process that sleeps so long is taken to be gone as well, and claims its run again when it
wakes, unless somebody else has it by then.
"""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path

from metasearch.review.store.database import Database

#: Seconds after which a run that gave no sign of life is taken to be dead, and between two signs.
LEASE, RENEWED = 90.0, 20.0
#: What a statement reads of a carrier beside its run; see `lives`.
COLUMNS = "carrier.claim, carrier.place, carrier.process, carrier.began, carrier.alive"
JOINED = "run LEFT JOIN run_carrier AS carrier ON carrier.run = run.id"
#: Of the fields after the name of the program in /proc/N/stat: state and start of the process.
_STATE, _BEGAN = 0, 19
#: States of a process that has ended and that its parent has not asked after yet.
_ENDED = frozenset("ZXx")
_BOOT, _NAMESPACE = Path("/proc/sys/kernel/random/boot_id"), "/proc/self/ns/pid"


def claim(db: Database, run: int, mine: str = "") -> str:
    """Note that this process carries out a run from now on, in a transaction; returns what shows
    that: `mine`, or a new claim.
    """
    mine, process = mine or secrets.token_hex(8), os.getpid()
    db.run(
        "INSERT OR REPLACE INTO run_carrier (run, claim, place, process, began, alive)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        run,
        mine,
        _place(),
        process,
        _began(process) or "",
        time.time(),
    )
    return mine


def release(db: Database, run: int) -> None:
    """Note that nobody carries out a run any more."""
    db.run("DELETE FROM run_carrier WHERE run = ?", run)


def renew(db: Database, run: int, mine: str) -> bool:
    """Give a sign of life; returns whether the run is still the caller's."""
    renewed = db.one(
        "UPDATE run_carrier SET alive = ? WHERE run = ? AND claim = ? RETURNING run",
        time.time(),
        run,
        mine,
    )
    return renewed is not None


def ask_to_stop(db: Database, run: int) -> None:
    """Note that a person wants a run stopped; whoever carries it out looks for that."""
    db.run("UPDATE run_carrier SET stop = 1 WHERE run = ?", run)


def is_to_stop(db: Database, run: int) -> bool:
    """Whether a person wants a run stopped."""
    return bool(db.value("SELECT stop FROM run_carrier WHERE run = ?", run))


def lives(row: sqlite3.Row) -> bool:
    """Whether a run is carried out; `row` has its status and `COLUMNS`."""
    if row["status"] != "running" or row["claim"] is None:
        return False
    if time.time() - row["alive"] >= LEASE:
        return False
    return row["place"] != _place() or _is_there(row["process"], row["began"])


def _is_there(process: int, began: str) -> bool:
    """Whether a process of this host may be there still."""
    if process == os.getpid():
        return began == (_began(process) or "")
    if sys.platform == "win32":
        return True  # os.kill would end it: the lease tells
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass  # of another user; or no number of a process, and the lease tells
    now = _began(process)
    return now is None or not began or now == began


def _began(process: int) -> str | None:
    """When a process began, in the words of the system; "" where it has ended, None where the
    system does not tell.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text("ascii", "replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return "" if fields[_STATE] in _ENDED else fields[_BEGAN]


def _place() -> str:
    """What numbers of processes are of: the host as it was started last, and their namespace, as
    each container has its own.
    """
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(_BOOT.read_text("ascii").strip())
    with suppress(OSError):
        parts.append(os.readlink(_NAMESPACE))  # noqa: PTH115, no file
    return " ".join(parts)
