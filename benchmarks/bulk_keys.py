"""Keys made up by rule, as many as are wanted, in Parquet parts as a staged job has them: what an
engine joins.

A work has 2.2 records on average (a geometric distribution), a record up to four keys; each key is
there in a share of the records of `PRESENT`, and damaged, so that no other record has it, in one of
`DAMAGED`. Records of a work stand anywhere among all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

#: Records of a work.
SIZE = 2.2
#: Share of the records that have each of the keys.
PRESENT = (0.95, 0.8, 0.6, 0.5)
#: Share of keys that nothing else shares.
DAMAGED = 0.015
#: Records of a part.
PART = 500_000


def write(folder: Path, records: int, seed: int = 1) -> int:
    """Write the keys of so many records, and return how many there are."""
    rng = np.random.default_rng(seed)
    sizes = rng.geometric(1 / SIZE, int(records / SIZE * 1.05) + 100)
    works = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)[:records])
    folder.mkdir(parents=True)
    rows = 0
    for start in range(0, records, PART):
        own = works[start : start + PART]
        numbers, keys = [], []
        for place, share in enumerate(PRESENT):
            there = np.flatnonzero(rng.random(len(own)) < share)
            key = own[there] * len(PRESENT) + place
            damaged = rng.random(len(there)) < DAMAGED
            key[damaged] = -1 - (start + there[damaged]) * len(PRESENT) - place
            numbers.append(start + there)
            # Spread over all 64 bits, as hashes are; an odd factor keeps different keys different.
            keys.append((key.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).view(np.int64))
        order = np.argsort(np.concatenate(numbers), kind="stable")
        table = pa.table(
            {"number": np.concatenate(numbers)[order], "key": np.concatenate(keys)[order]}
        )
        pq.write_table(table, folder / f"part-{start // PART:05}.parquet", compression="zstd")
        rows += len(table)
    return rows
