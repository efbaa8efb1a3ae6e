"""Pairs of near signatures by tables, where few bits may differ: Manku, Jain and Das Sarma,
"Detecting near-duplicates for web crawling" (WWW 2007).

Of two signatures that differ in less bits than they have blocks, one block is equal. So the
signatures are sorted by one block after the other, and only those with an equal one are compared.
Where too many have it in common, they are divided by a second block: of the bits beside the first
one, a block is equal, too. `spark_near.py` is the same for Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from metasearch.dedup.hamming import BITS, MOST_NEAR

Words = np.ndarray[Any, np.dtype[np.uint64]]
Places = np.ndarray[Any, np.dtype[np.int64]]

#: Distances from which on comparing all signatures is no slower: blocks of 8 bits and less.
TOO_FAR = 8
#: Signatures with an equal block that are compared with one another. Of more that have a second one
#: in common, each is compared with `MOST_NEAR` that come before it, and with the first.
MOST = 2_000


def joining(signatures: Words, distance: int) -> tuple[Places, Places]:
    """Places of pairs that join what near signatures join, and no pair more than needed.
    `distance`: bits in which near ones differ at most, less than `TOO_FAR`.
    """
    groups = _Groups(len(signatures))
    pairs = [
        pair
        for ones, others in near_pairs(signatures, distance)
        for pair in groups.join(ones, others)
    ]
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def near_pairs(signatures: Words, distance: int) -> Iterator[tuple[Places, Places]]:
    """Places of near signatures, some thousand pairs at a time; a pair may come several times.

    Takes 40 bytes a signature beside them. `distance`: bits in which near ones differ at most, less
    than `TOO_FAR`.
    """
    blocks = distance + 1
    width = BITS // blocks
    inner = (BITS - width) // blocks
    for block in range(blocks):
        values = signatures >> np.uint64(block * width) & np.uint64((1 << width) - 1)
        order, sizes = _sorted(values)
        few = sizes <= MOST
        yield from _compared(signatures, order[few], values, distance, MOST)
        many = order[~few]
        # Rotated so that the block is at the top; a shift by 64 bits is one by none.
        shift = (block + 1) * width % BITS
        rest = signatures[many] >> np.uint64(shift) | signatures[many] << np.uint64(
            (BITS - shift) % BITS
        )
        for second in range(blocks if len(many) else 0):
            part = rest >> np.uint64(second * inner) & np.uint64((1 << inner) - 1)
            both = np.zeros_like(signatures)
            both[many] = values[many] << np.uint64(inner) | part
            order, _ = _sorted(both[many])
            yield from _compared(signatures, many[order], both, distance, MOST_NEAR)


def _sorted(values: Words) -> tuple[Places, Places]:
    """(Places in the order of the values, for each of these how many values are equal to it)."""
    order = np.argsort(values, kind="stable")
    found = values[order]
    starts = np.flatnonzero(_firsts(found) == np.arange(len(found)))
    counts = np.diff(np.append(starts, len(found)))
    return order, np.repeat(counts, counts)


def _compared(
    signatures: Words, order: Places, values: Words, distance: int, most: int
) -> Iterator[tuple[Places, Places]]:
    """Pairs in runs of equal values: each with up to `most` before it, and with the first."""
    bits, found = signatures[order], values[order]
    first = _firsts(found)
    rows = np.arange(len(order))
    for back in range(1, most + 1):
        rows = rows[rows - first[rows] >= back]
        if not len(rows):
            return
        near = rows[np.bitwise_count(bits[rows] ^ bits[rows - back]) <= distance]
        if len(near):
            yield order[near], order[near - back]
    near = rows[np.bitwise_count(bits[rows] ^ bits[first[rows]]) <= distance]
    if len(near):
        yield order[near], order[first[near]]


def _firsts(values: Words) -> Places:
    """Of each of sorted values, the place of the first one that is equal."""
    starts = np.ones(len(values), dtype=bool)
    starts[1:] = values[1:] != values[:-1]
    return np.maximum.accumulate(np.where(starts, np.arange(len(values)), 0))


class _Groups:
    """The group of each different signature, and the members of each group: the smaller of two
    groups goes into the larger, so that each signature moves log2 n times at most.
    """

    def __init__(self, count: int) -> None:
        self._group = np.arange(count)
        self._members: dict[int, list[int]] = {}

    def join(self, ones: Places, others: Places) -> Iterator[tuple[int, int]]:
        """Join pairs; gives those whose groups were not joined before."""
        group = self._group
        apart = np.flatnonzero(group[ones] != group[others])
        # Of pairs between the same two groups, one is enough.
        between = group[ones[apart]] * len(group) + group[others[apart]]
        _, examples = np.unique(between, return_index=True)
        for place in apart[np.sort(examples)].tolist():
            one, other = int(ones[place]), int(others[place])
            own, theirs = int(group[one]), int(group[other])
            if own == theirs:
                continue
            yield one, other
            large, small = self._members.pop(own, [own]), self._members.pop(theirs, [theirs])
            if len(large) < len(small):
                own, large, small = theirs, small, large
            group[small] = own
            large += small
            self._members[own] = large
