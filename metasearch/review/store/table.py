"""Rows as objects of a class: each field is a column, but for those that a caller computes. And
rows that people edit, of which nobody overwrites what somebody else has written meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Generic, Protocol, TypeVar, get_origin, get_type_hints

import orjson

from metasearch.message import Message
from metasearch.review.store.database import Database, column_value
from metasearch.review.store.values import check_version


class EditedRow(Protocol):
    """What has a row of its own, and a number that grows with each change of it."""

    @property
    def id(self) -> int: ...

    @property
    def version(self) -> int: ...


T = TypeVar("T")
R = TypeVar("R", bound=EditedRow)


def from_row(kind: Callable[..., T], row: sqlite3.Row, **computed: Any) -> T:
    """The object of a row. A field that is no text or number is JSON in its column. `computed`:
    fields that are not a column, or not one alone.
    """
    for name, read in _readers(kind).items():
        if name not in computed:
            computed[name] = row[name] if read is None else read(row[name])
    return kind(**computed)


@cache
def _readers(kind: Any) -> dict[str, Callable[[Any], Any] | None]:
    """Field of a class -> what makes its value of that of the column; None: it is the same."""
    hints = get_type_hints(kind)
    return {field.name: _reader(hints[field.name]) for field in fields(kind)}


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    if hint is bool:
        return bool
    if get_origin(hint) is tuple:
        return lambda text: tuple(orjson.loads(text))
    return orjson.loads if get_origin(hint) is Mapping else None


def merge_entries(old: Mapping[str, Any], sent: Mapping[str, Any] | None) -> dict[str, Any]:
    """Old entries with those that were sent; None removes one."""
    return {key: value for key, value in {**old, **(sent or {})}.items() if value is not None}


class EditedTable(Generic[R]):
    """The rows of a table that people edit.

    `edited`: fields that a person changes, in the order of the log. `open`: the one of them that
    has keys of its own: each of these is changed for itself. `computed`: field that is no column,
    or is otherwise in its column -> what makes it of a row. `option`: of orjson, for columns.
    """

    def __init__(
        self,
        name: str,
        kind: type[R],
        edited: Sequence[str],
        *,
        open: str = "",  # noqa: A002, as in "open set"
        computed: Mapping[str, Callable[[Database, sqlite3.Row], Any]] | None = None,
        option: int = 0,
    ) -> None:
        self.name = name
        self._kind = kind
        self._edited = tuple(one for one in edited if one != open)
        self._open = open
        self._computed = computed or {}
        self._option = option

    def all(self, db: Database, where: str, *values: object) -> list[R]:
        """The rows for which a condition holds; it may end with their order."""
        rows = db.all(f"SELECT * FROM {self.name} WHERE {where}", *values)  # noqa: S608, own words
        return [
            from_row(self._kind, row, **{key: of(db, row) for key, of in self._computed.items()})
            for row in rows
        ]

    def one(self, db: Database, where: str, *values: object) -> R | None:
        """The first row for which a condition holds; None where there is none."""
        return next(iter(self.all(db, f"{where} LIMIT 1", *values)), None)

    def changes(
        self, old: R, new: R, version: int | None, text: Message
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a person changes in a row that stands: field or key -> value, before and after.

        `version`: of the row that the change was made with; None where that is not asked. Raises
        Conflict, with `text`: the row was changed since that version.
        """
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for name in self._edited:
            was, becomes = getattr(old, name), getattr(new, name)
            if was != becomes:
                before[name], after[name] = was, becomes
        if self._open:
            had, has = getattr(old, self._open), getattr(new, self._open)
            for key in {**had, **has}:
                if had.get(key) != has.get(key):
                    before[key], after[key] = had.get(key), has.get(key)
        check_version(version, old.version, text, after, before)
        return before, after

    def values_of(self, row: R, names: Iterable[str]) -> dict[str, Any]:
        """What stands in some fields and keys, as the log has it."""
        opened = getattr(row, self._open) if self._open else {}
        found = {
            name: getattr(row, name) if name in self._edited else opened.get(name) for name in names
        }
        as_json: dict[str, Any] = orjson.loads(orjson.dumps(found))
        return as_json

    def fields_of(self, change: Mapping[str, Any]) -> dict[str, Any]:
        """Fields and keys of a line of the log, as the fields that they belong to."""
        keys = {key: value for key, value in change.items() if key not in self._edited}
        fields = {name: value for name, value in change.items() if name in self._edited}
        return {**fields, self._open: keys} if keys else fields

    def save(self, db: Database, old: R, new: R) -> R:
        """Write what is otherwise in `new` than in the row as it stands, and the next version.
        Returns the row as it stands then.
        """
        columns = {
            name: column_value(getattr(new, name), self._option)
            for name in _readers(self._kind)
            if name not in self._computed and getattr(new, name) != getattr(old, name)
        }
        sets = "".join(f"{name} = ?, " for name in columns)
        db.run(
            f"UPDATE {self.name} SET {sets}version = version + 1 WHERE id = ?",  # noqa: S608, own words
            *columns.values(),
            old.id,
        )
        saved = self.one(db, "id = ?", old.id)
        assert saved is not None  # it stood when the transaction began
        return saved
