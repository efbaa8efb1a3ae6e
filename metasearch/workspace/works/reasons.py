"""The reasons for which works of a project were excluded so far."""

from __future__ import annotations

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.works import Stage

#: Reasons that are offered again.
MOST = 100


def reasons(db: Database, project: Project, stage: Stage, voter: str = "") -> list[str]:
    """A stage's reasons, the most frequent first: the project's, and one screener's."""
    rows = db.all(
        "SELECT decision.reason FROM decision JOIN work ON work.id = decision.work"
        " WHERE work.project = ? AND decision.stage = ? AND decision.verdict = 'excluded'"
        " AND decision.by IN ('', ?)"
        " AND decision.reason <> '' GROUP BY decision.reason"
        " ORDER BY count(*) DESC, decision.reason LIMIT ?",
        project.id,
        stage,
        voter,
        MOST,
    )
    return [row[0] for row in rows]
