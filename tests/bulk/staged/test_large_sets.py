"""On labelled sets, and on more records than a review has, DuckDB finds the works of memory."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("duckdb", reason="the extra bulk is not installed")

from benchmarks.bulk import write_records
from metasearch.bulk import export
from metasearch.bulk.engines.duckdb import MIB, Bounds, DuckDB
from metasearch.bulk.evaluate.rows import read_rows
from metasearch.bulk.job import JobOutcome, deduplicate, read_all
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.records import ReadOptions
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run
from metasearch.dedup import index
from metasearch.formats.reading.files import gather
from tests.cases import each

#: Folders of shared/data/dedup: a table of records, or exports.
SETS = (
    "bibdedupe_test_cases",
    "cora",
    "dblp_scholar_pairs_valid",
    "haematology",
    "misq_mixed",
    "respiratory",
    "sra_tafenoquine",
    "zh_cnki_etc",
    "zh_zotero_silver",
)


def by_both(files: Path, tmp: Path, workers: int = 1) -> tuple[JobOutcome, JobOutcome]:
    """What memory finds, and what DuckDB finds."""
    inputs = gather([files]).files
    job = StagedJob(inputs, JobRules(), ReadOptions(first=read_rows), workers)
    engine = DuckDB(tmp / "duckdb", Bounds(256 * MIB, threads=workers))
    found, _ = run(job, JobFolder(tmp / "job", job.description()), engine)
    return deduplicate(read_all(inputs, first=read_rows), JobRules().chain), found


@pytest.mark.slow
@pytest.mark.shared
@each("name", SETS)
def test_labelled_sets_have_the_same_works(name: str, shared: Path, tmp_path: Path) -> None:
    """With the same members, reasons and order."""
    folder = shared / "data/dedup" / name
    table = folder / "records.jsonl.gz"

    expected, found = by_both(table if table.exists() else folder, tmp_path / name)

    assert export.cluster_bytes(found) == export.cluster_bytes(expected)
    assert len(found.works) == len(expected.works)
    assert found.passed_over == expected.passed_over


@pytest.mark.slow
def test_many_records_have_the_same_works(tmp_path: Path) -> None:
    """Hostile ones among them, and more than those for which the wide bounds hold."""
    count = index.FEW + 4_000
    write_records(tmp_path / "records.jsonl", count)

    expected, found = by_both(tmp_path / "records.jsonl", tmp_path, workers=2)

    assert export.cluster_bytes(found) == export.cluster_bytes(expected)
    assert found.passed_over == expected.passed_over > 0
    assert len(found.works) == len(expected.works) < count
