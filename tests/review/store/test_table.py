"""Rows as objects, and what is true of all rows that people edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import Conflict
from metasearch.message import message
from metasearch.review.store.database import Database
from metasearch.review.store.table import EditedTable, merge_entries

CLASH = message("The strategy was changed since you opened it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A row of a table of this test."""

    id: int
    name: str
    labels: tuple[str, ...]
    details: Mapping[str, Any]
    full: bool
    length: int
    version: int


SHELVES = EditedTable(
    "shelf",
    Shelf,
    ("name", "labels", "details"),
    open="details",
    computed={"length": lambda _, row: len(row["name"])},
)


@pytest.fixture
def db(tmp_path: Path):
    """With a shelf."""
    with Database(tmp_path / "w.sqlite3") as db:
        db.run(
            "CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT, labels TEXT, details TEXT,"
            " full INTEGER, version INTEGER NOT NULL DEFAULT 1) STRICT"
        )
        db.insert("shelf", name="a", labels=("x", "y"), details={"wood": "oak"}, full=True)
        yield db


def shelf(db: Database) -> Shelf:
    """As it stands."""
    found = SHELVES.one(db, "id = ?", 1)
    assert found is not None
    return found


def test_a_row_is_an_object_of_its_class(db: Database) -> None:
    """Lists and objects are JSON in their columns; what is computed is none."""
    assert shelf(db) == Shelf(
        id=1, name="a", labels=("x", "y"), details={"wood": "oak"}, full=True, length=1, version=1
    )
    assert SHELVES.one(db, "id = ?", 2) is None


def test_a_change_is_what_is_otherwise(db: Database) -> None:
    """Of what has keys of its own, each key."""
    old = shelf(db)
    new = replace(old, name="bc", details=merge_entries(old.details, {"wood": None, "depth": 3}))

    before, after = SHELVES.changes(old, new, 1, CLASH)

    assert before == {"name": "a", "wood": "oak", "depth": None}
    assert after == {"name": "bc", "wood": None, "depth": 3}
    assert SHELVES.save(db, old, new) == replace(new, length=2, version=2) == shelf(db)


def test_nobody_overwrites_what_they_have_not_seen(db: Database) -> None:
    """What stands already is no clash; nor is a change without a version."""
    old = shelf(db)
    now = SHELVES.save(db, old, replace(old, name="theirs", labels=()))

    with pytest.raises(Conflict) as refused:
        SHELVES.changes(now, replace(now, name="yours"), 1, CLASH)
    assert (refused.value.yours, refused.value.theirs) == ({"name": "yours"}, {"name": "theirs"})
    assert refused.value.version == 2
    assert SHELVES.changes(now, now, 1, CLASH) == ({}, {})
    assert SHELVES.changes(now, replace(now, name="yours"), None, CLASH)[1] == {"name": "yours"}


def test_a_line_of_the_log_is_undone(db: Database) -> None:
    """What stands is compared as the log has it, and what stood is given as a change."""
    old = shelf(db)
    assert SHELVES.values_of(old, ("labels", "wood", "depth")) == {
        "labels": ["x", "y"],
        "wood": "oak",
        "depth": None,
    }
    assert SHELVES.fields_of({"name": "a", "wood": "oak"}) == {
        "name": "a",
        "details": {"wood": "oak"},
    }
    assert SHELVES.fields_of({"name": "a"}) == {"name": "a"}
