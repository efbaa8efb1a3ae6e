"""Workbooks of Excel, read: by the names of the columns as tables are, and never more of them than
is taken."""

from __future__ import annotations

import datetime as dt
import io
import sys
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from metasearch.errors import FileFormatError
from metasearch.formats import xlsx
from metasearch.formats.reading import FileReading, read_bytes, zip_directory
from tests.cases import each
from tests.formats.exported import hits_of, written

openpyxl = pytest.importorskip("openpyxl")
HEADING = ("Title", "Authors", "Year", "Pages")
WORK = ("Mud in wells", "Byron, Ada; Stone, Ben", 2019, "3-12")
SHEET = "xl/worksheets/sheet1.xml"


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """A workbook with these rows in its sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, parts: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The workbook with other parts in place of its own, or beside them."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", method) as new:
        for name in {*old.namelist(), *parts}:
            new.writestr(name, parts[name] if name in parts else old.read(name))
    return out.getvalue()


def sheet_of(rows: str) -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def in_row(number: int, *texts: str) -> str:
    cells = "".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in texts)
    return f'<row r="{number}">{cells}</row>'


def read(data: bytes) -> FileReading:
    reading = read_bytes(data, "works.xlsx")
    assert reading.format == "xlsx"
    return reading


def rows(*found: Sequence[Any]) -> FileReading:
    return read(workbook({"Sheet1": found}))


def told(reading: FileReading) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in reading.problems]


PLAIN = workbook({"Sheet1": [HEADING, WORK]})


def test_a_row_is_a_work_by_the_names_of_the_columns() -> None:
    reading = rows(HEADING, WORK)

    (entry,) = reading.entries
    assert (entry.record.title, entry.record.year) == ("Mud in wells", 2019)
    assert [one.name for one in entry.record.authors] == ["Ada Byron", "Ben Stone"]
    assert (entry.record.pages, entry.line, told(reading)) == ("3-12", 2, [])


def test_numbers_and_dates_are_cells() -> None:
    heading = ("Title", "Year", "PubMed ID", "Publication Date", "ISBN", "Volume")
    day = dt.date(2019, 3, 12)
    (found,) = rows(heading, ("Mud", 2019.0, 123456, day, 9780306406157, 12.0)).records

    assert (found.year, found.date, found.ids) == (2019, "2019-03-12", {"pmid": "123456"})
    assert (found.isbn, found.volume) == (("9780306406157",), "12")


def test_pages_of_which_excel_has_made_a_date_are_told() -> None:
    reading = rows(HEADING, ("Mud", "Byron, Ada", 2019, dt.date(2024, 3, 12)))

    assert reading.records[0].pages is None
    assert told(reading) == [
        (
            2,
            (
                '"Pages" is left out: Excel has made a date of it, and what stood there is not '
                "known (2024-03-12)"
            ),
        )
    ]


def test_a_formula_counts_by_its_value() -> None:
    cells = in_row(1, "Title", "Year").replace(
        "</row>", '<c r="C1" t="str"><f>"Vol"&amp;"ume"</f><v>Volume</v></c></row>'
    )
    work = in_row(2, "Mud").replace(
        "</row>", '<c r="B2"><f>2018+1</f><v>2019</v></c><c r="C2"><f>5+7</f><v>12</v></c></row>'
    )
    (found,) = read(changed(PLAIN, {SHEET: sheet_of(cells + work)})).records

    assert (found.year, found.volume) == (2019, "12")


def test_a_formula_without_value_and_an_error_are_told() -> None:
    """Scripts write formulas that nobody has computed."""
    reading = rows(HEADING, ("Mud", "Byron, Ada", "=2018+1", "#REF!"))

    assert reading.records[0].year is None
    messages = " ".join(message for _, message in told(reading))
    assert "1 cell(s) hold a formula whose value was never computed" in messages
    assert '"Pages" holds an error of Excel: #REF!' in messages


def test_notes_may_stand_before_the_names_of_the_columns() -> None:
    reading = rows(("Export of the Well Library",), (), (None, "12 March 2020"), HEADING, WORK)

    assert [(entry.record.title, entry.line) for entry in reading.entries] == [("Mud in wells", 5)]
    assert [line for line, message in told(reading) if "before the names" in message] == [1, 3]


def test_the_first_sheet_with_works_is_read_and_the_others_are_told() -> None:
    reading = read(
        workbook(
            {
                "Read me": [("How to",)],
                "Works": [HEADING, WORK],
                "More": [HEADING, WORK],
                "Empty": [],
            }
        )
    )

    assert len(reading.records) == 1
    assert [message for _, message in told(reading)] == [
        (
            'the sheet "More" was not read; it holds another table of works: save it as a file of '
            "its own"
        ),
        'sheets without a table of works: "Read me" begins "How to"',
    ]


def test_no_sheet_has_works() -> None:
    reading = rows(("Name", "Age"), ("Ada", 36))

    assert (reading.records, reading.lost) == ([], 1)
    assert "no row of names of columns" in told(reading)[0][1]


def test_cells_behind_the_last_column_are_told() -> None:
    reading = rows(HEADING, (*WORK, None, "a remark"))

    assert told(reading) == [(2, 'what stands behind the last column was left out: "a remark"')]


def test_text_in_parts_and_lines_in_a_cell() -> None:
    rich = '<c t="inlineStr"><is><r><t>Mud in </t></r><r><t>wells</t></r></is></c>'
    sheet = in_row(1, "Title", "Extra") + f'<row r="2">{rich}<c t="inlineStr"><is><t>PMID: 123456\n'
    sheet += "read it</t></is></c></row>"
    (found,) = read(changed(PLAIN, {SHEET: sheet_of(sheet)})).records

    assert (found.title, found.ids) == ("Mud in wells", {"pmid": "123456"})


def test_a_dimension_that_is_wrong_hides_nothing() -> None:
    text = sheet_of(in_row(1, *HEADING) + in_row(2, "Mud", "Byron, Ada", "2019", "3"))
    (found,) = read(
        changed(PLAIN, {SHEET: text.replace(b"<sheetData>", b'<dimension ref="A1"/><sheetData>')})
    ).records

    assert (found.title, found.year, found.pages) == ("Mud", 2019, "3")


def test_a_workbook_is_known_whatever_it_is_called_and_when_it_is_gzipped() -> None:
    import gzip

    assert read_bytes(PLAIN, "works.ris").format == "xlsx"
    assert len(read_bytes(gzip.compress(PLAIN), "works.xlsx.gz").records) == 1


def test_without_openpyxl_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    with pytest.raises(FileFormatError, match="not installed") as caught:
        read_bytes(PLAIN, "works.xlsx")

    assert 'pip install ".[xlsx]"' in (caught.value.advice or "")


# ------------------------------------------------------------------ hostile files


def refused(data: bytes, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        read_bytes(data, "works.xlsx")


def test_parts_that_claim_too_much_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = changed(PLAIN, {SHEET: b" " * 3_000_000, "xl/sharedStrings.xml": b" " * 2_000_000})
    unpacked: list[str] = []
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_, **__: unpacked.append("a part"))

    for name, words in (
        ("MOST_BYTES", "unpacked, it has more than"),
        ("MOST_TEXTS", "sharedStrings.xml has more than"),
        ("MOST_PART", "has more than"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(xlsx, name, 1_000)
            refused(bomb, words)
    assert unpacked == []


def test_a_part_that_is_larger_than_it_claims_is_damaged() -> None:
    data = changed(PLAIN, {SHEET: b"<a>" + b" " * 3_000_000})
    size = (3_000_003).to_bytes(4, "little")

    refused(data.replace(size, (70_000).to_bytes(4, "little")), "cannot be unpacked")


@each(
    ("text", "words"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "cc">]><a>&b;</a>', "defines entities"),
        (b"<!-- " + b" " * 400_000 + b'--><!DOCTYPE a [<!ENTITY b "c">]><a/>', "defines entities"),
        ('<?xml version="1.0"?><!DOCTYPE a><a/>'.encode("utf-16"), "not in UTF-8"),
        ('<?xml version="1.0"?><a/>'.encode("utf-16-le"), "not in UTF-8"),
        (b'<?xml version="1.0" encoding="cp037"?><a/>', "not in UTF-8"),
        (b'<a><row r="2000000000"/></a>', "beyond the 1,048,576"),
        (b'<a><c r = "A99999999999999999999"/></a>', "beyond the 1,048,576"),
        (b"<a>" + b"<sheet name='x'/>" * 300 + b"</a>", "30[01] sheets"),
        (b"<a>" + b"<row><c>1</c></row>" + b"<c>1</c>" * 1_100_000 + b"</a>", "a row of it has"),
    ],
)
def test_what_no_program_writes_is_refused_before_it_is_parsed(text: bytes, words: str) -> None:
    refused(changed(PLAIN, {SHEET: text}), words)


def test_a_kind_of_workbook_that_openpyxl_does_not_read_is_named() -> None:
    strict = b"http://purl.oclc.org/ooxml/spreadsheetml/main"

    refused(changed(PLAIN, {SHEET: b'<worksheet xmlns="' + strict + b'"/>'}), "Strict Open XML")


def test_packings_that_excel_does_not_write_are_refused() -> None:
    refused(changed(PLAIN, {}, zipfile.ZIP_LZMA), "packed in a way")


def test_rows_are_not_as_many_cells_as_they_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MOST_CELLS", 10_000)
    far = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(2, 4))

    refused(changed(PLAIN, {SHEET: sheet_of(in_row(1, *HEADING) + far)}), "more than 10,000 cells")


def test_a_sheet_that_breaks_off_keeps_its_rows() -> None:
    text = sheet_of(in_row(1, *HEADING) + in_row(2, "Mud", "Byron, Ada", "2019", "3"))
    text = text.replace(b"<sheetData>", b'<dimension ref="A1:D2"/><sheetData>')
    reading = read(changed(PLAIN, {SHEET: text[: -len("</sheetData></worksheet>")]}))

    assert [one.title for one in reading.records] == ["Mud"]
    assert reading.lost == 1
    assert "could not be read" in told(reading)[0][1]


@each("length", [10, 60, 1_000, 3_000])
def test_a_file_that_breaks_off_is_told(length: int) -> None:
    refused(PLAIN[:length], "damaged")


@pytest.mark.parametrize(("name", "most"), [("MOST_DIRECTORY", 100), ("MOST_FILES", 3)])
def test_a_large_directory_is_not_read(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_directory, name, most)
    monkeypatch.setattr(zipfile, "ZipFile", None)

    refused(PLAIN, "the directory of the archive claims")


def test_parts_that_are_missing_or_no_xml_are_told() -> None:
    refused(changed(PLAIN, {"xl/workbook.xml": b"<a"}), "damaged")
    refused(changed(PLAIN, {"[Content_Types].xml": b"<Types/>"}), "damaged")


def test_long_texts_that_were_cut_are_told_by_our_own_notes() -> None:
    from metasearch.record import Record

    data = written("xlsx", hits_of([Record(source="a", title="Mud", abstract="x" * 40_000)]))

    (message,) = [message for _, message in told(read(data))]
    assert message.startswith('the sheet "notes" was not read; it begins "row 2, abstract: cut')


def test_headings_again_and_lines_below_are_no_works() -> None:
    reading = rows(
        HEADING, WORK, HEADING, WORK, (), ("© 2024 Kites. All rights reserved.",), ("Total", 2)
    )

    assert [record.title for record in reading.records] == ["Mud in wells"] * 2
    assert [line for line, _ in told(reading)] == [3, 6, 7]
