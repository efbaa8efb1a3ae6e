"""Published strategies run on disk unchanged where they are keys or signatures, and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk.job import deduplicate, read_all
from metasearch.bulk.staged import chunks
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run
from metasearch.dedup import STRATEGIES, strategy
from metasearch.errors import UsageError
from metasearch.formats.reading.files import gather
from tests.bulk.staged.abstracts import records, works
from tests.bulk.staged.union_find import UnionFind
from tests.cases import sample

#: Needs all records in one index.
IN_MEMORY = "keyword-overlap"


@pytest.mark.parametrize("name", sample([name for name in STRATEGIES if name != IN_MEMORY], 6))
def test_a_strategy_finds_on_disk_what_it_finds_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whether keys or signatures cut the job into components; chunks are small here."""
    monkeypatch.setattr(chunks, "CHUNK", 20)
    path = tmp_path / "records.ris"
    path.write_text(records())
    inputs = gather([path]).files

    found, _ = works(StagedJob(inputs, JobRules(name)), tmp_path / "job", UnionFind())

    in_memory = deduplicate(read_all(inputs), strategy(name).chain, dedup=name)
    assert found == [[item.key for item in work.items] for work in in_memory.works]


@pytest.mark.parametrize("name", sample(["drpkp", "simhash"], 2))
def test_blocks_that_records_share_by_chance_do_not_join_them(tmp_path: Path, name: str) -> None:
    """No component is larger than what is near: by blocks of 16 bits nearly all would be one."""
    path = tmp_path / "records.ris"
    path.write_text(records())
    job = StagedJob(gather([path]).files, JobRules(name), largest=3)

    _, cut = run(job, JobFolder(tmp_path / "job", job.description(), resume=False), UnionFind())

    assert cut.cut == 0


def test_overlapping_keywords_need_memory(tmp_path: Path) -> None:
    """It says so before a file is read, and which engine can."""
    path = tmp_path / "records.ris"
    path.write_text("no record")
    job = StagedJob(gather([path]).files, JobRules(IN_MEMORY))

    with pytest.raises(UsageError, match=f"--dedup {IN_MEMORY} finds") as raised:
        run(job, JobFolder(tmp_path / "job", job.description(), resume=False), UnionFind())

    assert "--engine memory" in raised.value.advice
