"""Rows of tables that are not as wide as the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metasearch.formats.csv_columns import CsvColumns, is_known
from metasearch.late_pattern import late_pattern

# A row with too many cells has lost the quotes of one of them, most often: a comma in a title then
# begins another cell, and all behind it stand one column too far. Which one it was shows in what
# columns must hold: where two cells are put together, the year is a year again. Where nothing
# shows it, the cells that fit are kept, and those behind the last column are told.

#: Field -> what a cell of its column looks like.
_LOOKS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "year": r"\D{0,3}(?:1[5-9]|20)\d\d(?!\d)",
        "date": r".{0,20}?(?<!\d)(?:1[5-9]|20)\d\d(?!\d)",
        "doi": r".{0,30}?10\.\d{4,9}/",
        "url": r"(?i:https?://|www\.)",
        "pdf_url": r"(?i:https?://|www\.)",
        "isbn": r".{0,12}?\d{3}",
        "issn": r"\D{0,8}\d{4}-?\d{3}[\dXx]",
        "pmid": r"\d{1,9}(?:\.0)?\Z",
        "pmcid": r"PMC\d",
        "citations": r"\d{1,7}(?:\.0)?\Z",
        "volume": r"\S{1,12}(?: \S{1,8})?\Z",
        "issue": r"\S{1,12}(?: \S{1,8}){0,2}\Z",
        "pages": r"[A-Za-z]{0,4}\.? ?\d{1,8}",
        "first": r"[A-Za-z]{0,4}\d{1,8}",
        "last": r"[A-Za-z]{0,4}\d{1,8}",
        "trial": r"[A-Z]{2,6}",
        "language": r"[^\W\d]{2,20}(?:[;,] ?[^\W\d]{2,20})*\Z",
    }.items()
}
#: Columns, and cells too many, up to which the place is looked for.
_WIDEST, _MOST_OVER = 300, 40
#: Columns that a table has at least where one cell alone says that a row is none; names that make
#: a row within a table a heading.
_NARROWEST = 3
#: Characters of a name of a column, and of a line beside the table.
_LONGEST_NAME, _LONGEST_REMARK = 40, 500
#: Characters that a problem shows of the cells that do not fit.
_SHOWN = 80


def fit_row(row: list[str], columns: CsvColumns, delimiter: str) -> tuple[list[str], str]:
    """A row as wide as the names, and its flaw, "" for none; empty cells at its end may vary."""
    width = len(columns.names)
    if len(row) == width:
        return row, ""
    if len(row) < width:
        flaw = f"has fewer cells ({len(row)}) than there are columns ({width})"
        return row + [""] * (width - len(row)), flaw
    over = len(row) - width
    if not any(cell.strip() for cell in row[width:]):
        return row[:width], ""
    flaw = f"has more cells ({len(row)}) than there are columns ({width})"
    place = _cell_in_pieces(row, columns, over) if width <= _WIDEST and over <= _MOST_OVER else None
    if place is not None:
        whole = delimiter.join(row[place : place + over + 1])
        flaw += (
            f'; "{columns.names[place].strip()[:40]}" has no quotes around its "{delimiter}", '
            "most likely, and was put together"
        )
        return [*row[:place], whole, *row[place + over + 1 :]], flaw
    rest = delimiter.join(row[width:])
    shown = " ".join(rest[:_SHOWN].split()) + ("…" if len(rest) > _SHOWN else "")
    return row[:width], f'{flaw}; what stands behind the last column was left out: "{shown}"'


#: What programs write below a table, or above: who owns it, when it was made, how much there is.
_BESIDE = late_pattern(
    r"(?:©|\(c\)|copyright\s(?=\W{0,3}(?:c\)\s)?\d{4}\b)).{0,300}"
    r"|total(?: [a-z]{1,20}){0,3}\W{1,3}\d+|.{0,300}\ball rights reserved\.?"
    r"|(?:exported|generated|downloaded|retrieved|printed) (?:on|at|from|by)\b.{0,200}\d.{0,100}",
    re.IGNORECASE,
)
HEADING_AGAIN = (
    "the names of the columns again, as where files are joined; what follows was read by them"
)


def stands_apart(row: Sequence[str], columns: CsvColumns, *, behind_blank: bool) -> bool:
    """Whether a row is none of the table's: a line about it, below it.

    `behind_blank`: an empty line or another such row is before it. A title alone is a work, unless
    its row has no other cell, not even an empty one, and stands so.
    """
    if len(columns.names) < _NARROWEST or sum(map(bool, row)) > (2 if behind_blank else 1):
        return False
    return (behind_blank and len(row) == 1) or _BESIDE.fullmatch(_in_short(row)) is not None


def no_work(row: Sequence[str]) -> str:
    return f'the line stands beside the rows, and is no work: "{_in_short(row)[:_SHOWN]}"'


def _in_short(row: Sequence[str]) -> str:
    return " ".join(" ".join(cell[:_LONGEST_REMARK] for cell in row if cell).split())


def is_heading(row: Sequence[str], columns: CsvColumns) -> bool:
    """Whether a row is one of names, as the heading of the file is, or another one."""
    if row == columns.names:
        return True
    if len(row[0]) > _LONGEST_NAME or not is_known(row[0]):
        return False
    names = [cell for cell in row if cell.strip()]
    return len(names) >= _NARROWEST and all(map(is_known, names)) and CsvColumns(row).usable


def rows_together(row: Sequence[str], columns: CsvColumns) -> int:
    """How many rows a row holds; several where the end of a line is lost."""
    width = len(columns.names)
    if len(row) < 2 * width - 1 or width < 2 or not any(cell.strip() for cell in row[width:]):
        return 1
    return round(len(row) / width)


def _cell_in_pieces(row: list[str], columns: CsvColumns, over: int) -> int | None:
    """The column whose cell was torn in pieces; None where nothing tells."""
    looks = [
        (index, pattern)
        for field, pattern in _LOOKS.items()
        for index in columns.plan.get(field, ())
    ]
    strict = {index for index, _ in looks}

    def score(place: int) -> int:
        """How well the cells fit when those from a place on are put together."""
        total = 0
        for index, pattern in looks:
            cell = row[index if index < place else index + over].strip()
            total += 0 if not cell else 2 if pattern.match(cell) else -4
        return total

    width = len(columns.names)
    best, found = score(width), None  # as they stand
    # Behind a comma of a text stands a blank; where one stands behind each, it says nothing.
    blanks = {index for index, cell in enumerate(row) if cell[:1] == " "}
    if len(blanks) >= len(row) - 1:
        blanks = set()
    for place in range(width):
        if place in strict or place in blanks:
            continue
        pieces = range(place + 1, place + over + 1)
        value = score(place) + (1 if blanks.issuperset(pieces) else 0)
        if value > best or (value == best and found is not None):
            best, found = value, place
    return found
