"""Python's garbage collection while a job makes millions of objects and frees none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: New objects from which on Python looks for cycles among them; 700 is its own.
OBJECTS = 200_000


@contextmanager
def rarely() -> Iterator[None]:
    """Make garbage collection rare within the block, and restore the thresholds afterwards.

    An index grows and frees nothing, so each collection walks through it in vain, which costs up to
    a third of the time. Only commands that run as a process of their own call this; the library and
    the server keep Python's thresholds.
    """
    before = gc.get_threshold()
    make_rare()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def make_rare() -> None:
    """The same from now on, in a process that does nothing else."""
    gc.set_threshold(OBJECTS, 100, 100)
