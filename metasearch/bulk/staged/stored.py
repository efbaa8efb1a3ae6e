"""A work and its records as they lie on disk: what somebody asks of them is made then, so that
whoever counts works or lists clusters reads no more of each than it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from metasearch.bulk.job import InputRecord, MergedWork
from metasearch.bulk.staged.reading import entry_of
from metasearch.formats.reading import Entry
from metasearch.record import Hit


class StoredRecord(InputRecord):
    """An `InputRecord` whose entry is read from its bytes when it is asked for.

    Args:
        file: As there.
        data: The entry as `entries.encoded` wrote it.
        path: The part where it lies, for errors.
        key: As there.
        id: As there.
    """

    __slots__ = ("_data", "_entry", "_path")

    _data: bytes
    _entry: Entry | None
    _path: Path

    def __init__(self, file: int, data: bytes, path: Path, key: str, id: str) -> None:  # noqa: A002
        put = object.__setattr__
        put(self, "file", file)
        put(self, "key", key)
        put(self, "id", id)
        put(self, "_data", data)
        put(self, "_path", path)
        put(self, "_entry", None)

    @property
    def entry(self) -> Entry:
        """The entry.

        Raises:
            DamagedPart: Its bytes are none.
        """
        if self._entry is None:
            object.__setattr__(self, "_entry", entry_of(self._data, self._path))
        assert self._entry is not None
        return self._entry

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputRecord) and _said(self) == _said(other)

    __hash__ = InputRecord.__hash__


def _said(item: InputRecord) -> tuple[int, Entry, str, str]:
    return item.file, item.entry, item.key, item.id


class StoredWork(MergedWork):
    """A `MergedWork` whose hit is made when it is asked for.

    Args:
        items: As there.
        make: Makes the hit, with this rank.
        rank: Of the work.
    """

    __slots__ = ("_hit", "_make", "_rank")

    _hit: Hit | None
    _make: Callable[[int], Hit]
    _rank: int

    def __init__(
        self, items: tuple[InputRecord, ...], make: Callable[[int], Hit], rank: int
    ) -> None:
        put = object.__setattr__
        put(self, "items", items)
        put(self, "_make", make)
        put(self, "_rank", rank)
        put(self, "_hit", None)

    @property
    def hit(self) -> Hit:
        """The hit.

        Raises:
            DamagedPart: Its bytes are none.
        """
        if self._hit is None:
            object.__setattr__(self, "_hit", self._make(self._rank))
        assert self._hit is not None
        return self._hit

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergedWork) and self.items == other.items and self.hit == other.hit

    __hash__ = MergedWork.__hash__
