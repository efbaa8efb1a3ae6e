"""Apache Parquet (.parquet), read and written: our own works, which come back as from JSON, and the
tables of other programs. pyarrow comes with the extra `bulk` and is imported inside functions only.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from metasearch.errors import FileFormatError
from metasearch.formats import parquet_bounds
from metasearch.formats.answer import hit_object
from metasearch.formats.csv import MOST_TOLD
from metasearch.formats.csv_cells import text_of
from metasearch.formats.csv_columns import CsvColumns, CsvRowReader
from metasearch.formats.origins import Beside, BesideHits, with_beside
from metasearch.formats.own import OwnObjects
from metasearch.formats.reading.files import Content, size_error
from metasearch.formats.reading.result import (
    MOST_HANDED_OUT,
    MOST_RECORDS,
    EntryCollector,
    FileReading,
    in_short,
)
from metasearch.formats.text import clean, clean_or_none
from metasearch.record import PEOPLE, TEXTS, WRITTEN, Author, Hit, Match, Reason, fields_of

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer


# The columns of our Parquet files: the names of the JSON answer, each with a type of its own.
# Texts, numbers and lists stand in columns of their own type, people as structs, `ids` and
# `provenance` as maps, so that DuckDB, Spark, Polars and pandas need no parsing. What the JSON
# answer has as null is null, and an empty list is an empty list.

#: Key and value in the metadata of a file: that its rows are works of ours.
MARK = {"metasearch": "works"}
#: Columns of pairs.
MAPS = ("ids", "provenance")
#: All of them, in the order of the JSON answer.
COLUMNS = (
    *("id", "rank", "score", "reasons"), *WRITTEN,
    *("sources", "provenance", "matches", "versions"),
)  # fmt: skip
#: Behind those, of works that were made of files.
OF_FILES = ("origins", "given")


def schema(*, of_files: bool) -> pa.Schema:
    """The schema of a file. `of_files`: whether it has `OF_FILES`, too. Raises ImportError: pyarrow
    is not installed; `metasearch.formats.get` checks that before.
    """
    import pyarrow as pa

    text = pa.string()

    def struct_of(kind: type, **others: Any) -> Any:
        """One column a field, of texts where `others` names no type."""
        names = (field.name for field in fields(kind))
        return pa.struct([(name, others.get(name, text)) for name in names])

    source = pa.struct([("source", text), ("position", pa.int64()), ("id", text), ("url", text)])
    types = {
        "score": pa.float64(),
        "reasons": pa.list_(struct_of(Reason, points=pa.float64())),
        "sources": pa.list_(source),
        "matches": pa.list_(struct_of(Match, score=pa.float64())),
        "versions": pa.list_(pa.struct([("kind", text), ("records", pa.list_(text))])),
        "origins": pa.list_(pa.struct([("file", text), ("database", text)])),
        "given": pa.list_(pa.struct([("tag", text), ("value", text)])),
        **dict.fromkeys(("rank", *fields_of("number")), pa.int64()),
        **dict.fromkeys(fields_of("flag"), pa.bool_()),
        **dict.fromkeys(TEXTS, pa.list_(text)),
        **dict.fromkeys(PEOPLE, pa.list_(struct_of(Author, collective=pa.bool_()))),
        **dict.fromkeys(MAPS, pa.map_(text, text)),
    }
    names = (*COLUMNS, *(OF_FILES if of_files else ()))
    return pa.schema([(name, types.get(name, text)) for name in names])


# The values of Arrow's arrays as plain ones of Python, one by one, so that no more than a row is
# unpacked at once: what a file says once in a dictionary, a million rows may repeat.

#: Bytes of one text, in UTF-8.
LONGEST = 4_000_000
#: Entries of one list.
MOST_ITEMS = 20_001

#: Gives the value at a place of an array.
Values = Callable[[int], Any]


def values_of(array: Any) -> Values:
    """What gives the value at a place: None, a text, a number, a date, a list or a dict; maps are
    dicts. Of a list longer than `MOST_ITEMS`, only so many are given.

    `array`: a `pyarrow.Array`. Raises ValueError: (when a value is asked for) A text is longer than
    `LONGEST`.
    """
    from pyarrow import types

    kind = array.type
    if types.is_dictionary(kind):
        return _nullable(array, _of_dictionary(array))
    if types.is_map(kind):
        return _nullable(array, _of_map(array))
    if types.is_list(kind) or types.is_large_list(kind):
        return _nullable(array, _of_list(array.offsets.to_pylist(), values_of(array.values)))
    if types.is_fixed_size_list(kind):
        return _nullable(array, _of_scalars(array))
    if types.is_struct(kind):
        return _nullable(array, _of_struct(array))
    if _is_text(kind):
        return _of_texts(array)
    if types.is_timestamp(kind):
        return _of_dates(array)
    return _of_scalars(array)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _nullable(array: Any, values: Values) -> Values:
    if not array.null_count:
        return values
    valid = array.is_valid().to_pylist()
    return lambda place: values(place) if valid[place] else None


def _of_dictionary(array: Any) -> Values:
    codes = array.indices.to_pylist()
    texts = values_of(array.dictionary)
    known: dict[int, Any] = {}  # rows share the objects of what they repeat

    def value(place: int) -> Any:
        code = codes[place]
        if code not in known:
            known[code] = texts(code)
        return known[code]

    return value


def _of_texts(array: Any) -> Values:
    import pyarrow as pa

    # Bytes are not taken for UTF-8 before they are looked at.
    plain = array.cast(pa.large_binary())

    def value(place: int) -> str | None:
        scalar = plain[place]
        buffer = scalar.as_buffer()
        if buffer is None:
            return None
        if buffer.size > LONGEST:
            raise ValueError(f"it has a text of more than {LONGEST:,} bytes")
        return str(buffer.to_pybytes(), "utf-8", "replace")

    return value


def _of_list(offsets: list[int], values: Values) -> Values:
    def value(place: int) -> list[Any]:
        first, end = offsets[place], offsets[place + 1]
        return [values(item) for item in range(first, min(end, first + MOST_ITEMS))]

    return value


def _of_map(array: Any) -> Values:
    keys = _of_list(array.offsets.to_pylist(), values_of(array.keys))
    items = _of_list(array.offsets.to_pylist(), values_of(array.items))

    def value(place: int) -> dict[Any, Any]:
        return dict(zip(keys(place), items(place), strict=True))

    return value


def _of_struct(array: Any) -> Values:
    parts = [
        (field.name, values_of(part))
        for field, part in zip(array.type, array.flatten(), strict=True)
    ]
    return lambda place: {name: part(place) for name, part in parts}


def _of_dates(array: Any) -> Values:
    """Of a moment the day, which is all that a record has of it."""
    import pyarrow as pa

    return _of_scalars(array.cast(pa.date32(), safe=False))


def _of_scalars(array: Any) -> Values:
    return lambda place: array[place].as_py()


# Apache Parquet (.parquet): our own works, which come back as from JSON, and tables of anybody
# else, whose columns are known by their names as those of CSV are. The file is read row group by
# row group, a batch of rows at a time, and only the columns that say something of a work. What a
# file claims is checked before it is unpacked (parquet_bounds.py). The "line" of a record is the
# number of its row, from 1.

#: Fields of a record of whose column structs are read, too.
_WITH_STRUCTS = frozenset({*PEOPLE, "ids"})


def read(content: Content, reading: FileReading) -> None:
    collector = EntryCollector(reading)
    with content.seekable() as file:
        table = _open_table(file, reading)
        own = (table.metadata.metadata or {}).get(b"metasearch") == MARK["metasearch"].encode()
        kind = _OwnRowTaker if own else _TableRowTaker
        takes = kind(collector, reading.name, content.most)
        wanted = takes.columns_of(table.schema_arrow)
        if wanted:
            for number, batch in _batches(file, table, wanted, collector):
                takes.take(number, batch)
        else:
            what = 'no column with the titles was found, such as "title"'
            collector.lose(0, what, table.metadata.num_rows)
        takes.finish()


def _open_table(file: IO[bytes], reading: FileReading) -> Any:
    """The file as pyarrow reads it. Raises FileFormatError: it is damaged, or claims too much."""
    from pyarrow import parquet

    name = reading.name
    parquet_bounds.check_end(file, name)

    def open_with(dictionaries: list[str]) -> Any:
        return parquet.ParquetFile(
            file,
            read_dictionary=dictionaries,
            pre_buffer=False,
            buffer_size=1 << 16,
            thrift_string_size_limit=parquet_bounds.LONGEST_TEXT,
            thrift_container_size_limit=parquet_bounds.MOST_ENTRIES,
            schema_depth_limit=parquet_bounds.DEEPEST,
            arrow_extensions_enabled=False,
        )

    try:
        table = open_with([])
        most = MOST_RECORDS if reading.hand_out is None else MOST_HANDED_OUT
        parquet_bounds.check_directory(table.metadata, name, most)
        # Texts stay in their dictionary, which a bomb would be without.
        return open_with(list(_texts(table.schema)))
    except (FileFormatError, MemoryError):
        raise
    except Exception as exc:  # of pyarrow, which has many, OSError among them
        what = f"the file is damaged, or no Parquet file: {in_short(exc)}"
        raise FileFormatError(name, what, advice="Write or fetch it again.") from exc


def _texts(schema: Any) -> Iterator[str]:
    for index in range(len(schema)):
        column = schema.column(index)
        is_text = str(column.logical_type) in ("String", "None", "JSON", "Enum")
        if column.physical_type == "BYTE_ARRAY" and is_text:
            yield column.path


def _batches(
    file: IO[bytes], table: Any, wanted: list[str], collector: EntryCollector
) -> Iterator[tuple[int, Any]]:
    """The rows in batches, each with the number of its first one, from 1; those of a row group that
    cannot be read are counted as lost.
    """
    metadata, first = table.metadata, 1
    leaves = [index for index in range(len(table.schema)) if _is_of(table.schema, index, wanted)]
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        rows, done = group.num_rows, 0
        try:
            size = parquet_bounds.batch_rows(file, group, leaves)
            for batch in table.iter_batches(size, [number], wanted, use_threads=False):
                yield first + done, batch
                done += batch.num_rows
            if done < rows:
                raise ValueError("fewer rows are there than the directory says")
        except (FileFormatError, MemoryError):
            raise
        except Exception as exc:
            last = first + rows - 1
            what = f"rows {first + done:,} to {last:,} could not be read: {in_short(exc)}"
            collector.lose(first + done, what, max(0, rows - done))
        first += rows


def _is_of(schema: Any, index: int, wanted: list[str]) -> bool:
    """Whether a column of the file is, or is a part of, one of those that are read."""
    path = schema.column(index).path
    return any(path == name or path.startswith(f"{name}.") for name in wanted)


class _RowTaker(ABC):
    """Takes the rows of a file, by their numbers. `collector`: where the records go. `most`:
    characters that all rows together may have: what stands in a file once may stand in every row.
    """

    def __init__(self, collector: EntryCollector, name: str, most: int) -> None:
        self._collector = collector
        self._name = name
        self._most = most
        self._size = 0
        self._row = 0  # the number of the one that is taken

    @abstractmethod
    def columns_of(self, schema: Any) -> list[str]:
        """The columns that are read; [] where none has titles."""

    def take(self, number: int, batch: Any) -> None:
        """Take the rows of a batch, whose first one has this number. Raises FileFormatError: all
        rows so far have more characters than are taken.
        """
        names = batch.schema.names
        try:
            values = {name: values_of(batch.column(index)) for index, name in enumerate(names)}
        except MemoryError:
            raise
        except Exception as exc:  # of pyarrow: a date that is none
            what = f"{batch.num_rows:,} rows could not be read: {in_short(exc)}"
            self._collector.lose(number, what, batch.num_rows)
            return
        for place in range(batch.num_rows):
            self._row = number + place
            row = self._collector.attempt(self._row, partial(self._row_at, values, place))
            if row is None:
                continue
            self._size += _length(row)
            if self._size > self._most:
                raise size_error(self._name, self._most)
            self._put(row)

    @abstractmethod
    def finish(self) -> None: ...

    @abstractmethod
    def _row_at(self, values: Mapping[str, Values], place: int) -> Any: ...

    @abstractmethod
    def _put(self, row: Any) -> None: ...


def _length(value: Any) -> int:
    """Characters of all texts in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 0


class _OwnRowTaker(_RowTaker):
    def __init__(self, collector: EntryCollector, name: str, most: int) -> None:
        super().__init__(collector, name, most)
        self._objects = OwnObjects(collector, name)

    def columns_of(self, schema: Any) -> list[str]:
        known = {*COLUMNS, *OF_FILES}
        return [name for name in schema.names if name in known and schema.names.count(name) == 1]

    def finish(self) -> None:
        self._objects.finish()

    def _row_at(self, values: Mapping[str, Values], place: int) -> dict[str, Any]:
        """The entry of the JSON answer that the row stands for."""
        hit = {name: value(place) for name, value in values.items()}
        given = hit.get("given")
        if isinstance(given, list):
            pairs = [pair for pair in given if isinstance(pair, dict)]
            hit["given"] = [[pair.get("tag"), pair.get("value")] for pair in pairs]
        return hit

    def _put(self, row: Any) -> None:
        self._objects.hit(self._row, row)


class _TableRowTaker(_RowTaker):
    def columns_of(self, schema: Any) -> list[str]:
        names = [field.name for field in schema]
        columns = CsvColumns(names)
        if "title" not in columns.plan:
            return []
        meant = {index: name for name, indexes in columns.plan.items() for index in indexes}
        chosen = [
            index
            for index, field in enumerate(schema)
            if (index in meant or index in columns.beside)
            and names.count(field.name) == 1
            and (_is_plain(field.type) or meant.get(index) in _WITH_STRUCTS)
        ]
        passed = [names[index] for index in columns.beside if index not in chosen]
        unknown = [*columns.unknown, *(name for name in passed if name not in columns.unknown)]
        if unknown:
            told = ", ".join(name[:40] for name in unknown[:MOST_TOLD])
            more = f" and {len(unknown) - MOST_TOLD} more" if len(unknown) > MOST_TOLD else ""
            self._collector.remark(0, f"columns that are not read: {told}{more}")
        self._names = [names[index] for index in chosen]
        self._reader = CsvRowReader(CsvColumns(self._names))
        return self._names

    def finish(self) -> None:
        """Each row is put where it is taken."""

    def _row_at(self, values: Mapping[str, Values], place: int) -> list[str]:
        """The cells of a row of CSV that says the same."""
        return [text_of(values[name](place)) if name in values else "" for name in self._names]

    def _put(self, row: Any) -> None:
        self._collector.put(self._row, partial(self._reader.draft, row, []))


def _is_plain(kind: Any) -> bool:
    """Whether a type holds texts, numbers or dates, or lists of texts."""
    from pyarrow import types

    if types.is_list(kind) or types.is_large_list(kind):
        inner = kind.value_type
        inner = inner.value_type if types.is_dictionary(inner) else inner
        return bool(types.is_string(inner) or types.is_large_string(inner))
    return not types.is_nested(kind)


# Apache Parquet: a row a work, with the columns of `COLUMNS`, packed by Zstandard. pyarrow writes
# it, which comes with the extra `bulk` and is imported here only. Row groups are written one after
# another, so that memory does not grow with the works.

#: Works of a row group, and about so many bytes: whichever is reached first ends it.
ROWS = 5_000
BYTES = 32_000_000


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """See `Format.parts`; a row group after another. Raises ImportError: pyarrow is not installed;
    `metasearch.formats.get` checks that before.
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
                yield sink.take()
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=names))
        writer.add_key_value_metadata(MARK)
    yield sink.take()


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
    size += 200 * sum(len(getattr(record, role)) for role in PEOPLE)
    size += 50 * sum(len(getattr(record, name)) for name in TEXTS)
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
        kept = bytes(data)
        self._kept.append(kept)
        self._place += len(kept)
        return len(kept)

    def take(self) -> bytes:
        some, self._kept = b"".join(self._kept), []
        return some
