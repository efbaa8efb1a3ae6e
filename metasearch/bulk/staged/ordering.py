"""The stage `ordered`: the works of several records in the order of their first records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.parts import batches, parts_in, rows_of, write_part
from metasearch.bulk.staged.shuffling import buckets_for, shuffled

#: Works of a part: few, because whoever writes a stretch of the works reads whole parts.
PART = 2_000
#: Works of a bucket: fewer than of other rows, because each holds the records of a work.
BUCKET = 5_000

Numbers = npt.NDArray[np.int64]


def order_stage(works: Path, into: Path, scratch: Path) -> None:
    """Write the works of all chunks in their order. `scratch` is for this alone. `into`: for the
    parts; sorted by name they are in the order of the works.
    """
    parts = parts_in(works)
    buckets = buckets_for(sum(map(rows_of, parts)), BUCKET)
    firsts = firsts_of(works)
    # As many works in each bucket.
    bounds = firsts[np.arange(1, buckets) * len(firsts) // buckets]

    def rows() -> Iterator[tuple[pa.Table, Numbers]]:
        for path in parts:
            for batch in batches(path):
                wanted = np.searchsorted(bounds, batch.column("first").to_numpy(), side="right")
                table = pa.Table.from_batches([batch]).replace_schema_metadata(None)
                yield table.cast(schemas.WORKS), wanted

    for number, table in enumerate(shuffled(rows(), schemas.WORKS, buckets, scratch)):
        ordered = table.sort_by("first")
        for start in range(0, len(ordered), PART):
            path = into / f"part-{number:06}-{start:09}.parquet"
            write_part(path, ordered.slice(start, PART))


def firsts_of(works: Path) -> Numbers:
    """The numbers of the first records of works of several, sorted."""
    found = [np.empty(0, np.int64)]
    for path in parts_in(works):
        found += [batch.column(0).to_numpy() for batch in batches(path, ["first"])]
    return np.sort(np.concatenate(found))


def members_of(ordered: Path) -> Numbers:
    """The numbers of all records that stand in a work with others, sorted."""
    found = [np.empty(0, np.int64)]
    for path in parts_in(ordered):
        found += [batch.column(0).flatten().to_numpy() for batch in batches(path, ["numbers"])]
    return np.sort(np.concatenate(found))


def is_in(some: Numbers, numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Which of some numbers stand among others, which are sorted."""
    if not len(numbers):
        return np.zeros(len(some), dtype=bool)
    at = np.minimum(np.searchsorted(numbers, some), len(numbers) - 1)
    found: npt.NDArray[np.bool_] = numbers[at] == some
    return found
