"""An engine for tests that needs no package but pyarrow: union-find in this process. Those of
`metasearch.bulk` are compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from metasearch.bulk.engines import Done, Judge
from metasearch.bulk.staged import parts, pool
from metasearch.bulk.staged.parts import batches, parts_in, write_part
from metasearch.dedup.clusters import YEARS

_PART = "part-00000.parquet"


class UnionFind:
    """An `Engine`; its memory grows with the keys."""

    name = "union-find"

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers

    def components(self, keys: Path, edges: Path, into: Path) -> None:
        """See `Engine`."""
        parent: dict[int, int] = {}
        holder: dict[int, int] = {}
        for number, key in _rows(keys, ["number", "key"]):
            _union(parent, number, holder.setdefault(key, number))
        for a, b in _rows(edges, ["a", "b"]):
            _union(parent, a, b)
        roots = {number: _root(parent, number) for number in sorted(parent)}
        sizes: dict[int, int] = {}
        for root in roots.values():
            sizes[root] = sizes.get(root, 0) + 1
        rows = [(number, root) for number, root in roots.items() if sizes[root] > 1]
        write_part(
            into / _PART,
            pa.table(
                [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)] or [[], []],
                schema=parts.COMPONENTS,
            ),
        )

    def repeats(self, titles: Path, into: Path) -> None:
        """See `Engine`."""
        found: dict[int, list[tuple[object, ...]]] = {}
        for row in _rows(titles, parts.TITLES.names):
            if row[2] is not None:
                found.setdefault(row[0], []).append(row)
        several = (
            row
            for _, rows in sorted(found.items())
            if len({row[2] for row in rows}) >= YEARS
            for row in rows
        )
        table = pa.Table.from_pylist(
            [dict(zip(parts.TITLES.names, row, strict=True)) for row in several], parts.TITLES
        )
        write_part(into / _PART, table)

    def judge(self, judge: Judge, chunks: Sequence[Path], into: Path, done: Done) -> None:
        """See `Engine`."""
        pool.judge_all(judge, chunks, into, self._workers, done)


def _rows(folder: Path, columns: list[str]) -> Iterator[tuple[int, ...]]:
    for path in parts_in(folder):
        for batch in batches(path, columns):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _root(parent: dict[int, int], number: int) -> int:
    parent.setdefault(number, number)
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _union(parent: dict[int, int], a: int, b: int) -> None:
    a, b = _root(parent, a), _root(parent, b)
    parent[max(a, b)] = min(a, b)
