"""What holds a component together that is too large: the pairs that memory would compare
(`candidate_pairs.py`, and near signatures), without those that are strangers by their sketches or
apart by their titles, of which no matcher makes one work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rapidfuzz import fuzz

from metasearch.bulk.staged import candidate_pairs, schemas
from metasearch.bulk.staged.chunking import Places
from metasearch.bulk.staged.ordering import is_in
from metasearch.bulk.staged.parts import batches, columns_of, parts_in, write_part
from metasearch.bulk.staged.pool import in_order
from metasearch.bulk.staged.shuffling import buckets_for, shuffled
from metasearch.dedup import index
from metasearch.dedup.resemblance import FAR, surely_far
from metasearch.dedup.sketches import are_strangers

#: Pairs of which titles are compared at once.
_AT_ONCE = 200_000
#: Edges of a part.
EDGES_OF_A_PART = 500_000
#: Near signatures of one record of which titles are compared.
MOST_TESTED = 1_000

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Traits:
    """What is asked of the records of components that are too large: a column each, in the order
    of their numbers.
    """

    numbers: Numbers
    sketches: Numbers
    years: Numbers
    contents: Numbers
    pages: Numbers
    titles: pa.Array
    #: Numbers of the first and the second word of each title, a row each; 0 for none.
    begins: Numbers
    early: npt.NDArray[np.bool_]

    @classmethod
    def read(cls, traits: Path, wanted: Numbers, places: Places) -> Traits:
        """Those of some records, whose numbers are sorted."""
        names = ["number", "sketch", "year", "content", "pages", "title"]
        tables = []
        for path in parts_in(traits):
            for batch in batches(path, names):
                mine = is_in(batch.column("number").to_numpy(), wanted)
                tables.append(pa.Table.from_batches([batch.filter(pa.array(mine))]))
        table = pa.concat_tables(tables)  # parts by name are in the order of all records
        tables.clear()
        years = table.column("year").cast(pa.int64()).fill_null(candidate_pairs.NO_YEAR)
        # Titles of all these may take more bytes than an array of short offsets holds.
        titles = table.column("title").cast(pa.large_string()).combine_chunks()
        table = table.drop_columns("title")
        return cls(
            wanted,
            table.column("sketch").to_numpy(),
            years.to_numpy(),
            table.column("content").to_numpy(),
            table.column("pages").to_numpy(),
            titles,
            _begins(titles),
            places.of(wanted) <= index.FEW,
        )


def _begins(titles: pa.Array) -> Numbers:
    found = np.zeros((len(titles), 2), dtype=np.int64)
    for start in range(0, len(titles), _AT_ONCE):
        for place, title in enumerate(titles[start : start + _AT_ONCE].to_pylist(), start):
            words = title.split(" ", 2)[:2] if title else []
            found[place, : len(words)] = [1 + crc32(word.encode()) for word in words]
    return found


def by_key(
    keys: Path, of: Traits, scratch: Path, *, exact: bool
) -> Iterator[tuple[Numbers, Numbers]]:
    """(records as places in `of`, keys) of all rows of some keys at a time. `scratch` is for this
    alone.
    """
    buckets = buckets_for(len(of.numbers))

    def rows() -> Iterator[tuple[pa.Table, Numbers]]:
        for path in parts_in(keys):
            for batch in batches(path):
                mine = is_in(batch.column(0).to_numpy(), of.numbers)
                if not exact:
                    mine &= ~batch.column("exact").to_numpy(zero_copy_only=False)
                chosen = batch.filter(pa.array(mine))
                yield (
                    pa.Table.from_batches([chosen]),
                    chosen.column("key").to_numpy() % buckets,
                )

    for bucket in shuffled(rows(), schemas.KEYS, buckets, scratch / "by-key"):
        records = np.searchsorted(of.numbers, bucket.column("number").to_numpy())
        yield records, bucket.column("key").to_numpy()


def divide(
    keys: Path,
    signatures: Path,
    distances: Mapping[str, int],
    of: Traits,
    into: Path,
    scratch: Path,
    workers: int = 1,
) -> None:
    """Write edges (`schemas.EDGES`) between records that may be one work by what is not exact:
    by keys and near signatures that bring them together in memory, sketches and titles.

    `scratch` is for this alone. `distances`: name of each matcher that has signatures -> bits in
    which near ones differ.
    """
    # Of records that say the same, the first one stands for all.
    _, firsts, content = np.unique(of.contents, return_index=True, return_inverse=True)
    heads = firsts[content]
    copies = np.flatnonzero(heads != np.arange(len(heads)))
    _write(into / "copies.parquet", of, heads[copies], copies)
    pairs = _different(_of_keys(keys, of, heads, scratch), of, scratch)
    for number, (a, b) in enumerate(_in_parts(_together(pairs, of, workers))):
        _write(into / f"keys-{number:06}.parquet", of, a, b)
    table = columns_of(signatures, schemas.SIGNATURES, ["matcher", "number", "signature"])
    mine = is_in(table.column("number").to_numpy(), of.numbers[heads == np.arange(len(heads))])
    table = table.filter(pa.array(mine))
    for number, (name, distance) in enumerate(sorted(distances.items())):
        some = table.filter(pc.equal(table.column("matcher"), name)).sort_by("number")
        records = np.searchsorted(of.numbers, some.column("number").to_numpy())
        bits = some.column("signature").to_numpy().view(np.uint64)
        a, b = _near(of, records, bits, distance)
        _write(into / f"near-{number:06}.parquet", of, a, b)


def _in_parts(pairs: Iterator[tuple[Numbers, Numbers]]) -> Iterator[tuple[Numbers, Numbers]]:
    """The same pairs, as many at a time as make a part that is worth a file: few of those whose
    titles are compared are left.
    """
    waiting: list[tuple[Numbers, Numbers]] = []
    count = 0
    for pair in pairs:
        waiting.append(pair)
        count += len(pair[0])
        if count >= EDGES_OF_A_PART:
            a, b = np.concatenate(waiting, axis=1)
            yield a, b
            waiting.clear()
            count = 0
    if waiting:
        a, b = np.concatenate(waiting, axis=1)
        yield a, b


def _write(path: Path, of: Traits, a: Numbers, b: Numbers) -> None:
    write_part(path, pa.table([of.numbers[a], of.numbers[b]], schema=schemas.EDGES))


def _near(
    of: Traits, records: Numbers, bits: npt.NDArray[np.uint64], distance: int
) -> tuple[Numbers, Numbers]:
    """Pairs that join all near ones which may be one work: each is compared with all behind it,
    as in `near.joining`.
    """
    labels = np.arange(len(bits))
    found: list[tuple[int, int]] = []
    for at, record in enumerate(records.tolist()):
        others = at + 1 + np.flatnonzero(np.bitwise_count(bits[at + 1 :] ^ bits[at]) <= distance)
        others = others[labels[others] != labels[at]]
        others = others[~are_strangers(of.sketches[record], of.sketches[records[others]])]
        if not len(others):
            continue
        # Of one that very many resemble, all are joined rather than tested.
        if len(others) <= MOST_TESTED:
            one = np.full(len(others), record)
            others = others[~_are_apart(of, one, records[others])]
        for label in np.unique(labels[others]).tolist():
            place = int(others[labels[others] == label][0])
            found.append((record, int(records[place])))
            labels[labels == label] = labels[at]
    pairs = np.asarray(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _of_keys(
    keys: Path, of: Traits, heads: Numbers, scratch: Path
) -> Iterator[tuple[Numbers, Numbers]]:
    """The pairs (smaller, larger) of some keys at a time, each once, as places in `of`."""
    for records, values in by_key(keys, of, scratch, exact=False):
        mine = heads[records] == records
        records, values = records[mine], values[mine]
        codes = [np.empty(0, np.int64)]
        for a, b in candidate_pairs.pairs(records, values, of.years[records], of.early[records]):
            kept = ~are_strangers(of.sketches[a], of.sketches[b])
            a, b = a[kept], b[kept]
            codes.append(np.minimum(a, b) * len(heads) + np.maximum(a, b))
        a, b = np.divmod(np.unique(np.concatenate(codes)), len(heads))
        yield a, b


def _different(
    pairs: Iterator[tuple[Numbers, Numbers]], of: Traits, scratch: Path
) -> Iterator[tuple[Numbers, Numbers]]:
    """The same pairs, each once; those of a record together."""
    count = len(of.numbers)
    buckets = buckets_for(count)
    tables = ((pa.table(pair, schema=schemas.EDGES), pair[0] * buckets // count) for pair in pairs)
    for bucket in shuffled(tables, schemas.EDGES, buckets, scratch / "by-record"):
        codes = bucket.column("a").to_numpy() * count + bucket.column("b").to_numpy()
        a, b = np.divmod(np.unique(codes), count)
        yield a, b


class _Titles(NamedTuple):
    """Pairs of titles. `pairs`: two rows: places of the first and of the second title of each pair.
    `begin_apart`: which pairs begin with two words each, neither of which is the same.
    """

    titles: list[str]
    pairs: Numbers
    begin_apart: npt.NDArray[np.bool_]


def _together(
    pairs: Iterator[tuple[Numbers, Numbers]], of: Traits, workers: int
) -> Iterator[tuple[Numbers, Numbers]]:
    """The pairs that are not apart, by worker processes."""
    waiting: deque[tuple[Numbers, Numbers, Numbers]] = deque()

    def tasks() -> Iterator[_Titles]:
        for a, b in pairs:
            for start in range(0, max(1, len(a)), _AT_ONCE):
                one, other = a[start : start + _AT_ONCE], b[start : start + _AT_ONCE]
                may_be, titles = _titles(of, one, other)
                waiting.append((one, other, may_be))
                yield titles

    results = in_order(_far, tasks(), workers) if workers > 1 else map(_far, tasks())
    for far in results:
        a, b, may_be = waiting.popleft()
        kept = np.ones(len(a), dtype=bool)
        kept[may_be] = ~far
        yield a[kept], b[kept]


def _are_apart(of: Traits, a: Numbers, b: Numbers) -> npt.NDArray[np.bool_]:
    """Which pairs are apart, as `dedup/apart.py` has it."""
    found = np.zeros(len(a), dtype=bool)
    may_be, titles = _titles(of, a, b)
    found[may_be] = _far(titles)
    return found


def _titles(of: Traits, a: Numbers, b: Numbers) -> tuple[Numbers, _Titles]:
    """Which pairs may be apart, by their place, and the titles of these."""
    may_be = np.flatnonzero((of.pages[a] == 0) | (of.pages[a] != of.pages[b]))
    a, b = a[may_be], b[may_be]
    one, other = of.begins[a], of.begins[b]
    begin_apart = ((one != other) & (one != 0) & (other != 0)).all(axis=1)
    places, at = np.unique(np.r_[a, b], return_inverse=True)
    titles = of.titles.take(pa.array(places)).to_pylist()
    return may_be, _Titles(titles, at.reshape(2, len(may_be)), begin_apart)


def _far(of: _Titles) -> npt.NDArray[np.bool_]:
    """Which pairs of titles are surely far from one another: those of which `surely_far` says so.

    Nearly all pairs begin with other words, and then it asks less.
    """
    titles = of.titles
    compact = [title.replace(" ", "") for title in titles]
    least = FAR * 100
    return np.fromiter(
        (
            fuzz.ratio(titles[a], titles[b], score_cutoff=least) < least
            and compact[a] not in compact[b]
            and compact[b] not in compact[a]
            if apart
            else bool(titles[a] and titles[b]) and surely_far(titles[a], titles[b])
            for (a, b), apart in zip(of.pairs.T.tolist(), of.begin_apart.tolist(), strict=True)
        ),
        dtype=bool,
        count=len(of.begin_apart),
    )
