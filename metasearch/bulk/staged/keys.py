"""The stages `keys`, `titles`, `signatures` and `traits`: what matchers and joins need of each
record; and the titles that return in one journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metasearch.bulk.job import Progress
from metasearch.bulk.staged import parts as schemas
from metasearch.bulk.staged.parts import (
    DamagedPart,
    Numbers,
    batches,
    columns_of,
    content_from,
    entry_from,
    parts_in,
    read_part,
    rows_of,
    values_of,
    write_part,
)
from metasearch.bulk.staged.pool import JobRules, SideTasks, run_all
from metasearch.dedup import Fingerprint, hits
from metasearch.dedup.clusters import TitleFacts, digest, place, title_place
from metasearch.dedup.online import AT_ONCE, distance_facts, sketch
from metasearch.dedup.signatures import BITS, MOST_NEAR

T = TypeVar("T")
DOING = "making keys"
_SIGN = 1 << 63


@dataclass(frozen=True, slots=True)
class KeyFolders:
    """Where the stages lie."""

    records: Path
    keys: Path
    titles: Path
    signatures: Path
    traits: Path


def export_beside(folders: KeyFolders, rules: JobRules) -> SideTasks:
    """Export what is needed of parts of records while others are still read."""
    given: set[str] = set()

    def next_parts() -> Iterator[Path]:
        for path in parts_in(folders.records):
            if path.name not in given and not (folders.traits / path.name).exists():
                given.add(path.name)
                yield path

    return SideTasks(partial(_export, folders, rules), next_parts)


def export_stage(folders: KeyFolders, rules: JobRules, workers: int, progress: Progress) -> None:
    """Export what is needed of all parts of records of which nothing was exported yet."""
    parts = parts_in(folders.records)
    _forget(folders, frozenset(path.name for path in parts))
    sizes = [rows_of(path) for path in parts]
    # The traits of a part are written last.
    missing = [n for n, path in enumerate(parts) if not (folders.traits / path.name).exists()]
    total = sum(sizes)
    ready = total - sum(sizes[n] for n in missing)
    progress(DOING, ready, total)
    run_all(
        partial(_export, folders, rules),
        [parts[n] for n in missing],
        min(workers, len(missing)),
        # Parts end nearly in their order, and nearly all have the same size.
        lambda done: progress(DOING, ready + sum(sizes[n] for n in missing[:done]), total),
    )


def _forget(folders: KeyFolders, read: frozenset[str]) -> None:
    """Delete what was exported beside the reading of a file that turned out to be none."""
    for folder in (folders.keys, folders.titles, folders.signatures, folders.traits):
        for path in parts_in(folder):
            if path.name not in read:
                path.unlink()


@dataclass(slots=True)
class _Columns:
    """The rows of a part, by table and column."""

    keyed: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    titles: list[tuple[int, int, int | None, str, str, bool]] = field(default_factory=list)
    signatures: list[tuple[str, int, int]] = field(default_factory=list)
    traits: list[tuple[int, int | None, int, int, int, str, int]] = field(default_factory=list)


def _export(folders: KeyFolders, rules: JobRules, path: Path) -> None:
    found = _Columns()
    try:
        table = read_part(path, ["number", "entry"])
    except DamagedPart:
        if path.exists():
            raise
        return  # the file was none that can be read, and its parts are gone
    numbers = table.column("number").to_pylist()
    for some in _batches(_read(path, table.column("entry").to_pylist())):
        rules.chain.prepare([fingerprint for fingerprint, _ in some])
        for fingerprint, content in some:
            _take(numbers[len(found.traits)], fingerprint, content, rules, found)
    keys = pa.table([found.keyed, found.keys, found.exact], schema=schemas.KEYS)
    write_part(folders.keys / path.name, keys)
    write_part(folders.titles / path.name, _table(found.titles, schemas.TITLES))
    write_part(folders.signatures / path.name, _table(found.signatures, schemas.SIGNATURES))
    write_part(folders.traits / path.name, _table(found.traits, schemas.TRAITS))


def _read(path: Path, entries: Iterable[bytes]) -> Iterator[tuple[Fingerprint, int]]:
    """(record, number of all that it says) of the entries of a part."""
    for data in entries:
        try:
            values = values_of(data)
            yield Fingerprint(entry_from(values).record), digest(content_from(values))
        except ValueError as exc:
            raise DamagedPart(path, str(exc)) from exc


def _batches(found: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(found, AT_ONCE)):
        yield some


def _take(
    number: int, fingerprint: Fingerprint, content: int, rules: JobRules, found: _Columns
) -> None:
    chain = rules.chain
    keys: dict[int, bool] = {}
    for matcher in rules.key_matchers:
        # What somebody decided joins records whatever else they say.
        exact = matcher.exact or matcher is chain.pins
        for value in matcher.keys(fingerprint):
            key = place(matcher.name, value)
            keys[key] = keys.get(key, False) or exact
    found.keyed += [number] * len(keys)
    found.keys += keys
    found.exact += keys.values()
    title = title_place(fingerprint)
    if title is not None:
        volume, page = fingerprint.volume, fingerprint.pages[0]
        unsigned = not fingerprint.first
        found.titles.append((title, number, fingerprint.year, _utf8(volume), _utf8(page), unsigned))
    for signs in rules.signature_matchers:
        for signature in signs.signatures(fingerprint):
            found.signatures.append((signs.name, number, signature - _SIGN))
    base = hits.base_of([fingerprint], separate=rules.separate)
    text, pages = distance_facts(fingerprint)
    found.traits.append(
        (
            number,
            fingerprint.year,
            base,
            sketch(fingerprint),
            content,
            text if _utf8(text) == text else "",  # of these nothing is said
            pages,
        )
    )


def _utf8(text: str) -> str:
    # Only whether two are equal matters.
    return text.encode("utf-8", "backslashreplace").decode()


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    if not rows:
        return schema.empty_table()
    columns = zip(*rows, strict=True)
    return pa.table(
        [pa.array(column, of.type) for column, of in zip(columns, schema, strict=True)],
        schema=schema,
    )


# Which titles return in one journal: decided over all records of a job by the rule of
# `dedup/clusters.py`, from the rows that an engine has found worth it.

#: The part of the stage.
PART = "part-00000.parquet"


def columns_stage(rows: Path, into: Path) -> None:
    """Write the numbers of the titles that are those of columns. `rows`: what `Engine.recurring`
    wrote.
    """
    found: list[int] = []
    for path in parts_in(rows):
        last, facts = None, TitleFacts()
        for batch in batches(path, ["title", "year", "volume", "page", "unsigned"]):
            for title, year, volume, page, unsigned in zip(
                *(column.to_pylist() for column in batch.columns), strict=True
            ):
                if title != last:
                    if last is not None and facts.recurs:
                        found.append(last)
                    last, facts = title, TitleFacts()
                facts.note(year, volume, page, unsigned=unsigned)
        if last is not None and facts.recurs:
            found.append(last)
    write_part(into / PART, pa.table({"title": pa.array(sorted(found), pa.int64())}))


@lru_cache(maxsize=1)
def columns_in(folder: Path) -> frozenset[int]:
    """The numbers that `columns_stage` wrote; kept for the next chunk."""
    return frozenset(read_part(folder / PART).column("title").to_pylist())


# The stage `edges`: records with near signatures, which share no key.

# Pairs of near signatures by tables, where few bits may differ: Manku, Jain and Das Sarma,
# "Detecting near-duplicates for web crawling" (WWW 2007). Of two signatures that differ in less
# bits than they have blocks, one block is equal. So the signatures are sorted by one block after
# the other, and only those with an equal one are compared. Where too many have it in common, they
# are divided by a second block: of the bits beside the first one, a block is equal, too.
# engines/spark.py does the same on Spark.

Words = np.ndarray[Any, np.dtype[np.uint64]]
Places = np.ndarray[Any, np.dtype[np.int64]]

#: Distances from which on comparing all signatures is no slower: blocks of 8 bits and less.
TOO_FAR = 8
#: Signatures with an equal block that are compared with one another. Of more that have a second one
#: in common, each is compared with `MOST_NEAR` that come before it, and with the first.
MOST = 2_000


def join_by_tables(signatures: Words, distance: int) -> tuple[Places, Places]:
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
        order, sizes = _order_of(values)
        few = sizes <= MOST
        yield from _pairs_in_runs(signatures, order[few], values, distance, MOST)
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
            order, _ = _order_of(both[many])
            yield from _pairs_in_runs(signatures, many[order], both, distance, MOST_NEAR)


def _order_of(values: Words) -> tuple[Places, Places]:
    """(Places in the order of the values, for each of these how many values are equal to it)."""
    order = np.argsort(values, kind="stable")
    found = values[order]
    starts = np.flatnonzero(_firsts(found) == np.arange(len(found)))
    counts = np.diff(np.append(starts, len(found)))
    return order, np.repeat(counts, counts)


def _pairs_in_runs(
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
        for pair in apart[np.sort(examples)].tolist():
            one, other = int(ones[pair]), int(others[pair])
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


# The stage `edges`: records with near signatures, which share no key. Where few bits may differ,
# tables of blocks find them (`join_by_tables`). Else all signatures are compared with all others,
# as `dedup/hamming.Signatures` compares each new one; a range of them is a task. Only what joins
# records counts, so of many that are near one another as many pairs are written as join them.

DOING_NEAR = "comparing signatures"
#: Signatures of a task: few enough that tasks end now and then.
RANGE = 5_000

_Bits = npt.NDArray[np.uint64]


def near_stage(
    signatures: Path, sorted_: Path, into: Path, rules: JobRules, workers: int, progress: Progress
) -> None:
    """Write the edges between near signatures."""
    table = columns_of(signatures, schemas.SIGNATURES, ["matcher", "number", "signature"])
    matchers = np.asarray(table.column("matcher").to_pylist(), dtype=object)
    tasks = []
    for index, signs in enumerate(rules.signature_matchers):
        mine = matchers == signs.name
        numbers = table.column("number").to_numpy()[mine]
        bits = table.column("signature").to_numpy()[mine].view(np.uint64)
        # Equal ones are joined here, and one of each is compared.
        order = np.lexsort((numbers, bits))
        numbers, bits = numbers[order], bits[order]
        first = np.flatnonzero(np.r_[True, bits[1:] != bits[:-1]]) if len(bits) else order
        heads = np.repeat(first, np.diff(np.r_[first, len(bits)])) if len(bits) else order
        same = heads != np.arange(len(bits))
        write_edges(into / f"part-{index:02}-equal.parquet", numbers[heads[same]], numbers[same])
        if signs.distance < TOO_FAR:
            path = into / f"part-{index:02}-tables.parquet"
            if not path.exists():
                a, b = join_by_tables(bits[first], signs.distance)
                write_edges(path, numbers[first[a]], numbers[first[b]])
            continue
        path = sorted_ / f"part-{index:02}.parquet"
        write_part(
            path,
            pa.table({"number": numbers[first], "signature": bits[first].view(np.int64)}),
        )
        tasks += [
            (path, start, signs.distance, into / f"part-{index:02}-{start:010}.parquet")
            for start in range(0, len(first), RANGE)
        ]
    missing = [task for task in tasks if not task[3].exists()]
    before = len(tasks) - len(missing)
    run_all(
        _compare,
        missing,
        min(workers, len(missing)),
        lambda done: progress(DOING_NEAR, before + done, len(tasks)),
    )


def write_edges(path: Path, a: Numbers, b: Numbers) -> None:
    """Write edges as one part."""
    write_part(path, pa.table({"a": a, "b": b}).cast(schemas.EDGES))


def _compare(task: tuple[Path, int, int, Path]) -> None:
    """Compare the signatures of a range with themselves and all after them."""
    path, start, distance, into = task
    table = read_part(path)
    numbers = table.column("number").to_numpy()
    bits = table.column("signature").to_numpy().view(np.uint64)
    a, b = joins_of(bits[start:], min(RANGE, len(bits) - start), distance)
    write_edges(into, numbers[start + a], numbers[start + b])


def joins_of(bits: _Bits, count: int, distance: int) -> tuple[Numbers, Numbers]:
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
        for label, which in zip(others.tolist(), places.tolist(), strict=True):
            if label != labels[at]:
                pairs.append((at, int(near[which])))
                labels[labels == label] = labels[at]
    found = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
