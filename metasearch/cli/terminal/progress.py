"""The block on stderr with a line a source, rewritten during a search and erased at its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

from metasearch.cli.terminal.console import counted
from metasearch.events import Added, Joined, SearchEvent, SourceProgress, SourceReport, Started

#: Seconds between two drawings, so that a terminal over a slow line keeps up.
EVERY = 0.05
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
        """Apply an event, and draw unless the last drawing was less than `EVERY` seconds ago."""
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
        """Draw the current state, unless the last drawing was less than `EVERY` seconds ago."""
        now = self._clock()
        if self._reports and now - self._last >= EVERY:
            self._last = now
            self._draw()

    def clear(self) -> None:
        """Erase the block."""
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
            f"{done} of {len(reports)} sources, {counted(records, 'record')}, "
            f"{counted(len(self._hits), 'hit')}"
        )
        # Sources that are still asked matter most, so they are left out last.
        room = self._rows - 1
        if len(reports) > room:
            reports = sorted(reports, key=lambda report: report.status != "running")[:room]
        rows = [self._row(report) for report in reports]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        texts = ("  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return [head[: self._columns - 1], *map(self._colored, texts, reports)]

    def _row(self, report: SourceReport) -> tuple[str, str, str, str]:
        running = report.status == "running"
        seconds = self._clock() - self._began if running else report.seconds
        return (
            report.source,
            "asking" if running else report.status,
            "cached" if report.cached and not running else f"{seconds:5.1f} s",
            count_of(report) if report.count else "",
        )

    def _colored(self, line: str, report: SourceReport) -> str:
        text = line[: self._columns - 1]
        if not self._color:
            return text
        return f"\x1b[{_COLORS.get(report.status, _FAILED)}m{text}\x1b[0m"


def count_of(report: SourceReport) -> str:
    """The records of a source: "20 of 1,234 records", or "20 records" without a total."""
    if report.total is None:
        return counted(report.count, "record")
    return f"{report.count:,} of {counted(report.total, 'record')}"
