"""Apache Parquet (.parquet): our own works, which come back as from JSON, and tables of anybody
else, whose columns are known by their names as those of CSV are.

The file is read row group by row group, a batch of rows at a time, and only the columns that say
something of a work. What a file claims is checked before it is unpacked (`bounds.py`). The "line"
of a record is the number of its row, from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO, Any

from metasearch.errors import FileFormatError
from metasearch.formats.csv.columns import CsvColumns
from metasearch.formats.csv.read import MOST_TOLD
from metasearch.formats.csv.row import CsvRowReader
from metasearch.formats.own import OwnObjects
from metasearch.formats.parquet import bounds
from metasearch.formats.parquet.cells import text_of
from metasearch.formats.parquet.columns import COLUMNS, MARK, OF_FILES
from metasearch.formats.parquet.values import Values, values_of
from metasearch.formats.reading.content import Content, too_large
from metasearch.formats.reading.entries import MOST_HANDED_OUT, MOST_RECORDS, EntryCollector
from metasearch.formats.reading.result import FileReading

#: Fields of a record of whose column structs are read, too.
_WITH_STRUCTS = frozenset({"authors", "editors", "ids"})


def read(content: Content, reading: FileReading) -> None:
    """Add the records of a file."""
    collector = EntryCollector(reading)
    with content.seekable() as file:
        table = _opened(file, reading)
        own = (table.metadata.metadata or {}).get(b"metasearch") == MARK["metasearch"].encode()
        kind = _Own if own else _Strange
        takes = kind(collector, reading.name, content.most)
        wanted = takes.wanted(table.schema_arrow)
        if wanted:
            for number, batch in _batches(file, table, wanted, collector):
                takes.take(number, batch)
        else:
            what = 'no column with the titles was found, such as "title"'
            collector.lose(0, what, table.metadata.num_rows)
        takes.finish()


def _opened(file: IO[bytes], reading: FileReading) -> Any:
    """The file as pyarrow reads it. Raises FileFormatError: it is damaged, or claims too much."""
    from pyarrow import parquet

    name = reading.name
    bounds.checked_end(file, name)

    def opened(dictionaries: list[str]) -> Any:
        return parquet.ParquetFile(
            file,
            read_dictionary=dictionaries,
            pre_buffer=False,
            buffer_size=1 << 16,
            thrift_string_size_limit=bounds.LONGEST_TEXT,
            thrift_container_size_limit=bounds.MOST_ENTRIES,
            schema_depth_limit=bounds.DEEPEST,
            arrow_extensions_enabled=False,
        )

    try:
        table = opened([])
        most = MOST_RECORDS if reading.hand_out is None else MOST_HANDED_OUT
        bounds.checked_directory(table.metadata, name, most)
        # Texts stay in their dictionary, which a bomb would be without.
        return opened(list(_texts(table.schema)))
    except (FileFormatError, MemoryError):
        raise
    except Exception as exc:  # of pyarrow, which has many, OSError among them
        what = f"the file is damaged, or no Parquet file: {_said(exc)}"
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
            size = bounds.batch_rows(file, group, leaves)
            for batch in table.iter_batches(size, [number], wanted, use_threads=False):
                yield first + done, batch
                done += batch.num_rows
            if done < rows:
                raise ValueError("fewer rows are there than the directory says")
        except (FileFormatError, MemoryError):
            raise
        except Exception as exc:
            last = first + rows - 1
            what = f"rows {first + done:,} to {last:,} could not be read: {_said(exc)}"
            collector.lose(first + done, what, max(0, rows - done))
        first += rows


def _is_of(schema: Any, index: int, wanted: list[str]) -> bool:
    """Whether a column of the file is, or is a part of, one of those that are read."""
    path = schema.column(index).path
    return any(path == name or path.startswith(f"{name}.") for name in wanted)


def _said(exc: Exception) -> str:
    """What an error of pyarrow says, on one short line."""
    return f"{type(exc).__name__}: {' '.join(str(exc).split())[:200]}"


class _Rows:
    """Takes the rows of a file, by their numbers. `collector`: where the records go. `most`:
    characters that all rows together may have: what stands in a file once may stand in every row.
    """

    def __init__(self, collector: EntryCollector, name: str, most: int) -> None:
        self._collector = collector
        self._name = name
        self._most = most
        self._size = 0
        self._row = 0  # the number of the one that is taken

    def wanted(self, schema: Any) -> list[str]:
        """The columns that are read; [] where none has titles."""
        raise NotImplementedError

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
            what = f"{batch.num_rows:,} rows could not be read: {_said(exc)}"
            self._collector.lose(number, what, batch.num_rows)
            return
        for place in range(batch.num_rows):
            self._row = number + place
            row = self._collector.attempt(self._row, partial(self._made, values, place))
            if row is None:
                continue
            self._size += _length(row)
            if self._size > self._most:
                raise too_large(self._name, self._most)
            self._put(row)

    def finish(self) -> None:
        """The file is at its end."""

    def _made(self, values: Mapping[str, Values], place: int) -> Any:
        """What a row holds."""
        raise NotImplementedError

    def _put(self, row: Any) -> None:
        """Hand it on."""
        raise NotImplementedError


def _length(value: Any) -> int:
    """Characters of all texts in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 0


class _Own(_Rows):
    """Takes rows that `write.py` has written."""

    def __init__(self, collector: EntryCollector, name: str, most: int) -> None:
        super().__init__(collector, name, most)
        self._objects = OwnObjects(collector, name)

    def wanted(self, schema: Any) -> list[str]:
        known = {*COLUMNS, *OF_FILES}
        return [name for name in schema.names if name in known and schema.names.count(name) == 1]

    def finish(self) -> None:
        self._objects.finish()

    def _made(self, values: Mapping[str, Values], place: int) -> dict[str, Any]:
        """The entry of the JSON answer that the row stands for."""
        hit = {name: value(place) for name, value in values.items()}
        given = hit.get("given")
        if isinstance(given, list):
            pairs = [pair for pair in given if isinstance(pair, dict)]
            hit["given"] = [[pair.get("tag"), pair.get("value")] for pair in pairs]
        return hit

    def _put(self, row: Any) -> None:
        self._objects.hit(self._row, row)


class _Strange(_Rows):
    """Takes rows of a table whose columns are known by their names."""

    def wanted(self, schema: Any) -> list[str]:
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

    def _made(self, values: Mapping[str, Values], place: int) -> list[str]:
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
