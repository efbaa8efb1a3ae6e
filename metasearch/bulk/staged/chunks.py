"""Chunks: the records of whole components together, judged by a worker process in one go; and what
their works are called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from metasearch import garbage_collection
from metasearch.bib import work_ids
from metasearch.bib.work_ids import id_number, id_of_number
from metasearch.bulk.staged import parts as schemas
from metasearch.bulk.staged.keys import columns_in
from metasearch.bulk.staged.parts import (
    Buckets,
    Numbers,
    batches,
    buckets_for,
    clear,
    columns_of,
    decode,
    is_in,
    members_of,
    parts_in,
    read_part,
    write_part,
)
from metasearch.bulk.staged.pool import JobRules, run_all
from metasearch.bulk.staged.records import FreeNames, entry_of
from metasearch.dedup import Fingerprint, OnlineDedup
from metasearch.dedup import hits as naming
from metasearch.dedup.clusters import title_place
from metasearch.formats import hits

#: Records of a chunk; one component that is larger is a chunk of its own.
CHUNK = 5_000
#: Groups of records for each process, which then end at about the same time.
GROUPS = 4

_FILE = (1 << schemas.FILE_BITS) - 1


class RecordPlaces:
    """Numbers of records as places in the order of all, from 0."""

    def __init__(self, counts: Sequence[int]) -> None:
        self._starts = np.r_[0, np.cumsum(np.asarray(counts, dtype=np.int64))]

    @property
    def total(self) -> int:
        return int(self._starts[-1])

    def of(self, numbers: Numbers) -> Numbers:
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
        return int(self.chunks.max(initial=-1)) + 1


def find_in(known: Numbers, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """(which of some numbers stand among known ones, which are sorted; where each of these stands
    there).
    """
    has = np.flatnonzero(is_in(numbers, known))
    return has, np.searchsorted(known, numbers[has])


def chunk_stage(
    records: Path,
    of: ComponentOf,
    places: RecordPlaces,
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
class _RecordGroup:
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
    places: RecordPlaces
    names: FreeNames
    scratch: Path
    share: int


_IN_BUCKETS = pa.schema([*schemas.CHUNKS, pa.field("chunk", pa.int64(), nullable=False)])


def _groups(
    records: Path,
    of: ComponentOf,
    places: RecordPlaces,
    names: FreeNames,
    scratch: Path,
    share: int,
    workers: int,
) -> Iterator[_RecordGroup]:
    parts = parts_in(records)
    size = max(1, -(-len(parts) // (workers * GROUPS)))
    for group, at in enumerate(range(0, len(parts), size)):
        mine = parts[at : at + size]
        low = int(read_part(mine[0], ["number"]).column(0)[0].as_py())
        high = int(read_part(mine[-1], ["number"]).column(0)[-1].as_py()) + 1
        some = slice(*np.searchsorted(of.numbers, [low, high]).tolist())
        first, last = places.of(np.asarray([low, high - 1])).tolist()
        yield _RecordGroup(
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


def _group(of: _RecordGroup) -> None:
    count = int(of.chunks.max(initial=-1)) // of.share + 1
    with Buckets(_IN_BUCKETS, count, partial(_bucket, of.scratch, of.number)) as buckets:
        for path in of.parts:
            for batch in batches(path, ["number", "key", "id", "entry"]):
                has, at = find_in(of.numbers, batch.column("number").to_numpy())
                if len(has):
                    chunks = of.chunks[at]
                    table = pa.Table.from_batches([batch]).take(pa.array(has))
                    named = _with_names(table, of.components[at], of.places, of.names)
                    named = named.append_column(_IN_BUCKETS.field("chunk"), pa.array(chunks))
                    buckets.add(named, chunks // of.share)
        buckets.write()


def _bucket(scratch: Path, group: int, bucket: int) -> Path:
    return scratch / f"bucket-{bucket:03}-{group:06}.parquet"


def _chunks(scratch: Path, into: Path, bucket: int) -> None:
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


def _with_names(
    table: pa.Table, components: Numbers, places: RecordPlaces, names: FreeNames
) -> pa.Table:
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


# Chunk -> works: found by the same code that searches use, in the order of all records.


@dataclass(frozen=True)
class ChunkJudge:
    """A `Judge` (see `engines/__init__.py`): a function of the chunk alone.

    All components of a chunk are judged by one `OnlineDedup`: they share no key, so none of them
    knows of the others. Where they share keys by chance, each has its own. Within a component stand
    all records of each of its keys, so that the same pairs are compared as if all records of the
    job had been taken in. `columns`: the folder of the titles of columns.
    """

    rules: JobRules
    columns: Path

    def __call__(self, chunk: pa.Table) -> tuple[pa.Table, int]:
        """The works of several records, by their first ones; and the comparisons passed over."""
        if not self.rules.alone:
            return self._judge(chunk)
        found = [self._judge(component) for component in _components(chunk)]
        works = pa.concat_tables([schemas.WORKS.empty_table(), *(table for table, _ in found)])
        return works.sort_by("first"), sum(passed_over for _, passed_over in found)

    def _judge(self, chunk: pa.Table) -> tuple[pa.Table, int]:
        rows = chunk.sort_by("number").to_pydict()
        prints = [
            Fingerprint(decode(entry).record, key)
            for key, entry in zip(rows["key"], rows["entry"], strict=True)
        ]
        columns = columns_in(self.columns)
        stage = OnlineDedup(
            self.rules.chain,
            versions=self.rules.versions,
            recurs=lambda fingerprint: title_place(fingerprint) in columns,
            places=rows["place"],
        )
        with garbage_collection.rarely():
            stage.extend(prints)
            found = [work for works in stage.components() for work in works if len(work[0]) > 1]
        works = []
        for at, hit in sorted(found, key=lambda work: work[0][0]):
            members = [prints[place] for place in at]
            number = naming.base_of(members, separate=self.rules.separate)
            base = work_ids.id_of_number(number)
            also = {naming.own_id(fingerprint) for fingerprint in members} - {base}
            # The records stand beside it; its name is told from others when all works are known.
            kept = replace(hit, id=base, also=tuple(sorted(also)), records=())
            works.append(
                {
                    "first": rows["number"][at[0]],
                    **{
                        name: [rows[column][place] for place in at]
                        for name, column in (
                            ("numbers", "number"),
                            ("keys", "key"),
                            ("ids", "id"),
                            ("entries", "entry"),
                        )
                    },
                    "hit": hits.write(kept),
                    "base": number,
                }
            )
        return pa.Table.from_pylist(works, schemas.WORKS), stage.passed_over


def _components(chunk: pa.Table) -> Iterator[pa.Table]:
    rows = chunk.sort_by("component")
    sizes = rows.group_by("component", use_threads=False).aggregate([([], "count_all")])
    start = 0
    for size in sizes.column("count_all").to_pylist():
        yield rows.slice(start, size)
        start += size


# The stage `names`: what works are called whose ids several would have, told apart over all works
# of the job by the rule of `dedup/hits.py`.

#: The part of the stage.
PART = "part-00000.parquet"


def name_stage(
    records: Path, traits: Path, ordered: Path, places: RecordPlaces, names: FreeNames, into: Path
) -> None:
    """Write the ids of the works that are not called by their base."""
    members = members_of(ordered)
    alone = columns_of(traits, schemas.TRAITS, ["number", "base"])
    numbers, bases = alone.column("number").to_numpy(), alone.column("base").to_numpy()
    alone_ = ~is_in(numbers, members)
    several = columns_of(ordered, schemas.WORKS, ["first", "base"])
    firsts = np.r_[numbers[alone_], several.column("first").to_numpy()]
    bases = np.r_[bases[alone_], several.column("base").to_numpy()]
    known, times = np.unique(bases, return_counts=True)
    shared = is_in(bases, known[times > 1])
    base_of = dict(zip(firsts[shared].tolist(), bases[shared].tolist(), strict=True))
    wanted = np.sort(firsts[shared])

    works: dict[int, dict[int, naming.Known]] = {}
    for first, what in _naming_facts(records, ordered, wanted, members, places, names):
        works.setdefault(base_of[first], {})[first] = what
    found = sorted(
        (first, id_number(name))
        for base, of_base in works.items()
        for first, name in naming.distinct_ids(id_of_number(base), of_base)
        if id_number(name) != base
    )
    write_part(
        into / PART,
        pa.table(
            {
                "first": pa.array([first for first, _ in found], pa.int64()),
                "id": pa.array([name for _, name in found], pa.int64()),
            }
        ),
    )


def _naming_facts(
    records: Path,
    ordered: Path,
    wanted: Numbers,
    members: Numbers,
    places: RecordPlaces,
    names: FreeNames,
) -> Iterator[tuple[int, naming.Known]]:
    """(first record, what is known) of each work that is wanted."""
    for path in parts_in(records):
        for batch in batches(path, ["number", "key", "entry"]):
            numbers = batch.column(0).to_numpy()
            mine = np.flatnonzero(is_in(numbers, wanted) & ~is_in(numbers, members))
            some = batch.take(pa.array(mine)).to_pydict()
            at = places.of(numbers[mine]).tolist()
            for place, number, own, entry in zip(
                at, some["number"], some["key"], some["entry"], strict=True
            ):
                key, _ = names.of_record(place, number, own, "")
                yield number, naming.distinction_of([(key, entry_of(entry, path).record)])
    for path in parts_in(ordered):
        for batch in batches(path, ["first", "keys", "entries"]):
            mine = np.flatnonzero(is_in(batch.column(0).to_numpy(), wanted))
            for row in batch.take(pa.array(mine)).to_pylist():
                entries = (decode(data).record for data in row["entries"])
                yield row["first"], naming.distinction_of(zip(row["keys"], entries, strict=True))


def names_in(folder: Path) -> dict[int, str]:
    """First record of a work -> its id, where that is not its base."""
    table = read_part(folder / PART)
    columns = (table.column(name).to_pylist() for name in ("first", "id"))
    return {first: id_of_number(name) for first, name in zip(*columns, strict=True)}
