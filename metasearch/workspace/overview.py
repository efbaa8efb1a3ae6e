"""How much a project holds, for lists of projects and its first page."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The numbers of a project.

    Attributes:
        strategies, steps: What is searched for; steps that were removed are not counted.
        runs: Of all kinds, also those that were stopped.
        records: Versions of records that were fetched or imported.
        works: After merging.
        undecided: Works without a decision on title and abstract.
        reports: Those that are frozen.
        last_run: When the newest run began; None where there is none.
    """

    strategies: int
    steps: int
    runs: int
    records: int
    works: int
    undecided: int
    reports: int
    last_run: str | None


def of(db: Database, project: Project) -> Overview:
    """The numbers of a project as they are now."""
    row = db.one(
        """
        SELECT
            (SELECT count(*) FROM strategy WHERE project = ?1) AS strategies,
            (SELECT count(*) FROM step JOIN strategy ON strategy.id = step.strategy
             WHERE strategy.project = ?1 AND NOT step.removed) AS steps,
            (SELECT count(*) FROM run WHERE project = ?1) AS runs,
            (SELECT count(*) FROM record WHERE project = ?1) AS records,
            (SELECT count(*) FROM work WHERE project = ?1) AS works,
            (SELECT count(DISTINCT work.id) FROM decision JOIN work ON work.id = decision.work
             WHERE work.project = ?1 AND decision.stage = 'title' AND decision.by = '') AS decided,
            (SELECT count(*) FROM report WHERE project = ?1) AS reports,
            (SELECT max(started) FROM run WHERE project = ?1) AS last_run
        """,
        project.id,
    )
    assert row is not None
    return Overview(
        strategies=row["strategies"],
        steps=row["steps"],
        runs=row["runs"],
        records=row["records"],
        works=row["works"],
        undecided=row["works"] - row["decided"],
        reports=row["reports"],
        last_run=row["last_run"],
    )
