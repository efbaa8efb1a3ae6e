"""Parquet files that are damaged, or claim more than they hold: each costs a clear error, or the
rows that cannot be read, and never the memory that it claims."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metasearch.errors import FileFormatError
from metasearch.formats import parquet, parquet_bounds
from metasearch.formats.parquet_bounds import page_at
from metasearch.formats.reading import read_bytes, read_content
from metasearch.formats.reading.files import Content
from tests.cases import each
from tests.formats.parquet.tables import parquet_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 40
DATA = parquet_of(
    {
        "title": [f"Title {n}" for n in range(ROWS)],
        "authors": [[{"name": f"Ann Lee {n}"}] for n in range(ROWS)],
    },
    row_group_size=20,
)


@each(
    ("data", "why"),
    [
        (b"PAR1", "breaks off"),
        (DATA[:-1], "breaks off"),
        (DATA[: len(DATA) // 2], "breaks off"),
        (DATA[:-4] + b"PARE", "encrypted"),
        (DATA[:-8] + b"\xff\xff\xff\x00PAR1", "its directory is not in it"),
        (b"PAR1" + b"x" * 100 + b"\x50\x00\x00\x00PAR1", "damaged, or no Parquet file"),
    ],
    ids=["magic only", "last byte", "half", "encrypted", "long directory", "no directory"],
)
def test_what_is_no_whole_file_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(FileFormatError, match=why) as caught:
        read_bytes(data, "x.parquet")

    assert caught.value.advice


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_costs_an_error_or_rows(data: st.DataObject) -> None:
    """Whatever bytes are changed: every row that is claimed is read or counted as lost."""
    changed = bytearray(DATA)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(4, len(DATA) - 9))
        changed[at] = data.draw(st.integers(0, 255))
    try:
        reading = read_bytes(bytes(changed), "x.parquet")
    except FileFormatError:
        return
    assert reading.count or reading.lost or reading.problems


def test_a_damaged_row_group_costs_its_rows() -> None:
    """Those of the others are read."""
    group = pq.ParquetFile(io.BytesIO(DATA)).metadata.row_group(0)
    place = group.column(0).dictionary_page_offset or group.column(0).data_page_offset
    changed = bytearray(DATA)
    changed[place : place + 12] = b"\xff" * 12

    reading = read_bytes(bytes(changed), "x.parquet")

    assert (len(reading.entries), reading.lost) == (20, 20)
    (problem,) = [problem for problem in reading.problems if problem.lost]
    assert problem.message.startswith("rows 1 to 20 could not be read")
    assert reading.entries[0].line == 21


@pytest.mark.parametrize(
    ("limit", "most"),
    [("LARGEST_PAGE", 10), ("LARGEST_GROUP", 100), ("MOST_VALUES", 19), ("MOST_PAGES", 1)],
)
def test_pages_are_measured_before_they_are_unpacked(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """A row group that is too large is lost, and told."""
    monkeypatch.setattr(parquet_bounds, limit, most)

    reading = read_bytes(DATA, "x.parquet")

    assert (reading.count, reading.lost) == (0, ROWS)


@pytest.mark.parametrize(("limit", "most"), [("MOST_COLUMNS", 1), ("MOST_DIRECTORY", 50)])
def test_a_directory_that_is_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(parquet_bounds, limit, most)

    with pytest.raises(FileFormatError, match="more than"):
        read_bytes(DATA, "x.parquet")


def test_nesting_is_bounded() -> None:
    """pyarrow is told how deep a schema may be."""
    kind = pa.int64()
    for _ in range(parquet_bounds.DEEPEST + 5):
        kind = pa.struct([("a", kind)])
    data = parquet_of({"title": ["Mud"], "deep": pa.nulls(1, kind)})

    with pytest.raises(FileFormatError, match="damaged, or no Parquet file"):
        read_bytes(data, "x.parquet")


def test_a_text_that_every_row_repeats_is_counted_every_time() -> None:
    """A file of a few kilobytes would be gigabytes of text; it is refused as any file that unpacks
    to too much."""
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int32()), ["x" * 100_000])
    data = parquet_of({"title": ["Mud"] * 300, "abstract": repeated}, compression="zstd")
    assert len(data) < 10_000

    with pytest.raises(FileFormatError, match="larger than 1,000,000 bytes"):
        read_content(Content(io.BytesIO(data), "x.parquet", 1_000_000))


def test_a_text_that_is_too_long_costs_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "LONGEST", 100)

    reading = read_bytes(parquet_of({"title": ["Mud", "x" * 101, "Peat"]}), "x.parquet")

    assert ([record.title for record in reading.records], reading.lost) == (["Mud", "Peat"], 1)


def test_bytes_that_are_no_text_are_replaced() -> None:
    reading = read_bytes(parquet_of({"title": pa.array([b"M\xffd"], pa.binary())}), "x.parquet")

    assert reading.records[0].title == "M�d"


def test_two_columns_of_one_name_are_not_read() -> None:
    table = pa.Table.from_arrays(
        [pa.array(["a"]), pa.array(["b"]), pa.array(["Mud"])], ["x", "x", "title"]
    )
    out = io.BytesIO()
    pq.write_table(table, out)

    (entry,) = read_bytes(out.getvalue(), "x.parquet").entries

    assert (entry.record.title, entry.given) == ("Mud", ())


def test_page_headers_say_what_the_directory_says() -> None:
    """For files as pyarrow writes them, in both versions of pages and with statistics."""
    for version in ("1.0", "2.0"):
        data = parquet_of(
            {"title": [f"Title {n}" for n in range(3_000)]}, data_page_version=version
        )
        file = io.BytesIO(data)
        column = pq.ParquetFile(file).metadata.row_group(0).column(0)
        place = column.dictionary_page_offset or column.data_page_offset
        end = place + column.total_compressed_size
        unpacked = counted = 0
        while place < end:
            page = page_at(file, place)
            place += page.header + page.packed
            unpacked += page.header + page.unpacked
            counted += 0 if page.is_dictionary else page.values
        assert (place, unpacked, counted) == (end, column.total_uncompressed_size, 3_000)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_page_header_or_none(data: bytes) -> None:
    """Reading one ends, with sizes or a ValueError."""
    try:
        page = page_at(io.BytesIO(data), 0)
    except ValueError:
        return
    assert page.unpacked >= 0
    assert page.packed >= 0
    assert 0 < page.header <= len(data)
