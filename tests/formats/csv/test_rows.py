"""Rows with long cells: read by the rules of the csv module, without its limit, which belongs to
the process."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import csv as csv_rows
from metasearch.formats.csv import long_row, row

_TEXTS = st.lists(st.sampled_from(['"', '""', ",", ";", "\n", "a", "b c", " "]), max_size=30).map(
    "".join
)


def _lines(text: str) -> list[str]:
    return io.StringIO(text + "\n").readlines()


def _made(read: Callable[[], list[str]]) -> list[str] | str:
    """The cells, or what is wrong with them."""
    try:
        return read()
    except csv.Error as exc:
        return str(exc)


@given(_TEXTS, st.sampled_from(",;"), st.booleans())
def test_a_row_is_what_the_csv_module_makes_of_it(text: str, delimiter: str, strict: bool) -> None:
    """The same cells, the same lines, the same errors."""
    lines = _lines(text)
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=strict)
    mine = iter(lines)
    expected = _made(lambda: next(reader))

    assert _made(lambda: long_row(mine, delimiter, strict=strict)) == expected
    if isinstance(expected, list):
        assert len(list(mine)) == len(lines) - reader.line_num


def test_a_long_cell_is_read_and_the_limit_stays() -> None:
    """A list of references of two million characters, with lines and quotes in it."""
    limit = csv.field_size_limit()
    references = 'Doe, "On mice"; \n' * 120_000
    text = f'1,"{references.replace(chr(34), chr(34) * 2)}",x\n2,y,z\n'
    lines = iter(_lines(text))

    assert row(lines, ",") == ["1", references, "x"]
    assert row(lines, ",") == ["2", "y", "z"]
    assert csv.field_size_limit() == limit


def test_a_cell_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quote that is never closed costs no more than the longest cell, quoted or not."""
    monkeypatch.setattr(csv_rows, "LONGEST_CELL", 200_000)
    for text in ('"' + "a\n" * 150_000, "a" * 300_000, '"' + '""' * 200_001 + '"'):
        with pytest.raises(csv.Error, match=r"field larger than field limit \(200000\)"):
            row(iter(_lines(text)), ",")
