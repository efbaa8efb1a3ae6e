"""Components of too many records are divided, and cut where that is not enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rapidfuzz import fuzz

from metasearch.bulk.engines import BulkEngine
from metasearch.bulk.staged import parts as schemas
from metasearch.bulk.staged.chunks import RecordPlaces
from metasearch.bulk.staged.parts import (
    Numbers,
    batches,
    buckets_for,
    clear,
    columns_of,
    is_in,
    parts_in,
    shuffle,
    write_part,
)
from metasearch.bulk.staged.pool import JobRules, in_order
from metasearch.dedup import index
from metasearch.dedup.companions import is_paraphrase
from metasearch.dedup.evidence import FAR, surely_far
from metasearch.dedup.online import are_strangers, has_sketches

# Pairs of records that `dedup/index.py` would compare, and some more: as many as grow with the
# records of a key, not with their square. `KeyIndex` compares a record with all before it that
# share a key; once these are a crowd, with the first ones of its year, of the years beside and of
# those without a year. Which ones that are depends on the order, on the bounds at that time
# (`KeyIndex.reach`), and on records that repeat another one, which it may leave out. The pairs here
# hold in any case: of a key, all pairs of the first records, as long as no crowd can have been
# divided yet, and each record with the first ones of the years, whichever of the two comes first.
# Of records that repeat one another the first one stands for all; the caller joins these.

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


# What holds a component together that is too large: the pairs that memory would compare
# (`pairs`, and near signatures), without those that are strangers by their sketches or
# apart by their titles, of which no matcher makes one work.

#: Pairs of which titles are compared at once.
_AT_ONCE = 200_000
#: Edges of a part.
EDGES_OF_A_PART = 500_000
#: Near signatures of one record of which titles are compared.
MOST_TESTED = 1_000


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
    def read(cls, traits: Path, wanted: Numbers, places: RecordPlaces) -> Traits:
        """Those of some records, whose numbers are sorted."""
        names = ["number", "sketch", "year", "content", "pages", "title"]
        tables = []
        for path in parts_in(traits):
            for batch in batches(path, names):
                mine = is_in(batch.column("number").to_numpy(), wanted)
                tables.append(pa.Table.from_batches([batch.filter(pa.array(mine))]))
        table = pa.concat_tables(tables)  # parts by name are in the order of all records
        tables.clear()
        years = table.column("year").cast(pa.int64()).fill_null(NO_YEAR)
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

    for bucket in shuffle(rows(), schemas.KEYS, buckets, scratch / "by-key"):
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
        for a, b in pairs(records, values, of.years[records], of.early[records]):
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
    for bucket in shuffle(tables, schemas.EDGES, buckets, scratch / "by-record"):
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
    """Which pairs are apart, as `dedup/online.py` has it."""
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
            and not is_paraphrase(titles[a], titles[b])
            if apart
            else bool(titles[a] and titles[b]) and surely_far(titles[a], titles[b])
            for (a, b), apart in zip(of.pairs.T.tolist(), of.begin_apart.tolist(), strict=True)
        ),
        dtype=bool,
        count=len(of.begin_apart),
    )


# Components of too many records are divided, and cut where that is not enough. Every key joins
# records, also keys that prove little (a first author and a year), and of a million records nearly
# all may hang together by those. A component of too many records is first divided along the pairs
# that memory would compare (`divide`). So no pair is lost; but a crowd that is spread over several
# components is smaller in each, and there records are compared that memory passes over.
#
# What is still too large is cut: these pairs stay joined: those that share the key of an exact
# matcher, and those that share other keys which no more records have than a crowd, and that are no
# strangers. Where that is not enough, they must share two such keys, then three, then four. What is
# not joined is not compared, so works may stay apart that memory would join; the job says so.

#: Records of a component that is judged in one piece.
LARGEST = 50_000
#: Keys that two records must share, one after the other.
SHARED = (1, 2, 3, 4)

_PAIRS = pa.schema([*schemas.EDGES, pa.field("keys", pa.int32(), nullable=False)])


@dataclass(frozen=True, slots=True)
class JobComponents:
    """The components of a job.

    Attributes:
        numbers: Of the records that have one.
        divided: Records that stood in components which were divided.
        cut: Those of them that stood in components which were cut then.
        shared: Keys that pairs of these share at least; 0 where nothing was cut.
    """

    numbers: Numbers
    components: Numbers
    divided: int = 0
    cut: int = 0
    shared: int = 0


def read_components(folder: Path) -> JobComponents:
    table = columns_of(folder, schemas.COMPONENTS, ["number", "component"])
    return JobComponents(table.column("number").to_numpy(), table.column("component").to_numpy())


def write_components(found: JobComponents, into: Path) -> None:
    columns = [found.numbers, found.components]
    write_part(into / "part-00000.parquet", pa.table(columns, schema=schemas.COMPONENTS))


def cut(
    found: JobComponents,
    rules: JobRules,
    stage: Callable[[str], Path],
    engine: BulkEngine,
    places: RecordPlaces,
    *,
    largest: int,
    workers: int,
) -> JobComponents:
    """Divide the components of more than `largest` records, and cut what is still too large.
    `stage`: the folder of the stage of a name; "scratch" is for this alone.
    """
    large = _large(found, largest)
    if not large.any():
        return found
    wanted = np.sort(found.numbers[large])
    names = ("keys", "pairs", "edges", "near", "components", "buckets")
    inputs = {name: stage("scratch") / name for name in names}
    for folder in inputs.values():
        clear(folder)
    keys = stage("keys")
    _exact_keys(keys, wanted, inputs["keys"])
    parts = [np.stack([found.numbers[~large], found.components[~large]])]
    divided, lost = len(wanted), 0
    shared = 0
    near = stage("edges")
    # Of other matchers it is not known what they leave apart.
    sketches = has_sketches(rules.chain)
    for shared in (0, *SHARED) if sketches else SHARED:
        clear(inputs["edges"])
        if shared < 2:
            of = Traits.read(stage("traits"), wanted, places)
        if shared == 0:
            signs = stage("signatures"), rules.distances
            divide(keys, *signs, of, inputs["edges"], inputs["buckets"], workers)
        else:
            if shared == 1:
                lost = len(wanted)
                _pairs(keys, of, inputs["pairs"], inputs["buckets"], sketches=sketches)
            _write_joins(inputs["pairs"], near, wanted, shared, inputs["edges"])
        clear(inputs["components"])
        engine.components(inputs["keys"], inputs["edges"], inputs["components"])
        one = read_components(inputs["components"])
        mine = is_in(one.numbers, wanted)
        one = JobComponents(one.numbers[mine], one.components[mine])
        still = _large(one, largest)
        if shared == SHARED[-1]:
            still[:] = False
        parts.append(np.stack([one.numbers[~still], one.components[~still]]))
        if not still.any():
            break
        wanted = np.sort(one.numbers[still])
        if shared == 0:
            near = inputs["near"]
            for path in inputs["edges"].glob("near-*.parquet"):
                path.replace(near / path.name)
    for folder in inputs.values():
        clear(folder)
    numbers, components = np.concatenate(parts, axis=1)
    return JobComponents(numbers, components, divided, lost, shared)


def _large(found: JobComponents, largest: int) -> npt.NDArray[np.bool_]:
    """Which records stand in components of more than so many."""
    _, member, sizes = np.unique(found.components, return_inverse=True, return_counts=True)
    return (sizes > largest)[member] if len(sizes) else np.zeros(0, dtype=bool)


def _exact_keys(keys: Path, wanted: Numbers, into: Path) -> None:
    for path in parts_in(keys):
        tables = []
        for batch in batches(path):
            exact = batch.column("exact").to_numpy(zero_copy_only=False)
            mine = exact & is_in(batch.column("number").to_numpy(), wanted)
            tables.append(pa.Table.from_batches([batch.filter(pa.array(mine))]))
        if tables:
            write_part(into / path.name, pa.concat_tables(tables))


def _pairs(keys: Path, of: Traits, into: Path, scratch: Path, *, sketches: bool) -> None:
    """Write the pairs that share keys which a crowd at most has, with how many they share."""
    count = len(of.numbers)
    buckets = buckets_for(count)

    def edge_tables() -> Iterator[tuple[pa.Table, Numbers]]:
        for records, values in by_key(keys, of, scratch, exact=True):
            a, b = pairs_of(records, values)
            if sketches:
                kept = ~are_strangers(of.sketches[a], of.sketches[b])
                a, b = a[kept], b[kept]
            pairs = pa.table([of.numbers[a], of.numbers[b]], schema=schemas.EDGES)
            # Those of a record together.
            yield pairs, a * buckets // count

    by_record = shuffle(edge_tables(), schemas.EDGES, buckets, scratch / "by-record")
    for number, bucket in enumerate(by_record):
        ends = np.stack([bucket.column("a").to_numpy(), bucket.column("b").to_numpy()])
        different, times = np.unique(ends, axis=1, return_counts=True)
        columns = [different[0], different[1], times.astype(np.int32)]
        write_part(into / f"part-{number:06}.parquet", pa.table(columns, schema=_PAIRS))


def pairs_of(records: Numbers, keys: Numbers) -> tuple[Numbers, Numbers]:
    """The pairs (smaller, larger) of records that share a key which at most `CROWD` records have;
    once for each key.
    """
    order = np.lexsort((records, keys))
    records, keys = records[order], keys[order]
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else order
    sizes = np.diff(np.r_[first, len(keys)])
    few = (sizes > 1) & (sizes <= index.CROWD)
    starts, sizes = first[few], sizes[few]
    a, b = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for one in range(index.CROWD):
        for other in range(one + 1, index.CROWD):
            some = starts[sizes > other]
            a.append(records[some + one])
            b.append(records[some + other])
    return np.concatenate(a), np.concatenate(b)


def _write_joins(pairs: Path, edges: Path, wanted: Numbers, shared: int, into: Path) -> None:
    """Write the edges of the records that are wanted: those that they had, and the pairs that
    share so many keys.
    """
    for path in parts_in(edges):
        for number, batch in enumerate(batches(path)):
            mine = is_in(batch.column("a").to_numpy(), wanted)
            table = pa.Table.from_batches([batch.filter(pa.array(mine))])
            write_part(into / f"{path.stem}-{number:06}.parquet", table)
    for path in parts_in(pairs):
        for number, batch in enumerate(batches(path)):
            mine = batch.column("keys").to_numpy() >= shared
            mine &= is_in(batch.column("a").to_numpy(), wanted)
            table = pa.Table.from_batches([batch.filter(pa.array(mine))]).select(["a", "b"])
            write_part(into / f"pairs-{path.stem}-{number:06}.parquet", table)
