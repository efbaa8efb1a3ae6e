"""What a command sends to its watchdog: how long it may take, and what must not be lost.

The watchdog is the parent process of the command (`watchdog.py`). A message is one byte for its
kind, the length of its content, and the content. Without a watchdog the functions do nothing.
"""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Kind of a message, and bytes of its content.
HEADER = struct.Struct("!cI")
#: The kinds. All contents but that of EVENT are text.
LIMIT = b"L"  # seconds; empty for no limit
WRITING, WRITTEN = b"P", b"R"  # the clock stops, the clock goes on
OUTPUT_BEGINS = b"A"
ONLY_CLOSING = b"X"  # an exit code
EVENT = b"F"  # a pickled object
DRAFT = b"D"  # a path
LINES_DRAWN = b"H"  # a number
#: Seconds in which a command must react to Ctrl-C, and then finish each step of its end.
REACTION = 1.0

#: The pipe to the watchdog; None where there is no watchdog.
_pipe: int | None = None


def connect(pipe: int) -> None:
    """Send all further messages of this process to the pipe."""
    global _pipe
    _pipe = pipe


def is_connected() -> bool:
    """Whether this process has a watchdog."""
    return _pipe is not None


def set_limit(seconds: float | None) -> None:
    """End the command if it sets no other limit within so many seconds; None: do not end it."""
    _send(LIMIT, b"" if seconds is None else repr(seconds).encode())


@contextmanager
def pause_clock() -> Iterator[None]:
    """Stop the clock of the limit while the command writes, because the reader may be slow.

    Ctrl-C starts the clock again.
    """
    _send(WRITING)
    try:
        yield
    finally:
        _send(WRITTEN)


def output_begins() -> None:
    """The command begins to write its results, so the watchdog must not write them."""
    _send(OUTPUT_BEGINS)


def output_ends(code: int) -> None:
    """The command has written everything and only closes what is open; its exit code."""
    _send(ONLY_CLOSING, str(code).encode())


def keep(event: object) -> None:
    """Store an event in the watchdog, which needs it if it has to end the command."""
    if _pipe is not None:
        _send(EVENT, pickle.dumps(event, pickle.HIGHEST_PROTOCOL))


def draft(path: Path) -> None:
    """Name a file that the watchdog must delete if it has to end the command."""
    _send(DRAFT, os.fsencode(path))


def set_drawing(lines: int) -> None:
    """The last lines of stderr are a drawing, which must be erased at the end."""
    _send(LINES_DRAWN, str(lines).encode())


def _send(kind: bytes, content: bytes = b"") -> None:
    if _pipe is None:
        return
    rest = memoryview(HEADER.pack(kind, len(content)) + content)
    while rest:
        rest = rest[os.write(_pipe, rest) :]
