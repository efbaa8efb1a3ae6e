"""The works of a staged job as a stream: read from disk whenever they are iterated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from metasearch.bib.work_ids import numbered_id
from metasearch.bulk.job import MergedWork
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.chunking import Places
from metasearch.bulk.staged.free_names import FreeNames
from metasearch.bulk.staged.ordering import Numbers, firsts_of, is_in, members_of
from metasearch.bulk.staged.parts import DamagedPart, batches, parts_in, read_part, rows_of
from metasearch.bulk.staged.stored import MakesHit, StoredRecord, StoredWork
from metasearch.dedup import Fingerprint, naming
from metasearch.dedup.merge import alone
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
    low: int
    high: int
    before: int = 0


class StagedWorks:
    """All works, in the order of their first records; iterated as often as one likes.

    Args:
        records: The stage of that name, as `traits` and `ordered`.
        places: The places of records.
        names: What records are called.
        ids: First record of a work -> its id, where that is not its base.
        firsts: First records of the works of several, sorted.
        members: All records that stand in a work with others, sorted.
        stretch: Only works that begin in it; None is all.
    """

    def __init__(
        self,
        records: Path,
        traits: Path,
        ordered: Path,
        places: Places,
        names: FreeNames,
        ids: dict[int, str],
        *,
        firsts: Numbers | None = None,
        members: Numbers | None = None,
        stretch: Stretch | None = None,
    ) -> None:
        self._records = records
        self._traits = traits
        self._ordered = ordered
        self._places = places
        self._names = names
        self._ids = ids
        self._firsts = firsts_of(ordered) if firsts is None else firsts
        self._members = members_of(ordered) if members is None else members
        self._stretch = stretch or Stretch(parts_in(records), parts_in(ordered), 0, ALL)
        self._held = sum(map(rows_of, self._stretch.parts))
        if stretch is None and self._held != places.total:
            raise DamagedPart(records, "records are missing")

    def __len__(self) -> int:
        return self._held - len(self._members) + len(self._firsts)

    def __iter__(self) -> Iterator[MergedWork]:
        both = merge(self._alone(), self._several(), key=itemgetter(0))
        for rank, (_, items, makes) in enumerate(both, self._stretch.before + 1):
            yield StoredWork(items, makes, rank)

    def divided(self, most: int) -> Iterator[StagedWorks]:
        """The works that begin in one stretch after another, of some so many records; they can be
        handed to other processes.
        """
        parts = [(path, _first(path), rows_of(path)) for path in self._stretch.parts]
        ordered = [(path, _firsts(path)) for path in self._stretch.ordered]
        at, before = 0, self._stretch.before
        while at < len(parts):
            end, count = at, 0
            while end < len(parts) and (end == at or count + parts[end][2] <= most):
                count += parts[end][2]
                end += 1
            low, high = parts[at][1], parts[end][1] if end < len(parts) else self._stretch.high
            several = [path for path, firsts in ordered if firsts[0] < high and firsts[-1] >= low]
            records = [path for path, *_ in parts[at:end]]
            one = self._within(Stretch(records, several, low, high, before))
            yield one
            at, before = end, before + len(one)

    def _within(self, stretch: Stretch) -> StagedWorks:
        firsts, members = (
            some[slice(*np.searchsorted(some, [stretch.low, stretch.high]))]
            for some in (self._firsts, self._members)
        )
        place = int(self._places.of(np.asarray([stretch.low]))[0])
        places = range(place, place + sum(map(rows_of, stretch.parts)))
        numbers = {
            int(number)
            for path in stretch.parts
            for batch in (batches(path, ["number"]) if self._ids else ())
            for number in batch.column(0).to_numpy()
        }
        return StagedWorks(
            self._records,
            self._traits,
            self._ordered,
            self._places,
            self._names.within(places),
            {number: self._ids[number] for number in numbers & self._ids.keys()},
            firsts=firsts,
            members=members,
            stretch=stretch,
        )

    def _alone(self) -> Iterator[tuple[int, tuple[StoredRecord, ...], MakesHit]]:
        """(number, record, what makes its hit) of the records that are alone in their work."""
        for path in self._stretch.parts:
            bases = read_part(self._traits / path.name, ["base"]).column(0).to_numpy()
            start = 0
            for batch in batches(path, ["number", "key", "id", "entry"]):
                numbers = batch.column(0).to_numpy()
                mine = np.flatnonzero(~is_in(numbers, self._members))
                some = batch.take(pa.array(mine)).to_pydict()
                places = self._places.of(numbers[mine]).tolist()
                for place, number, named, own, data, base in zip(
                    places,
                    some["number"],
                    some["key"],
                    some["id"],
                    some["entry"],
                    bases[start + mine].tolist(),
                    strict=True,
                ):
                    key, shown = self._names.of_record(place, number, named, own)
                    item = StoredRecord(number >> schemas.FILE_BITS, data, path, key, shown)
                    yield number, (item,), _Alone(item, base, self._ids.get(number))
                start += batch.num_rows

    def _several(self) -> Iterator[tuple[int, tuple[StoredRecord, ...], MakesHit]]:
        """The same of the works of several records, by their first ones."""
        if not len(self._firsts):
            return
        low, high = int(self._firsts[0]), int(self._firsts[-1])
        for path in self._stretch.ordered:
            begin, end = np.searchsorted(_firsts(path), [low, high + 1]).tolist()
            at = 0
            for batch in batches(path) if begin < end else ():
                some = slice(max(0, begin - at), max(0, end - at))
                at += batch.num_rows
                for row in batch[some].to_pylist():
                    items = tuple(
                        [
                            StoredRecord(number >> schemas.FILE_BITS, data, path, key, shown)
                            for number, data, key, shown in zip(
                                row["numbers"], row["entries"], row["keys"], row["ids"], strict=True
                            )
                        ]
                    )
                    name = self._ids.get(row["first"])
                    yield row["first"], items, _Several(items, row["hit"], path, name)


def _firsts(path: Path) -> Numbers:
    """The numbers of the first records of the works of a part, sorted."""
    found: Numbers = read_part(path, ["first"]).column(0).to_numpy()
    return found


def _first(path: Path) -> int:
    """The number of the first record of a part."""
    return int(read_part(path, ["number"]).column(0)[0].as_py())


class _Alone(NamedTuple):
    """Makes the hit of a record that is alone in its work.

    Attributes:
        base: Its id as a number.
        name: Its id where that is another one.
    """

    item: StoredRecord
    base: int
    name: str | None

    def hit(self, rank: int) -> Hit:
        """See `MakesHit.hit`."""
        record, base = self.item.entry.record, numbered_id(self.base)
        if self.name is None or self.name == base:
            return alone(base, record, (), rank)
        own = naming.own_id(Fingerprint(record, self.item.key))
        return alone(self.name, record, tuple(sorted({base, own} - {self.name})), rank)

    def matches(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
        """See `MakesHit.matches`."""
        return (), ()


class _Several(NamedTuple):
    """Makes the hit of several records.

    Attributes:
        data: The hit as `hits.write` wrote it.
        path: The part where it lies.
        name: Its id where that is another one.
    """

    items: tuple[StoredRecord, ...]
    data: bytes
    path: Path
    name: str | None

    def hit(self, rank: int) -> Hit:
        """See `MakesHit.hit`."""
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
        """See `MakesHit.matches`."""
        return self._of(hits.read_matches)

    def _of(self, read: Callable[[bytes], T]) -> T:
        try:
            return read(self.data)
        except ValueError as exc:
            raise DamagedPart(self.path, str(exc)) from exc
