"""Works whose screeners have voted differently, and how a conflict is resolved: somebody decides,
and the reason is kept. A resolution is for the votes that it was made of; a vote that changes
withdraws it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace import log
from metasearch.workspace.projects import Project
from metasearch.workspace.screening import teams, votes
from metasearch.workspace.screening.votes import Vote
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now
from metasearch.workspace.works import decisions, listing, works
from metasearch.workspace.works.decisions import Changed
from metasearch.workspace.works.filters import WorksQuery
from metasearch.workspace.works.works import Stage, Verdict, Work

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
    rows = sorted(listing.rows(db, project, query))
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
    return listing.count(db, project, WorksQuery(verdict="conflict", stage=stage))


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
