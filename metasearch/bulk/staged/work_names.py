"""The stage `names`: what works are called whose ids several would have, told apart over all works
of the job by the rule of `dedup/naming.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bib.work_ids import id_number, numbered_id
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.chunking import Places
from metasearch.bulk.staged.entries import decoded
from metasearch.bulk.staged.free_names import FreeNames
from metasearch.bulk.staged.ordering import is_in, members_of
from metasearch.bulk.staged.parts import batches, columns_of, parts_in, read_part, write_part
from metasearch.bulk.staged.reading import entry_of
from metasearch.dedup import naming

#: The part of the stage.
PART = "part-00000.parquet"
Numbers = npt.NDArray[np.int64]


def name_stage(
    records: Path, traits: Path, ordered: Path, places: Places, names: FreeNames, into: Path
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
    for first, what in _known(records, ordered, wanted, members, places, names):
        works.setdefault(base_of[first], {})[first] = what
    found = sorted(
        (first, id_number(name))
        for base, of_base in works.items()
        for first, name in naming.told_apart(numbered_id(base), of_base)
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


def _known(
    records: Path,
    ordered: Path,
    wanted: Numbers,
    members: Numbers,
    places: Places,
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
                yield number, naming.known_of([(key, entry_of(entry, path).record)])
    for path in parts_in(ordered):
        for batch in batches(path, ["first", "keys", "entries"]):
            mine = np.flatnonzero(is_in(batch.column(0).to_numpy(), wanted))
            for row in batch.take(pa.array(mine)).to_pylist():
                entries = (decoded(data).record for data in row["entries"])
                yield row["first"], naming.known_of(zip(row["keys"], entries, strict=True))


def names_in(folder: Path) -> dict[int, str]:
    """First record of a work -> its id, where that is not its base."""
    table = read_part(folder / PART)
    columns = (table.column(name).to_pylist() for name in ("first", "id"))
    return {first: numbered_id(name) for first, name in zip(*columns, strict=True)}
