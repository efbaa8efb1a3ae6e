"""Components that are too large are divided, and cut; what proves much keeps records together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk.staged.components import pairs_of
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run
from metasearch.dedup import index
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.index import CROWD
from metasearch.dedup.online import are_strangers, sketch, strangers
from metasearch.formats.reading import read_file
from metasearch.formats.reading.files import gather
from tests.bulk.staged.sets import files, hostile, in_memory, records
from tests.bulk.staged.union_find import UnionFind
from tests.cases import sample


@pytest.mark.parametrize("seed", sample([0, 3], 2))
def test_divided_components_have_the_same_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Where works hang together by keys that prove little, also by those of crowds, and records
    repeat one another: no pair that makes a work is lost.
    """
    monkeypatch.setattr(index, "FEW", 100)
    monkeypatch.setattr(index, "CROWD", 5)
    monkeypatch.setattr(index, "CROWD_OF_FEW", 12)
    texts = [*records(120, seed, words=25), *hostile(15, seed)]
    paths = files(tmp_path / "in", texts, 2, seed)
    expected = [[item.key for item in work.items] for work in in_memory(paths).works]

    job = StagedJob(gather(paths).files, JobRules(), largest=20)
    found, cut = run(job, JobFolder(tmp_path / "job", job.description()), UnionFind())

    assert cut.divided > 250
    assert cut.cut == cut.shared == 0
    assert [[item.key for item in work.items] for work in found.works] == expected


def test_cut_components_have_the_same_works(tmp_path: Path) -> None:
    """Where they are still too large, those that share several keys hold together."""
    paths = files(tmp_path / "in", records(200, seed=5, words=30), parts=2)
    expected = [[item.key for item in work.items] for work in in_memory(paths).works]

    job = StagedJob(gather(paths).files, JobRules(), largest=10)
    found, cut = run(job, JobFolder(tmp_path / "job", job.description()), UnionFind())

    assert cut.divided > 400
    assert cut.cut > 10
    assert cut.shared >= 2
    assert [[item.key for item in work.items] for work in found.works] == expected


def test_pairs_are_those_of_keys_that_few_share() -> None:
    """Each pair once a key, the smaller record first; none of a key of a crowd."""
    crowd = np.arange(CROWD + 1)
    records_ = np.r_[[5, 3, 4, 5, 3], crowd]
    keys = np.r_[[1, 1, 2, 2, 2], np.full(CROWD + 1, 3)]

    a, b = pairs_of(records_, keys)

    assert sorted(zip(a.tolist(), b.tolist(), strict=True)) == [(3, 4), (3, 5), (3, 5), (4, 5)]


def test_many_sketches_at_once_say_what_each_says(tmp_path: Path) -> None:
    """`are_strangers` is `strangers` of each pair."""
    (path,) = files(tmp_path / "in", records(20), parts=1)
    sketches = [sketch(Fingerprint(record)) for record in read_file(path).records]
    pairs = [(a, b) for a in sketches for b in sketches]
    a, b = (np.asarray(side, dtype=np.int64) for side in zip(*pairs, strict=True))

    assert are_strangers(a, b).tolist() == [strangers(one, other) for one, other in pairs]
