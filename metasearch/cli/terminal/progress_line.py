"""One line on stderr that is rewritten while a long command runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from metasearch.cli.terminal.console import Console
from metasearch.formats.text import line

#: Seconds between two drawings.
EVERY = 0.1
#: Seconds after which it is said how many are left.
ESTIMATED_AFTER = 10.0


class ProgressLine:
    """One line on stderr that shows how far a command is; nothing without a terminal."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._on = console.live
        self._columns = console.size(sys.stderr)[0]
        self._clock = clock
        self._last = float("-inf")
        self._drawn = False
        # What is being done; since when, and how much of it was done then.
        self._doing: tuple[str, float, int] = ("", 0.0, 0)

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Show "doing: done of total"; of what takes long, also how long the rest may take."""
        self.show(f"{doing}: {done:,} of {total:,}{self._left(doing, done, total)}")

    def _left(self, doing: str, done: int, total: int) -> str:
        now = self._clock()
        if doing != self._doing[0]:
            self._doing = doing, now, done
        _, began, before = self._doing
        if now - began < ESTIMATED_AFTER or done <= before:
            return ""
        seconds = (now - began) * (total - done) / (done - before)
        return f", {_duration(seconds)} left"

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


def _duration(seconds: float) -> str:
    """As in "40 s", "12 min" and "3 h"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3_600:.0f} h"
