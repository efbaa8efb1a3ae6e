"""A job that was ended goes on where it was; what is damaged is noticed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk import export
from metasearch.bulk import export as clusters
from metasearch.bulk.job import JobOutcome
from metasearch.bulk.staged import chunks, parts
from metasearch.bulk.staged import records as reading
from metasearch.bulk.staged.parts import DamagedPart
from metasearch.bulk.staged.stages import JobFolder
from metasearch.errors import UsageError
from tests.bulk.staged.sets import files, hostile, on_disk, records
from tests.cases import sample

_STAGES = (
    "records", "titles", "signatures", "traits", "keys", "edges", "columns", "components", "cut",
    "chunks", "works", "ordered", "names",
)  # fmt: skip
#: Ends itself as `kill -9` does when it has written the works of the first chunk.
_KILLED = """
import os, signal, sys
from pathlib import Path
from metasearch.bulk.staged import chunks as chunking, pool, records as reading
from tests.bulk.staged.sets import on_disk
reading.PART, chunking.CHUNK = 20, 15
keep = pool.keep
def killing(*args):
    keep(*args)
    os.kill(os.getpid(), signal.SIGKILL)
pool.keep = killing
on_disk([Path(arg) for arg in sys.argv[2:]], Path(sys.argv[1]))
"""


class Ended(Exception):
    """In the place of a kill."""


def written(outcome: JobOutcome) -> bytes:
    """All that a job writes."""
    return clusters.cluster_bytes(outcome) + b"".join(export.write("ndjson", outcome))


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files of a job of several parts and chunks."""
    monkeypatch.setattr(reading, "PART", 20)
    monkeypatch.setattr(chunks, "CHUNK", 15)
    return files(tmp_path / "in", [*records(12), *hostile(6)], parts=2)


def test_a_job_that_ends_at_any_stage_goes_on(
    tmp_path: Path, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended before each stage in turn was marked as done, it writes the same bytes at last."""
    expected = written(on_disk(paths, tmp_path / "whole"))
    finish = JobFolder.finish

    for stage in _STAGES:

        def ending(folder: JobFolder, name: str, note: object = None, at: str = stage) -> None:
            if name == at:
                raise Ended
            finish(folder, name, note)

        monkeypatch.setattr(JobFolder, "finish", ending)
        with pytest.raises(Ended):
            on_disk(paths, tmp_path / "job", resume=stage != _STAGES[0])
    monkeypatch.setattr(JobFolder, "finish", finish)

    assert written(on_disk(paths, tmp_path / "job", resume=True)) == expected
    assert written(on_disk(paths, tmp_path / "job", resume=True)) == expected


@pytest.mark.slow
def test_a_job_that_is_killed_goes_on(tmp_path: Path, paths: list[Path]) -> None:
    """After kill -9 amid the comparisons, the works of the chunks that were done are kept."""
    expected = written(on_disk(paths, tmp_path / "whole"))
    arguments = [str(tmp_path / "job"), *map(str, paths)]
    done = subprocess.run([sys.executable, "-c", _KILLED, *arguments], check=False)
    kept = list((tmp_path / "job" / "works").iterdir())

    assert done.returncode == -signal.SIGKILL
    assert len(kept) == 1
    before = kept[0].stat().st_mtime_ns
    assert written(on_disk(paths, tmp_path / "job", resume=True)) == expected
    assert kept[0].stat().st_mtime_ns == before


def test_a_part_that_is_written_halfway_is_not_there(
    tmp_path: Path, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full leaves no part that looks whole."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(parts.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            parts.write_part(tmp_path / "part.parquet", reading.schemas.KEYS.empty_table())
    assert not (tmp_path / "part.parquet").exists()


@pytest.mark.parametrize("stage", sample(["records", "traits", "cut", "ordered", "names"], 5))
@pytest.mark.parametrize("how", ["changed", "cut short", "missing"])
def test_a_damaged_part_is_noticed(tmp_path: Path, paths: list[Path], stage: str, how: str) -> None:
    """Whether bytes of it have changed, are missing, or all of it is."""
    on_disk(paths, tmp_path / "job")
    part = next(path for path in sorted((tmp_path / "job" / stage).glob("*.parquet")))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 0xFF
    if how == "missing":
        part.unlink()
    else:
        part.write_bytes(data if how == "changed" else data[: len(data) // 2])

    with pytest.raises(DamagedPart, match="is damaged") as error:
        on_disk(paths, tmp_path / "job", resume=True)
    assert part.name in str(error.value)
    assert "--tmp" in error.value.advice


def test_a_folder_of_another_job_is_refused(tmp_path: Path, paths: list[Path]) -> None:
    """So are one with other files, and the same job unless it is to be continued."""
    on_disk(paths, tmp_path / "job")
    with pytest.raises(UsageError, match="holds this job"):
        on_disk(paths, tmp_path / "job")
    with pytest.raises(UsageError, match="holds another job"):
        on_disk(paths[:1], tmp_path / "job", resume=True)
    with pytest.raises(UsageError, match="holds other files"):
        on_disk(paths, tmp_path / "in")

    paths[0].write_text(paths[0].read_text() + "\n")
    with pytest.raises(UsageError, match="have changed since"):
        on_disk(paths, tmp_path / "job", resume=True)


def test_works_of_a_folder_that_is_gone_are_not_taken_for_none(
    tmp_path: Path, paths: list[Path]
) -> None:
    """Whoever iterates them is told."""
    outcome = on_disk(paths, tmp_path / "job")
    shutil.rmtree(tmp_path / "job")

    with pytest.raises(DamagedPart, match="part-000000-000000"):
        list(outcome.works)
