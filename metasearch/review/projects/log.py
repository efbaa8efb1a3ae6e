"""The append-only log of a project: who changed what, when, from what to what."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now

_UNDONE: ContextVar[int | None] = ContextVar("undone", default=None)
_OF_ROW = re.compile(r"(strategy|step):(\d+)(/\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the log.

    Attributes:
        id: Its number; later ones are larger.
        action: What was done: "mark works", "edit step".
        object: To what: "work:UID", "project"; "step:2/3" is step 3 of strategy 2 of the project.
        before, after: What JSON can hold; None where there was nothing.
        undoes: The change that it undoes; None for others.
    """

    id: int
    at: str
    by: str
    action: str
    object: str
    before: Any
    after: Any
    undoes: int | None


def write(
    db: Database,
    project: int,
    action: str,
    object: str,  # noqa: A002, as the column
    before: Any,
    after: Any,
    *,
    by: str = "",
) -> int:
    """Add a line, inside the transaction of the change; returns its number.

    `action`: what was done, a key of `logged.ACTIONS`. `object`: to what. A strategy is given by
    its row, as "strategy:ROW" or "step:ROW/NUMBER"; the line has its number in the project.
    `before`: what was there, as JSON can hold it. Raises ValueError: the strategy is that of
    another project.
    """
    return db.insert(
        "change",
        id=_number(db),
        project=project,
        at=now(),
        by=by,
        action=action,
        object=_object_of(db, project, object),
        before=orjson.dumps(before).decode(),
        after=orjson.dumps(after).decode(),
        undoes=_UNDONE.get(),
    )


def _number(db: Database) -> int | None:
    """The number of a new line; None for the next one.

    Where there are users it is a moment, in milliseconds: numbers that are counted would tell a
    screener how many votes others have given since.
    """
    if db.one("SELECT 1 FROM user LIMIT 1") is None:
        return None
    last = db.value("SELECT max(id) FROM change") or 0
    return max(int(last) + 1, time.time_ns() // 1_000_000)


def _object_of(db: Database, project: int, object: str) -> str:  # noqa: A002, as the column
    """What a line is about, with a strategy by its number in the project in place of its row."""
    found = _OF_ROW.fullmatch(object)
    if found is None:
        return object
    row = db.one("SELECT number FROM strategy WHERE id = ? AND project = ?", int(found[2]), project)
    if row is None:
        raise ValueError(f"the project has no {object}")
    return f"{found[1]}:{row['number']}{found[3] or ''}"


@contextmanager
def as_undo_of(change: int) -> Iterator[None]:
    """A block whose lines undo a change."""
    token = _UNDONE.set(change)
    try:
        yield
    finally:
        _UNDONE.reset(token)


def find(db: Database, project: int, number: int) -> Change | None:
    """The line of a number; None where the project has none."""
    row = db.one("SELECT * FROM change WHERE project = ? AND id = ?", project, number)
    return None if row is None else _change(row)


def lines(
    db: Database, project: int, *, most: int = 200, before: int | None = None
) -> list[Change]:
    """The newest lines first, of those before a number."""
    rows = db.all(
        "SELECT * FROM change WHERE project = ? AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?",
        project,
        before,
        before,
        most,
    )
    return [_change(row) for row in rows]


def _change(row: sqlite3.Row) -> Change:
    before, after = orjson.loads(row["before"]), orjson.loads(row["after"])
    return from_row(Change, row, before=before, after=after)
