"""What was searched: each answer of a source in the runs of a project, with its step and strategy,
and each strategy as typed. What databases were sent is here word for word.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.errors import UsageError
from metasearch.workspace.projects import Project
from metasearch.workspace.runs.prepared import Question
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps
from metasearch.workspace.strategies import strategies as strategy_rows
from metasearch.workspace.strategies.resolve import resolve_all

#: Statuses of an answer that is whole.
WHOLE = frozenset(("ok", "empty"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One answer. A number that is not known is None, never 0.

    Attributes:
        run: Number of the run; `run_id` of its row; `mode` "records", "counts" or "import".
        tool: The program that asked; `years` those that the search was limited to, as typed.
        file: Of an import: its name; "" of a search. `note` says how it was searched.
        source: Name; `label` that for people; `place` as in numbers.py.
        digest: Of the query that was asked.
        query: In metasearch's syntax; `sent` as the source received it.
        requests: As they were sent, without keys.
        date: When its pages were fetched, or the search by hand was done; "" where not known.
        cached: Whether that was before the run.
    """

    id: int
    run: int
    run_id: int
    mode: str
    tool: str
    years: str
    strategy: int
    strategy_name: str
    step: int
    typed: str
    file: str
    note: str
    source: str
    label: str
    place: str
    status: str
    error: str
    digest: str
    query: str
    sent: str
    requests: tuple[Mapping[str, Any], ...]
    claimed: int | None
    exact: bool
    fetched: int | None
    filtered: int | None
    unread: int | None
    date: str
    cached: bool
    notes: tuple[str, ...]

    @property
    def by_hand(self) -> bool:
        """Whether a person searched, and brought a file."""
        return self.mode == "import"

    @property
    def failed(self) -> bool:
        """Whether the source did not answer, or not to the end."""
        return self.status not in WHOLE and self.status != "running"

    @property
    def short(self) -> bool:
        """Whether the source says that it has more than it gave."""
        return (
            self.claimed is not None
            and self.fetched is not None
            and self.fetched + (self.filtered or 0) + (self.unread or 0) < self.claimed
        )

    @property
    def place_in_strategy(self) -> tuple[int, int, str]:
        """What a later answer to the same question has in common with it."""
        return self.strategy, self.step, self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedStep:
    """A line of a strategy, as typed."""

    strategy: int
    strategy_name: str
    number: int
    kind: str
    text: str
    syntax: str
    note: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedStrategy:
    """A strategy. `details`: what it was derived from, ..."""

    id: int
    name: str
    note: str
    years: str
    details: Mapping[str, Any]
    steps: tuple[TypedStep, ...]


def searched(db: Database, project: Project, since: int = 0) -> list[Searched]:
    """The answers of all runs that came after one, by its id; counts too. The oldest first."""
    rows = db.all(
        "SELECT answer.*, run.number AS run_number, run.mode, run.tool, run.options,"
        " step.number AS step_number, step.text AS typed, step.kind, step.details AS about,"
        " strategy.id AS strategy, strategy.name AS strategy_name, strategy.years AS years"
        " FROM run JOIN answer ON answer.run = run.id JOIN step ON step.id = answer.step"
        " JOIN strategy ON strategy.id = step.strategy"
        " WHERE run.project = ? AND run.id > ?"
        " ORDER BY run.number, strategy.id, step.number, answer.label, answer.source",
        project.id,
        since,
    )
    return [_searched(row) for row in rows]


def newest(answers: Iterable[Searched]) -> list[Searched]:
    """Of each step and source the newest answer: one that is whole where there is any, else one
    with a part of the records, else the failure. In the order of strategies, steps and labels.
    """
    chosen: dict[tuple[int, int, str], Searched] = {}
    for one in answers:
        old = chosen.get(one.place_in_strategy)
        if old is None or _rank(one) >= _rank(old):
            chosen[one.place_in_strategy] = one
    return sorted(
        chosen.values(),
        key=lambda one: (one.strategy, one.step, one.label.casefold(), one.source),
    )


def strategies(db: Database, project: Project) -> list[TypedStrategy]:
    """All strategies, with their steps."""
    lines: dict[int, list[TypedStep]] = {}
    for row in db.all(
        "SELECT step.*, strategy.name FROM step JOIN strategy ON strategy.id = step.strategy"
        " WHERE strategy.project = ? AND NOT step.removed ORDER BY strategy.id, step.number",
        project.id,
    ):
        lines.setdefault(row["strategy"], []).append(
            TypedStep(
                strategy=row["strategy"],
                strategy_name=row["name"],
                number=row["number"],
                kind=row["kind"],
                text=row["text"],
                syntax=row["syntax"],
                note=row["note"],
                details=_object(row["details"]),
            )
        )
    return [
        TypedStrategy(
            id=row["id"],
            name=row["name"],
            note=row["note"],
            years=row["years"],
            details=_object(row["details"]),
            steps=tuple(lines.get(row["id"], ())),
        )
        for row in db.all("SELECT * FROM strategy WHERE project = ? ORDER BY id", project.id)
    ]


def stale_steps(db: Database, project: Project, answers: Iterable[Searched]) -> list[str]:
    """The steps whose records are of another query than that of now: "main #3"."""
    asked = {
        (one.strategy, one.step): (one.strategy_name, one.digest)
        for one in answers
        if one.mode == "records" and one.fetched is not None
    }
    found = []
    for strategy in strategy_rows.of(db, project):
        known = resolve_all(steps.of(db, strategy))
        for (of, number), (name, digest) in asked.items():
            step = known.get(number)
            if of != strategy.id or step is None:
                continue  # a removed step is no part of the strategy any more
            if isinstance(step, UsageError) or Question.of(step, strategy.years).digest != digest:
                found.append(f"{name} #{number}")
    return found


def _rank(one: Searched) -> int:
    if one.mode != "counts" and one.fetched is None:
        return 0
    return 2 if one.status in WHOLE else 1


def _searched(row: sqlite3.Row) -> Searched:
    about, options = _object(row["about"]), _object(row["options"])
    by_hand = row["mode"] == "import"
    # What the run has noted is of this file; the step has that of the newest one.
    told: Mapping[str, Any] = {**about, **options} if by_hand else {}
    date = told.get("searched") or row["asked_at"] or ""
    return Searched(
        id=row["id"],
        run=row["run_number"],
        run_id=row["run"],
        mode=row["mode"],
        tool=row["tool"],
        years=str((told if by_hand else options).get("years") or ""),
        strategy=row["strategy"],
        strategy_name=row["strategy_name"],
        step=row["step_number"],
        typed=row["typed"],
        file=str(told.get("file") or ""),
        note=str(told.get("by_hand") or ""),
        source=row["source"],
        label=row["label"],
        place=row["place"],
        status=row["status"],
        error=row["error"],
        digest=row["digest"],
        query=row["query"],
        sent=row["sent"] or (row["typed"] if by_hand else ""),
        requests=tuple(one for one in _array(row["requests"]) if isinstance(one, Mapping)),
        claimed=row["claimed"],
        exact=bool(row["exact"]),
        fetched=row["fetched"],
        filtered=row["filtered"],
        unread=row["unread"],
        date=str(date),
        cached=bool(row["cached"]),
        notes=tuple(map(str, _array(row["notes"]))),
    )


def _object(text: str) -> Mapping[str, Any]:
    """An object of the store; {} for anything else, which an archive may have brought."""
    found = orjson.loads(text)
    return found if isinstance(found, dict) else {}


def _array(text: str) -> list[Any]:
    found = orjson.loads(text)
    return found if isinstance(found, list) else []
