"""Keys are exported of the records that were read, and of no others."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk.staged import records as reading
from metasearch.bulk.staged.keys import KeyFolders, export_beside, export_stage
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.records import ReadOptions, read_stage
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run
from metasearch.formats.reading import Entry, FileReading, HandOut
from metasearch.formats.reading.files import Input, gather
from metasearch.record import Record
from tests.bulk.staged.sets import files, in_memory, records
from tests.bulk.staged.union_find import UnionFind


def say_nothing(_: str, __: int, ___: int) -> None:
    """No progress."""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyFolders:
    """With the records of a file in parts of 20."""
    monkeypatch.setattr(reading, "PART", 20)
    made = {name: tmp_path / name for name in KeyFolders.__slots__}
    for folder in made.values():
        folder.mkdir()
    paths = files(tmp_path / "in", records(30), parts=1)
    inputs = gather(paths).files
    read_stage(inputs, ReadOptions(), made["records"], 1, None, say_nothing)
    return KeyFolders(**made)


def exported(folders: KeyFolders) -> dict[str, bytes]:
    """Every part by its folder and name."""
    return {
        f"{folder.name}/{path.name}": path.read_bytes()
        for folder in (folders.keys, folders.titles, folders.signatures, folders.traits)
        for path in folder.glob("*.parquet")
    }


def test_what_was_exported_beside_the_reading_is_the_same(folders: KeyFolders) -> None:
    """Each part once; what is left is exported afterwards."""
    export_stage(folders, JobRules(), 1, say_nothing)
    expected = exported(folders)
    for path in folders.traits.glob("*.parquet"):
        path.unlink()
    beside = export_beside(folders, JobRules())

    one, other = list(beside.found())[:2]
    beside.call(one)
    assert list(beside.found()) == []
    beside.call(other)
    export_stage(folders, JobRules(), 1, say_nothing)

    assert exported(folders) == expected
    assert len(expected) > 8


def test_a_file_that_turns_out_to_be_none_leaves_no_keys(folders: KeyFolders) -> None:
    """Its first parts may have been exported before that was known."""
    beside = export_beside(folders, JobRules())
    first, second = list(beside.found())[:2]
    beside.call(first)
    first.unlink()
    second.unlink()

    beside.call(second)
    export_stage(folders, JobRules(), 1, say_nothing)

    names = {name.partition("/")[2] for name in exported(folders)}
    assert names == {path.name for path in folders.records.glob("*.parquet")}
    assert first.name not in names


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_first_reader_takes_back_is_read_by_the_next(tmp_path: Path, workers: int) -> None:
    """Whatever of it was written, and exported, by then."""
    paths = files(tmp_path / "in", records(30), parts=2)
    job = StagedJob(gather(paths).files, JobRules(), ReadOptions(first=take_back), workers=workers)

    found, _ = run(job, JobFolder(tmp_path / "job", job.description()), UnionFind(workers))

    assert list(found.works) == list(in_memory(paths).works)
    names = {path.name for path in (tmp_path / "job" / "records").glob("*.parquet")}
    assert names == {path.name for path in (tmp_path / "job" / "traits").glob("*.parquet")}
    assert len(names) == 2


def take_back(file: Input, hand_out: HandOut | None) -> FileReading | None:
    """Reads more than a part of other records, and finds out that they are none."""
    assert hand_out is not None
    other = [Entry(Record(source=file.name, title=f"{n}"), n) for n in range(reading.PART + 5)]
    hand_out(other)
    return None
