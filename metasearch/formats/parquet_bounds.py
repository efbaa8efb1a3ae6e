"""What is checked of a Parquet file before anything of it is unpacked: what its directory claims,
and what the headers of its pages say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from metasearch.errors import FileFormatError

# How large a Parquet file is unpacked, by the headers of its pages: a file of a few kilobytes can
# claim pages of gigabytes, and a library that unpacks them believes it. A page header is a struct
# in Thrift's compact protocol; three of its numbers are needed, and all else is passed over.
# https://parquet.apache.org/docs/file-format/data-pages/
# https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

#: Bytes of a header; statistics of long texts stand in it, cut by most writers.
LONGEST_HEADER = 1 << 16
#: Levels of structs and lists in a header.
_DEEPEST = 8
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_VARINTS = frozenset({_I16, _I32, _I64})
#: Fields of a page header: sizes, and the structs that hold the number of values.
_UNPACKED, _PACKED = 2, 3
_WITH_VALUES = frozenset({5, 7, 8})
_IS_DICTIONARY = 7


@dataclass(frozen=True, slots=True)
class PageHeader:
    """What the header of a page says.

    Attributes:
        unpacked: Bytes of the page, unpacked; `packed`: as they stand in the file.
        values: How many values the page claims, nulls among them.
        is_dictionary: Whether other pages refer to its values.
        header: Bytes of the header itself.
    """

    unpacked: int
    packed: int
    values: int
    is_dictionary: bool
    header: int


def page_at(file: IO[bytes], place: int) -> PageHeader:
    """The page whose header begins at a place of the file. Raises ValueError: there is none."""
    file.seek(place)
    data = file.read(LONGEST_HEADER)
    header = _Compact(data)
    try:
        numbers = header.struct(_WITH_VALUES)
    except IndexError:
        raise ValueError("the header of a page breaks off") from None
    unpacked, packed = numbers.get((_UNPACKED,), -1), numbers.get((_PACKED,), -1)
    held = [(path[0], number) for path, number in numbers.items() if len(path) > 1 and path[1] == 1]
    values = max((number for _, number in held), default=0)
    if unpacked < 0 or packed < 0 or values < 0:
        raise ValueError("the header of a page has no sizes")
    is_dictionary = any(field == _IS_DICTIONARY for field, _ in held)
    return PageHeader(unpacked, packed, values, is_dictionary, header.place)


class _Compact:
    """Reads Thrift's compact protocol; beyond the end it raises an IndexError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def struct(self, inside: frozenset[int], depth: int = 0) -> dict[tuple[int, ...], int]:
        """The whole numbers of a struct, by the ids of their fields; of the structs with these ids,
        too. Raises ValueError: it is none, or is too deep.
        """
        found: dict[tuple[int, ...], int] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            kind = head & 15
            if kind in _VARINTS:
                found[field,] = self._number()
            elif kind == _STRUCT and field in inside and not depth:
                deeper = self.struct(frozenset(), 1)
                found |= {(field, *path): number for path, number in deeper.items()}
                found.setdefault((field, 1), 0)
            else:
                self._skip(kind, depth + 1)
        return found

    def _skip(self, kind: int, depth: int, *, in_list: bool = False) -> None:
        if depth > _DEEPEST:
            raise ValueError("the header of a page is nested too deeply")
        if kind in (_TRUE, _FALSE):
            self.place += in_list
        elif kind == _BYTE:
            self.place += 1
        elif kind in _VARINTS:
            self._varint()
        elif kind == _DOUBLE:
            self.place += 8
        elif kind == _BINARY:
            size = self._varint()
            self.place += size
        elif kind in (_LIST, _SET):
            self._skip_list(depth)
        elif kind == _STRUCT:
            while head := self._byte():
                if not head >> 4:
                    self._varint()
                self._skip(head & 15, depth + 1)
        else:  # maps, of which page headers have none
            raise ValueError("the header of a page is damaged")
        if self.place > len(self._data):
            raise ValueError("the header of a page breaks off")

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if size > len(self._data):
            raise ValueError("the header of a page is damaged")
        for _ in range(size):
            self._skip(head & 15, depth + 1, in_list=True)

    def _byte(self) -> int:
        self.place += 1
        return self._data[self.place - 1]

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise ValueError("the header of a page is damaged")

    def _number(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)


#: Bytes of the directory at the end of a file.
MOST_DIRECTORY = 64_000_000
#: Entries of a list in it: row groups, columns; characters of a text in it; levels of the schema.
MOST_ENTRIES, LONGEST_TEXT, DEEPEST = 100_000, 10_000_000, 12
#: Columns, those in structs and lists counted one by one.
MOST_COLUMNS = 2_000
#: Bytes of a page, and of all that is read of a row group, both unpacked.
LARGEST_PAGE, LARGEST_GROUP = 256_000_000, 1_000_000_000
#: Values of one column in a row group, and pages of all its columns.
MOST_VALUES, MOST_PAGES = 50_000_000, 200_000
#: Of a batch of rows: bytes and values, on average; rows.
BATCH_BYTES, BATCH_VALUES, BATCH_ROWS = 32_000_000, 1_000_000, 1_000
_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
_ADVICE = "Write it again, with smaller row groups, or as CSV."


def check_end(file: IO[bytes], name: str) -> None:
    """Check that the file has a directory at its end, and how large it is. Raises FileFormatError:
    it has none that can be read.
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - 8))
    end = file.read(8)
    if end[4:] == _ENCRYPTED:
        raise FileFormatError(name, "the file is encrypted", advice="Decrypt it first.")
    if size < 12 or end[4:] != _MAGIC:
        what = "the file breaks off: its directory, which stands at its end, is not there"
        raise FileFormatError(name, what, advice="Fetch it again.")
    length = int.from_bytes(end[:4], "little")
    if length > size - 12:
        what = "the file is damaged: its directory is not in it"
        raise FileFormatError(name, what, advice="Fetch it again.")
    if length > MOST_DIRECTORY:
        what = f"its directory has more than {MOST_DIRECTORY:,} bytes"
        raise FileFormatError(name, what, advice=_ADVICE)


def check_directory(metadata: Any, name: str, most_rows: int) -> None:
    """Check what the directory claims. `metadata`: a `pyarrow.parquet.FileMetaData`. Raises
    FileFormatError: it is too much.
    """
    for what, claimed, most in (
        ("columns", metadata.num_columns, MOST_COLUMNS),
        ("records", metadata.num_rows, most_rows),
    ):
        if claimed > most:
            raise FileFormatError(
                name,
                f"the file holds more than {most:,} {what}",
                advice="Divide it into several files.",
            )


def batch_rows(file: IO[bytes], group: Any, leaves: Sequence[int]) -> int:
    """How many rows of a row group are read at once.

    `group`: a `pyarrow.parquet.RowGroupMetaData`. Raises ValueError: more than is taken of one
    group, or its pages are not where they should be.
    """
    unpacked = values = pages = 0
    for leaf in leaves:
        column = group.column(leaf)
        offsets = (column.dictionary_page_offset, column.data_page_offset)
        place = min(offset for offset in offsets if offset)
        end = place + column.total_compressed_size
        of_column = 0
        while place < end:
            page = page_at(file, place)
            place += page.header + page.packed
            pages += 1
            unpacked += page.unpacked
            of_column += 0 if page.is_dictionary else page.values
            if page.unpacked > LARGEST_PAGE:
                raise ValueError(f"a page in it has {page.unpacked:,} bytes, unpacked")
            if unpacked > LARGEST_GROUP or of_column > MOST_VALUES or pages > MOST_PAGES:
                raise ValueError(
                    f"unpacked, they have more than {LARGEST_GROUP:,} bytes, {MOST_VALUES:,} "
                    f"values in a column, or {MOST_PAGES:,} pages"
                )
        values = max(values, of_column)
    rows: int = group.num_rows
    fitting = min(
        rows * BATCH_BYTES // max(unpacked, 1), rows * BATCH_VALUES // max(values, 1), BATCH_ROWS
    )
    return max(1, fitting)
