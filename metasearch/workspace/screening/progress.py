"""How far a stage is that a team screens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from metasearch.workspace.projects import Project
from metasearch.workspace.screening import conflicts
from metasearch.workspace.screening.teams import Team, teams
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import listing
from metasearch.workspace.works.filters import WorksQuery
from metasearch.workspace.works.works import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenerProgress:
    """How far one screener is: works they have voted on, and works that wait for a vote of theirs.

    A work that has all the votes it needs waits for nobody.
    """

    by: str
    done: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a stage is.

    Attributes:
        team: Who screens it, and how.
        works: Works of the stage; in that of the whole text those that the first one let through,
            and those with a vote or decision.
        decided: Those on which the project has decided.
        conflicts: Those whose votes differ.
        votes: Number of votes -> works of the stage that have so many, of those that the project
            has not decided on without votes; None where the reader must not see it.
        screeners: Of each screener; of the reader alone where they screen blind.
    """

    team: Team
    works: int
    decided: int
    conflicts: int
    votes: Mapping[int, int] | None
    screeners: tuple[ScreenerProgress, ...]


def progress(db: Database, project: Project, reader: str | None = None) -> dict[Stage, Progress]:
    """Stage -> how far it is, of those that have or had a team.

    `reader`: uid of the user that it is shown to; None for all of it. Who screens a stage blind is
    told of nobody else's votes, not even how many there are.
    """
    found: dict[Stage, Progress] = {}
    for stage, team in teams(db, project).items():
        counts = listing.verdict_counts(db, project, stage)
        alone = reader is not None and team.blind and reader in team.screeners
        found[stage] = Progress(
            team=team,
            works=sum(counts.values()),
            decided=sum(counts.values()) - counts["undecided"],
            conflicts=conflicts.count(db, project, stage),
            votes=None if alone else _votes(db, project, stage, counts["undecided"]),
            screeners=_screeners(db, project, team, reader if alone else None),
        )
    return found


def _votes(db: Database, project: Project, stage: Stage, undecided: int) -> dict[int, int]:
    """Number of votes -> works; `undecided` is the number of works without a decision."""
    votes: Counter[int] = Counter()
    for row in db.all(
        "SELECT votes, decided, count(*) AS works FROM ("
        " SELECT count(*) AS votes, EXISTS (SELECT 1 FROM decision AS made"
        " WHERE made.work = vote.work AND made.stage = vote.stage AND made.by = '') AS decided"
        " FROM decision AS vote JOIN work ON work.id = vote.work"
        " WHERE work.project = ? AND vote.stage = ? AND vote.by <> '' GROUP BY vote.work)"
        " GROUP BY votes, decided",
        project.id,
        stage,
    ):
        votes[row["votes"]] += row["works"]
        undecided -= 0 if row["decided"] else row["works"]
    votes[0] = max(undecided, 0)
    return dict(sorted(votes.items()))


def _screeners(
    db: Database, project: Project, team: Team, only: str | None
) -> tuple[ScreenerProgress, ...]:
    """All who screen or have voted, or one of them."""
    done = {
        row["by"]: row["works"]
        for row in db.all(
            "SELECT decision.by, count(*) AS works FROM decision"
            " JOIN work ON work.id = decision.work WHERE work.project = ? AND decision.stage = ?"
            " AND decision.by <> '' GROUP BY decision.by",
            project.id,
            team.stage,
        )
    }
    return tuple(
        ScreenerProgress(
            by=by,
            done=done.get(by, 0),
            left=_left(db, project, team.stage, by) if by in team.screeners else 0,
        )
        for by in sorted({*team.screeners, *done} if only is None else {only})
    )


def _left(db: Database, project: Project, stage: Stage, by: str) -> int:
    query = WorksQuery(verdict="undecided", stage=stage, voter=by)
    return listing.count(db, project, query)
