"""Rows from one order into another, with a bounded part of them in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from metasearch.bulk.staged.parts import clear, read_part

#: Files that are written at once.
MOST_BUCKETS = 64
#: Rows of a bucket, where there are not too many of them: what is in memory at once.
ROWS = 20_000

_Numbers = npt.NDArray[np.int64]


def buckets_for(rows: int) -> int:
    """How many buckets so many rows take."""
    return max(1, min(MOST_BUCKETS, -(-rows // ROWS)))


def shuffled(
    tables: Iterable[tuple[pa.Table, _Numbers]], schema: pa.Schema, buckets: int, scratch: Path
) -> Iterator[pa.Table]:
    """The rows of all tables, bucket by bucket; within one in the order in which they came.

    Args:
        tables: Each with the bucket of every row of it, from 0.
        schema: Of all.
        buckets: Their number.
        scratch: A folder for this alone; it is empty afterwards.
    """
    clear(scratch)
    paths = [scratch / f"bucket-{number:03}.parquet" for number in range(buckets)]
    writers = [pq.ParquetWriter(path, schema, compression="zstd") for path in paths]
    try:
        for table, wanted in tables:
            order = np.argsort(wanted, kind="stable")
            ends = np.searchsorted(wanted[order], np.arange(buckets + 1))
            for number, writer in enumerate(writers):
                start, end = int(ends[number]), int(ends[number + 1])
                if end > start:
                    writer.write_table(table.take(pa.array(order[start:end])))
    finally:
        for writer in writers:
            writer.close()
    for path in paths:
        yield read_part(path)
        path.unlink()
