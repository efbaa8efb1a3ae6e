"""What the sources of a project are called: also databases that were searched by hand, and sources
that the configuration does not have any more.
"""

from __future__ import annotations

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database


def source_labels(db: Database, project: Project) -> dict[str, str]:
    """Name of a source -> its name for people, as the newest answer has it."""
    rows = db.all(
        "SELECT answer.source, answer.label FROM answer JOIN run ON run.id = answer.run"
        " WHERE run.project = ? ORDER BY answer.id",
        project.id,
    )
    return {row["source"]: row["label"] for row in rows}
