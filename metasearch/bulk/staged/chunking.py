"""The stage `chunks`: the records of whole components together, as many as a worker process judges
in one go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.free_names import FreeNames
from metasearch.bulk.staged.parts import batches, parts_in, write_part
from metasearch.bulk.staged.shuffling import buckets_for, shuffled

#: Records of a chunk; one component that is larger is a chunk of its own.
CHUNK = 5_000

Numbers = npt.NDArray[np.int64]
_FILE = (1 << schemas.FILE_BITS) - 1


class Places:
    """Numbers of records as places in the order of all, from 0.

    Args:
        counts: Records of each file.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self._starts = np.r_[0, np.cumsum(np.asarray(counts, dtype=np.int64))]

    @property
    def total(self) -> int:
        """How many records there are."""
        return int(self._starts[-1])

    def of(self, numbers: Numbers) -> Numbers:
        """The place of each."""
        found: Numbers = self._starts[numbers >> schemas.FILE_BITS] + (numbers & _FILE)
        return found


class ComponentOf:
    """The component and the chunk of each record that has one.

    Args:
        numbers: Of the records.
        components: Of each.
    """

    def __init__(self, numbers: Numbers, components: Numbers) -> None:
        order = np.argsort(numbers, kind="stable")
        self.numbers, self.components = numbers[order], components[order]
        _, member, sizes = np.unique(self.components, return_inverse=True, return_counts=True)
        # A component stands in the chunk in which its first record does.
        starts = np.cumsum(sizes) - sizes
        self.chunks = (starts // CHUNK)[member] if len(sizes) else self.numbers
        self.largest = int(sizes.max(initial=0))

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return int(self.chunks.max(initial=-1)) + 1

    def find(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """(which of the numbers have a component, where each of these stands here)."""
        at = np.searchsorted(self.numbers, numbers)
        at = np.minimum(at, max(0, len(self.numbers) - 1))
        if not len(self.numbers):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        has = np.flatnonzero(self.numbers[at] == numbers)
        return has, at[has]


def chunk_stage(
    records: Path, of: ComponentOf, places: Places, names: FreeNames, into: Path, scratch: Path
) -> None:
    """Write the records that have components, chunk by chunk.

    Args:
        records: The stage of that name.
        of: What belongs together.
        places: The places of numbers.
        names: What records are called.
        into: For the chunks.
        scratch: For this alone.
    """
    buckets = buckets_for(len(of.numbers))
    share = max(1, -(-of.count // buckets))

    def rows() -> Iterator[tuple[pa.Table, Numbers]]:
        for path in parts_in(records):
            for batch in batches(path, ["number", "key", "id", "entry"]):
                has, at = of.find(batch.column("number").to_numpy())
                if len(has):
                    table = pa.Table.from_batches([batch]).take(pa.array(has))
                    yield _named(table, of.components[at], places, names), of.chunks[at] // share

    for number, table in enumerate(shuffled(rows(), schemas.CHUNKS, buckets, scratch)):
        numbers = table.column("number").to_numpy()
        chunks = of.chunks[np.searchsorted(of.numbers, numbers)]
        for chunk in range(number * share, min((number + 1) * share, of.count)):
            mine = np.flatnonzero(chunks == chunk)
            if not len(mine):  # all of it stands in a component that began before
                continue
            components = table.column("component").to_numpy()[mine]
            order = mine[np.lexsort((numbers[mine], components))]
            write_part(into / f"part-{chunk:06}.parquet", table.take(pa.array(order)))


def _named(table: pa.Table, components: Numbers, places: Places, names: FreeNames) -> pa.Table:
    numbers = table.column("number").to_numpy()
    at = places.of(numbers)
    called = [
        names.of_record(*one)
        for one in zip(
            at.tolist(),
            numbers.tolist(),
            table.column("key").to_pylist(),
            table.column("id").to_pylist(),
            strict=True,
        )
    ]
    return pa.table(
        [
            components,
            numbers,
            at,
            pa.array([key for key, _ in called], pa.string()),
            pa.array([own for _, own in called], pa.string()),
            table.column("entry"),
        ],
        schema=schemas.CHUNKS,
    )
