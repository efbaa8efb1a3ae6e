"""Tables of works (.csv, .tsv, .txt): one work a row, the names of the columns in the first; apart
by commas, semicolons or tabs. Embase's second form too, in which a row is one field and its name
stands first.

A quote that is never closed would swallow what follows. So where a row does not fit the columns, it
is looked whether a line within it would, and the reading goes on from there.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from metasearch.formats.csv import rows as csv_rows
from metasearch.formats.csv.columns import CsvColumns, compact, is_known
from metasearch.formats.csv.lines import Lines
from metasearch.formats.csv.row import CsvRowReader
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.text_pieces import DecodedText

#: Characters of a line, and of a row, which may go over several.
LONGEST_LINE = LONGEST_ROW = csv_rows.LONGEST_CELL + 1_000_000
#: Characters of a file that may always be looked at twice.
PATIENCE = 100_000
#: Characters of a row that are looked at for names of columns.
LONGEST_HEADING = 200_000
#: Rows that may stand before that of the names.
MOST_BEFORE = 20
#: Names of unknown columns that a problem lists.
MOST_TOLD = 20

_DELIMITERS = (",", "\t", ";", "|")
_SEPARATOR_LINE = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)
#: What Embase gives one value a cell, where a row is a field.
_LISTS = ("authors", "keywords", "isbn", "issn")


def looks_like(head: str) -> bool:
    """Whether a text begins with a row of names of columns, the title's among them."""
    lines = _lines(head)[:MOST_BEFORE]
    return _header(lines) is not None or _is_vertical(lines)


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a table."""
    collector = EntryCollector(reading)
    lines = Lines(text, LONGEST_LINE, collector)
    first = lines.first(MOST_BEFORE, LONGEST_HEADING)
    if _is_vertical(first):
        _read_vertical(lines, collector)
    elif (found := _header(first)) is not None:
        _read_rows(lines, found, collector)
    else:
        rows = sum(bool(row and any(row)) for _, row, _ in _Rows(lines, ",", 0))
        collector.lose(
            1, 'no row of names of columns was found, such as "Title" and "Authors"', rows
        )


def _lines(text: str) -> list[str]:
    r"""The lines with their ends, however they end in the file; NUL is no text."""
    return [f"{line}\n" for line in DecodedText.plain(text.replace("\x00", "")).lines(LONGEST_LINE)]


# --------------------------------------------------------------------------- names of columns


@dataclass(frozen=True, slots=True)
class _HeaderRow:
    """The row of names: how the table is written, and on which line it begins (from 0)."""

    columns: CsvColumns
    delimiter: str
    first_row: int


def _header(lines: Sequence[str]) -> _HeaderRow | None:
    """The first row that names columns, by the delimiter with which most of them are known."""
    said = next(
        (hit[1] for line in lines[:1] if (hit := _SEPARATOR_LINE.match(line.lstrip("\ufeff")))),
        None,
    )
    for index, line in enumerate(lines):
        best: _HeaderRow | None = None
        for delimiter in (said,) if said else _DELIMITERS:
            if delimiter not in line:
                continue
            try:
                reader = csv.reader(lines[index:], delimiter=delimiter)
                names = next(reader, [])
            except csv.Error:
                continue
            columns = CsvColumns(names)
            if columns.usable and (best is None or len(columns.plan) > len(best.columns.plan)):
                best = _HeaderRow(columns, delimiter, index + reader.line_num)
        if best is not None:
            return best
    return None


# --------------------------------------------------------------------------- rows


@dataclass(slots=True)
class _Rows:
    """The rows of a table with the lines on which they begin, from 1."""

    lines: Lines
    delimiter: str
    next_line: int
    _row_size: int = field(init=False, default=0)
    #: Characters that were looked at a second time, so that a hostile file costs no more than a few
    #: readings of it.
    again_read: int = field(init=False, default=0)

    def __iter__(self) -> Iterator[tuple[int, list[str] | None, str]]:
        """Line, cells or None, and what is wrong."""
        while self.lines.has(self.next_line):
            start = self.next_line
            reader = csv.reader(self._fed(), delimiter=self.delimiter)
            try:
                for row in reader:
                    yield start + 1, row, ""
                    start = self.next_line
                    self.lines.forget(start)
                    self._row_size = 0
            except csv.Error:
                # Its cells may only be longer than the csv module takes.
                self.next_line = start
                try:
                    long = csv_rows.long_row(self._fed(), self.delimiter)
                except csv.Error as exc:
                    if self._patient(self._row_size):
                        self.next_line = start + 1
                        yield start + 1, None, str(exc)
                    else:
                        yield start + 1, None, f"{exc}; with it the lines up to {self.next_line}"
                else:
                    yield start + 1, long, ""
                    self.lines.forget(self.next_line)

    def _fed(self) -> Iterator[str]:
        self._row_size = 0
        while self.lines.has(self.next_line):
            line = self.lines[self.next_line]
            self.next_line += 1
            self._row_size += len(line)
            if self._row_size > LONGEST_ROW:
                raise csv.Error(f"it has more than {LONGEST_ROW:,} characters")
            yield line

    def _patient(self, size: int) -> bool:
        """Whether so many characters may be looked at again."""
        self.again_read += size
        return self.again_read <= 4 * self.lines.size + PATIENCE

    def breaks_off(self, first: int) -> bool:
        """Whether the row that begins on a line, the last one, has a quote that is never closed."""
        try:
            csv_rows.row(self.lines.since(first), self.delimiter, strict=True)
        except csv.Error:
            return True
        return False

    def again(self, first: int, last: int, fits: Callable[[list[str]], bool]) -> int | None:
        """The first line behind the one on which a bad row begins, and not behind its last, that is
        a row by itself.
        """
        for index in range(first, last):
            if not self._patient(len(self.lines[index])):
                return None
            try:
                row = csv_rows.row(iter([self.lines[index]]), self.delimiter, strict=True) or []
            except csv.Error:
                continue
            if fits(row):
                return index
        return None


def _read_rows(lines: Lines, header: _HeaderRow, collector: EntryCollector) -> None:
    columns, width = header.columns, len(header.columns.names)
    if columns.unknown:
        told = ", ".join(name[:40] for name in columns.unknown[:MOST_TOLD])
        more = (
            f" and {len(columns.unknown) - MOST_TOLD} more"
            if len(columns.unknown) > MOST_TOLD
            else ""
        )
        collector.remark(header.first_row, f"columns that are not read: {told}{more}")
    reader = CsvRowReader(columns)
    rows = _Rows(lines, header.delimiter, header.first_row)
    iterator = iter(rows)
    while (numbered := next(iterator, None)) is not None:
        line, row, wrong = numbered
        if row is None:
            collector.lose(line, f"the row could not be read and was left out: {wrong}")
            continue
        if not any(cell.strip() for cell in row):
            continue
        row, flaw = _fitted(row, width)
        if flaw and rows.next_line > line:
            resume = rows.again(line, rows.next_line, lambda cells: len(cells) == width)
            if resume is not None:
                collector.lose(
                    line,
                    f"the row {flaw}, most likely by a quote that is not closed; it was left out",
                )
                rows.next_line = resume
                iterator = iter(rows)
                continue
        if flaw.startswith("has more"):
            joined = max(1, round(len(row) / width))  # where a line end is damaged, a row holds two
            collector.lose(
                line,
                f"the row {flaw}, so the columns of its values are not certain; it was left out",
                joined,
            )
            continue
        if not flaw and not lines.has(rows.next_line) and rows.breaks_off(line - 1):
            flaw = "ends with the file, before its last quote is closed"
        collector.put(
            line, partial(reader.draft, row, [f"the row {flaw}; it was kept"] if flaw else [])
        )


def _fitted(row: list[str], width: int) -> tuple[list[str], str]:
    """A row as wide as the names, and its faults; empty cells at its end may vary."""
    if len(row) > width and not any(cell.strip() for cell in row[width:]):
        return row[:width], ""
    if len(row) > width:
        return row, f"has more cells ({len(row)}) than there are columns ({width})"
    if len(row) < width:
        return row + [""] * (
            width - len(row)
        ), f"has fewer cells ({len(row)}) than there are columns ({width})"
    return row, ""


def _is_vertical(lines: Sequence[str]) -> bool:
    """Whether rows are fields: what stands first in several is the name of one, and the first row
    is not all names.
    """
    try:
        rows = [row for row in csv.reader(lines) if len(row) > 1]
    except csv.Error:
        return False
    names = [compact(row[0]) for row in rows]
    if len(names) < 2 or names[0] != "title" or is_known(rows[0][1]):
        return False
    return sum(is_known(name) for name in names[:4]) >= min(3, len(names[:4]))


def _read_vertical(lines: Lines, collector: EntryCollector) -> None:
    """Records of rows "TITLE","..." and "AUTHOR NAMES","Smith J.", from title to title."""
    record: dict[str, list[str]] = {}
    line = 1

    def put() -> None:
        if record:
            names = list(record)
            columns = CsvColumns(names)
            several = {index for field in _LISTS for index in columns.plan.get(field, ())}
            row = [
                "; ".join(record[name] if index in several else record[name][:1])
                for index, name in enumerate(names)
            ]
            collector.put(line, partial(CsvRowReader(columns).draft, row, []))

    for at, row, wrong in _Rows(lines, ",", 0):
        if row is None:
            collector.lose(at, f"the row could not be read and was left out: {wrong}", 0)
        elif row and row[0].strip():
            if compact(row[0]) == "title":
                put()
                record, line = {}, at
            record.setdefault(row[0], [cell for cell in row[1:] if cell.strip()])
    put()
