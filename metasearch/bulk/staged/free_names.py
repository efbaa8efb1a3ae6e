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
from metasearch.bulk.staged.ordering import is_in
from metasearch.bulk.staged.parts import batches, parts_in

_Hashes = npt.NDArray[np.int64]
#: The names that some records may bear, a column for the best one and one for the next; the
#: records of all are in the order of their places.
Columns = Sequence[Sequence[str]]


def made_different(columns: Callable[[], Iterable[Columns]]) -> dict[int, str]:
    """Place of a record, from 0 -> its name, where that is not the best one that it may bear.
    `columns`: gives the names of all records, whenever it is called.
    """
    hashes = [_hashes(column) for some in columns() for column in some]
    known, times = np.unique(np.concatenate([np.empty(0, np.int64), *hashes]), return_counts=True)
    del hashes
    watched = known[times > 1]
    found: dict[int, str] = {}
    while len(watched):
        found, clashes = _pass(columns(), known, watched)
        if not clashes:
            break
        # A name that was made is one that another record bears: its turn must be known, too.
        watched = np.union1d(watched, np.fromiter(clashes, np.int64))
    return found


def _hashes(names: Sequence[str]) -> _Hashes:
    return np.fromiter(map(hash, names), np.int64, len(names))


def _pass(
    columns: Iterable[Columns], known: _Hashes, watched: _Hashes
) -> tuple[dict[int, str], set[int]]:
    taken: set[str] = set()
    found: dict[int, str] = {}
    clashes: set[int] = set()
    start = 0
    for some in columns:
        wanted = np.logical_or.reduce([is_in(_hashes(column), watched) for column in some])
        for at in np.flatnonzero(wanted).tolist():
            names = tuple([column[at] for column in some])
            name = free_name(names, start + at + 1, taken)
            if name not in names:
                clash = np.asarray([hash(name)])
                if is_in(clash, known)[0] and not is_in(clash, watched)[0]:
                    clashes.add(int(clash[0]))
            if name != _best(names):
                found[start + at] = name
        start += len(some[0])
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
        """The names of all records of the stage `records`."""
        keys = made_different(lambda: ([some] for _, some, _ in _named(records)))

        def ids() -> Iterator[Columns]:
            start = 0
            for file, some, own in _named(records):
                places = range(start, start + len(some))
                free = [keys.get(place, key) for place, key in zip(places, some, strict=True)]
                yield [own, free] if file in rows else [free]
                start += len(some)

        return cls(keys, made_different(ids) if rows else {}, rows)

    def within(self, places: range) -> FreeNames:
        """What those of these places are called."""
        keys, ids = (
            {place: names[place] for place in places if place in names} if names else {}
            for names in (self.keys, self.ids)
        )
        return FreeNames(keys, ids, self.rows)

    def of_record(self, place: int, number: int, key: str, own: str) -> tuple[str, str]:
        """(key, id) of a record. `own`: its `Record.source_id`."""
        free = self.keys.get(place, key)
        best = own or free if number >> schemas.FILE_BITS in self.rows else free
        return free, self.ids.get(place, best)


def _named(records: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """(file, `Record.key` of each, `Record.source_id` of each) of some records of a file at a
    time.
    """
    for path in parts_in(records):
        for batch in batches(path, ["number", "key", "id"]):
            number, keys, ids = batch.columns
            if len(keys):
                yield number[0].as_py() >> schemas.FILE_BITS, keys.to_pylist(), ids.to_pylist()
