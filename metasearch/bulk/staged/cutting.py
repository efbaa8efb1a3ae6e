"""Components of too many records are divided, and cut where that is not enough.

Every key joins records, also keys that prove little (a first author and a year), and of a million
records nearly all may hang together by those. A component of too many records is first divided
along the pairs that memory would compare (`dividing.py`). So no pair is lost; but a crowd that is
spread over several components is smaller in each, and there records are compared that memory
passes over.

What is still too large is cut: these pairs stay joined: those that share the key of an exact
matcher, and those that share other keys which no more records have than a crowd, and that are no
strangers. Where that is not enough, they must share two such keys, then three, then four. What is
not joined is not compared, so works may stay apart that memory would join; the job says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.chunking import Places
from metasearch.bulk.staged.dividing import Traits, by_key, divide
from metasearch.bulk.staged.engine import Engine
from metasearch.bulk.staged.ordering import is_in
from metasearch.bulk.staged.parts import batches, clear, columns_of, parts_in, write_part
from metasearch.bulk.staged.shuffling import buckets_for, shuffled
from metasearch.dedup import index
from metasearch.dedup.sketches import are_strangers

#: Records of a component that is judged in one piece.
LARGEST = 50_000
#: Keys that two records must share, one after the other.
SHARED = (1, 2, 3, 4)

Numbers = npt.NDArray[np.int64]
_PAIRS = pa.schema([*schemas.EDGES, pa.field("keys", pa.int32(), nullable=False)])


@dataclass(frozen=True, slots=True)
class Cut:
    """The components of a job.

    Attributes:
        numbers: Of the records that have one.
        divided: Records that stood in components which were divided.
        cut: Those of them that stood in components which were cut then.
        shared: Keys that pairs of these share at least; 0 where nothing was cut.
    """

    numbers: Numbers
    components: Numbers
    divided: int = 0
    cut: int = 0
    shared: int = 0


def read_components(folder: Path) -> Cut:
    """The components that an engine wrote."""
    table = columns_of(folder, schemas.COMPONENTS, ["number", "component"])
    return Cut(table.column("number").to_numpy(), table.column("component").to_numpy())


def write_components(found: Cut, into: Path) -> None:
    """Write components as one part."""
    columns = [found.numbers, found.components]
    write_part(into / "part-00000.parquet", pa.table(columns, schema=schemas.COMPONENTS))


def cut(
    found: Cut,
    keys: Path,
    edges: Path,
    traits: Path,
    scratch: Path,
    engine: Engine,
    places: Places,
    signatures: Path,
    distances: Mapping[str, int],
    *,
    sketches: bool,
    largest: int = LARGEST,
    workers: int = 1,
) -> Cut:
    """Divide the components of more than `largest` records, and cut what is still too large.
    `scratch` is a folder for this alone. `sketches`: whether `strangers` holds for the matchers of
    the job.
    """
    large = _large(found, largest)
    if not large.any():
        return found
    wanted = np.sort(found.numbers[large])
    inputs = {
        name: scratch / name for name in ("keys", "pairs", "edges", "near", "components", "buckets")
    }
    for folder in inputs.values():
        clear(folder)
    _exact_keys(keys, wanted, inputs["keys"])
    parts = [np.stack([found.numbers[~large], found.components[~large]])]
    divided, lost = len(wanted), 0
    shared = 0
    near = edges
    # Of other matchers it is not known which pairs they leave apart.
    for shared in (0, *SHARED) if sketches else SHARED:
        clear(inputs["edges"])
        if shared < 2:
            of = Traits.read(traits, wanted, places)
        if shared == 0:
            divide(keys, signatures, distances, of, inputs["edges"], inputs["buckets"], workers)
        else:
            if shared == 1:
                lost = len(wanted)
                _pairs(keys, of, inputs["pairs"], inputs["buckets"], sketches=sketches)
            _joined(inputs["pairs"], near, wanted, shared, inputs["edges"])
        clear(inputs["components"])
        engine.components(inputs["keys"], inputs["edges"], inputs["components"])
        one = read_components(inputs["components"])
        mine = is_in(one.numbers, wanted)
        one = Cut(one.numbers[mine], one.components[mine])
        still = _large(one, largest)
        if shared == SHARED[-1]:
            still[:] = False
        parts.append(np.stack([one.numbers[~still], one.components[~still]]))
        if not still.any():
            break
        wanted = np.sort(one.numbers[still])
        if shared == 0:
            near = inputs["near"]
            for path in inputs["edges"].glob("near-*.parquet"):
                path.replace(near / path.name)
    for folder in inputs.values():
        clear(folder)
    numbers, components = np.concatenate(parts, axis=1)
    return Cut(numbers, components, divided, lost, shared)


def _large(found: Cut, largest: int) -> npt.NDArray[np.bool_]:
    """Which records stand in components of more than so many."""
    _, member, sizes = np.unique(found.components, return_inverse=True, return_counts=True)
    return (sizes > largest)[member] if len(sizes) else np.zeros(0, dtype=bool)


def _exact_keys(keys: Path, wanted: Numbers, into: Path) -> None:
    for path in parts_in(keys):
        tables = []
        for batch in batches(path):
            exact = batch.column("exact").to_numpy(zero_copy_only=False)
            mine = exact & is_in(batch.column("number").to_numpy(), wanted)
            tables.append(pa.Table.from_batches([batch.filter(pa.array(mine))]))
        if tables:
            write_part(into / path.name, pa.concat_tables(tables))


def _pairs(keys: Path, of: Traits, into: Path, scratch: Path, *, sketches: bool) -> None:
    """Write the pairs that share keys which a crowd at most has, with how many they share."""
    count = len(of.numbers)
    buckets = buckets_for(count)

    def found() -> Iterator[tuple[pa.Table, Numbers]]:
        for records, values in by_key(keys, of, scratch, exact=True):
            a, b = pairs_of(records, values)
            if sketches:
                kept = ~are_strangers(of.sketches[a], of.sketches[b])
                a, b = a[kept], b[kept]
            pairs = pa.table([of.numbers[a], of.numbers[b]], schema=schemas.EDGES)
            # Those of a record together.
            yield pairs, a * buckets // count

    by_record = shuffled(found(), schemas.EDGES, buckets, scratch / "by-record")
    for number, bucket in enumerate(by_record):
        ends = np.stack([bucket.column("a").to_numpy(), bucket.column("b").to_numpy()])
        different, times = np.unique(ends, axis=1, return_counts=True)
        columns = [different[0], different[1], times.astype(np.int32)]
        write_part(into / f"part-{number:06}.parquet", pa.table(columns, schema=_PAIRS))


def pairs_of(records: Numbers, keys: Numbers) -> tuple[Numbers, Numbers]:
    """The pairs (smaller, larger) of records that share a key which at most `CROWD` records have;
    once for each key.
    """
    order = np.lexsort((records, keys))
    records, keys = records[order], keys[order]
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else order
    sizes = np.diff(np.r_[first, len(keys)])
    few = (sizes > 1) & (sizes <= index.CROWD)
    starts, sizes = first[few], sizes[few]
    a, b = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for one in range(index.CROWD):
        for other in range(one + 1, index.CROWD):
            some = starts[sizes > other]
            a.append(records[some + one])
            b.append(records[some + other])
    return np.concatenate(a), np.concatenate(b)


def _joined(pairs: Path, edges: Path, wanted: Numbers, shared: int, into: Path) -> None:
    """Write the edges of the records that are wanted: those that they had, and the pairs that
    share so many keys.
    """
    for path in parts_in(edges):
        for number, batch in enumerate(batches(path)):
            mine = is_in(batch.column("a").to_numpy(), wanted)
            table = pa.Table.from_batches([batch.filter(pa.array(mine))])
            write_part(into / f"{path.stem}-{number:06}.parquet", table)
    for path in parts_in(pairs):
        for number, batch in enumerate(batches(path)):
            mine = batch.column("keys").to_numpy() >= shared
            mine &= is_in(batch.column("a").to_numpy(), wanted)
            table = pa.Table.from_batches([batch.filter(pa.array(mine))]).select(["a", "b"])
            write_part(into / f"pairs-{path.stem}-{number:06}.parquet", table)
