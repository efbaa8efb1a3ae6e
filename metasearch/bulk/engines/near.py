"""Edges between records with near signatures, which share no key: each is compared with each,
whatever the engine.

Signatures of `Signed` matchers (dedup/matcher.py) may differ in more bits than keys can find; few
records have one. Of all near pairs only those are kept that join what was not joined: a text that a
hundred thousand records share makes as many edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from metasearch.bulk.engines import near_tables
from metasearch.bulk.staged.schemas import EDGES
from metasearch.dedup.hamming import AT_ONCE


def write_edges(signatures: Path, distances: Mapping[str, int], into: Path) -> int:
    """Write edges (`schemas.EDGES`) that join the records whose signatures are near, and returns
    how many.

    Takes 16 bytes a signature. Where less than `near_tables.TOO_FAR` bits may differ, time grows
    with the number of different ones; else with its square: a second for some 40,000 of them, two
    hours for three million.

    Args:
        signatures: Parts as `schemas.SIGNATURES` has them.
        distances: Name of a matcher -> bits in which signatures of neighbours differ at most; the
            others are left out.
        into: The folder of the part.
    """
    into.mkdir(parents=True, exist_ok=True)
    unfinished = into / "part-00000.unfinished"
    count = 0
    with pq.ParquetWriter(unfinished, EDGES, compression="zstd") as writer:
        for matcher, distance in sorted(distances.items()):
            numbers, signed = _read(signatures, matcher)
            pairs = np.array(list(joining(signed, distance)), dtype=np.int64).reshape(-1, 2)
            count += len(pairs)
            columns = [pa.array(numbers[pairs[:, side]]) for side in (0, 1)]
            writer.write_table(pa.Table.from_arrays(columns, schema=EDGES))
    unfinished.replace(into / "part-00000.parquet")
    return count


def _read(folder: Path, matcher: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """(numbers, signatures) of one matcher, in the order of the numbers."""
    numbers: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
    signed = list(numbers)
    for part in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(part) as file:
            for batch in file.iter_batches(columns=["matcher", "number", "signature"]):
                own = batch.filter(pc.equal(batch.column("matcher"), matcher))
                numbers.append(own.column("number").to_numpy())
                signed.append(own.column("signature").to_numpy())
    all_ = np.concatenate(numbers)
    order = np.argsort(all_, kind="stable")
    return all_[order], np.concatenate(signed)[order].view(np.uint64)


def joining(signatures: npt.NDArray[np.uint64], distance: int) -> Iterator[tuple[int, int]]:
    """Pairs (place, place before it) that join what near signatures join, and no pair more than
    needed.

    Args:
        signatures: 64 bits each.
        distance: Bits in which near ones differ at most.
    """
    different, first, which = np.unique(signatures, return_index=True, return_inverse=True)
    again = first[which]
    same = np.flatnonzero(again != np.arange(len(signatures)))
    yield from zip(same.tolist(), again[same].tolist(), strict=True)
    if distance < near_tables.TOO_FAR:
        ones, others = near_tables.joining(different, distance)
        yield from zip(first[ones].tolist(), first[others].tolist(), strict=True)
        return
    # The group of each different signature, and the members of each group: the smaller of two
    # groups goes into the larger, so that each signature moves log2 n times at most.
    group = np.arange(len(different))
    members: dict[int, list[int]] = {}
    for place in range(1, len(different)):
        wanted = different[place]
        for start in range(0, place, AT_ONCE):
            block = different[start : min(place, start + AT_ONCE)]
            near = start + np.flatnonzero(np.bitwise_count(block ^ wanted) <= distance)
            if not len(near):
                continue
            groups, examples = np.unique(group[near], return_index=True)
            for other, example in zip(groups.tolist(), near[examples].tolist(), strict=True):
                own = int(group[place])
                if other == own:
                    continue
                yield int(first[place]), int(first[example])
                ours, theirs = members.pop(own, [own]), members.pop(other, [other])
                if len(ours) < len(theirs):
                    own, ours, theirs = other, theirs, ours
                group[theirs] = own
                ours += theirs
                members[own] = ours
