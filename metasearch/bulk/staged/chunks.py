"""The stage `chunks`: the records of whole components together, as many as a worker process judges
in one go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.free_names import FreeNames
from metasearch.bulk.staged.ordering import is_in
from metasearch.bulk.staged.parts import batches, clear, parts_in, read_part, write_part
from metasearch.bulk.staged.pool import run_all
from metasearch.bulk.staged.shuffling import Buckets, buckets_for

#: Records of a chunk; one component that is larger is a chunk of its own.
CHUNK = 5_000
#: Groups of records for each process, which then end at about the same time.
GROUPS = 4

Numbers = npt.NDArray[np.int64]
_FILE = (1 << schemas.FILE_BITS) - 1


class Places:
    """Numbers of records as places in the order of all, from 0."""

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
    """The component and the chunk of each record that has one."""

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


def found_in(known: Numbers, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """(which of some numbers stand among known ones, which are sorted; where each of these stands
    there).
    """
    has = np.flatnonzero(is_in(numbers, known))
    return has, np.searchsorted(known, numbers[has])


def chunk_stage(
    records: Path,
    of: ComponentOf,
    places: Places,
    names: FreeNames,
    into: Path,
    scratch: Path,
    workers: int = 1,
) -> None:
    """Write the records that have components, chunk by chunk. `scratch` is for this alone, and
    empty afterwards. `names`: what records are called.
    """
    clear(scratch)
    buckets = buckets_for(len(of.numbers))
    share = max(1, -(-of.count // buckets))
    groups = _groups(records, of, places, names, scratch, share, workers)
    run_all(_group, groups, workers)
    run_all(partial(_chunks, scratch, into), range(buckets), min(workers, buckets))
    clear(scratch)


@dataclass(frozen=True, slots=True)
class _Group:
    """Records that follow one another, of which a process puts those that have components into
    buckets: files of several chunks.

    Attributes:
        number: Of the group, from 0.
        parts: Of the stage `records`.
        numbers: Of its records that have components, sorted.
        names: What its records are called.
    """

    number: int
    parts: Sequence[Path]
    numbers: Numbers
    components: Numbers
    chunks: Numbers
    places: Places
    names: FreeNames
    scratch: Path
    share: int


_IN_BUCKETS = pa.schema([*schemas.CHUNKS, pa.field("chunk", pa.int64(), nullable=False)])


def _groups(
    records: Path,
    of: ComponentOf,
    places: Places,
    names: FreeNames,
    scratch: Path,
    share: int,
    workers: int,
) -> Iterator[_Group]:
    parts = parts_in(records)
    size = max(1, -(-len(parts) // (workers * GROUPS)))
    for group, at in enumerate(range(0, len(parts), size)):
        mine = parts[at : at + size]
        low = int(read_part(mine[0], ["number"]).column(0)[0].as_py())
        high = int(read_part(mine[-1], ["number"]).column(0)[-1].as_py()) + 1
        some = slice(*np.searchsorted(of.numbers, [low, high]).tolist())
        first, last = places.of(np.asarray([low, high - 1])).tolist()
        yield _Group(
            group,
            mine,
            of.numbers[some],
            of.components[some],
            of.chunks[some],
            places,
            names.within(range(first, last + 1)),
            scratch,
            share,
        )


def _group(of: _Group) -> None:
    """Write the buckets of a group."""
    count = int(of.chunks.max(initial=-1)) // of.share + 1
    with Buckets(_IN_BUCKETS, count, partial(_bucket, of.scratch, of.number)) as buckets:
        for path in of.parts:
            for batch in batches(path, ["number", "key", "id", "entry"]):
                has, at = found_in(of.numbers, batch.column("number").to_numpy())
                if len(has):
                    chunks = of.chunks[at]
                    table = pa.Table.from_batches([batch]).take(pa.array(has))
                    named = _named(table, of.components[at], of.places, of.names)
                    named = named.append_column(_IN_BUCKETS.field("chunk"), pa.array(chunks))
                    buckets.add(named, chunks // of.share)
        buckets.write()


def _bucket(scratch: Path, group: int, bucket: int) -> Path:
    return scratch / f"bucket-{bucket:03}-{group:06}.parquet"


def _chunks(scratch: Path, into: Path, bucket: int) -> None:
    """Write the chunks of a bucket."""
    # By name, so that records are in their order.
    paths = sorted(scratch.glob(f"bucket-{bucket:03}-*.parquet"))
    if not paths:
        return
    table = pa.concat_tables([read_part(path) for path in paths])
    columns = [table.column(name).to_numpy() for name in ("number", "component", "chunk")]
    order = np.lexsort(columns)
    table = table.take(pa.array(order)).drop_columns("chunk")
    chunks, starts = np.unique(columns[2][order], return_index=True)
    for chunk, start, end in zip(
        chunks.tolist(), starts.tolist(), [*starts[1:].tolist(), len(table)], strict=True
    ):
        write_part(into / f"part-{chunk:06}.parquet", table.slice(start, end - start))


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
