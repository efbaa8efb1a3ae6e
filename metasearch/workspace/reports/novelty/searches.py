"""What was searched for a novelty search: a row for each database and step (检索结果).

Of each step and source the newest answer with records counts: one that was whole, else one in part,
else the failure is told. What a person searched by hand is there with its file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from metasearch.workspace.projects import Project
from metasearch.workspace.reports.novelty.related import Related
from metasearch.workspace.store.database import Database

#: Answers that have all records that were wanted.
_WHOLE = frozenset(("ok", "empty"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A line of a strategy, as typed."""

    strategy: str
    number: int
    text: str
    syntax: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One database, searched for one step.

    Attributes:
        answer: Id of the answer that counts.
        strategy: Name of the strategy; `step` is the number in it, `typed` its text.
        source: Name of the source; `label` that for people.
        by_hand: Whether a person searched it and brought a file.
        file: Its name; "" of a search by machine.
        years: As typed; "" for no limit.
        sent: The query as the database received it, or as it was typed there.
        date: The day on which its pages were fetched, "2026-11-23"; "" where none was.
        status: Of `metasearch.events.Status`.
        error: Why it failed; "" where it did not.
        notes: What of the query the database could not express.
        stale: Whether the step was edited since.
        claimed: Hits that the database says it has; None where it says nothing.
        exact: Whether that number is of the whole query.
        fetched: Records that were obtained; None where it failed.
        related: Works found by it that are closely or generally related; of them `close` closely.
    """

    answer: int
    strategy: str
    step: int
    typed: str
    source: str
    label: str
    by_hand: bool
    file: str
    years: str
    sent: str
    date: str
    status: str
    error: str
    notes: tuple[str, ...]
    stale: bool
    claimed: int | None
    exact: bool
    fetched: int | None
    related: int = 0
    close: int = 0

    @property
    def hits(self) -> int | None:
        """命中篇数: what the database says, else what was obtained."""
        return self.fetched if self.claimed is None else self.claimed

    @property
    def failed(self) -> bool:
        """Whether no record of it was obtained because something went wrong."""
        return self.fetched is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """All that was searched.

    Attributes:
        steps: Of all strategies, in order.
        rows: In the order of strategies, steps and databases.
        works: Works that the rows found, each once.
        undecided: Those of them on which nobody has decided.
        found: Id of a related work -> the rows that found it.
        tools: Programs that ran the searches.
    """

    steps: tuple[Step, ...]
    rows: tuple[Search, ...]
    works: int
    undecided: int
    found: Mapping[int, tuple[Search, ...]] = field(default_factory=dict)
    tools: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        """Records that were obtained, before duplicates were joined."""
        return sum(row.fetched or 0 for row in self.rows)


def searches(db: Database, project: Project, related: Iterable[Related]) -> Searches:
    """Collect them, with the numbers of the related works that each found."""
    chosen: dict[tuple[int, str], sqlite3.Row] = {}
    for row in db.all(
        "SELECT answer.*, step.number, step.text, step.kind, step.details AS about, step.edited,"
        " strategy.id AS strategy, strategy.name AS strategy_name, strategy.years AS years,"
        " run.options, run.tool, run.started"
        " FROM answer JOIN run ON run.id = answer.run JOIN step ON step.id = answer.step"
        " JOIN strategy ON strategy.id = step.strategy"
        " WHERE run.project = ? AND run.mode <> 'counts' AND NOT step.removed"
        " AND answer.status <> 'running' ORDER BY run.number",
        project.id,
    ):
        place = (row["step"], row["source"])
        if place not in chosen or _rank(row) >= _rank(chosen[place]):
            chosen[place] = row
    ordered = sorted(
        chosen.values(),
        key=lambda row: (row["strategy"], row["number"], row["label"], row["source"]),
    )
    found = _found(db, ordered, related)
    rows = {
        row["id"]: _search(row, [one for one in related if row["id"] in found[one.work]])
        for row in ordered
    }
    works, undecided = _works(db, project, list(rows))
    return Searches(
        steps=_steps(db, project),
        rows=tuple(rows.values()),
        works=works,
        undecided=undecided,
        found={
            work: tuple(row for row in rows.values() if row.answer in answers)
            for work, answers in found.items()
        },
        tools=tuple(sorted({row["tool"] for row in ordered})),
    )


def _rank(row: sqlite3.Row) -> int:
    """Whole answers before those in part, and these before failures."""
    return 0 if row["fetched"] is None else 2 if row["status"] in _WHOLE else 1


def _search(row: sqlite3.Row, related: list[Related]) -> Search:
    about: Mapping[str, Any] = orjson.loads(row["about"])
    options: Mapping[str, Any] = orjson.loads(row["options"])
    by_hand = row["kind"] == "import"
    years = about.get("years") if by_hand else options.get("years") or row["years"]
    moment = (about.get("searched") if by_hand else "") or row["asked_at"] or ""
    return Search(
        answer=row["id"],
        strategy=row["strategy_name"],
        step=row["number"],
        typed=row["text"],
        source=row["source"],
        label=row["label"],
        by_hand=by_hand,
        file=str(about.get("file") or "") if by_hand else "",
        years=str(years or ""),
        sent=str(about.get("query") or row["text"]) if by_hand else row["sent"] or row["query"],
        date=str(moment)[:10],
        status=row["status"],
        error=row["error"],
        notes=tuple(orjson.loads(row["notes"])),
        stale=not by_hand and row["edited"] > row["started"],
        claimed=row["claimed"],
        exact=bool(row["exact"]),
        fetched=row["fetched"],
        related=len(related),
        close=sum(one.close for one in related),
    )


def _steps(db: Database, project: Project) -> tuple[Step, ...]:
    return tuple(
        Step(
            strategy=row["name"],
            number=row["number"],
            text=row["text"],
            syntax=row["syntax"],
            note=row["note"],
        )
        for row in db.all(
            "SELECT strategy.name, step.* FROM step JOIN strategy ON strategy.id = step.strategy"
            " WHERE strategy.project = ? AND NOT step.removed AND step.kind <> 'import'"
            " ORDER BY strategy.id, step.number",
            project.id,
        )
    )


def _found(
    db: Database, rows: Iterable[sqlite3.Row], related: Iterable[Related]
) -> dict[int, set[int]]:
    """Id of a related work -> ids of the answers, of these rows, that found it."""
    answers = {row["id"] for row in rows}
    found: dict[int, set[int]] = {one.work: set() for one in related}
    for work, its in found.items():
        for row in db.all(
            "SELECT DISTINCT finding.answer FROM work_record"
            " JOIN finding ON finding.record = work_record.record WHERE work_record.work = ?",
            work,
        ):
            if row[0] in answers:
                its.add(row[0])
    return found


def _works(db: Database, project: Project, answers: list[int]) -> tuple[int, int]:
    """How many works these answers found, and on how many of them nobody has decided."""
    works: set[int] = set()
    for answer in answers:
        works.update(
            row[0]
            for row in db.rows(
                "SELECT DISTINCT work_record.work FROM finding"
                " JOIN work_record ON work_record.record = finding.record WHERE finding.answer = ?",
                answer,
            )
        )
    decided = {
        row[0]
        for row in db.rows(
            "SELECT work FROM decision JOIN work ON work.id = decision.work WHERE work.project = ?",
            project.id,
        )
    }
    return len(works), len(works - decided)
