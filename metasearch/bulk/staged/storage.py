"""A work and its records as they lie on disk: what somebody asks of them is made then, so that
whoever counts works or lists clusters reads no more of each than it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, TypeVar

from metasearch.bulk.job import InputRecord, MergedWork
from metasearch.bulk.staged.entries import entry_from, given_from, origins_from, values_of
from metasearch.bulk.staged.parts import DamagedPart
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry
from metasearch.record import Hit, Match, Version

T = TypeVar("T")


class StoredRecord(InputRecord):
    """An `InputRecord` of which bytes are read when something of them is asked for, and the record
    is made when it is.

    Each property raises `DamagedPart` where the bytes are no entry. `data`: the entry as
    `entries.encoded` wrote it. `path`: the part where it lies, for errors.
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
        """The entry."""
        if self._entry is None:
            object.__setattr__(self, "_entry", self._of(entry_from))
        assert self._entry is not None
        return self._entry

    @property
    def line(self) -> int:
        """`Entry.line`."""
        number: int = self._of(itemgetter("line"))
        return number

    @property
    def position(self) -> int:
        """Its number in its file, from 1."""
        number: int = self._of(lambda values: values["record"].get("position", 0))
        return number

    @property
    def database(self) -> str | None:
        """`Entry.database`."""
        return self._of(lambda values: values.get("database"))

    @property
    def origins(self) -> tuple[Origin, ...]:
        """`Entry.origins`."""
        return self._of(origins_from)

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """`Entry.given`."""
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
        return isinstance(other, InputRecord) and _said(self) == _said(other)

    __hash__ = InputRecord.__hash__


def _said(item: InputRecord) -> tuple[int, Entry, str, str]:
    return item.file, item.entry, item.key, item.id


class MakesHit(Protocol):
    """What a work on disk makes of itself.

    Both raise `DamagedPart` where its bytes are damaged.
    """

    def hit(self, rank: int) -> Hit:
        """The hit, with this rank."""
        ...

    def matches(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
        """`Hit.matches` and `Hit.versions` alone."""
        ...


class StoredWork(MergedWork):
    """A `MergedWork` whose hit is made when it is asked for."""

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
        """The hit."""
        if self._hit is None:
            object.__setattr__(self, "_hit", self._makes.hit(self._rank))
        assert self._hit is not None
        return self._hit

    @property
    def matches(self) -> tuple[Match, ...]:
        """`Hit.matches`."""
        return self._why[0]

    @property
    def versions(self) -> tuple[Version, ...]:
        """`Hit.versions`."""
        return self._why[1]

    @property
    def _why(self) -> tuple[tuple[Match, ...], tuple[Version, ...]]:
        if self._matches is None:
            object.__setattr__(self, "_matches", self._makes.matches())
        assert self._matches is not None
        return self._matches

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergedWork) and self.items == other.items and self.hit == other.hit

    __hash__ = MergedWork.__hash__
