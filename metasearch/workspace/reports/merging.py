"""How duplicates were recognised: a project's rules and pins, and how often each rule joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """How the works of a project were made.

    Attributes:
        strategy: Name of the strategy of deduplication.
        versions: What becomes of preprint and article: "separate" are a work each.
        pins: Pairs of records that a person has decided on.
        reasons: Name of a rule -> pairs of records that it joined, the most frequent first.
    """

    strategy: str
    versions: str
    pins: int
    reasons: Mapping[str, int]


def merging(db: Database, project: Project) -> Merging:
    """How it was done."""
    # As works/rules.py writes it: a shape, the strategy, what becomes of versions.
    rules = db.value("SELECT rules FROM works_made WHERE project = ?", project.id) or ""
    _, strategy, versions = (*rules.split(" "), "", "", "")[:3]
    reasons = db.all(
        # Bodies of works of one record are not read: nothing was joined.
        "SELECT json_extract(matches.value, '$.matcher') AS matcher, count(*) AS pairs"
        " FROM work_body JOIN json_each(CAST(work_body.hit AS TEXT), '$.matches') AS matches"
        " WHERE work_body.work IN (SELECT work FROM work_record JOIN work ON work.id = work"
        "  WHERE work.project = ? GROUP BY work HAVING count(*) > 1)"
        " AND json_extract(matches.value, '$.verdict') <> 'different'"
        " GROUP BY matcher ORDER BY pairs DESC, matcher",
        project.id,
    )
    return Merging(
        strategy=strategy or "default",
        versions=versions or "separate",
        pins=db.value("SELECT count(*) FROM pin WHERE project = ?", project.id),
        reasons={row["matcher"]: row["pairs"] for row in reasons},
    )
