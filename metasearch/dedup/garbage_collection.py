"""Garbage collection while millions of objects are made of which none is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: New objects from which on Python looks for cycles among them; 700 is its own.
OBJECTS = 200_000


@contextmanager
def rarely() -> Iterator[None]:
    """Let Python look for cycles rarely, and put its habit back afterwards.

    An index grows and throws nothing away, so whoever walks through it again and again finds
    nothing and takes up to a third of the time. For a whole job in a process of its own, whose
    program says so; nothing in the library calls this, and a server keeps Python's habit.
    """
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, 100, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
