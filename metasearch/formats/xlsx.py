"""Excel (.xlsx): the columns of CSV, a row a hit. openpyxl writes it, which comes with the extra
`xlsx` and is imported here only.

No text of a database is a formula: every text cell is marked as text. What Excel has no room for in
a cell is cut, and the sheet "notes" says where.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from metasearch.errors import UsageError
from metasearch.formats.csv import COLUMNS, OF_FILES, cells, cells_beside, is_formula, more_columns
from metasearch.formats.origins import BesideHits, with_beside
from metasearch.formats.text import exact_number, line
from metasearch.record import Hit

#: Characters of a cell in Excel.
LONGEST_CELL = 32_767
#: Rows of a sheet, that of the names among them.
MOST_ROWS = 1_048_576


def parts(
    hits: Iterable[Hit],
    *,
    beside: BesideHits | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[bytes]:
    """The workbook, in one part: its directory stands at its end. Rows wait in a temporary file.

    `hits`: in the order of the rows. `beside`: what files say beside the records, by `Hit.id`: a
    column for each of their tags. `columns`: what `columns_beside` gives for that; needed unless it
    is a `Mapping`. Raises UsageError: there are more hits than Excel has rows. Raises ImportError:
    openpyxl is not installed; `metasearch.formats.get` checks that before.
    """
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("works")
    sheet.freeze_panes = "A2"
    more = more_columns(beside, columns)
    names = [*COLUMNS, *(OF_FILES if beside is not None else ()), *more]
    notes: list[str] = []
    sheet.append([_cell(sheet, name, "", notes) for name in names])
    for number, (hit, found) in enumerate(with_beside(hits, beside), 2):
        if number > MOST_ROWS:
            raise UsageError(
                f"Excel has {MOST_ROWS:,} rows, and these are more works",
                advice="Write them as csv or parquet.",
            )
        row = cells(hit)
        if found is not None:
            row += cells_beside(found, more)
        sheet.append(
            [
                _cell(sheet, value, f"row {number}, {column}", notes)
                for column, value in zip(names, row, strict=True)
            ]
        )
    if notes:
        told = book.create_sheet("notes")
        for note in notes:
            told.append([_cell(told, note, "", [])])
    out = io.BytesIO()
    book.save(out)
    yield out.getvalue()


def _cell(sheet: Any, value: str | float | None, place: str, notes: list[str]) -> Any:
    from openpyxl.cell import WriteOnlyCell

    if isinstance(value, int) and exact_number(value) is None:
        value = str(value)
    if not isinstance(value, str):
        return WriteOnlyCell(sheet, value)
    shown = line(value)
    if len(shown) > LONGEST_CELL:
        notes.append(f"{place}: cut; Excel holds {LONGEST_CELL:,} of its {len(shown):,} characters")
        shown = shown[:LONGEST_CELL]
    cell = WriteOnlyCell(sheet, shown or None)
    if shown:
        cell.data_type = "s"  # openpyxl takes "=..." for a formula
    if is_formula(shown):  # text also after somebody has edited the cell
        cell.quotePrefix = True
    return cell
