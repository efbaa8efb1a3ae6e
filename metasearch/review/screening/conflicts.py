"""Works whose screeners have voted differently, and how a conflict is resolved: somebody decides,
and the reason is kept. A resolution is for the votes that it was made of; a vote that changes
withdraws it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import log
from metasearch.review.projects.projects import Project
from metasearch.review.screening import teams, votes
from metasearch.review.screening.teams import Team
from metasearch.review.screening.teams import teams as all_teams
from metasearch.review.screening.votes import Vote
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.works import decisions, lists, works
from metasearch.review.works.decisions import Changed
from metasearch.review.works.filters import WorksQuery
from metasearch.review.works.works import Stage, Verdict, Work

#: Action of the log.
RESOLVE = "resolve conflicts"
#: Conflicts that are read at once.
MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A work whose votes differ. `votes`: all of them, by the uids of the screeners. `notes`:
    screener -> the note that they have written for themselves.
    """

    work: Work
    votes: tuple[Vote, ...]
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """A part of the list of conflicts; `total` is the number of all."""

    total: int
    conflicts: tuple[Conflict, ...]


def conflicts(
    db: Database, project: Project, stage: Stage, *, start: int = 0, count: int = 20
) -> Conflicts:
    """The conflicts of a stage, the oldest works first. Raises UsageError: `start` or `count` is no
    place of a list.
    """
    query = WorksQuery(verdict="conflict", stage=stage, count=min(count, MOST))
    rows = sorted(lists.rows(db, project, query))
    some = rows[max(start, 0) : max(start, 0) + query.count]
    there = votes.of_works(db, some, stage)
    return Conflicts(
        len(rows),
        tuple(
            Conflict(
                work=work,
                votes=tuple(there[work.id]),
                notes={
                    row["by"]: row["text"]
                    for row in db.all(
                        "SELECT by, text FROM note WHERE work = ? AND by <> ''", work.id
                    )
                },
            )
            for work in works.read(db, some)
        ),
    )


def count(db: Database, project: Project, stage: Stage) -> int:
    """How many works of a stage are conflicts."""
    return lists.count(db, project, WorksQuery(verdict="conflict", stage=stage))


def resolve(
    db: Database,
    project: Project,
    uids: Sequence[str],
    verdict: Verdict | None,
    *,
    stage: Stage = "title",
    reason: str = "",
    owner: bool = True,
    by: str = "",
) -> Changed:
    """Decide on works whose votes differ.

    `verdict`: None takes a resolution back. `owner`: whether `by` may resolve any conflict; else
    only one in which they have not voted, as a screener of the stage. Raises UsageError: a value
    cannot be used, or a work is no conflict or none for `by`.
    """
    decisions.check_verdict(verdict, stage, reason)
    text = " ".join(reason.split())
    with db.transaction():
        if teams.team(db, project, stage) is None:
            raise UsageError(
                message("No team screens the stage {stage}", stage=stage),
                advice=message("Decide on the works directly."),
            )
        rows = works.rows_of(db, project, uids)
        there = votes.of_works(db, rows, stage)
        _check(db, project, stage, rows, there, by, owner=owner)
        at = now()
        wanted = None if verdict is None else [verdict, text]
        before = resolutions(db, rows, stage)
        now_ = {
            row: None if wanted is None else [votes.key_of(there[row]), *wanted, by, at]
            for row in rows
            if (before[row][1:3] if row in before else None) != wanted
        }
        return write(db, project, stage, now_, unchanged=len(rows) - len(now_), by=by)


def _check(
    db: Database,
    project: Project,
    stage: Stage,
    rows: Sequence[int],
    there: Mapping[int, Sequence[Vote]],
    by: str,
    *,
    owner: bool,
) -> None:
    full = votes.full(db, project.id, stage, rows)
    agreed = [
        row
        for row in rows
        if row not in full
        or votes.consensus(project.kind, stage, there[row], len(there[row])) is not None
    ]
    if agreed:
        name = decisions.uids_of(db, agreed[:1])[agreed[0]]
        raise UsageError(
            message("The votes on {uid} are no conflict", uid=name),
            advice=message("A conflict has all the votes that it needs, and they differ."),
        )
    if owner:
        return
    own = [row for row in rows if any(vote.by == by for vote in there[row])]
    if own or not teams.voter(db, project, stage, by):
        raise UsageError(
            message("A conflict is resolved by the owner of the project, or by another screener"),
            advice=message("You can change your own vote."),
        )


#: [votes, verdict, reason, by, at] of a resolution; None where there is none.
Kept = list[str] | None


def resolutions(db: Database, rows: Sequence[int], stage: Stage) -> dict[int, list[str]]:
    """Row of a work -> its resolution, where it has one for the votes of now."""
    there = votes.of_works(db, rows, stage)
    found: dict[int, list[str]] = {}
    for row, some in there.items():
        kept = db.one(
            "SELECT votes, verdict, reason, by, at FROM resolution WHERE work = ? AND stage = ?",
            row,
            stage,
        )
        if kept is not None and kept["votes"] == votes.key_of(some):
            found[row] = list(kept)
    return found


def write(
    db: Database,
    project: Project,
    stage: Stage,
    changed: Mapping[int, Kept],
    *,
    unchanged: int = 0,
    by: str = "",
) -> Changed:
    """Write or remove resolutions, and what follows, inside a transaction."""
    if not changed:
        return Changed(0, unchanged, None)
    before = resolutions(db, list(changed), stage)
    db.run_many(
        "DELETE FROM resolution WHERE work = ? AND stage = ?", [(row, stage) for row in changed]
    )
    db.run_many(
        "INSERT INTO resolution (work, stage, votes, verdict, reason, by, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(row, stage, *kept) for row, kept in changed.items() if kept is not None],
    )
    votes.settle(db, project.id, stage, changed)
    names = decisions.uids_of(db, changed)
    line = log.write(
        db,
        project.id,
        RESOLVE,
        f"work:{next(iter(names.values()))}" if len(names) == 1 else "works",
        {"stage": stage, "works": {names[row]: before.get(row) for row in changed}},
        {"stage": stage, "works": {names[row]: changed[row] for row in changed}},
        by=by,
    )
    return Changed(len(changed), unchanged, line)


# How far a stage is that a team screens.


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
    for stage, team in all_teams(db, project).items():
        counts = lists.verdict_counts(db, project, stage)
        alone = reader is not None and team.blind and reader in team.screeners
        found[stage] = Progress(
            team=team,
            works=sum(counts.values()),
            decided=sum(counts.values()) - counts["undecided"],
            conflicts=count(db, project, stage),
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
    return lists.count(db, project, query)
