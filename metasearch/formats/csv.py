"""Tables (.csv, .tsv, .txt): one work a row, read from any program and written with our own
columns.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

from metasearch.formats import csv_fit
from metasearch.formats.csv_columns import CsvColumns, CsvRowReader, compact, is_known
from metasearch.formats.origins import Beside, BesideHits, one_text, with_beside
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import EntryCollector, FileReading
from metasearch.formats.reference import field_sources, identifiers, in_one_field, link
from metasearch.formats.text import line as one_line
from metasearch.formats.text import web_url
from metasearch.record import PEOPLE, TEXTS, WRITTEN, Hit, fields_of

# The lines of a table, of which no more are kept than may be looked at again.


class TableLines:
    """The lines of a table by their numbers, from 0, with their ends; those that were forgotten are
    gone.

    `longest`: characters of a line; a longer one is told as lost, and empty. `collector`: where
    that is told. `size`: characters that were read so far.
    """

    def __init__(self, text: FileText, longest: int, collector: EntryCollector) -> None:
        self._lines = text.lines(longest)
        self._longest = longest
        self._collector = collector
        self._kept: deque[str] = deque()
        self._forgotten = 0
        self.size = 0

    def has(self, number: int) -> bool:
        while number >= self._forgotten + len(self._kept):
            line = next(self._lines, None)
            if line is None:
                return False
            if len(line) > self._longest:
                place = self._forgotten + len(self._kept) + 1
                self._collector.lose(
                    place, f"the line has more than {self._longest:,} characters; it was left out"
                )
                line = ""
            if line[:1] == "\ufeff":  # of a file behind another one
                line = line[1:]
            self.size += len(line) + 1
            self._kept.append(line.replace("\x00", "") + "\n")
        return True

    def __getitem__(self, number: int) -> str:
        return self._kept[number - self._forgotten]

    def first(self, count: int, longest: int) -> list[str]:
        """The beginnings of the first lines, as many of them as there are."""
        self.has(count - 1)
        return [self._kept[number][:longest] for number in range(min(count, len(self._kept)))]

    def since(self, number: int) -> Iterator[str]:
        """The lines from one that is not forgotten to the end of the file."""
        while self.has(number):
            yield self[number]
            number += 1

    def forget(self, number: int) -> None:
        """Let go of the lines before one."""
        while self._forgotten < number and self._kept:
            self._kept.popleft()
            self._forgotten += 1


# Rows of a table whose cells may be long. Python's csv module refuses cells of more than 131,072
# characters; that limit belongs to the whole process (`csv.field_size_limit`), so a library must
# not move it. The few rows that have such a cell (a list of a thousand references) are read here,
# by the same rules.

#: Characters of one cell; a list of references can be long.
LONGEST_CELL = 10_000_000


def row(lines: Iterator[str], delimiter: str, *, strict: bool = False) -> list[str] | None:
    """The first row, which may be several lines; None where there is no line left.

    `strict`: whether a quote that is never closed, or with something behind it, is an error. Raises
    csv.Error: as the csv module, and for a cell above `LONGEST_CELL`.
    """
    taken: list[str] = []

    def note_lines() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    try:
        return next(csv.reader(note_lines(), delimiter=delimiter, strict=strict), None)
    except csv.Error:
        # Whether it was the length, and of what, is decided where that limit is set.
        return long_row(_replay(taken, lines), delimiter, strict=strict)


def _replay(taken: list[str], lines: Iterator[str]) -> Iterator[str]:
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
            line, at = _read_quote(line, at + 1, lines, parts, delimiter, strict=strict)
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


def _read_quote(
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


# Tables of works (.csv, .tsv, .txt): one work a row, the names of the columns in the first; apart
# by commas, semicolons or tabs. Embase's second form too, in which a row is one field and its name
# stands first. A quote that is never closed would swallow what follows. So where a row does not fit
# the columns, it is looked whether a line within it would, and the reading goes on from there.

#: Characters of a line, and of a row, which may go over several.
LONGEST_LINE = LONGEST_ROW = LONGEST_CELL + 1_000_000
#: Characters of a file that may always be looked at twice.
PATIENCE = 100_000
#: Characters of a row that are looked at for names of columns.
LONGEST_HEADING = 200_000
#: Rows that may stand before that of the names.
MOST_BEFORE = 20
#: Characters that a problem shows of a line.
_SHOWN = 80
#: Names of unknown columns that a problem lists.
MOST_TOLD = 20

_DELIMITERS = (",", "\t", ";", "|")
_SEPARATOR_LINE = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)
#: What Embase gives one value a cell, where a row is a field.
_LISTS = ("authors", "keywords", "terms", "isbn", "issn")


def looks_like(head: str) -> bool:
    """Whether a text begins with a row of names of columns, the title's among them."""
    lines = _lines(head)[:MOST_BEFORE]
    return _header(lines) is not None or _is_vertical(lines)


def read(text: FileText, reading: FileReading) -> None:
    collector = EntryCollector(reading)
    lines = TableLines(text, LONGEST_LINE, collector)
    first = lines.first(MOST_BEFORE, LONGEST_HEADING)
    if _is_vertical(first):
        _read_vertical(lines, collector)
    elif (found := _header(first)) is not None:
        _read_rows(lines, found, collector)
    else:
        rows = sum(bool(row and any(row)) for _, row, _ in _CsvRows(lines, ",", 0))
        collector.lose(
            1, 'no row of names of columns was found, such as "Title" and "Authors"', rows
        )


def _lines(text: str) -> list[str]:
    r"""The lines with their ends, however they end in the file; NUL is no text."""
    return [f"{line}\n" for line in FileText.plain(text.replace("\x00", "")).lines(LONGEST_LINE)]


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """The row of names: how the table is written, and on which line its rows begin (from 0)."""

    columns: CsvColumns
    delimiter: str
    first_row: int
    #: Lines before it that say something, by their numbers from 1, with their beginnings.
    before: list[tuple[int, str]]


def _header(lines: Sequence[str]) -> HeaderRow | None:
    """The first row that names columns, by the delimiter with which most of them are known."""
    said = next(
        (hit[1] for line in lines[:1] if (hit := _SEPARATOR_LINE.match(line.lstrip("\ufeff")))),
        None,
    )
    before: list[tuple[int, str]] = []
    for index, line in enumerate(lines):
        best: HeaderRow | None = None
        for delimiter in (said,) if said else _DELIMITERS:
            if delimiter not in line:
                continue
            try:
                reader = csv.reader(lines[index:], delimiter=delimiter)
                names = next(reader, [])
                if len(names) == 1:
                    names = _row_in_cell(names[0], delimiter) or names
            except csv.Error:
                continue
            columns = CsvColumns(names)
            if columns.usable and (best is None or len(columns.plan) > len(best.columns.plan)):
                best = HeaderRow(columns, delimiter, index + reader.line_num, before)
        if best is not None:
            return best
        if shown := line.strip('\ufeff"\t ,;\n')[:_SHOWN]:
            before += [] if said and not index else [(index + 1, shown)]
    return None


def _row_in_cell(cell: str, delimiter: str) -> list[str]:
    """The cells of a row that stands in quotes as a whole, as its only cell; [] for none."""
    if delimiter not in cell or "\n" in cell:
        return []
    try:
        return next(csv.reader([cell], delimiter=delimiter), [])
    except csv.Error:  # it is too long
        return []


@dataclass(slots=True)
class _CsvRows:
    """The rows of a table with the lines on which they begin, from 1."""

    lines: TableLines
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
            reader = csv.reader(self._feed(), delimiter=self.delimiter)
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
                    long = long_row(self._feed(), self.delimiter)
                except csv.Error as exc:
                    if self._patient(self._row_size):
                        self.next_line = start + 1
                        yield start + 1, None, str(exc)
                    else:
                        yield start + 1, None, f"{exc}; with it the lines up to {self.next_line}"
                else:
                    yield start + 1, long, ""
                    self.lines.forget(self.next_line)

    def _feed(self) -> Iterator[str]:
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
            row(self.lines.since(first), self.delimiter, strict=True)
        except csv.Error:
            return True
        return False

    def with_backslashes(self, first: int, width: int) -> list[str] | None:
        r"""The row that begins on a line, where programs have written \" for a quote, as MySQL
        does; the reading goes on behind it. None where it is none, or as wide as read plainly.
        """
        taken = 0

        def feed(mark: str) -> Iterator[str]:
            nonlocal taken
            for line in self.lines.since(first):
                if not self._patient(len(line)):
                    return
                taken += 1
                yield line.replace('\\"', mark)

        found = []
        for mark in ('\\"', '""'):
            taken = 0
            try:
                found = row(feed(mark), self.delimiter, strict=True) or []
            except csv.Error:
                continue
            break
        if mark != '""' or len(found) != width:
            return None
        self.next_line = first + taken
        return found

    def again(self, first: int, last: int, width: int) -> int | None:
        """The first line behind the one on which a bad row begins, and not behind its last, that is
        a row by itself, of so many cells.
        """
        for index in range(first, last):
            if not self._patient(len(self.lines[index])):
                return None
            try:
                row_ = row(iter([self.lines[index]]), self.delimiter, strict=True) or []
            except csv.Error:
                continue
            if len(row_) == width:
                return index
        return None


def _read_rows(lines: TableLines, header: HeaderRow, collector: EntryCollector) -> None:
    columns, width = header.columns, len(header.columns.names)
    tell_heading(header, collector)
    reader = CsvRowReader(columns)
    rows = _CsvRows(lines, header.delimiter, header.first_row)
    iterator = iter(rows)
    is_apart = False
    while (numbered := next(iterator, None)) is not None:
        line, row, wrong = numbered
        if row is None:
            collector.lose(line, f"the row could not be read and was left out: {wrong}")
            continue
        if not any(cell.strip() for cell in row):
            is_apart = True
            continue
        if len(row) == 1 < width and (
            len(within := _row_in_cell(row[0], header.delimiter)) == width
        ):
            row = within
        if any('\\"' in lines[place] for place in range(line - 1, rows.next_line)) and (
            whole := rows.with_backslashes(line - 1, width)
        ):
            row, iterator = whole, iter(rows)
        if csv_fit.is_heading(row, columns):
            if row != columns.names:
                columns, width = CsvColumns(row), len(row)
                reader = CsvRowReader(columns)
            collector.remark(line, csv_fit.HEADING_AGAIN)
            continue
        if is_apart := csv_fit.stands_apart(row, columns, behind_blank=is_apart):
            collector.remark(line, csv_fit.no_work(row))
            continue
        fit, flaw = csv_fit.fit_row(row, columns, header.delimiter)
        if flaw and rows.next_line > line:
            resume = rows.again(line, rows.next_line, width)
            if resume is not None:
                collector.lose(
                    line,
                    f"the row {flaw}, most likely by a quote that is not closed; it was left out",
                )
                rows.next_line = resume
                iterator = iter(rows)
                continue
        if not flaw and not lines.has(rows.next_line) and rows.breaks_off(line - 1):
            flaw = "ends with the file, before its last quote is closed"
        collector.put(
            line, partial(reader.draft, fit, [f"the row {flaw}; it was kept"] if flaw else [])
        )
        if (several := csv_fit.rows_together(row, columns)) > 1:
            collector.lose(
                line,
                f"the row has the cells of {several} rows; the first alone was read",
                several - 1,
            )


def tell_heading(header: HeaderRow, collector: EntryCollector) -> None:
    """Which columns are not known, and what stands before the names."""
    unknown = header.columns.unknown
    if unknown:
        told = ", ".join(name[:40] for name in unknown[:MOST_TOLD])
        more = f" and {len(unknown) - MOST_TOLD} more" if len(unknown) > MOST_TOLD else ""
        what = f"columns that are not known, kept beside the records: {told}{more}"
        collector.remark(header.first_row, what)
    if header.columns.are_authors_glued:
        what = (
            "the names of authors stand without a mark between them, as SpringerLink writes them; "
            "they were parted where a capital follows a small letter"
        )
        collector.remark(header.first_row, what)
    for line, text in header.before:
        collector.remark(line, f'the line stands before the names of columns: "{text}"')


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


def _read_vertical(lines: TableLines, collector: EntryCollector) -> None:
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

    for at, row, wrong in _CsvRows(lines, ",", 0):
        if row is None:
            collector.lose(at, f"the row could not be read and was left out: {wrong}", 0)
        elif row and row[0].strip():
            if compact(row[0]) == "title":
                put()
                record, line = {}, at
            record.setdefault(row[0], [cell for cell in row[1:] if cell.strip()])
    put()


# CSV (RFC 4180) for spreadsheets and scripts: one row a hit, its column names an interface. A cell
# that a spreadsheet would take for a formula is prefixed with an apostrophe, as OWASP's note on CSV
# injection advises: upstream text must not be able to run anything on the reader's machine. So is
# what follows a semicolon: there spreadsheets in much of Europe begin another cell, whatever the
# file says.

#: Columns that stand last: a long one, and those that came when programs had counted the others.
_LAST = ("abstract", "translators", "place")
COLUMNS = (
    *("rank", "score", "id"),
    *(name for name in WRITTEN if name not in ("titles", *_LAST)),
    *("sources", "provenance", *_LAST),
)
_FLAGS = fields_of("flag")
_values = attrgetter(*WRITTEN)
#: Full-width forms too: spreadsheets in East Asian locales fold them.
_formula_start = re.compile(r"(?:^|(?<=;)[\s\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


#: Columns of works that were made of files, behind `COLUMNS`; then those of the files that hold
#: more.
OF_FILES = ("database", "origins")
#: Columns of files that are written; a wider table cannot be read.
MOST_BESIDE = 500


def columns_beside(beside: Iterable[Beside]) -> list[str]:
    """The columns that files add, in the order in which they come, `MOST_BESIDE` at most."""
    ours = {*COLUMNS, *OF_FILES}
    found: dict[str, None] = {}
    for one in beside:
        found.update(
            (name, None)
            for tag, _ in one.fields
            if (name := one_line(tag)) and name.lower() not in ours
        )
        if len(found) > MOST_BESIDE:
            break
    return list(found)[:MOST_BESIDE]


def parts(
    hits: Iterable[Hit],
    *,
    bom: bool = False,
    beside: BesideHits | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[bytes]:
    """The hits as CSV in UTF-8 with a header row; lists are joined by "; ", line breaks become
    blanks.

    `bom`: begin with a byte order mark, without which Excel takes the file for its own code page.
    `beside`: see `Format.parts`; each of its tags has a column. `columns`: what `columns_beside`
    gives for `beside`; needed unless that is a `Mapping`.
    """
    more = more_columns(beside, columns)
    heading = COLUMNS if beside is None else (*COLUMNS, *OF_FILES, *more)
    yield (b"\xef\xbb\xbf" if bom else b"") + csv_line(heading)
    for hit, found in with_beside(hits, beside):
        yield csv_line(cells(hit) if found is None else [*cells(hit), *cells_beside(found, more)])


def more_columns(beside: BesideHits | None, columns: Sequence[str] | None) -> Sequence[str]:
    """The names of the columns that files add, which are given or can be found."""
    if columns is None and isinstance(beside, Mapping):
        return columns_beside(beside.values())
    return columns or ()


def csv_line(values: Iterable[str | float | None]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow([guard_formula(value) for value in values])
    return out.getvalue().encode()


def cells(hit: Hit) -> list[str | float | None]:
    """The values of `COLUMNS`, unguarded."""
    record = hit.record
    said = dict(zip(WRITTEN, _values(record), strict=True))
    for name in TEXTS:
        said[name] = "; ".join(said[name])
    for name in PEOPLE:
        said[name] = "; ".join(in_one_field(one, several=True) for one in said[name])
    for name in _FLAGS:
        said[name] = "yes" if said[name] else None
    said |= {
        "rank": hit.rank,
        "score": hit.score,
        "id": hit.id,
        "ids": "; ".join(identifiers(record)),
        "url": link(record),
        "pdf_url": web_url(record.pdf_url),
        "sources": "; ".join(hit.sources),
        "provenance": "; ".join(field_sources(hit)),
    }
    return [said[name] for name in COLUMNS]


def cells_beside(beside: Beside, columns: Sequence[str]) -> list[str]:
    """The cells behind those of a row; several values of one tag are apart by semicolons."""
    found: dict[str, list[str]] = {}
    for tag, value in beside.fields:
        known = found.setdefault(one_line(tag), [])
        shown = one_line(value)
        if shown and shown not in known and shown not in "; ".join(known).split("; "):
            known.append(shown)
    values = ["; ".join(found.get(name, ())) for name in columns]
    return ["; ".join(beside.databases), one_text(beside.origins), *values]


def is_formula(text: str) -> bool:
    """Whether a spreadsheet could take the text, or what follows a semicolon in it, for one."""
    return _formula_start.search(text) is not None


def guard_formula(cell: str | float | None) -> str | float | None:
    if not isinstance(cell, str):
        return cell
    return _formula_start.sub(r"\g<0>'", one_line(cell))
