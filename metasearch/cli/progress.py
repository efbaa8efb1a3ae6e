"""The progress of a command on stderr, as a block or as one line that is rewritten, and log
messages of the library between.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from metasearch.cli.output import Console, quantity
from metasearch.events import Added, Joined, SearchEvent, SourceProgress, SourceReport, Started
from metasearch.formats.text import line

# One line on stderr that is rewritten while a long command runs.

#: Seconds between two drawings.
LINE_EVERY = 0.1
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
        self.show(f"{doing}: {done:,} of {total:,}{self._estimate(doing, done, total)}")

    def _estimate(self, doing: str, done: int, total: int) -> str:
        now = self._clock()
        if doing != self._doing[0]:
            self._doing = doing, now, done
        _, began, before = self._doing
        if now - began < ESTIMATED_AFTER or done <= before:
            return ""
        seconds = (now - began) * (total - done) / (done - before)
        return f", {_duration(seconds)} left"

    def show(self, text: str) -> None:
        """Show a text, unless the last one was shown less than `LINE_EVERY` seconds ago."""
        now = self._clock()
        if self._on and now - self._last >= LINE_EVERY:
            self._last = now
            sys.stderr.write(f"\r{line(text)}"[: self._columns] + "\x1b[K")
            sys.stderr.flush()
            self._drawn = True

    def clear(self) -> None:
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


# The block on stderr with a line a source, rewritten during a search and erased at its end.

#: Seconds between two drawings, so that a terminal over a slow line keeps up.
BLOCK_EVERY = 0.05
_COLORS = {"ok": "32", "empty": "2", "skipped": "2", "running": "33"}
_FAILED = "31"


class ProgressBlock:
    """Draws the state of every source.

    `columns`, `lines`: its size. The block is never higher, because lines that have scrolled away
    cannot be rewritten. `clock`: returns seconds; tests replace it.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        columns: int = 80,
        lines: int = 24,
        color: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._columns = max(columns, 20)
        self._rows = max(lines - 2, 1)
        self._color = color
        self._clock = clock
        self._reports: dict[str, SourceReport] = {}
        self._hits: set[str] = set()
        self._drawn = 0
        self._began = clock()
        self._last = float("-inf")

    @property
    def height(self) -> int:
        """Lines that are drawn and not erased."""
        return self._drawn

    def take(self, event: SearchEvent) -> None:
        """Apply an event, and draw as `tick`."""
        match event:
            case Started(sources=names):
                self._reports = {name: SourceReport(name) for name in names}
            case SourceProgress(report):
                self._reports[report.source] = report
            case Added(hit):
                self._hits.add(hit.id)
            case Joined(hit, absorbed):
                self._hits.difference_update(absorbed)
                self._hits.add(hit.id)
            case _:
                return
        self.tick()

    def tick(self) -> None:
        """Draw, unless the last drawing was less than `BLOCK_EVERY` seconds ago."""
        now = self._clock()
        if self._reports and now - self._last >= BLOCK_EVERY:
            self._last = now
            self._draw()

    def clear(self) -> None:
        if self._drawn:
            self._stream.write(f"\x1b[{self._drawn}F\x1b[J")
            self._stream.flush()
            self._drawn = 0

    def _draw(self) -> None:
        lines = self._lines()
        up = f"\x1b[{self._drawn}F" if self._drawn else ""
        # Each line is overwritten: a block that is erased first would flicker.
        self._stream.write(up + "".join(line + "\x1b[K\n" for line in lines) + "\x1b[J")
        self._stream.flush()
        self._drawn = len(lines)

    def _lines(self) -> list[str]:
        reports = list(self._reports.values())
        done = sum(report.status != "running" for report in reports)
        records = sum(report.count for report in reports)
        head = (
            f"{done} of {len(reports)} sources, {quantity(records, 'record')}, "
            f"{quantity(len(self._hits), 'hit')}"
        )
        # Sources that are still asked matter most, so they are left out last.
        room = self._rows - 1
        if len(reports) > room:
            reports = sorted(reports, key=lambda report: report.status != "running")[:room]
        rows = [self._row(report) for report in reports]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        texts = ("  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return [head[: self._columns - 1], *map(self._with_color, texts, reports)]

    def _row(self, report: SourceReport) -> tuple[str, str, str, str]:
        running = report.status == "running"
        seconds = self._clock() - self._began if running else report.seconds
        return (
            report.source,
            "asking" if running else report.status,
            "cached" if report.cached and not running else f"{seconds:5.1f} s",
            count_of(report) if report.count else "",
        )

    def _with_color(self, line: str, report: SourceReport) -> str:
        text = line[: self._columns - 1]
        if not self._color:
            return text
        return f"\x1b[{_COLORS.get(report.status, _FAILED)}m{text}\x1b[0m"


def count_of(report: SourceReport) -> str:
    """The records of a source: "20 of 1,234 records", or "20 records" without a total."""
    if report.total is None:
        return quantity(report.count, "record")
    return f"{report.count:,} of {quantity(report.total, 'record')}"


class _Handler(logging.Handler):
    def __init__(self, console: Console, progress: ProgressBlock | None) -> None:
        super().__init__(logging.DEBUG if console.verbose else logging.WARNING)
        self._console = console
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        if self._console.quiet:
            return
        if self._progress is not None:
            self._progress.clear()
        # `format` appends the traceback, if there is one: only with `--verbose`.
        self._console.say(self.format(record) if self._console.verbose else record.getMessage())


@contextmanager
def logs_to(console: Console, progress: ProgressBlock | None) -> Iterator[None]:
    """Write warnings and errors to stderr while the block runs; all messages with `--verbose`."""
    root, own = logging.getLogger(), logging.getLogger("metasearch")
    handler = _Handler(console, progress)
    level = own.level
    root.addHandler(handler)
    if console.verbose:
        own.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        own.setLevel(level)
