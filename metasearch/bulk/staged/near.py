"""The stage `edges`: records with near signatures, which share no key.

Where few bits may differ, tables of blocks find them (`engines/near_tables.py`). Else all
signatures are compared with all others, as `dedup/hamming.Signatures` compares each new one; a
range of them is a task. Only what joins records counts, so of many that are near one another as
many pairs are written as join them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bulk.engines import near_tables
from metasearch.bulk.job import Progress
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.parts import columns_of, read_part, write_part
from metasearch.bulk.staged.pool import run_all
from metasearch.bulk.staged.rules import Rules

DOING = "comparing signatures"
#: Signatures of a task: few enough that tasks end now and then.
RANGE = 5_000

_Numbers = npt.NDArray[np.int64]
_Bits = npt.NDArray[np.uint64]


def near_stage(
    signatures: Path, sorted_: Path, into: Path, rules: Rules, workers: int, progress: Progress
) -> None:
    """Write the edges between near signatures."""
    table = columns_of(signatures, schemas.SIGNATURES, ["matcher", "number", "signature"])
    matchers = np.asarray(table.column("matcher").to_pylist(), dtype=object)
    tasks = []
    for place, signs in enumerate(rules.signed):
        mine = matchers == signs.name
        numbers = table.column("number").to_numpy()[mine]
        bits = table.column("signature").to_numpy()[mine].view(np.uint64)
        # Equal ones are joined here, and one of each is compared.
        order = np.lexsort((numbers, bits))
        numbers, bits = numbers[order], bits[order]
        first = np.flatnonzero(np.r_[True, bits[1:] != bits[:-1]]) if len(bits) else order
        heads = np.repeat(first, np.diff(np.r_[first, len(bits)])) if len(bits) else order
        same = heads != np.arange(len(bits))
        write_edges(into / f"part-{place:02}-equal.parquet", numbers[heads[same]], numbers[same])
        if signs.distance < near_tables.TOO_FAR:
            path = into / f"part-{place:02}-tables.parquet"
            if not path.exists():
                a, b = near_tables.joining(bits[first], signs.distance)
                write_edges(path, numbers[first[a]], numbers[first[b]])
            continue
        path = sorted_ / f"part-{place:02}.parquet"
        write_part(
            path,
            pa.table({"number": numbers[first], "signature": bits[first].view(np.int64)}),
        )
        tasks += [
            (path, start, signs.distance, into / f"part-{place:02}-{start:010}.parquet")
            for start in range(0, len(first), RANGE)
        ]
    missing = [task for task in tasks if not task[3].exists()]
    before = len(tasks) - len(missing)
    run_all(
        _compare,
        missing,
        min(workers, len(missing)),
        lambda done: progress(DOING, before + done, len(tasks)),
    )


def write_edges(path: Path, a: _Numbers, b: _Numbers) -> None:
    """Write edges as one part."""
    write_part(path, pa.table({"a": a, "b": b}).cast(schemas.EDGES))


def _compare(task: tuple[Path, int, int, Path]) -> None:
    """Compare the signatures of a range with themselves and all after them."""
    path, start, distance, into = task
    table = read_part(path)
    numbers = table.column("number").to_numpy()
    bits = table.column("signature").to_numpy().view(np.uint64)
    a, b = joining(bits[start:], min(RANGE, len(bits) - start), distance)
    write_edges(into, numbers[start + a], numbers[start + b])


def joining(bits: _Bits, count: int, distance: int) -> tuple[_Numbers, _Numbers]:
    """Pairs of places that join all near signatures which the first ones join. `distance`: bits in
    which near ones differ at most.
    """
    labels = np.arange(len(bits))
    pairs: list[tuple[int, int]] = []
    for at in range(count):
        near = at + 1 + np.flatnonzero(np.bitwise_count(bits[at + 1 :] ^ bits[at]) <= distance)
        if not len(near):
            continue
        others, places = np.unique(labels[near], return_index=True)
        for label, place in zip(others.tolist(), places.tolist(), strict=True):
            if label != labels[at]:
                pairs.append((at, int(near[place])))
                labels[labels == label] = labels[at]
    found = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
