"""Works as a Parquet file: typed columns under the names of JSON, row group by row group."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest

from metasearch import formats
from metasearch.errors import UsageError
from metasearch.formats import parquet as parquet_write
from metasearch.formats.answer import hit_object
from metasearch.formats.origins import Beside, Origin
from metasearch.formats.parquet import COLUMNS, OF_FILES
from metasearch.record import Hit, Record
from tests.formats.exported import hits_of, written
from tests.formats.samples import MERGED, answer
from tests.formats.test_losses import THESIS

pq = pytest.importorskip("pyarrow.parquet")


def rows(data: bytes) -> list[dict[str, object]]:
    return pq.read_table(io.BytesIO(data)).to_pylist(maps_as_pydicts="strict")


def test_a_row_is_the_entry_of_the_json_answer() -> None:
    """Every column, under its name and with its value."""
    whole = answer(MERGED, *hits_of([THESIS]))

    data = formats.write("parquet", whole)

    assert rows(data) == [hit_object(hit) for hit in whole.hits]
    assert pq.read_schema(io.BytesIO(data)).names == list(COLUMNS)


def test_columns_have_types_of_their_own() -> None:
    """Other programs need to parse nothing."""
    kinds = {
        field.name: str(field.type) for field in pq.read_schema(io.BytesIO(written("parquet", [])))
    }

    assert (kinds["year"], kinds["score"], kinds["retracted"]) == ("int64", "double", "bool")
    assert kinds["titles"] == "list<element: string>"
    assert kinds["authors"].startswith("list<element: struct<name: string, family: string")
    assert kinds["ids"] == "map<string, string ('ids')>"


def test_works_of_files_have_their_origins() -> None:
    """And what the files say beside, as tag and value."""
    (hit,) = hits_of([THESIS])
    beside = {hit.id: Beside((Origin("a.ris", "MEDLINE"), Origin("b.ris")), (("ris:N1", "x"),))}

    (row,) = rows(written("parquet", [hit], beside=beside))

    assert list(row)[-2:] == list(OF_FILES)
    assert row["origins"] == [
        {"file": "a.ris", "database": "MEDLINE"},
        {"file": "b.ris", "database": None},
    ]
    assert row["given"] == [{"tag": "ris:N1", "value": "x"}]


def test_row_groups_are_given_out_as_they_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more works are held than one group has, and the file is whole in the end."""
    monkeypatch.setattr(parquet_write, "ROWS", 10)
    taken = 0

    def works() -> Iterator[Hit]:
        nonlocal taken
        for hit in hits_of([Record(source="a", title=f"Title {n}") for n in range(35)]):
            taken += 1
            yield hit

    parts = []
    for part in parquet_write.parts(works()):
        parts.append(part)
        assert taken <= 10 * len(parts)

    table = pq.ParquetFile(io.BytesIO(b"".join(parts)))
    assert [table.metadata.row_group(n).num_rows for n in range(4)] == [10, 10, 10, 5]


def test_large_works_fill_a_row_group_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is their bytes that take memory."""
    monkeypatch.setattr(parquet_write, "BYTES", 100_000)
    large = hits_of([Record(source="a", title="T", abstract="x" * 40_000)] * 6)

    assert len(list(parquet_write.parts(large))) == 3


def test_the_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(UsageError, match="which is not installed") as caught:
        formats.get("parquet")

    assert 'pip install ".[bulk]"' in caught.value.advice
