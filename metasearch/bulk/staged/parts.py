"""Parquet parts on disk: written under another name and renamed, so that a part is whole or is not
there; read with its checksums.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from metasearch.errors import UsageError
from metasearch.formats.text import line

#: Rows that are read at once.
ROWS = 20_000
#: Bytes of which a checksum is computed at once.
_BLOCK = 1 << 20
_UNDONE = ".unfinished"


class DamagedPart(UsageError):
    """A part of a job's folder that is not as it was written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{line(str(path))}: this part of the job is damaged: {line(why)}",
            advice="Delete the folder of the job (--tmp) and run the command again.",
        )
        self._made_of = path, why

    def __reduce__(self) -> tuple[type[DamagedPart], tuple[Path, str]]:
        # A worker process hands it to the job.
        return DamagedPart, self._made_of


def write_part(path: Path, table: pa.Table) -> None:
    """Write a table as one part. Raises OSError: the disk is full, or the folder cannot be
    written.
    """
    undone = path.with_name(path.name + _UNDONE)
    with undone.open("wb") as file:
        pq.write_table(
            table, file, compression="zstd", row_group_size=ROWS, write_page_checksum=True
        )
        file.flush()
        os.fsync(file.fileno())
    undone.replace(path)


def parts_in(folder: Path) -> list[Path]:
    """The finished parts of a stage, by name."""
    return sorted(folder.glob("*.parquet"))


def read_part(path: Path, columns: list[str] | None = None) -> pa.Table:
    """A part as a table. Raises DamagedPart: it cannot be read."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read(columns=columns, use_threads=False)
    except (pa.ArrowException, OSError) as exc:
        raise DamagedPart(path, str(exc)) from exc


def batches(path: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of a part, some at a time. Raises DamagedPart: it cannot be read."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield from file.iter_batches(batch_size=ROWS, columns=columns, use_threads=False)
    except (pa.ArrowException, OSError) as exc:
        raise DamagedPart(path, str(exc)) from exc


def rows_of(path: Path) -> int:
    """How many rows a part has. Raises DamagedPart: it cannot be read."""
    try:
        with pq.ParquetFile(path) as file:
            return int(file.metadata.num_rows)
    except (pa.ArrowException, OSError) as exc:
        raise DamagedPart(path, str(exc)) from exc


def metadata_of(path: Path) -> dict[bytes, bytes]:
    """The metadata of the table in a part. Raises DamagedPart: it cannot be read."""
    try:
        with pq.ParquetFile(path) as file:
            return dict(file.schema_arrow.metadata or {})
    except (pa.ArrowException, OSError) as exc:
        raise DamagedPart(path, str(exc)) from exc


def columns_of(folder: Path, schema: pa.Schema, columns: list[str]) -> pa.Table:
    """Some columns of all parts of a folder, in the order of the parts, as one table. Raises
    DamagedPart: one cannot be read.
    """
    wanted = pa.schema([schema.field(name) for name in columns])
    # Engines mark no column as one without nulls.
    tables = [read_part(path, columns).cast(wanted) for path in parts_in(folder)]
    return pa.concat_tables([wanted.empty_table(), *tables]).combine_chunks()


def checksum(path: Path) -> list[int]:
    """[bytes, CRC-32] of a file, as JSON has them."""
    total, crc = 0, 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            total += len(block)
            crc = zlib.crc32(block, crc)
    return [total, crc]


def clear(folder: Path, *, keep: Iterable[Path] = ()) -> None:
    """Make a folder, or delete the files in it, but for some."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = set(keep)
    for path in folder.iterdir():
        if path.is_file() and path not in kept:
            path.unlink()
