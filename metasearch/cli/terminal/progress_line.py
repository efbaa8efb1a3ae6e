"""One line on stderr that is rewritten while a long job runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from metasearch.cli.terminal.console import Console
from metasearch.formats.text import line

#: Seconds between two drawings.
EVERY = 0.1


class LiveLine:
    """One line on stderr that says how far the job is, where somebody watches."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._on = console.live
        self._columns = console.size(sys.stderr)[0]
        self._clock = clock
        self._last = float("-inf")
        self._drawn = False

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Say that so many of so many are done."""
        self.show(f"{doing}: {done:,} of {total:,}")

    def show(self, text: str) -> None:
        """Put a text there, unless another was put there a moment ago."""
        now = self._clock()
        if self._on and now - self._last >= EVERY:
            self._last = now
            sys.stderr.write(f"\r{line(text)}"[: self._columns] + "\x1b[K")
            sys.stderr.flush()
            self._drawn = True

    def clear(self) -> None:
        """Take the line off the screen."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False
            self._last = float("-inf")
