"""Names of records that no other record has: the rule of `job.free_name` for more names than memory
holds.

Only names that occur twice, and those that are made, can be taken when their turn comes; of all
others a hash of 64 bits is kept, and that only while they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from metasearch.bulk.job import free_name
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.parts import batches, parts_in

#: The names that a record may bear, the best first; the place of a row is that of the record.
Rows = Callable[[], Iterable[tuple[str, ...]]]


def made_different(rows: Rows) -> dict[int, str]:
    """Place of a record, from 0 -> its name, where that is not the best one that it may bear.

    Args:
        rows: Gives the names of all records in their order, whenever it is called.
    """
    hashes = np.fromiter((hash(name) for names in rows() for name in names), np.int64)
    known, times = np.unique(hashes, return_counts=True)
    watched = set(known[times > 1].tolist())
    while True:
        found, clashes = _pass(rows(), known, watched)
        if not clashes:
            return found
        # A name that was made is one that another record bears: its turn must be known, too.
        watched |= clashes


def _pass(
    rows: Iterable[tuple[str, ...]], known: npt.NDArray[np.int64], watched: set[int]
) -> tuple[dict[int, str], set[int]]:
    taken: set[str] = set()
    found: dict[int, str] = {}
    clashes: set[int] = set()
    for place, names in enumerate(rows):
        if watched.isdisjoint(map(hash, names)):
            continue
        name = free_name(names, place + 1, taken)
        if name not in names:
            clash = hash(name)
            at = int(np.searchsorted(known, clash))
            if at < len(known) and known[at] == clash and clash not in watched:
                clashes.add(clash)
        if name != _best(names):
            found[place] = name
    return found, clashes


def _best(names: Sequence[str]) -> str:
    return next(filter(None, names), names[-1])


@dataclass(frozen=True, slots=True)
class FreeNames:
    """What records are called in a job.

    Attributes:
        keys: Place of a record -> its key, where that is not `Record.key`.
        ids: Place -> its id in the list of clusters, where that is neither its own one, which a row
            of a labelled set has, nor its key.
        rows: The places of the files that are labelled sets.
    """

    keys: dict[int, str]
    ids: dict[int, str]
    rows: Collection[int]

    @classmethod
    def of(cls, records: Path, rows: Collection[int]) -> FreeNames:
        """The names of all records of the stage `records`.

        Args:
            records: Its folder.
            rows: The places of the files that are labelled sets.
        """
        keys = made_different(lambda: ((key,) for _, key, _ in _named(records)))

        def ids() -> Iterator[tuple[str, ...]]:
            for place, (number, key, own) in enumerate(_named(records)):
                free = keys.get(place, key)
                yield (own, free) if number >> schemas.FILE_BITS in rows else (free,)

        return cls(keys, made_different(ids) if rows else {}, rows)

    def within(self, places: range) -> FreeNames:
        """What those of these places are called."""
        keys, ids = (
            {place: names[place] for place in places if place in names} if names else {}
            for names in (self.keys, self.ids)
        )
        return FreeNames(keys, ids, self.rows)

    def of_record(self, place: int, number: int, key: str, own: str) -> tuple[str, str]:
        """(key, id) of a record.

        Args:
            place: Its place.
            number: Its number.
            key: Its `Record.key`.
            own: Its `Record.source_id`.
        """
        free = self.keys.get(place, key)
        best = own or free if number >> schemas.FILE_BITS in self.rows else free
        return free, self.ids.get(place, best)


def _named(records: Path) -> Iterator[tuple[int, str, str]]:
    for path in parts_in(records):
        for batch in batches(path, ["number", "key", "id"]):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
