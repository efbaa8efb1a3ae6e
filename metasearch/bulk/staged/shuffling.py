"""Rows from one order into another, with a bounded part of them in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from metasearch.bulk.staged.parts import clear, read_part

#: Files that are written at once.
MOST_BUCKETS = 256
#: Rows of a bucket, where there are not too many of them: what is in memory at once.
ROWS = 20_000
#: Bytes of rows that wait in memory before they are written; few rows for a bucket cost as much
#: time to write as many.
WAITING = 32 << 20

_Numbers = npt.NDArray[np.int64]


def buckets_for(rows: int, each: int = ROWS) -> int:
    """How many buckets so many rows take, with so many in each where that are not too many."""
    return max(1, min(MOST_BUCKETS, -(-rows // each)))


def shuffled(
    tables: Iterable[tuple[pa.Table, _Numbers]], schema: pa.Schema, buckets: int, scratch: Path
) -> Iterator[pa.Table]:
    """The rows of all tables, bucket by bucket; within one in the order in which they came.
    `scratch` is a folder for this alone, and empty afterwards. `tables`: each with the bucket of
    every row of it, from 0.
    """
    clear(scratch)
    with Buckets(schema, buckets, lambda number: scratch / f"bucket-{number:03}.parquet") as found:
        for table, wanted in tables:
            found.add(table, wanted)
    yield from found.tables()


class Buckets:
    """Rows by bucket: in memory, and in a file each when they are too many for that."""

    def __init__(self, schema: pa.Schema, count: int, path: Callable[[int], Path]) -> None:
        self._schema = schema
        self._path = path
        self._waiting: list[list[pa.Table]] = [[] for _ in range(count)]
        self._bytes = 0
        self._writers: dict[int, pq.ParquetWriter] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, table: pa.Table, wanted: _Numbers) -> None:
        """Take in rows with the bucket of each."""
        order = np.argsort(wanted, kind="stable")
        ends = np.searchsorted(wanted[order], np.arange(len(self._waiting) + 1)).tolist()
        table = table.take(pa.array(order))
        for waiting, start, end in zip(self._waiting, ends, ends[1:], strict=False):
            if end > start:
                waiting.append(table.slice(start, end - start))
        self._bytes += table.nbytes
        if self._bytes > WAITING:
            self.write()

    def write(self) -> None:
        """Write what waits; buckets without rows have no file."""
        for number, waiting in enumerate(self._waiting):
            if not waiting:
                continue
            writer = self._writers.get(number)
            if writer is None:
                writer = pq.ParquetWriter(self._path(number), self._schema, compression="zstd")
                self._writers[number] = self._open.enter_context(writer)
            writer.write_table(pa.concat_tables(waiting))
            waiting.clear()
        self._bytes = 0

    def tables(self) -> Iterator[pa.Table]:
        """The rows of one bucket after another, when all were taken in and the files are closed."""
        for number, waiting in enumerate(self._waiting):
            written = [read_part(self._path(number))] if number in self._writers else []
            yield pa.concat_tables([self._schema.empty_table(), *written, *waiting])
            waiting.clear()
            if written:
                self._path(number).unlink()
