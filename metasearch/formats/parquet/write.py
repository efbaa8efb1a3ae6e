"""Apache Parquet: a row a work, with the columns of `columns.py`, packed by Zstandard. pyarrow
writes it, which comes with the extra `bulk` and is imported here only.

Row groups are written one after another, so that memory does not grow with the works.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from metasearch.formats.answer import hit_object
from metasearch.formats.origins import Beside, BesideHits, with_beside
from metasearch.formats.parquet.columns import MAPS, MARK, schema
from metasearch.formats.text import clean, clean_or_none
from metasearch.record import Hit

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: Works of a row group, and about so many bytes: whichever is reached first ends it.
ROWS = 5_000
BYTES = 32_000_000


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """The file, a row group after another.

    `hits`: in the order of the rows. `beside`: what files say beside the records, by `Hit.id`, or
    in the order of the hits. Raises ImportError: pyarrow is not installed; `metasearch.formats.get`
    checks that before.
    """
    import pyarrow as pa
    from pyarrow import parquet

    names = schema(of_files=beside is not None)
    sink = _Sink()
    with parquet.ParquetWriter(sink, names, compression="zstd", store_schema=False) as writer:
        rows: list[dict[str, Any]] = []
        size = 0
        for hit, found in with_beside(hits, beside):
            rows.append(row(hit, found))
            size += _size(hit, found)
            if len(rows) >= ROWS or size >= BYTES:
                writer.write_table(pa.Table.from_pylist(rows, schema=names))
                rows, size = [], 0
                yield sink.taken()
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=names))
        writer.add_key_value_metadata(MARK)
    yield sink.taken()


def row(hit: Hit, beside: Beside | None) -> dict[str, Any]:
    """The row of a hit: its entry in the JSON answer, with maps as lists of pairs."""
    made = hit_object(hit)
    for name in MAPS:
        made[name] = list(made[name].items())
    if beside is not None:
        made["origins"] = [
            {"file": clean(origin.file), "database": clean_or_none(origin.database)}
            for origin in beside.origins
        ]
        made["given"] = [{"tag": clean(tag), "value": clean(value)} for tag, value in beside.fields]
    return made


def _size(hit: Hit, beside: Beside | None) -> int:
    """About the bytes of a row: what can be long or many."""
    record = hit.record
    size = 1_000 + len(record.abstract or "") + 300 * len(hit.records) + 500 * len(hit.matches)
    size += 200 * (len(record.authors) + len(record.editors))
    size += 50 * (len(record.keywords) + len(record.subjects))
    if beside is not None:
        size += 100 * len(beside.origins) + sum(len(value) + 50 for _, value in beside.fields)
    return size


class _Sink(io.RawIOBase):
    """Keeps what is written until it is taken; nothing is read or sought in it."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[bytes] = []
        self._place = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, data: Buffer, /) -> int:
        """Keep some bytes."""
        kept = bytes(data)
        self._kept.append(kept)
        self._place += len(kept)
        return len(kept)

    def taken(self) -> bytes:
        """What was written since this was last asked."""
        some, self._kept = b"".join(self._kept), []
        return some
