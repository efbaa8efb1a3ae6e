"""A table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator


def columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their columns aligned; wide East Asian characters take two places."""
    from wcwidth import wcswidth

    from metasearch.formats.text import line

    cells = [[line(cell) for cell in row] for row in rows]
    widths = [max(wcswidth(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            cell + " " * (width - wcswidth(cell)) for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(padded).rstrip()
