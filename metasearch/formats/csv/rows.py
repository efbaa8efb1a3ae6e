"""Rows of a table whose cells may be long.

Python's csv module refuses cells of more than 131,072 characters; that limit belongs to the whole
process (`csv.field_size_limit`), so a library must not move it. The few rows that have such a cell
(a list of a thousand references) are read here, by the same rules.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

#: Characters of one cell; a list of references can be long.
LONGEST_CELL = 10_000_000


def row(lines: Iterator[str], delimiter: str, *, strict: bool = False) -> list[str] | None:
    """The first row, which may be several lines; None where there is no line left.

    `strict`: whether a quote that is never closed, or with something behind it, is an error. Raises
    csv.Error: as the csv module, and for a cell above `LONGEST_CELL`.
    """
    taken: list[str] = []

    def fed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    try:
        return next(csv.reader(fed(), delimiter=delimiter, strict=strict), None)
    except csv.Error:
        # Whether it was the length, and of what, is decided where that limit is set.
        return long_row(_again(taken, lines), delimiter, strict=strict)


def _again(taken: list[str], lines: Iterator[str]) -> Iterator[str]:
    yield from list(taken)
    yield from lines


def long_row(lines: Iterator[str], delimiter: str, *, strict: bool = False) -> list[str]:
    """A row with cells of any length up to `LONGEST_CELL`; arguments and errors as of `row`."""
    cells: list[str] = []
    line = next(lines)
    at = 0
    while True:
        parts: list[str] = []
        if line.startswith('"', at):
            line, at = _quoted(line, at + 1, lines, parts, delimiter, strict=strict)
        end = line.find(delimiter, at)
        over = end < 0
        parts.append(line[at:].rstrip("\n") if over else line[at:end])
        cell = "".join(parts)
        if len(cell) > LONGEST_CELL:
            raise csv.Error(f"field larger than field limit ({LONGEST_CELL})")
        cells.append(cell)
        if over:
            return cells if cells != [""] or line[:1] == '"' else []
        at = end + 1


def _quoted(
    line: str, at: int, lines: Iterator[str], parts: list[str], delimiter: str, *, strict: bool
) -> tuple[str, int]:
    """Reads to the closing quote, adds to the parts; gives the line and the place behind it."""
    size = 0
    while True:
        quote = line.find('"', at)
        piece = line[at:] if quote < 0 else line[at:quote]
        parts.append(piece)
        size += len(piece)
        if size > LONGEST_CELL:
            raise csv.Error(f"field larger than field limit ({LONGEST_CELL})")
        if quote < 0:
            following = next(lines, None)
            if following is None:
                if strict:
                    raise csv.Error("unexpected end of data")
                return "", 0
            line, at = following, 0
        elif line.startswith('"', quote + 1):
            parts.append('"')
            size += 1
            at = quote + 2
        else:
            if (
                strict
                and not line.startswith((delimiter, "\n"), quote + 1)
                and quote + 1 < len(line)
            ):
                raise csv.Error(f"'{delimiter}' expected after '\"'")
            return line, quote + 1
