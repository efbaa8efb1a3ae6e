"""Parquet files are read: ours as JSON is, those of others by the names of their columns."""

from __future__ import annotations

import datetime as dt
import gzip
import sys
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError
from metasearch.events import Added
from metasearch.formats import parquet_bounds
from metasearch.formats.events import ndjson
from metasearch.formats.origins import Beside, Origin
from metasearch.formats.reading import read_bytes, read_file
from metasearch.record import Author
from tests.formats.exported import hits_of, written
from tests.formats.parquet.tables import parquet_of
from tests.formats.test_losses import THESIS

pa = pytest.importorskip("pyarrow")


def test_our_own_works_come_back_as_from_json() -> None:
    """The same records, and what stands beside them."""
    hits = hits_of([THESIS, THESIS])
    made_of = (Origin("a.ris", "MEDLINE"), Origin("b.ris"))
    beside = {hit.id: Beside(made_of, (("ris:N1", "a note"),)) for hit in hits}

    reading = read_bytes(written("parquet", hits, beside=beside), "works")
    lines = read_bytes(b"".join(ndjson(Added(hit)) for hit in hits), "works", format="ndjson")

    assert (reading.format, reading.problems) == ("parquet", [])
    assert list(reading.records) == list(lines.records)
    assert [entry.line for entry in reading.entries] == [1, 2]
    assert {entry.origins for entry in reading.entries} == {made_of}
    assert {entry.given for entry in reading.entries} == {(("ris:N1", "a note"),)}


def test_columns_of_strangers_are_known_by_their_names() -> None:
    """As those of CSV; lists, structs, numbers and dates in place of texts."""
    data = parquet_of(
        {
            "Title": ["A title of lakes", "Another"],
            "authors": [["Doe, Jane", "World Health Organization"], None],
            "editors": [[{"family": "Lee", "given": "Ann"}], []],
            "Publication Year": [2001.0, float("nan")],
            "date": [dt.datetime(2001, 3, 4, 12, tzinfo=dt.UTC), None],
            "doi": ["https://doi.org/10.1000/X", None],
            "ids": pa.array([[("pmid", "123")], None], pa.map_(pa.string(), pa.string())),
            "Source title": pa.array(["Journal of Mud", None]).dictionary_encode(),
            "cited by": [3, None],
            "note of mine": ["kept", None],
        }
    )

    reading = read_bytes(data, "x.parquet")

    first, second = reading.records
    assert first.title == "A title of lakes"
    assert [author.name for author in first.authors] == ["Jane Doe", "World Health Organization"]
    assert first.editors == (Author("Ann Lee", "Lee", "Ann"),)
    assert (first.year, first.date, first.doi) == (2001, "2001-03-04", "10.1000/x")
    assert (first.ids, first.venue, first.citations) == ({"pmid": "123"}, "Journal of Mud", 3)
    assert (second.title, second.year, second.authors) == ("Another", None, ())
    assert reading.entries[0].given == (("note of mine", "kept"),)


def test_columns_that_are_not_read_are_told() -> None:
    """Vectors and nested tables are nothing that a record says."""
    data = parquet_of({"title": ["Mud"], "vector": [[1.0, 2.0]], "deep": [{"a": {"b": 1}}]})

    reading = read_bytes(data, "x.parquet")

    assert [problem.message for problem in reading.problems] == [
        "columns that are not read: vector, deep"
    ]
    assert reading.entries[0].given == ()


def test_a_file_without_titles_is_lost_and_counted() -> None:
    reading = read_bytes(parquet_of({"a": [1, 2, 3]}), "x.parquet")

    assert (len(reading.entries), reading.lost) == (0, 3)


def test_small_batches_and_several_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows keep their order and their numbers."""
    monkeypatch.setattr(parquet_bounds, "BATCH_ROWS", 3)
    data = parquet_of({"title": [f"Title {n}" for n in range(20)]}, row_group_size=7)

    reading = read_bytes(data, "x.parquet")

    assert [record.title for record in reading.records] == [f"Title {n}" for n in range(20)]
    assert [entry.line for entry in reading.entries] == list(range(1, 21))


def test_entries_are_handed_out(tmp_path: Path) -> None:
    """So that a file may be larger than memory; gzip is unpacked to the disk."""
    path = tmp_path / "x.parquet.gz"
    path.write_bytes(gzip.compress(parquet_of({"title": [f"Title {n}" for n in range(5_000)]})))
    batches: list[int] = []

    reading = read_file(path, hand_out=lambda entries: batches.append(len(entries)))

    assert (batches, reading.count, reading.entries) == ([2_000, 2_000, 1_000], 5_000, [])


def test_the_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is known for Parquet is refused with the command that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(FileFormatError, match="which is not installed") as caught:
        read_bytes(b"PAR1....PAR1", "x")

    assert 'pip install ".[bulk]"' in caught.value.advice
