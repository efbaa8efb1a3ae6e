"""`metasearch dedup --engine`: the same outputs, what is refused, what becomes of the folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

pytest.importorskip("duckdb", reason="the extra bulk is not installed")
pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk import dedup_run, dedup_staged
from metasearch.bulk.dedup_staged import Size
from metasearch.bulk.staged import chunks
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, VERSIONS, write
from tests.cli.conftest import Run

DUCKDB = ("--engine", "duckdb", "--workers", "1")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def exports(tmp_path: Path) -> list[str]:
    """Three files, in one of which something cannot be read."""
    (tmp_path / "exports").mkdir()
    paths = write(
        tmp_path / "exports",
        scopus_ris=SCOPUS,
        library_bib=LIBRARY,
        broken_ris=BROKEN,
        versions_ris=VERSIONS,
    )
    return [str(path) for path in paths]


def test_outputs_are_those_of_memory(
    run: Run, exports: list[str], tmp_path: Path, temporary: Path
) -> None:
    """Works, clusters, report and summary; the folder of the job is gone."""
    told = []
    for folder, options in (("memory", ()), ("duckdb", DUCKDB)):
        there = tmp_path / folder
        there.mkdir()
        outputs = ["-o", there / "out.csv", "--clusters", there / "c.jsonl"]
        told.append(run("dedup", *exports, *options, *outputs, "--report", there / "report.json"))

    assert told[0] == told[1]
    for name in ("out.csv", "c.jsonl", "report.json"):
        assert (tmp_path / "memory" / name).read_bytes() == (
            tmp_path / "duckdb" / name
        ).read_bytes()
    assert not list(temporary.iterdir())


@pytest.mark.slow
def test_many_records_are_taken_to_disk(
    run: Run, exports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has chosen an engine; what is written is the same."""
    expected = run("dedup", *exports).out
    monkeypatch.setattr(dedup_run, "MANY", 3)
    used = []
    engine = dedup_staged._engine
    monkeypatch.setattr(dedup_staged, "_engine", lambda *args: used.append(args) or engine(*args))

    outcome = run("dedup", *exports)
    assert outcome.out == expected, outcome.err
    assert len(used) == 1

    monkeypatch.setattr(dedup_run, "may_be_duckdb", lambda *_: False)
    outcome = run("dedup", *exports)
    assert outcome.out == expected
    assert "--engine duckdb" in outcome.err
    assert len(used) == 1


def test_a_job_that_failed_is_continued(
    run: Run,
    exports: list[str],
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was done is kept, and the user is told how to go on; without --resume it begins anew."""
    expected = run("dedup", *exports).out

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(chunks.ChunkJudge, "__call__", fail)
        failed = run("dedup", *exports, *DUCKDB)
    assert failed.code == 2
    assert "--resume continues it" in failed.err
    assert "Traceback" not in failed.err
    (folder,) = temporary.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    kept = (folder / "records.done.json").stat().st_mtime_ns

    done = run("dedup", *exports, *DUCKDB, "--tmp", folder, "--resume")
    assert done.out == expected, done.err
    assert (folder / "records.done.json").stat().st_mtime_ns == kept
    assert run("dedup", *exports, *DUCKDB).out == expected
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--workers", "2"), "--workers has no effect on --engine memory"),
        (("--engine", "memory", "--resume"), "--resume has no effect on --engine memory"),
        ((*DUCKDB, "--memory-limit", "much"), "'much' is no size such as 600MB or 4GB"),
        ((*DUCKDB, "--memory-limit", "1MB"), "are too few for 1 threads"),
        (("--engine", "sqlite"), "'sqlite' is not one of"),
        ((*DUCKDB, "--dedup", "keyword-overlap"), "--dedup keyword-overlap finds duplicates"),
    ],
)
def test_options_that_cannot_be_used(
    run: Run, exports: list[str], temporary: Path, options: tuple[str, ...], said: str
) -> None:
    """They are refused with a reason, and nothing is left behind."""
    outcome = run("dedup", *exports, *options)

    assert outcome.code == 2
    assert said in outcome.err
    assert not outcome.out
    assert not list(temporary.iterdir())


def test_a_package_that_is_missing_is_named(
    run: Run, exports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that installs it."""
    monkeypatch.setattr(dedup_staged, "is_installed", lambda _: False)
    outcome = run("dedup", *exports, *DUCKDB)

    assert outcome.code == 2
    assert 'pip install ".[bulk]"' in outcome.err


def test_sizes() -> None:
    """With or without the B, in any case."""
    assert [Size().convert(text, None, None) for text in ("600MB", "4g", "1 GiB")] == [
        600 << 20,
        4 << 30,
        1 << 30,
    ]
