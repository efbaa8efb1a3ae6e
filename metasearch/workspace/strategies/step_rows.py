"""Steps as rows of the workspace: read, inserted, logged. `steps.py` says what may be changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from metasearch.workspace import log
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies.step import Step
from metasearch.workspace.strategies.strategies import Strategy, check_details


def of(db: Database, strategy: Strategy) -> list[Step]:
    """All steps that are not removed, in the order of their numbers."""
    rows = db.all(
        "SELECT * FROM step WHERE strategy = ? AND removed = 0 ORDER BY number", strategy.id
    )
    named: dict[int, list[int]] = {}
    for row in db.all(
        "SELECT step_parent.step AS step, parent.number AS number FROM step_parent"
        " JOIN step ON step.id = step_parent.step JOIN step AS parent"
        " ON parent.id = step_parent.parent WHERE step.strategy = ? ORDER BY parent.number",
        strategy.id,
    ):
        named.setdefault(row["step"], []).append(row["number"])
    return [_step(row, named.get(row["id"], ())) for row in rows]


def insert_all(db: Database, strategy: Strategy, steps: Sequence[Step]) -> None:
    """Insert checked steps into a strategy without any, inside a transaction."""
    new = [replace(step, id=inserted(db, strategy, step)) for step in steps]
    for step in new:
        name_parents(db, step, new)


def inserted(db: Database, strategy: Strategy, step: Step) -> int:
    """Insert a step; returns the id of its row."""
    return db.run(
        "INSERT INTO step (strategy, number, kind, text, syntax, note, details, edited)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        strategy.id,
        step.number,
        step.kind,
        step.text,
        step.syntax,
        step.note,
        check_details(step.details),
        step.edited,
    )


def name_parents(db: Database, step: Step, steps: Sequence[Step]) -> None:
    """Keep which of the `steps` a step names."""
    ids = {other.number: other.id for other in steps}
    db.run("DELETE FROM step_parent WHERE step = ?", step.id)
    db.run_many(
        "INSERT INTO step_parent (step, parent) VALUES (?, ?)",
        [(step.id, ids[number]) for number in step.parents],
    )


def write_log(
    db: Database, strategy: Strategy, action: str, number: int, before: Any, after: Any, by: str
) -> None:
    """Add a line about a step to the log of its project."""
    log.write(db, strategy.project, action, f"step:{strategy.id}/{number}", before, after, by=by)


def as_logged(step: Step) -> dict[str, Any]:
    """A step as the log keeps it."""
    return {
        "kind": step.kind,
        "text": step.text,
        "syntax": step.syntax,
        "note": step.note,
        "details": dict(step.details),
    }


def _step(row: sqlite3.Row, parents: Sequence[int]) -> Step:
    return Step(
        id=row["id"],
        strategy=row["strategy"],
        number=row["number"],
        kind=row["kind"],
        text=row["text"],
        syntax=row["syntax"],
        note=row["note"],
        details=orjson.loads(row["details"]),
        parents=tuple(parents),
        edited=row["edited"],
        version=row["version"],
    )
