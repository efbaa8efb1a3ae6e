"""Pairs of records that `dedup/index.py` would compare, and some more: as many as grow with the
records of a key, not with their square.

`KeyIndex` compares a record with all before it that share a key; once these are a crowd, with the
first ones of its year, of the years beside and of those without a year. Which ones that are depends
on the order, on the bounds at that time (`KeyIndex.reach`), and on records that repeat another
one, which it may leave out. The pairs here hold in any case: of a key, all pairs of the first
records, as long as no crowd can have been divided yet, and each record with the first ones of the
years, whichever of the two comes first. Of records that repeat one another the first one stands for
all; the caller joins these.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from metasearch.dedup import index

Numbers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]
#: The year of a record without one: below all that 32 bits hold.
NO_YEAR = -(1 << 32)
#: Beside the number of a key: years of 32 bits, and those beside the first and the last one.
_YEARS = 34


def pairs(
    records: Numbers, keys: Numbers, years: Numbers, early: Bits
) -> Iterator[tuple[Numbers, Numbers]]:
    """Pairs of different records that share a key, some at a time; a pair may come several times,
    and in either order.

    `records`: of each row: numbers in the order of all records; each key of a record once. `years`:
    of each row; `NO_YEAR` for none. `early`: of each row, whether the record is among the first
    `index.FEW` of the job or the one behind them, where the wide bounds hold.
    """
    order = np.lexsort((records, keys))
    records, keys, years, early = records[order], keys[order], years[order], early[order]
    if not len(keys):
        return
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    sizes = np.diff(np.r_[first, len(keys)])
    # Before a crowd is divided it holds one record more than its bound, and the next one to come
    # is compared with all of these; the wide bound holds for the early ones, and for one behind.
    wide = np.minimum(np.add.reduceat(early.astype(np.int64), first), index.CROWD_OF_FEW + 1) + 1
    heads = np.minimum(np.maximum(index.CROWD + 2, wide), sizes)
    yield from _of_heads(records, first, heads)
    crowds = np.repeat(sizes > heads, sizes)
    if crowds.any():
        blocks = np.repeat(np.arange(len(first)), sizes)[crowds]
        yield from _of_years(records[crowds], blocks, years[crowds], early[crowds])


def _of_heads(
    records: Numbers, first: Numbers, heads: Numbers
) -> Iterator[tuple[Numbers, Numbers]]:
    """All pairs of the first rows of each key."""
    ends = np.repeat(first + heads, heads)
    rows = np.arange(len(ends)) - np.repeat(np.cumsum(heads) - heads, heads)
    rows += np.repeat(first, heads)
    for step in range(1, int(heads.max(initial=0))):
        rows, ends = rows[rows + step < ends], ends[rows + step < ends]
        yield records[rows], records[rows + step]


def _of_years(
    records: Numbers, blocks: Numbers, years: Numbers, early: Bits
) -> Iterator[tuple[Numbers, Numbers]]:
    """Each record with the first ones of its year, of the years beside it, and without a year."""
    has = years != NO_YEAR
    # 0 stands for no year; years from 2 on, so that there is one beside the first.
    bases = blocks << _YEARS
    places = bases + np.where(has, years + (1 << 31) + 2, 0)
    order = np.lexsort((records, places))
    records, places, bases = records[order], places[order], bases[order]
    has, early = has[order], early[order]
    starts = np.flatnonzero(np.r_[True, places[1:] != places[:-1]])
    groups = places[starts]
    sizes = np.diff(np.r_[starts, len(places)])
    rows = np.arange(len(records))
    wide, narrow = index.OF_A_YEAR_OF_FEW, index.OF_A_YEAR
    for mine, wanted, most, later in (
        (rows, places, wide, narrow),
        (rows[has], bases[has], wide, narrow),
        (rows[has], places[has] - 1, min(index.BESIDE, wide), min(index.BESIDE, narrow)),
        (rows[has], places[has] + 1, min(index.BESIDE, wide), min(index.BESIDE, narrow)),
    ):
        at = np.minimum(np.searchsorted(groups, wanted), len(groups) - 1)
        there = groups[at] == wanted
        mine, at = mine[there], at[there]
        for rank in range(max(most, later)):
            more = sizes[at] > rank
            mine, at = mine[more], at[more]
            others = starts[at] + rank
            chosen = mine != others
            if rank >= later:
                chosen &= early[mine] & early[others]
            if chosen.any():
                yield records[mine[chosen]], records[others[chosen]]
