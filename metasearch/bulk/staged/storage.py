"""Entries, works and their records as they lie on disk, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, TypeVar

import orjson

from metasearch.bulk.job import InputRecord, MergedWork
from metasearch.bulk.staged.parts import DamagedPart
from metasearch.dedup.online import NAMES_THE_COPY
from metasearch.formats import hits
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry
from metasearch.formats.reading.result import check_sum
from metasearch.record import Hit, Match, Version

# An entry of a file as bytes of a column, and back: the same entry.

#: Stands before JSON that only Python's own reader reads as it was written: with numbers of more
#: than 64 bits, or lone surrogates.
_SLOW = b" "


def encoded(entry: Entry) -> bytes:
    """JSON of an entry."""
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
        return _SLOW + hits.dumped(values)


def decoded(data: bytes) -> Entry:
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
        raise _damaged(exc) from exc
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
        raise _damaged(exc) from exc


def origins_from(values: Mapping[str, Any]) -> tuple[Origin, ...]:
    """`Entry.origins` of these values."""
    return tuple([Origin(file, database) for file, database in values.get("origins", ())])


def given_from(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """`Entry.given` of these values."""
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


def _damaged(exc: Exception) -> ValueError:
    return ValueError(f"not an entry as this release writes it: {exc!r}")


# A work and its records as they lie on disk: what somebody asks of them is made then, so that
# whoever counts works or lists clusters reads no more of each than it needs.

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
