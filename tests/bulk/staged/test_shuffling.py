"""Rows come back bucket by bucket in their order, from memory or from files."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

import pyarrow as pa

from metasearch.bulk.staged import parts
from metasearch.bulk.staged.parts import shuffle

SCHEMA = pa.schema([pa.field("number", pa.int64(), nullable=False), pa.field("text", pa.string())])


@pytest.mark.parametrize("waiting", [0, 300, 1 << 20])
def test_each_bucket_has_its_rows_in_the_order_in_which_they_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    """However many of them wait in memory; no file is left."""
    monkeypatch.setattr(parts, "WAITING", waiting)
    rng = random.Random(1)
    wanted = [[rng.randrange(5) for _ in range(rng.randrange(30))] for _ in range(20)]
    starts = np.cumsum([0, *map(len, wanted)])

    def tables():
        for start, buckets in zip(starts.tolist(), wanted, strict=False):
            numbers = range(start, start + len(buckets))
            table = pa.table([list(numbers), [f"text {n}" for n in numbers]], schema=SCHEMA)
            yield table, np.asarray(buckets, dtype=np.int64)

    found = list(shuffle(tables(), SCHEMA, 6, tmp_path / "scratch"))

    order = [bucket for buckets in wanted for bucket in buckets]
    assert [table.column("number").to_pylist() for table in found] == [
        [number for number, bucket in enumerate(order) if bucket == one] for one in range(6)
    ]
    assert all(
        text == f"text {number}"
        for table in found
        for number, text in zip(*table.to_pydict().values(), strict=True)
    )
    assert not list((tmp_path / "scratch").iterdir())
