"""How large a Parquet file is unpacked, by the headers of its pages: a file of a few kilobytes can
claim pages of gigabytes, and a library that unpacks them believes it.

A page header is a struct in Thrift's compact protocol; three of its numbers are needed, and all
else is passed over.
https://parquet.apache.org/docs/file-format/data-pages/
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

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
class Page:
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


def page_at(file: IO[bytes], place: int) -> Page:
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
    return Page(unpacked, packed, values, is_dictionary, header.place)


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
        """A signed number ("zigzag")."""
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
