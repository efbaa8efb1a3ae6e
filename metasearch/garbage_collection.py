"""Python's garbage collection in a process that is ours: a command, a worker of the server, a job.

The collector looks for cycles, which nothing else frees. Searches leave none, and an index that
grows frees nothing; so each collection walks through what is alive in vain. The library itself
never calls this: the collector belongs to the program that uses the library.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: New objects from which on Python looks for cycles among them, and after how many such looks it
#: looks at older ones and at all; 700, 10 and 10 are Python's own. A look walks through all that is
#: alive, so a search should end before it: one of 10 x 100 makes some 50,000 objects at once.
SEARCHING = (50_000, 20, 50)
#: The same while modules are loaded, which makes some 200,000 that stay.
LOADING = (100_000, 50, 100)
#: The same for a server, which has many searches at once (eight of 10 x 100 make 270,000), and has
#: all objects looked at where nobody waits (`server/process.py`).
SERVING = (500_000, 20, 50)
#: The same for jobs that make millions of objects and free none.
GROWING = (200_000, 100, 100)
#: The same while such a job runs beside others in a server: new objects alone are looked at, few at
#: a time, since no thread runs meanwhile. A look at those of a file of 30,000 records takes 1 s.
BESIDE = (100_000, 1_000_000, 1_000_000)

#: Seconds after which a thread that computes lets another one that waits, while a job runs beside
#: others; Python's own 5 ms make a page of 200 statements of SQLite, each of which waits, 1 s late.
SWITCH = 0.0005

_lock = threading.Lock()
#: Of the jobs that run beside others now: thresholds and seconds of before.
_jobs: list[tuple[tuple[int, int, int], float]] = []


def settle() -> None:
    """For a process that only serves, when it is ready: collect rarely, and leave out all that is
    loaded by now, which would stall the loop for 50 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SERVING)


def begin() -> None:
    """For a command, at its start: collect hardly ever while modules are loaded."""
    gc.set_threshold(*LOADING)


def end_loading() -> None:
    """For a command that searches, when its modules are loaded: as `settle`, but what is garbage by
    now is not looked for, since the process ends soon.
    """
    gc.freeze()
    gc.set_threshold(*SEARCHING)


def end() -> None:
    """For a command that searches, at its end: what is alive is not looked through once more before
    the system takes all memory back. Whatever must be closed has been closed by now.

    Not for each command: extensions such as DuckDB's report what is left of them as leaks.
    """
    gc.freeze()


@contextmanager
def beside_others() -> Iterator[None]:
    """A block in which a thread computes for long, and makes millions of objects, beside threads
    that others wait for.
    """
    with _lock:
        _jobs.append((gc.get_threshold(), sys.getswitchinterval()))
        gc.set_threshold(*BESIDE)
        sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        with _lock:
            thresholds, seconds = _jobs[0]
            _jobs.pop()
            if not _jobs:
                gc.set_threshold(*thresholds)
                sys.setswitchinterval(seconds)


def collect() -> bool:
    """Look for garbage among all objects, unless a job runs beside others; returns whether."""
    if _jobs:
        return False
    gc.collect()
    return True


@contextmanager
def rarely() -> Iterator[None]:
    """Make garbage collection rare within the block, and restore the thresholds afterwards.

    An index grows and frees nothing, so looks for cycles take up to a third of the time.
    """
    before = gc.get_threshold()
    make_rare()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def make_rare() -> None:
    """The same from now on, in a process that does nothing else."""
    gc.set_threshold(*GROWING)
