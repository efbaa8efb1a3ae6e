"""The works of a staged job as a stream: read from disk whenever they are iterated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
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
from metasearch.bulk.staged.ordering import is_in, members_of
from metasearch.bulk.staged.parts import DamagedPart, batches, parts_in, read_part, rows_of
from metasearch.bulk.staged.stored import MakesHit, StoredRecord, StoredWork
from metasearch.dedup import Fingerprint, naming
from metasearch.dedup.merge import alone
from metasearch.formats import hits
from metasearch.record import Hit, Match, Version

T = TypeVar("T")


class StagedWorks:
    """All works, in the order of their first records; iterated as often as one likes.

    Args:
        records: The stage of that name, as `traits` and `ordered`.
        places: The places of records.
        names: What records are called.
        ids: First record of a work -> its id, where that is not its base.
    """

    def __init__(
        self,
        records: Path,
        traits: Path,
        ordered: Path,
        places: Places,
        names: FreeNames,
        ids: dict[int, str],
    ) -> None:
        self._records = records
        self._traits = traits
        self._ordered = ordered
        self._places = places
        self._names = names
        self._ids = ids
        self._members = members_of(ordered)
        several = sum(map(rows_of, parts_in(ordered)))
        self._length = places.total - len(self._members) + several

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[MergedWork]:
        both = merge(self._alone(), self._several(), key=itemgetter(0))
        for rank, (_, items, makes) in enumerate(both, 1):
            yield StoredWork(items, makes, rank)

    def _alone(self) -> Iterator[tuple[int, tuple[StoredRecord, ...], MakesHit]]:
        """(number, record, what makes its hit) of the records that are alone in their work."""
        seen = 0
        for path in parts_in(self._records):
            bases = read_part(self._traits / path.name, ["base"]).column(0).to_numpy()
            start = 0
            for batch in batches(path, ["number", "key", "entry"]):
                numbers = batch.column(0).to_numpy()
                mine = np.flatnonzero(~is_in(numbers, self._members))
                some = batch.take(pa.array(mine)).to_pydict()
                places = self._places.of(numbers[mine]).tolist()
                for place, number, own, data, base in zip(
                    places,
                    some["number"],
                    some["key"],
                    some["entry"],
                    bases[start + mine].tolist(),
                    strict=True,
                ):
                    key, shown = self._names.of_record(place, own)
                    item = StoredRecord(number >> schemas.FILE_BITS, data, path, key, shown)
                    yield number, (item,), _Alone(item, base, self._ids.get(number))
                start += batch.num_rows
            seen += start
        if seen != self._places.total:
            raise DamagedPart(self._records, "records are missing")

    def _several(self) -> Iterator[tuple[int, tuple[StoredRecord, ...], MakesHit]]:
        """The same of the works of several records, by their first ones."""
        for path in parts_in(self._ordered):
            for batch in batches(path):
                for row in batch.to_pylist():
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
