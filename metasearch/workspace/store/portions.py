"""Much work on a workspace, done in many short transactions between which others write."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from metasearch.workspace.store.database import Database

T = TypeVar("T")

#: Seconds that a portion should hold the writer at most, and its rows: at first, and at most.
LONGEST, FIRST, MOST = 0.05, 50, 20_000


class Writer(Protocol):
    """Calls a function where changes are made, and waits for it: `Workspace.portion`."""

    def __call__(self, function: Callable[[Database], T], /) -> T: ...


def writer_of(db: Database) -> Writer:
    """One that writes by this connection, at once."""

    def write(function: Callable[[Database], T], /) -> T:
        return function(db)

    return write


def in_portions(write: Writer, portion: Callable[[int], Callable[[Database], int]]) -> None:
    """Work until there is nothing left to do.

    Args:
        write: Each portion is one call of it.
        portion: Prepares, outside the writer, the next portion of at most so many rows: a function
            that does them in one transaction and returns how many they were; 0 ends the work.
    """
    rows = FIRST
    while True:
        done, seconds = write(partial(_timed, portion(rows)))
        if not done:
            return
        if seconds > LONGEST:
            rows = max(1, done // 2)
        elif seconds < LONGEST / 2 and done >= rows:
            rows = min(2 * rows, MOST)
        let_others(seconds)


def let_others(seconds: float) -> None:
    """Let others write, after so many seconds of writing: SQLite knows no queue, and who waits in
    another process looks only now and then whether nobody writes.
    """
    time.sleep(min(seconds, LONGEST))


def _timed(portion: Callable[[Database], int], db: Database) -> tuple[int, float]:
    began = time.perf_counter()
    done = portion(db)
    return done, time.perf_counter() - began
