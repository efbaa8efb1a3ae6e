"""What was searched for a novelty search: a row for each database and step (检索结果), with the
numbers of the related works that it found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from metasearch.workspace.projects import Project
from metasearch.workspace.reports.novelty.related import Related
from metasearch.workspace.reports.searched import (
    Searched,
    TypedStrategy,
    newest,
    searched,
    stale_steps,
    strategies,
)
from metasearch.workspace.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One database, searched for one step.

    `said`: what it said: its newest whole answer, else one in part, else the failure. `related`:
    works found by it that are closely or generally related; of them `close` closely.
    """

    said: Searched
    related: int
    close: int

    @property
    def hits(self) -> int | None:
        """命中篇数: what the database says, else what was obtained; None where it failed."""
        if self.failed:
            return None
        return self.said.fetched if self.said.claimed is None else self.said.claimed

    @property
    def failed(self) -> bool:
        """Whether no record of it was obtained because something went wrong."""
        return self.said.fetched is None

    @property
    def sent(self) -> str:
        """检索式, as the database received it, or as it was typed there."""
        said = self.said
        return said.typed if said.by_hand else said.sent or said.query

    @property
    def day(self) -> str:
        """When it was searched, "2026-11-23"; "" where that is not known."""
        return self.said.date[:10]

    @property
    def notes(self) -> tuple[str, ...]:
        """How it was searched by hand, and what of the query the database could not express."""
        return tuple(filter(None, (self.said.note, *self.said.notes)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """All that was searched.

    Attributes:
        rows: In the order of strategies, steps and databases.
        stale: Steps that ask for something else now than when they were run: "main #3".
        works: Works that the rows found, each once.
        undecided: Those of them on which nobody has decided.
        found: Id of a related work -> the rows that found it.
    """

    strategies: tuple[TypedStrategy, ...]
    rows: tuple[Search, ...]
    stale: tuple[str, ...]
    works: int
    undecided: int
    found: Mapping[int, tuple[Search, ...]]

    @property
    def records(self) -> int:
        """Records that were obtained, before duplicates were joined."""
        return sum(row.said.fetched or 0 for row in self.rows)

    @property
    def tools(self) -> tuple[str, ...]:
        """Programs that ran the searches."""
        return tuple(sorted({row.said.tool for row in self.rows}))


def searches(db: Database, project: Project, related: Iterable[Related]) -> Searches:
    """Collect them. Numbers of hits alone, and steps that were removed, are left out."""
    kept = {
        (row["strategy"], row["number"])
        for row in db.all(
            "SELECT step.strategy, step.number FROM step JOIN strategy"
            " ON strategy.id = step.strategy WHERE strategy.project = ? AND NOT step.removed",
            project.id,
        )
    }
    said = newest(
        one
        for one in searched(db, project)
        if one.mode != "counts" and one.status != "running" and (one.strategy, one.step) in kept
    )
    works = {one.id: _works(db, one.id) for one in said}
    rows = tuple(
        Search(
            said=one,
            related=sum(each.work in works[one.id] for each in related),
            close=sum(each.work in works[one.id] for each in related if each.close),
        )
        for one in said
    )
    every = set().union(*works.values())
    return Searches(
        strategies=tuple(strategies(db, project)),
        rows=rows,
        stale=tuple(stale_steps(db, project, said)),
        works=len(every),
        undecided=len(every - _decided(db, project)),
        found={
            each.work: tuple(row for row in rows if each.work in works[row.said.id])
            for each in related
        },
    )


def _works(db: Database, answer: int) -> Collection[int]:
    """Ids of the works that an answer found."""
    rows = db.rows(
        "SELECT DISTINCT work_record.work FROM finding"
        " JOIN work_record ON work_record.record = finding.record WHERE finding.answer = ?",
        answer,
    )
    return {row[0] for row in rows}


def _decided(db: Database, project: Project) -> set[int]:
    rows = db.rows(
        "SELECT DISTINCT decision.work FROM decision JOIN work ON work.id = decision.work"
        " WHERE work.project = ? AND decision.by = ''",
        project.id,
    )
    return {row[0] for row in rows}
