"""Excel (.xlsx): the columns of CSV, a row a hit. openpyxl writes it, which comes with the extra
`metasearch[xlsx]` and is imported here only.

No text of a database is a formula: every text cell is marked as text. What Excel has no room for in
a cell is cut, and the sheet "notes" says where.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from metasearch.formats.csv.write import (
    COLUMNS,
    OF_FILES,
    cells,
    cells_beside,
    columns_beside,
    is_formula,
)
from metasearch.formats.origins import NOTHING, BesideHits
from metasearch.formats.text import exact_number, line
from metasearch.record import Hit

#: Characters of a cell in Excel.
LONGEST_CELL = 32_767


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """The workbook, in one part: its directory stands at its end.

    Args:
        hits: In the order of the rows.
        beside: What files say beside the records, by `Hit.id`: a column for each of their tags.

    Raises:
        ImportError: openpyxl is not installed; `metasearch.formats.get` checks that before.
    """
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("works")
    sheet.freeze_panes = "A2"
    more = columns_beside(beside.values()) if beside is not None else []
    columns = [*COLUMNS, *(OF_FILES if beside is not None else ()), *more]
    notes: list[str] = []
    sheet.append([_cell(sheet, name, "", notes) for name in columns])
    for number, hit in enumerate(hits, 2):
        row = cells(hit)
        if beside is not None:
            row += cells_beside(beside.get(hit.id, NOTHING), more)
        sheet.append(
            [
                _cell(sheet, value, f"row {number}, {column}", notes)
                for column, value in zip(columns, row, strict=True)
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
