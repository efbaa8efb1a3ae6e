"""One line on stderr that is rewritten while a long command runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from metasearch.cli.terminal.console import Console
from metasearch.formats.text import line

#: Seconds between two drawings.
EVERY = 0.1


class ProgressLine:
    """One line on stderr that shows how far a command is; nothing without a terminal."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._on = console.live
        self._columns = console.size(sys.stderr)[0]
        self._clock = clock
        self._last = float("-inf")
        self._drawn = False

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Show "doing: done of total"."""
        self.show(f"{doing}: {done:,} of {total:,}")

    def show(self, text: str) -> None:
        """Show a text, unless the last one was shown less than `EVERY` seconds ago."""
        now = self._clock()
        if self._on and now - self._last >= EVERY:
            self._last = now
            sys.stderr.write(f"\r{line(text)}"[: self._columns] + "\x1b[K")
            sys.stderr.flush()
            self._drawn = True

    def clear(self) -> None:
        """Erase the line."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False
            self._last = float("-inf")
