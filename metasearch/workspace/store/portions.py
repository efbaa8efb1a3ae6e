"""Much work on a workspace, done in many short transactions between which others write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import TypeVar

from metasearch.errors import WorkspaceError
from metasearch.message import message
from metasearch.workspace.store.database import Database

T = TypeVar("T")

#: Seconds that a portion should take, and for how much of them the job then pauses.
LONGEST, PAUSE = 0.03, 0.25
#: Items of a portion: at first, and at most.
FIRST, MOST = 16, 20_000


def portions(
    db: Database, items: Iterable[T], weight: Callable[[T], int] | None = None
) -> Iterator[list[T]]:
    """The items in portions, each for a transaction of its own that takes some `LONGEST` seconds.
    What computes the items runs outside of these transactions.

    Inside a transaction there is no pause, since nobody else can write. `db`: where each portion is
    written. `weight`: how much an item is, where they differ; 1 for each by default. Raises
    WorkspaceError: the program ends.
    """
    size, some, heavy = float(FIRST), list[T](), 0
    waiting = iter(items)
    more = True
    while more:
        for item in waiting:
            some.append(item)
            heavy += 1 if weight is None else weight(item)
            if heavy >= size:
                break
        else:
            more = False
        if not some:
            return
        check_goes_on(db)
        began = time.perf_counter()
        yield some
        took = time.perf_counter() - began
        if heavy >= size or took > LONGEST:  # a small rest says nothing
            size = min(max(1.0, heavy * min(2.0, LONGEST / max(took, 1e-6))), MOST)
        some, heavy = [], 0
        if more and not db.inside:
            let_others(took)


def in_portions(db: Database, portion: Callable[[Database, int], int]) -> None:
    """Call `portion(db, rows)` until there is nothing left to do: it does at most so many rows in
    one transaction, and returns how many they were.
    """
    for some in portions(db, repeat(None)):
        if not portion(db, len(some)):
            return


def let_others(seconds: float) -> None:
    """Let others write, after so many seconds of writing: SQLite knows no queue, and who waits only
    looks now and then whether nobody writes.
    """
    time.sleep(min(seconds, 1.0) * PAUSE)


def check_goes_on(db: Database) -> None:
    """Check that the program does not end. Raises WorkspaceError: it does."""
    if db.ending is not None and db.ending.is_set():
        raise WorkspaceError(
            str(db.path),
            message("the program ends"),
            advice=message("Try again when it has been started again."),
        )
