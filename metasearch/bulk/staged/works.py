"""The works of a staged job as a stream, read from disk whenever they are iterated; and as files,
written by worker processes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from metasearch.bib.work_ids import id_of_number
from metasearch.bulk import export
from metasearch.bulk.export import JobObserver
from metasearch.bulk.job import JobOutcome, JobWork, JobWorks
from metasearch.bulk.staged import parts as schemas
from metasearch.bulk.staged.chunks import RecordPlaces
from metasearch.bulk.staged.parts import (
    DamagedPart,
    DiskRecord,
    DiskWork,
    MakesHit,
    Numbers,
    batches,
    firsts_of,
    is_in,
    members_of,
    parts_in,
    read_part,
    rows_of,
)
from metasearch.bulk.staged.pool import in_order
from metasearch.bulk.staged.records import FreeNames
from metasearch.dedup import Fingerprint
from metasearch.dedup import hits as naming
from metasearch.dedup.hits import single_hit
from metasearch.formats import hits
from metasearch.record import Hit, Match, Version

T = TypeVar("T")
#: Above all numbers of records.
ALL = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Stretch:
    """Records that follow one another, in whole parts.

    Attributes:
        parts: Of the stage `records`.
        ordered: Parts of the stage `ordered` that have works which begin here.
        low, high: Number of the first one, and of the first one behind them.
        before: Works that begin before them.
    """

    parts: Sequence[Path]
    ordered: Sequence[Path]
    count: int
    low: int
    high: int
    before: int = 0


@dataclass(frozen=True, slots=True)
class StagedWorks:
    """Works in the order of their first records; iterated as often as one likes.

    Attributes:
        names: What records are called.
        ids: First record of a work -> its id, where that is not its base.
        firsts: First records of the works of several, sorted.
        members: All records that stand in a work with others, sorted.
    """

    traits: Path
    places: RecordPlaces
    names: FreeNames
    ids: dict[int, str]
    firsts: Numbers
    members: Numbers
    stretch: Stretch

    @classmethod
    def of(
        cls,
        records: Path,
        traits: Path,
        ordered: Path,
        places: RecordPlaces,
        names: FreeNames,
        ids: dict[int, str],
    ) -> StagedWorks:
        """All works of the stages of these names. Raises DamagedPart: records are missing."""
        parts = parts_in(records)
        whole = Stretch(parts, parts_in(ordered), sum(map(rows_of, parts)), 0, ALL)
        if whole.count != places.total:
            raise DamagedPart(records, "records are missing")
        return cls(traits, places, names, ids, firsts_of(ordered), members_of(ordered), whole)

    def __len__(self) -> int:
        return self.stretch.count - len(self.members) + len(self.firsts)

    def __iter__(self) -> Iterator[JobWork]:
        both = merge(self._alone(), self._several(), key=itemgetter(0))
        for rank, (_, items, makes) in enumerate(both, self.stretch.before + 1):
            yield DiskWork(items, makes, rank)

    def divide(self, most: int) -> Iterator[StagedWorks]:
        """The works that begin in one stretch after another, of some so many records; they can be
        handed to other processes.
        """
        parts = [(path, _first(path), rows_of(path)) for path in self.stretch.parts]
        ordered = [(path, _firsts(path)) for path in self.stretch.ordered]
        named = sorted(self.ids)
        at, before = 0, self.stretch.before
        while at < len(parts):
            end, count = at, 0
            while end < len(parts) and (end == at or count + parts[end][2] <= most):
                count += parts[end][2]
                end += 1
            low, high = parts[at][1], parts[end][1] if end < len(parts) else self.stretch.high
            several = [path for path, firsts in ordered if firsts[0] < high and firsts[-1] >= low]
            records = [path for path, *_ in parts[at:end]]
            stretch = Stretch(records, several, count, low, high, before)
            one = self._within(stretch, named[bisect_left(named, low) : bisect_left(named, high)])
            yield one
            at, before = end, before + len(one)

    def _within(self, stretch: Stretch, named: Sequence[int]) -> StagedWorks:
        """The works that begin in a stretch; `named` are those of `ids` in it."""
        firsts, members = (
            some[slice(*np.searchsorted(some, [stretch.low, stretch.high]))]
            for some in (self.firsts, self.members)
        )
        place = int(self.places.of(np.asarray([stretch.low]))[0])
        return replace(
            self,
            names=self.names.within(range(place, place + stretch.count)),
            ids={number: self.ids[number] for number in named},
            firsts=firsts,
            members=members,
            stretch=stretch,
        )

    def _alone(self) -> Iterator[tuple[int, tuple[DiskRecord, ...], MakesHit]]:
        """(number, record, what makes its hit) of the records that are alone in their work."""
        for path in self.stretch.parts:
            bases = read_part(self.traits / path.name, ["base"]).column(0).to_numpy()
            start = 0
            for batch in batches(path, ["number", "key", "id", "entry"]):
                numbers = batch.column(0).to_numpy()
                mine = np.flatnonzero(~is_in(numbers, self.members))
                some = batch.take(pa.array(mine)).to_pydict()
                places = self.places.of(numbers[mine]).tolist()
                for place, number, named, own, data, base in zip(
                    places,
                    some["number"],
                    some["key"],
                    some["id"],
                    some["entry"],
                    bases[start + mine].tolist(),
                    strict=True,
                ):
                    key, shown = self.names.of_record(place, number, named, own)
                    item = DiskRecord(number >> schemas.FILE_BITS, data, path, key, shown)
                    yield number, (item,), _Alone(item, base, self.ids.get(number))
                start += batch.num_rows

    def _several(self) -> Iterator[tuple[int, tuple[DiskRecord, ...], MakesHit]]:
        """The same of the works of several records, by their first ones."""
        if not len(self.firsts):
            return
        low, high = int(self.firsts[0]), int(self.firsts[-1])
        for path in self.stretch.ordered:
            begin, end = np.searchsorted(_firsts(path), [low, high + 1]).tolist()
            at = 0
            for batch in batches(path) if begin < end else ():
                some = slice(max(0, begin - at), max(0, end - at))
                at += batch.num_rows
                for row in batch[some].to_pylist():
                    items = tuple(
                        [
                            DiskRecord(number >> schemas.FILE_BITS, data, path, key, shown)
                            for number, data, key, shown in zip(
                                row["numbers"], row["entries"], row["keys"], row["ids"], strict=True
                            )
                        ]
                    )
                    name = self.ids.get(row["first"])
                    yield row["first"], items, _Several(items, row["hit"], path, name)


def _firsts(path: Path) -> Numbers:
    found: Numbers = read_part(path, ["first"]).column(0).to_numpy()
    return found


def _first(path: Path) -> int:
    return int(read_part(path, ["number"]).column(0)[0].as_py())


class _Alone(NamedTuple):
    """Makes the hit of a record that is alone in its work. `name`: its id where that is another
    one.
    """

    item: DiskRecord
    base: int
    name: str | None

    def hit(self, rank: int) -> Hit:
        record, base = self.item.entry.record, id_of_number(self.base)
        if self.name is None or self.name == base:
            return single_hit(base, record, (), rank)
        own = naming.own_id(Fingerprint(record, self.item.key))
        return single_hit(self.name, record, tuple(sorted({base, own} - {self.name})), rank)

    def matches(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
        return (), ()


class _Several(NamedTuple):
    """Makes the hit of several records.

    Attributes:
        data: The hit as `hits.write` wrote it.
        path: The part where it lies.
        name: Its id where that is another one.
    """

    items: tuple[DiskRecord, ...]
    data: bytes
    path: Path
    name: str | None

    def hit(self, rank: int) -> Hit:
        hit = self._of(hits.read)
        name = self.name or hit.id
        return replace(
            hit,
            id=name,
            records=tuple(
                [item.entry.record for item in sorted(self.items, key=lambda item: item.key)]
            ),
            also=tuple(sorted({hit.id, *hit.also} - {name})),
            rank=rank,
        )

    def matches(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
        return self._of(hits.read_matches)

    def _of(self, read: Callable[[bytes], T]) -> T:
        try:
            return read(self.data)
        except ValueError as exc:
            raise DamagedPart(self.path, str(exc)) from exc


# Works of a job as files, by worker processes: files that are nothing but one work after another.
# What is told of the job is counted on the way.

#: Records of which a process writes the works in one go.
STRETCH = 10_000
#: The files of two halves of the works, one after the other, are that of all.
ONE_AFTER_ANOTHER = frozenset({"endnote-tagged", "marc", "nbib", "noteexpress", "refworks", "ris"})


def write(
    name: str,
    outcome: JobOutcome,
    workers: int,
    *,
    provenance: bool = False,
    telling: JobObserver | None = None,
) -> Iterator[bytes]:
    """What `export.write` gives, by worker processes.

    `name`: one of `ONE_AFTER_ANOTHER`. `outcome`: what the job has done; its works are
    `StagedWorks`. `telling`: looks at all works, in other processes; what it has to tell is known
    when all is written. Raises UsageError: a worker was killed, or a part of the works is damaged.
    """
    written = partial(_write_stretch, name, provenance, telling is not None)
    for part, told in in_order(written, _stretches(outcome), workers):
        if telling is not None and told is not None:
            telling.join(told)
        yield part


def write_clusters(outcome: JobOutcome, workers: int) -> Iterator[bytes]:
    return in_order(export.cluster_bytes, _stretches(outcome), workers)


def _stretches(outcome: JobOutcome) -> Iterator[JobOutcome]:
    works = outcome.works
    assert isinstance(works, StagedWorks)
    return (replace(outcome, works=some) for some in works.divide(STRETCH))


def _write_stretch(
    name: str, provenance: bool, tells: bool, outcome: JobOutcome
) -> tuple[bytes, JobObserver | None]:
    telling = JobObserver(outcome, name) if tells else None
    if telling is not None:
        outcome = replace(outcome, works=_ObservedWorks(outcome.works, telling))
    return b"".join(export.write(name, outcome, provenance=provenance)), telling


@dataclass(frozen=True, slots=True)
class _ObservedWorks:
    """Works that are looked at while somebody goes through them, which must be done once."""

    works: JobWorks
    telling: JobObserver

    def __len__(self) -> int:
        return len(self.works)

    def __iter__(self) -> Iterator[JobWork]:
        for work in self.works:
            self.telling.add(work)
            yield work
