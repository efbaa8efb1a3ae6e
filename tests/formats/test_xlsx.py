"""Excel workbooks, read by openpyxl where it is installed."""

from __future__ import annotations

import io
import sys
import zipfile
from typing import Any

import pytest

from metasearch import formats
from metasearch.errors import UsageError
from metasearch.formats.csv import COLUMNS
from metasearch.formats.origins import Beside, Origin
from metasearch.record import Author, Record
from tests.formats.exported import hits_of, written
from tests.formats.samples import MERGED, answer


def workbook(data: bytes) -> Any:
    return pytest.importorskip("openpyxl").load_workbook(io.BytesIO(data))


def test_without_openpyxl_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    with pytest.raises(UsageError, match="not installed") as caught:
        formats.write("xlsx", answer(MERGED))

    assert 'pip install ".[xlsx]"' in (caught.value.advice or "")


def test_a_row_a_hit_with_the_columns_of_csv() -> None:
    pytest.importorskip("openpyxl")
    sheet = workbook(formats.write("xlsx", answer(MERGED, *hits_of([Record(source="b")]))))["works"]

    head, first, second = sheet.iter_rows(values_only=True)
    row = dict(zip(head, first, strict=True))
    assert head == COLUMNS
    assert (row["title"], row["year"], row["citations"]) == ("Toward unique identifiers", 1999, 40)
    assert row["authors"] == "Paskin, Norman; IEEE Standards Committee"
    assert dict(zip(head, second, strict=True))["title"] is None


def test_no_text_is_a_formula() -> None:
    """Not in a cell, not in a heading, not after editing."""
    pytest.importorskip("openpyxl")
    bad = "=cmd|' /C calc'!A0"
    (hit,) = hits_of([Record(source="db", title=bad, venue="@SUM(A1)", authors=(Author(bad),))])

    data = written("xlsx", [hit], beside={hit.id: Beside((Origin(bad),), ((bad, bad),))})

    book = workbook(data)
    texts = [cell for row in book["works"].iter_rows() for cell in row if cell.value is not None]
    assert bad in [cell.value for cell in texts]
    assert all(cell.data_type in ("s", "n") for cell in texts)
    assert all(cell.quotePrefix for cell in texts if cell.value == bad)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert not any(b"<f>" in packed.read(name) for name in packed.namelist())


def test_what_excel_cannot_hold() -> None:
    pytest.importorskip("openpyxl")
    record = Record(source="db", title="a\x00\x0b\ud800\uffffb", abstract="x" * 40_000, year=10**18)
    book = workbook(written("xlsx", hits_of([record])))

    head, row = book["works"].iter_rows(values_only=True)
    found = dict(zip(head, row, strict=True))
    assert found["title"] == "a b"
    assert (len(found["abstract"]), found["year"]) == (32_767, str(10**18))
    assert [cell.value for (cell,) in book["notes"].iter_rows()] == [
        "row 2, abstract: cut; Excel holds 32,767 of its 40,000 characters"
    ]
