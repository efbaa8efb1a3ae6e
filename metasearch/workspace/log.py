"""The append-only log of a project: who changed what, when, from what to what."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now

_UNDONE: ContextVar[int | None] = ContextVar("undone", default=None)


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the log.

    Attributes:
        id: Its number; later ones are larger.
        action: What was done: "mark works", "edit step".
        object: To what: "work:UID", "step:STRATEGY/3", "project".
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
    """Add a line, inside the transaction of the change; returns its number."""
    return db.run(
        "INSERT INTO change (project, at, by, action, object, before, after, undoes)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        project,
        now(),
        by,
        action,
        object,
        orjson.dumps(before).decode(),
        orjson.dumps(after).decode(),
        _UNDONE.get(),
    )


@contextmanager
def undoing(change: int) -> Iterator[None]:
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
    return Change(
        row["id"],
        row["at"],
        row["by"],
        row["action"],
        row["object"],
        orjson.loads(row["before"]),
        orjson.loads(row["after"]),
        row["undoes"],
    )
