"""Parquet parts on disk: the tables of a staged job, parts that are whole or not there, and rows
from one order into another with a bounded part of them in memory.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from metasearch.bulk.job import InputRecord, JobWork
from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry
from metasearch.formats.reading.result import check_sum
from metasearch.formats.text import line
from metasearch.record import NAMES_THE_COPY, Hit, Match, Version

# The tables of a staged job: which columns the Parquet parts of each stage have. A record is named
# by its number: the place of its file times 2**32, plus its own place in the file, from 0. So
# numbers are in the order of all records, and every file can be read without knowing how many
# records the files before it hold.

#: Bits of a number below the place of the file.
FILE_BITS = 32

_NUMBER = pa.field("number", pa.int64(), nullable=False)

#: What the files say: a row a record, in the order of `number` within a part; parts sorted by
#: name are in the order of all records.
RECORDS = pa.schema(
    [
        _NUMBER,
        # `Record.key`, before names are made different.
        pa.field("key", pa.string(), nullable=False),
        # `Record.source_id`, which rows of a labelled set are called by; "" for none.
        pa.field("id", pa.string(), nullable=False),
        # `encoded`.
        pa.field("entry", pa.binary(), nullable=False),
    ]
)

#: A row a record and a key of it: records that share a key may be one work.
KEYS = pa.schema(
    [
        _NUMBER,
        # `components.place`.
        pa.field("key", pa.int64(), nullable=False),
        # Whether the matcher is exact, or the key that of a pin.
        pa.field("exact", pa.bool_(), nullable=False),
    ]
)

#: Where and when each title of a journal stood: the facts of `dedup/columns.TitleFacts`.
TITLES = pa.schema(
    [
        # `components.title_place`.
        pa.field("title", pa.int64(), nullable=False),
        _NUMBER,
        pa.field("year", pa.int32()),
        pa.field("volume", pa.string(), nullable=False),
        # The first page.
        pa.field("page", pa.string(), nullable=False),
        # Whether the record names no author.
        pa.field("unsigned", pa.bool_(), nullable=False),
    ]
)

#: The 64 bits of each record of which a `Signed` matcher finds neighbours.
SIGNATURES = pa.schema(
    [
        pa.field("matcher", pa.string(), nullable=False),
        _NUMBER,
        # The 64 bits as a number, less 2**63.
        pa.field("signature", pa.int64(), nullable=False),
    ]
)

#: What is asked of every record without loading it.
TRAITS = pa.schema(
    [
        _NUMBER,
        pa.field("year", pa.int32()),
        # `naming.base_of` of the record alone: the first twelve hexadecimal digits as a number.
        pa.field("base", pa.int64(), nullable=False),
        # See dedup/online.py.
        pa.field("sketch", pa.int64(), nullable=False),
        # A hash of `content_from`: records that have the same say the same.
        pa.field("content", pa.int64(), nullable=False),
        # `apart.told`.
        pa.field("title", pa.string(), nullable=False),
        pa.field("pages", pa.int64(), nullable=False),
    ]
)

#: Two records that may be one work though they share no key: near signatures, and pairs that
#: were compared already. An engine joins them as it joins those that share a key.
EDGES = pa.schema(
    [pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64(), nullable=False)]
)

#: A row a record that shares a component with another one; `component` is the smallest number of
#: its records. Records that are alone are not listed. A component may lie in several parts.
COMPONENTS = pa.schema([_NUMBER, pa.field("component", pa.int64(), nullable=False)])

#: The records of whole components, a part a chunk; what a `ChunkJudge` takes. Sorted by
#: component and number.
CHUNKS = pa.schema(
    [
        pa.field("component", pa.int64(), nullable=False),
        _NUMBER,
        # The place of the record in the order of all, from 0: numbers have gaps, places have none.
        pa.field("place", pa.int64(), nullable=False),
        # The key by which matches name the record, and its id in the list of clusters.
        pa.field("key", pa.string(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("entry", pa.binary(), nullable=False),
    ]
)

#: A row a work of several records; works of one record are not listed.
WORKS = pa.schema(
    [
        # The smallest number of its records.
        pa.field("first", pa.int64(), nullable=False),
        # All of them, ascending; the lists beside have as many items.
        pa.field("numbers", pa.list_(pa.int64()), nullable=False),
        pa.field("keys", pa.list_(pa.string()), nullable=False),
        pa.field("ids", pa.list_(pa.string()), nullable=False),
        pa.field("entries", pa.list_(pa.binary()), nullable=False),
        # `formats/hits.write` without the records, under the base of its name.
        pa.field("hit", pa.binary(), nullable=False),
        pa.field("base", pa.int64(), nullable=False),
    ]
)


# Parquet parts on disk: written under another name and renamed, so that a part is whole or is not
# there; read with its checksums.

#: Rows that are read at once, and rows of a bucket where there are not too many of them.
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


#: Files that are written at once.
MOST_BUCKETS = 256
#: Bytes of rows that wait in memory before they are written; few rows for a bucket cost as much
#: time to write as many.
WAITING = 32 << 20

Numbers = npt.NDArray[np.int64]


def buckets_for(rows: int, each: int = ROWS) -> int:
    """How many buckets so many rows take, with so many in each where that are not too many."""
    return max(1, min(MOST_BUCKETS, -(-rows // each)))


def shuffle(
    tables: Iterable[tuple[pa.Table, Numbers]], schema: pa.Schema, buckets: int, scratch: Path
) -> Iterator[pa.Table]:
    """The rows of all tables, bucket by bucket; within one in the order in which they came.
    `scratch` is a folder for this alone, and empty afterwards. `tables`: each with the bucket of
    every row of it, from 0.
    """
    clear(scratch)
    with Buckets(schema, buckets, lambda number: scratch / f"bucket-{number:03}.parquet") as found:
        for table, wanted in tables:
            found.add(table, wanted)
    yield from found.tables()


class Buckets:
    """Rows by bucket: in memory, and in a file each when they are too many for that."""

    def __init__(self, schema: pa.Schema, count: int, path: Callable[[int], Path]) -> None:
        self._schema = schema
        self._path = path
        self._waiting: list[list[pa.Table]] = [[] for _ in range(count)]
        self._bytes = 0
        self._writers: dict[int, pq.ParquetWriter] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, table: pa.Table, wanted: Numbers) -> None:
        """Take in rows with the bucket of each."""
        order = np.argsort(wanted, kind="stable")
        ends = np.searchsorted(wanted[order], np.arange(len(self._waiting) + 1)).tolist()
        table = table.take(pa.array(order))
        for waiting, start, end in zip(self._waiting, ends, ends[1:], strict=False):
            if end > start:
                waiting.append(table.slice(start, end - start))
        self._bytes += table.nbytes
        if self._bytes > WAITING:
            self.write()

    def write(self) -> None:
        """Write what waits; buckets without rows have no file."""
        for number, waiting in enumerate(self._waiting):
            if not waiting:
                continue
            writer = self._writers.get(number)
            if writer is None:
                writer = pq.ParquetWriter(self._path(number), self._schema, compression="zstd")
                self._writers[number] = self._open.enter_context(writer)
            writer.write_table(pa.concat_tables(waiting))
            waiting.clear()
        self._bytes = 0

    def tables(self) -> Iterator[pa.Table]:
        """The rows of one bucket after another, when all were taken in and the files are closed."""
        for number, waiting in enumerate(self._waiting):
            written = [read_part(self._path(number))] if number in self._writers else []
            yield pa.concat_tables([self._schema.empty_table(), *written, *waiting])
            waiting.clear()
            if written:
                self._path(number).unlink()


# The stage `ordered`: the works of several records in the order of their first records.

#: Works of a part: few, because whoever writes a stretch of the works reads whole parts.
PART = 2_000
#: Works of a bucket: fewer than of other rows, because each holds the records of a work.
BUCKET = 5_000


def order_stage(works: Path, into: Path, scratch: Path) -> None:
    """Write the works of all chunks in their order. `scratch` is for this alone. `into`: for the
    parts; sorted by name they are in the order of the works.
    """
    parts = parts_in(works)
    buckets = buckets_for(sum(map(rows_of, parts)), BUCKET)
    firsts = firsts_of(works)
    # As many works in each bucket.
    bounds = firsts[np.arange(1, buckets) * len(firsts) // buckets]

    def rows() -> Iterator[tuple[pa.Table, Numbers]]:
        for path in parts:
            for batch in batches(path):
                wanted = np.searchsorted(bounds, batch.column("first").to_numpy(), side="right")
                table = pa.Table.from_batches([batch]).replace_schema_metadata(None)
                yield table.cast(WORKS), wanted

    for number, table in enumerate(shuffle(rows(), WORKS, buckets, scratch)):
        ordered = table.sort_by("first")
        for start in range(0, len(ordered), PART):
            path = into / f"part-{number:06}-{start:09}.parquet"
            write_part(path, ordered.slice(start, PART))


def firsts_of(works: Path) -> Numbers:
    """The numbers of the first records of works of several, sorted."""
    found = [np.empty(0, np.int64)]
    for path in parts_in(works):
        found += [batch.column(0).to_numpy() for batch in batches(path, ["first"])]
    return np.sort(np.concatenate(found))


def members_of(ordered: Path) -> Numbers:
    """The numbers of all records that stand in a work with others, sorted."""
    found = [np.empty(0, np.int64)]
    for path in parts_in(ordered):
        found += [batch.column(0).flatten().to_numpy() for batch in batches(path, ["numbers"])]
    return np.sort(np.concatenate(found))


def is_in(some: Numbers, numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Which of some numbers stand among others, which are sorted."""
    if not len(numbers):
        return np.zeros(len(some), dtype=bool)
    at = np.minimum(np.searchsorted(numbers, some), len(numbers) - 1)
    found: npt.NDArray[np.bool_] = numbers[at] == some
    return found


# Entries, works and their records as they lie on disk, and back.

# An entry of a file as bytes of a column, and back: the same entry.

#: Stands before JSON that only Python's own reader reads as it was written: with numbers of more
#: than 64 bits, or lone surrogates.
_SLOW = b" "


def encode(entry: Entry) -> bytes:
    values: dict[str, Any] = {
        "record": hits.record_values(entry.record),
        "line": entry.line,
        "sum": check_sum([entry]),
    }
    if entry.database is not None:
        values["database"] = entry.database
    if entry.origins:
        values["origins"] = [[origin.file, origin.database] for origin in entry.origins]
    if entry.given:
        values["given"] = entry.given
    try:
        return orjson.dumps(values)
    except TypeError:
        return _SLOW + hits.dump(values)


def decode(data: bytes) -> Entry:
    """The entry that `encoded` wrote. Raises ValueError: the bytes are damaged, or another release
    of metasearch wrote them.
    """
    return entry_from(values_of(data))


def values_of(data: bytes) -> dict[str, Any]:
    """What `encoded` wrote, as JSON has it: much of an entry without its record. Raises ValueError:
    as `decoded`.
    """
    try:
        values: dict[str, Any] = (json if data.startswith(_SLOW) else orjson).loads(data)
        values["record"], values["line"], values["sum"]
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damage(exc) from exc
    return values


def entry_from(values: Mapping[str, Any]) -> Entry:
    """The entry of these values. Raises ValueError: as `decoded`."""
    try:
        return Entry(
            record=hits.record_of(values["record"]),
            line=values["line"],
            database=values.get("database"),
            origins=origins_from(values),
            given=given_from(values),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise _damage(exc) from exc


def origins_from(values: Mapping[str, Any]) -> tuple[Origin, ...]:
    return tuple([Origin(file, database) for file, database in values.get("origins", ())])


def given_from(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple([(tag, value) for tag, value in values.get("given", ())])


def content_from(values: Mapping[str, Any]) -> bytes:
    """All that the record of these values says but its own names: the same bytes for records that
    say the same.
    """
    said = {name: value for name, value in values["record"].items() if name not in NAMES_THE_COPY}
    try:
        return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(said, sort_keys=True).encode()


def _damage(exc: Exception) -> ValueError:
    return ValueError(f"not an entry as this release writes it: {exc!r}")


# A work and its records as they lie on disk: what somebody asks of them is made then, so that
# whoever counts works or lists clusters reads no more of each than it needs.

T = TypeVar("T")


class DiskRecord(InputRecord):
    """An `InputRecord` of which bytes are read when something of them is asked for, and the record
    is made when it is.

    Each property raises `DamagedPart` where the bytes are no entry. `data`: the entry as
    `encoded` wrote it. `path`: the part where it lies, for errors.
    """

    __slots__ = ("_data", "_entry", "_path", "_values")

    _data: bytes
    _entry: Entry | None
    _path: Path
    _values: dict[str, Any] | None

    def __init__(self, file: int, data: bytes, path: Path, key: str, id: str) -> None:  # noqa: A002
        put = object.__setattr__
        put(self, "file", file)
        put(self, "key", key)
        put(self, "id", id)
        put(self, "_data", data)
        put(self, "_path", path)
        put(self, "_entry", None)
        put(self, "_values", None)

    @property
    def entry(self) -> Entry:
        if self._entry is None:
            object.__setattr__(self, "_entry", self._of(entry_from))
        assert self._entry is not None
        return self._entry

    @property
    def line(self) -> int:
        number: int = self._of(itemgetter("line"))
        return number

    @property
    def position(self) -> int:
        number: int = self._of(lambda values: values["record"].get("position", 0))
        return number

    @property
    def database(self) -> str | None:
        return self._of(lambda values: values.get("database"))

    @property
    def origins(self) -> tuple[Origin, ...]:
        return self._of(origins_from)

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        return self._of(given_from)

    @property
    def check_sum(self) -> int:
        """That of the entry when it was written."""
        number: int = self._of(itemgetter("sum"))
        return number

    def _of(self, part: Callable[[dict[str, Any]], T]) -> T:
        try:
            if self._values is None:
                object.__setattr__(self, "_values", values_of(self._data))
            assert self._values is not None
            return part(self._values)
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            raise DamagedPart(self._path, str(exc)) from exc

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputRecord) and _identity(self) == _identity(other)

    __hash__ = InputRecord.__hash__


def _identity(item: InputRecord) -> tuple[int, Entry, str, str]:
    return item.file, item.entry, item.key, item.id


class MakesHit(Protocol):
    """What a work on disk makes of itself.

    Both raise `DamagedPart` where its bytes are damaged.
    """

    def hit(self, rank: int) -> Hit: ...

    def matches(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]: ...


class DiskWork(JobWork):
    """A `JobWork` whose hit is made when it is asked for."""

    __slots__ = ("_hit", "_makes", "_matches", "_rank")

    _hit: Hit | None
    _makes: MakesHit
    _matches: tuple[tuple[Match, ...], tuple[Version, ...]] | None
    _rank: int

    def __init__(self, items: tuple[InputRecord, ...], makes: MakesHit, rank: int) -> None:
        put = object.__setattr__
        put(self, "items", items)
        put(self, "_makes", makes)
        put(self, "_matches", None)
        put(self, "_rank", rank)
        put(self, "_hit", None)

    @property
    def hit(self) -> Hit:
        if self._hit is None:
            object.__setattr__(self, "_hit", self._makes.hit(self._rank))
        assert self._hit is not None
        return self._hit

    @property
    def matches(self) -> tuple[Match, ...]:
        return self._why[0]

    @property
    def versions(self) -> tuple[Version, ...]:
        return self._why[1]

    @property
    def _why(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
        if self._matches is None:
            object.__setattr__(self, "_matches", self._makes.matches())
        assert self._matches is not None
        return self._matches

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JobWork) and self.items == other.items and self.hit == other.hit

    __hash__ = JobWork.__hash__
