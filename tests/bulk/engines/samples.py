"""Parts of stages for tests of engines, and what must come out of them, found the plain way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from metasearch.bulk.staged import parts

Pair = tuple[int, int]


def keys(folder: Path, *tables: Sequence[Pair]) -> Path:
    """A stage `keys` of (number, key), a part a table."""
    return _written(
        folder, parts.KEYS, [[(number, key, False) for number, key in rows] for rows in tables]
    )


def edges(folder: Path, *tables: Sequence[Pair]) -> Path:
    """A stage of edges (a, b), a part a table."""
    return _written(folder, parts.EDGES, tables)


def titles(folder: Path, *tables: Sequence[tuple[object, ...]]) -> Path:
    """A stage `titles`, a part a table."""
    return _written(folder, parts.TITLES, tables)


def signatures(folder: Path, *tables: Sequence[tuple[object, ...]]) -> Path:
    """A stage `signatures`, a part a table."""
    return _written(folder, parts.SIGNATURES, tables)


def _written(
    folder: Path, schema: pa.Schema, tables: Iterable[Sequence[tuple[object, ...]]]
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for place, rows in enumerate(tables):
        columns = zip(*rows, strict=True) if rows else [() for _ in schema]
        arrays = [
            pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)
        ]
        table = pa.Table.from_arrays(arrays, schema=schema)
        pq.write_table(table, folder / f"part-{place:05}.parquet", compression="zstd")
    return folder


def read(folder: Path) -> list[tuple[object, ...]]:
    """The rows of all parts of a stage, in their order."""
    rows: list[tuple[object, ...]] = []
    for part in sorted(folder.glob("*.parquet")):
        table = pq.read_table(part)
        rows += zip(*(column.to_pylist() for column in table.columns), strict=True)
    return rows


def components(keyed: Iterable[Pair], joined: Iterable[Pair] = ()) -> list[Pair]:
    """(number, smallest number of its component) of records that are not alone, by union-find;
    ordered by component and number.
    """
    parent: dict[int, int] = {}

    def root(number: int) -> int:
        parent.setdefault(number, number)
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def join(a: int, b: int) -> None:
        small, large = sorted((root(a), root(b)))
        parent[large] = small

    first: dict[int, int] = {}
    for number, key in keyed:
        join(first.setdefault(key, number), number)
    for a, b in joined:
        join(a, b)
    found = sorted((root(number), number) for number in parent)
    shared = {component for component, number in found if component != number}
    return [(number, component) for component, number in found if component in shared]
