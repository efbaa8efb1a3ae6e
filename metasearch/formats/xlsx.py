"""Excel (.xlsx), read and written: the columns of CSV, a row a work. openpyxl reads and writes it,
which comes with the extra `xlsx` and is imported here only.

No text of a database is a formula: every text cell is marked as text. What Excel has no room for in
a cell is cut, and the sheet "notes" says where. Of a workbook the first sheet that holds a table of
works is read.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from metasearch.errors import FileFormatError, UsageError
from metasearch.formats import csv_fit
from metasearch.formats.csv import (
    COLUMNS,
    MOST_BEFORE,
    OF_FILES,
    HeaderRow,
    cells,
    cells_beside,
    is_formula,
    more_columns,
    tell_heading,
)
from metasearch.formats.csv_columns import CsvColumns, CsvRowReader
from metasearch.formats.origins import BesideHits, with_beside
from metasearch.formats.reading import zip_directory
from metasearch.formats.reading.result import EntryCollector, FileReading, in_short
from metasearch.formats.text import exact_number, line
from metasearch.record import Hit

if TYPE_CHECKING:
    from metasearch.formats.reading.files import Content

#: Characters of a cell in Excel.
LONGEST_CELL = 32_767


def parts(
    hits: Iterable[Hit],
    *,
    beside: BesideHits | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[bytes]:
    """The workbook, in one part: its directory stands at its end. Rows wait in a temporary file.

    `hits`, `beside`, `columns`: as of `parts` in csv.py. Raises UsageError: there are more hits
    than Excel has rows. Raises ImportError: openpyxl is not installed; `metasearch.formats.get`
    checks that before.
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


#: Cells of a file, those counted that are empty and stand before one that is not.
MOST_CELLS = 200_000_000
#: What Excel shows for a formula that has no value.
_ERRORS = frozenset("#N/A #REF! #VALUE! #NAME? #DIV/0! #NUM! #NULL! #SPILL! #CALC!".split())
#: Fields in which a date is none: Excel makes 12 March of the pages 3-12.
_NO_DATES = ("volume", "issue", "pages", "first", "last", "article")
#: What openpyxl, and the parser that it uses, raise for a damaged file.
_DAMAGE = (
    ArithmeticError, AttributeError, EOFError, LookupError, OSError, SyntaxError, TypeError,
    ValueError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
#: Characters that a problem shows of a cell.
_SHOWN = 80

Row = Sequence[Any]


def read(content: Content, reading: FileReading) -> None:
    """Add the works of a workbook. Raises FileFormatError: it is damaged, or holds more than is
    taken.
    """
    collector = EntryCollector(reading)
    with content.seekable() as file:
        with zip_directory.open_archive(file, reading.name) as archive:
            without_value = check_workbook(archive, reading.name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions, which say nothing of works
            _read(_open_workbook(file, reading.name), reading, collector)
    if without_value:
        what = (
            f"{without_value} cell(s) hold a formula whose value was never computed, and were "
            "empty: open the file in Excel, and save it"
        )
        collector.remark(0, what)


def _open_workbook(file: Any, name: str) -> Any:
    from openpyxl import load_workbook

    file.seek(0)
    try:
        return load_workbook(file, read_only=True, data_only=True, keep_links=False)
    except _DAMAGE as exc:
        what = f"the file is damaged, or no workbook of Excel: {in_short(exc)}"
        raise FileFormatError(name, what, advice="Save it again, or as CSV.") from exc


def _read(book: Any, reading: FileReading, collector: EntryCollector) -> None:
    first: str | None = None
    most = ""
    for sheet in book.worksheets:
        rows = _SheetRows(sheet, reading.name)
        head = rows.head()
        header = _header(head)
        shown = next((text for row in head for cell in row if (text := _text(cell))), "")
        if first is not None:
            what = "holds another table of works: save it as a file of its own" if header else ""
            if shown:
                what = what or f'begins "{shown[:_SHOWN]}"'
                collector.remark(0, f'the sheet "{sheet.title}" was not read; it {what}')
        elif header is not None:
            first = sheet.title
            _read_rows(rows, header, collector)
        elif shown:
            most += f'{"; " if most else ""}"{sheet.title}" begins "{shown[:_SHOWN]}"'
    if first is None:
        what = 'no row of names of columns was found, such as "Title" and "Authors"'
        collector.lose(1, f"{what}: {most}" if most else what, 1 if most else 0)
    elif most:
        collector.remark(0, f"sheets without a table of works: {most}")


class _SheetRows:
    """The rows of a sheet, by their numbers from 1. Those of the beginning may be asked for before
    the others.
    """

    def __init__(self, sheet: Any, name: str) -> None:
        sheet.reset_dimensions()  # what the file says of them is wrong where programs wrote it
        self._sheet = sheet
        self._name = name

    def head(self) -> list[Row]:
        """The rows in which the names of the columns may stand; what is damaged among them is told
        when all rows are read.
        """
        found: list[Row] = []
        with suppress(*_DAMAGE):
            found.extend(islice(self._sheet.values, MOST_BEFORE))
        return found

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        """Raises FileFormatError: they have more cells than are taken."""
        cells = 0
        for number, row in enumerate(self._sheet.values, 1):
            cells += len(row)
            if cells > MOST_CELLS or number > MOST_ROWS:
                most_rows = f"{MOST_ROWS:,}"
                what = f"the sheet has more than {MOST_CELLS:,} cells or {most_rows} rows"
                raise FileFormatError(self._name, what, advice="Divide it into several files.")
            yield number, row


def _header(head: Sequence[Row]) -> HeaderRow | None:
    before: list[tuple[int, str]] = []
    for number, row in enumerate(head, 1):
        names = [_text(cell) for cell in row]
        while names and not names[-1]:
            names.pop()
        columns = CsvColumns(names)
        if columns.usable:
            return HeaderRow(columns, "\t", number, before)
        if shown := " ".join(filter(None, names))[:_SHOWN]:
            before.append((number, shown))
    return None


def _read_rows(rows: _SheetRows, header: HeaderRow, collector: EntryCollector) -> None:
    tell_heading(header, collector)
    columns = header.columns
    reader = CsvRowReader(columns)
    no_dates = _without_dates(columns)
    is_apart = False
    number = header.first_row
    try:
        for number, row in rows:
            if number <= header.first_row or all(cell is None for cell in row):
                is_apart = True
                continue
            problems: list[str] = []
            cells = _cells(row, columns, no_dates, problems)
            if csv_fit.is_heading(cells, columns):
                collector.remark(number, csv_fit.HEADING_AGAIN)
                columns = CsvColumns(cells)
                reader, no_dates = CsvRowReader(columns), _without_dates(columns)
            elif is_apart := csv_fit.stands_apart(cells, columns, behind_blank=is_apart):
                collector.remark(number, csv_fit.no_work(cells))
            elif any(cells):
                collector.put(number, partial(reader.draft, cells, problems))
            else:
                for problem in problems:
                    collector.remark(number, problem)
    except _DAMAGE as exc:
        what = f"the rows behind row {number} could not be read: {in_short(exc)}"
        collector.lose(number + 1, what)


def _without_dates(columns: CsvColumns) -> set[int]:
    """The indexes of the columns in which a date is none."""
    return {index for field in _NO_DATES for index in columns.plan.get(field, ())}


def _cells(row: Row, columns: CsvColumns, no_dates: set[int], problems: list[str]) -> list[str]:
    width = len(columns.names)
    cells = [_text(cell) for cell in row[:width]] + [""] * (width - len(row))
    for index, (cell, found) in enumerate(zip(cells, row, strict=False)):
        if cell in _ERRORS:
            problems.append(f'"{columns.names[index][:40]}" holds an error of Excel: {cell}')
            cells[index] = ""
        elif index in no_dates and isinstance(found, dt.date | dt.time):
            what = "Excel has made a date of it, and what stood there is not known"
            problems.append(f'"{columns.names[index][:40]}" is left out: {what} ({cell})')
            cells[index] = ""
    rest = " ".join(filter(None, map(_text, row[width:])))[:_SHOWN]
    if rest:
        problems.append(f'what stands behind the last column was left out: "{rest}"')
    return cells


def _text(cell: Any) -> str:
    """A cell as people read it: a whole number without its ".0", a date in ISO 8601."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e16 else repr(cell)
    if isinstance(cell, dt.datetime):
        midnight = (cell.hour, cell.minute, cell.second) == (0, 0, 0)
        return cell.date().isoformat() if midnight else cell.isoformat(" ", "seconds")
    return str(cell)


# Before openpyxl reads a workbook: how large its parts say they are, and what stands in them, of
# which a piece is looked at at a time.

#: Rows of a sheet, that of the names among them.
MOST_ROWS = 1_048_576
#: Bytes of all parts, unpacked; of the part with the texts of all cells; of any other part but a
#: sheet. openpyxl reads all of them but the sheets as a whole.
MOST_BYTES, MOST_TEXTS, MOST_PART = 1_000_000_000, 200_000_000, 16_000_000
#: Sheets, and the bytes of the largest part times their number: several sheets may be one part.
MOST_SHEETS, MOST_OF_SHEETS = 255, 4_000_000_000
#: Bytes of a row, and of what stands in a sheet beside its rows: openpyxl holds that as a whole.
MOST_ROW = 8_000_000
_PIECE = 1 << 18
#: Characters at a piece's end that are looked at again with the next one.
_OVERLAP = 200
_TEXTS = "xl/sharedstrings.xml"
_IS_SHEET = re.compile(r"xl/worksheets/[^/]{1,100}\.xml")
_SHEET = re.compile(rb"<(?:\w{1,20}:)?sheet\s")
_NUMBER = re.compile(rb"\sr\s{0,9}=\s{0,9}[\"'][A-Za-z]{0,3}(\d{7,})")
#: A formula whose value nobody has computed: openpyxl and scripts write so.
_NO_VALUE = re.compile(
    rb"</(?:\w{1,20}:)?f>\s{0,9}(?:<(?:\w{1,20}:)?v\s?/>|<v></v>)?\s{0,9}</(?:\w{1,20}:)?c>"
)
_ENCODING = re.compile(rb"\A[^>]{0,100}\sencoding\s?=\s?[\"'](?!utf-?8|us-ascii)", re.IGNORECASE)
_ADVICE = "Save it as CSV, or divide it."


def check_workbook(archive: zipfile.ZipFile, name: str) -> int:
    """How many cells hold a formula without a value. Raises FileFormatError: the workbook claims or
    holds more than is taken, or what no program writes.
    """
    parts = archive.infolist()
    total = sum(part.file_size for part in parts)
    if total > MOST_BYTES:
        raise _refusal(name, f"unpacked, it has more than {MOST_BYTES:,} bytes")
    for part in parts:
        most = MOST_TEXTS if part.filename.lower() == _TEXTS else MOST_PART
        if _IS_SHEET.fullmatch(part.filename):
            most = MOST_BYTES
        if part.file_size > most and part.filename.endswith((".xml", ".rels")):
            raise _refusal(name, f"its part {part.filename[:80]} has more than {most:,} bytes")
        if part.flag_bits & 1:
            raise _refusal(name, "it is encrypted")
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refusal(name, "it is packed in a way that Excel does not write")
    sheets = without_value = 0
    for part in parts:
        more_sheets, more = _look_at(archive, part, name)
        sheets += more_sheets
        without_value += more
    largest = max((part.file_size for part in parts), default=0)
    if sheets > MOST_SHEETS or sheets * largest > MOST_OF_SHEETS:
        raise _refusal(name, f"it has {sheets:,} sheets of up to {largest:,} bytes")
    return without_value


def _look_at(archive: zipfile.ZipFile, part: zipfile.ZipInfo, name: str) -> tuple[int, int]:
    """Tags of sheets, and formulas without value, in a part."""
    sheets = without_value = since_row = 0
    before = b""
    try:
        with archive.open(part) as file:
            while piece := file.read(_PIECE):
                if not before and (_ENCODING.match(piece) or piece[:2] in _WIDE):
                    raise _refusal(name, "a part of it is not in UTF-8")
                text = before + piece
                if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
                    raise _refusal(name, "a part of it defines entities, which no workbook does")
                if _STRICT in text:
                    what = 'it is of the kind "Strict Open XML", which openpyxl does not read'
                    advice = 'Save it as the kind "Excel Workbook (.xlsx)", or as CSV.'
                    raise FileFormatError(name, what, advice=advice)
                for hit in _NUMBER.finditer(text):
                    if int(hit[1][:12]) > MOST_ROWS:
                        raise _refusal(name, f"it has a row beyond the {MOST_ROWS:,} of Excel")
                sheets += sum(hit.end() > len(before) for hit in _SHEET.finditer(text))
                without_value += sum(hit.end() > len(before) for hit in _NO_VALUE.finditer(text))
                row = max(text.rfind(b"<row"), text.rfind(b":row"))
                since_row = since_row + len(piece) if row < 0 else len(text) - row
                if since_row > MOST_ROW and _IS_SHEET.fullmatch(part.filename):
                    raise _refusal(name, f"a row of it has more than {MOST_ROW:,} bytes")
                before = text[-_OVERLAP:]
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as exc:
        what = f"the file is damaged: its part {part.filename[:80]} cannot be unpacked"
        raise FileFormatError(name, what, advice="Fetch or save it again.") from exc
    return sheets, without_value


#: The namespace of sheets of a kind that Excel writes on request.
_STRICT = b"http://purl.oclc.org/ooxml/spreadsheetml/main"
#: How UTF-16 begins.
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


def _refusal(name: str, why: str) -> FileFormatError:
    return FileFormatError(name, f"the workbook is not read: {why}", advice=_ADVICE)
