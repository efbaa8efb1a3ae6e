"""Works whose screeners have voted differently, and how a conflict is resolved: somebody decides,
and the reason is kept. A resolution is for the votes that it was made of; a vote that changes
withdraws it. And how far two screeners agree, beyond chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import log
from metasearch.review.projects.projects import Project
from metasearch.review.screening import teams, votes
from metasearch.review.screening.sight import whose
from metasearch.review.screening.teams import Team
from metasearch.review.screening.teams import teams as all_teams
from metasearch.review.screening.votes import Vote
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.works import decisions, lists, works
from metasearch.review.works.decisions import ChangeResult
from metasearch.review.works.decisions_file import IMPORT
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.works import VERDICTS, Stage, Verdict, Work, rows_by_name

#: Action of the log.
RESOLVE = "resolve conflicts"
#: Conflicts that are read at once.
MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteConflict:
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
    conflicts: tuple[VoteConflict, ...]


def conflicts(project: Project, stage: Stage, *, start: int = 0, count: int = 20) -> Conflicts:
    """The conflicts of a stage, the oldest works first. Raises UsageError: `start` or `count` is no
    place of a list.
    """
    query = WorksQuery(verdict="conflict", stage=stage, count=min(count, MOST))
    rows = sorted(lists.rows(project, query))
    some = rows[max(start, 0) : max(start, 0) + query.count]
    there = votes.of_works(project.db, some, stage)
    return Conflicts(
        len(rows),
        tuple(
            VoteConflict(
                work=work,
                votes=tuple(there[work.id]),
                notes={
                    row["by"]: row["text"]
                    for row in project.db.all(
                        "SELECT by, text FROM note WHERE work = ? AND by <> ''", work.id
                    )
                },
            )
            for work in works.read(project.db, some)
        ),
    )


def count(project: Project, stage: Stage) -> int:
    return lists.count(project, WorksQuery(verdict="conflict", stage=stage))


def resolve(
    project: Project,
    uids: Sequence[str],
    verdict: Verdict | None,
    *,
    stage: Stage = "title",
    reason: str = "",
    owner: bool = True,
) -> ChangeResult:
    """Decide on works whose votes differ.

    `verdict`: None takes a resolution back. `owner`: whether who acts may resolve any conflict;
    else only one in which they have not voted, as a screener of the stage. Raises UsageError: a
    value cannot be used, or a work is no conflict or none for who acts.
    """
    decisions.check_verdict(project.kind, verdict, stage, reason)
    text = " ".join(reason.split())
    with project.db.transaction():
        if teams.team(project, stage) is None:
            raise UsageError(
                message("No team screens the stage {stage}", stage=stage),
                advice=message("Decide on the works directly."),
            )
        rows = works.rows_of(project, uids)
        there = votes.of_works(project.db, rows, stage)
        _check(project, stage, rows, there, owner=owner)
        at = now()
        wanted = None if verdict is None else [verdict, text]
        before = resolutions(project.db, rows, stage)
        now_ = {
            row: None if wanted is None else [votes.key_of(there[row]), *wanted, project.by, at]
            for row in rows
            if (before[row][1:3] if row in before else None) != wanted
        }
        return write(project, stage, now_, unchanged=len(rows) - len(now_))


def _check(
    project: Project,
    stage: Stage,
    rows: Sequence[int],
    there: Mapping[int, Sequence[Vote]],
    *,
    owner: bool,
) -> None:
    full = votes.full(project.db, project.id, stage, rows)
    agreed = [
        row
        for row in rows
        if row not in full
        or votes.consensus(project.kind, stage, there[row], len(there[row])) is not None
    ]
    if agreed:
        name = decisions.uids_of(project.db, agreed[:1])[agreed[0]]
        raise UsageError(
            message("The votes on {uid} are no conflict", uid=name),
            advice=message("A conflict has all the votes that it needs, and they differ."),
        )
    if owner:
        return
    own = [row for row in rows if any(vote.by == project.by for vote in there[row])]
    if own or not teams.voter(project, stage):
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
    project: Project, stage: Stage, changed: Mapping[int, Kept], *, unchanged: int = 0
) -> ChangeResult:
    """Write or remove resolutions, and what follows, inside a transaction."""
    if not changed:
        return ChangeResult(0, unchanged, None)
    before = resolutions(project.db, list(changed), stage)
    project.db.run_many(
        "DELETE FROM resolution WHERE work = ? AND stage = ?", [(row, stage) for row in changed]
    )
    project.db.run_many(
        "INSERT INTO resolution (work, stage, votes, verdict, reason, by, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(row, stage, *kept) for row, kept in changed.items() if kept is not None],
    )
    votes.settle(project.db, project.id, stage, changed)
    names = decisions.uids_of(project.db, changed)
    line = project.log(
        RESOLVE,
        f"work:{next(iter(names.values()))}" if len(names) == 1 else "works",
        {"stage": stage, "works": {names[row]: before.get(row) for row in changed}},
        {"stage": stage, "works": {names[row]: changed[row] for row in changed}},
    )
    return ChangeResult(len(changed), unchanged, line)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenerProgress:
    """How far one screener is: works they have voted on, and works that wait for a vote of theirs.

    A work that has all the votes it needs waits for nobody.
    """

    by: str
    done: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StageProgress:
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


def progress(project: Project, reader: str | None = None) -> dict[Stage, StageProgress]:
    """Stage -> how far it is, of those that have or had a team.

    `reader`: uid of the user that it is shown to; None for all of it. Who screens a stage blind is
    told of nobody else's votes, not even how many there are.
    """
    found: dict[Stage, StageProgress] = {}
    for stage, team in all_teams(project).items():
        counts = lists.verdict_counts(project, stage)
        alone = reader is not None and team.blind and reader in team.screeners
        found[stage] = StageProgress(
            team=team,
            works=sum(counts.values()),
            decided=sum(counts.values()) - counts["undecided"],
            conflicts=count(project, stage),
            votes=None if alone else _votes(project, stage, counts["undecided"]),
            screeners=_screeners(project, team, reader if alone else None),
        )
    return found


def _votes(project: Project, stage: Stage, undecided: int) -> dict[int, int]:
    """Number of votes -> works; `undecided` is the number of works without a decision."""
    votes: Counter[int] = Counter()
    for row in project.db.all(
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


def _screeners(project: Project, team: Team, only: str | None) -> tuple[ScreenerProgress, ...]:
    """All who screen or have voted, or one of them."""
    done = {
        row["by"]: row["works"]
        for row in project.db.all(
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
            left=_open_works(project.as_user(by), team.stage) if by in team.screeners else 0,
        )
        for by in sorted({*team.screeners, *done} if only is None else {only})
    )


def _open_works(project: Project, stage: Stage) -> int:
    query = WorksQuery(verdict="undecided", stage=stage, voter=project.by)
    return lists.count(project, query)


# How far screeners agree beyond chance: Cohen's kappa of each pair.
#
#     Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
#     Measurement 20, 37-46.
#
#     Fleiss, J. L., Cohen, J., Everitt, B. S. (1969). Large sample standard errors of kappa and
#     weighted kappa. Psychological Bulletin 72, 323-327.
#
# Votes count as they were before their screener could see those of others: a vote that was changed
# when the votes on the work were open counts as it was, and one that was first given then is left
# out; so is the second one of a stage that is not blind. Works that lack votes are left out, too.

#: The 97.5 % point of the normal distribution, for intervals of 95 %.
_POINT = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """The agreement of two raters.

    Attributes:
        n: Works that both have rated.
        agreed: Works that both have rated the same.
        observed: `agreed` / `n`; None where there is none.
        expected: What chance alone would give, by how often each used each category; None where
            `n` is 0.
        kappa: (observed - expected) / (1 - expected); None where it is undefined.
        low, high: Its interval of 95 %, by the large-sample standard error, within -1 and 1; None
            where kappa is undefined.
        undefined: Why there is no kappa: "no works", or "one category", where both have put all
            works into the same one, and chance alone explains all of it. "" where there is one.
    """

    n: int
    agreed: int
    observed: float | None
    expected: float | None
    kappa: float | None
    low: float | None
    high: float | None
    undefined: Literal["", "no works", "one category"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two screeners, by their uids, and how far they agree."""

    first: str
    second: str
    kappa: Kappa


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far the screeners of a stage agree.

    Attributes:
        stage: One of `STAGES`.
        blind: Whether nobody saw a vote of another before the work had all votes.
        needed: How many votes a work needs.
        works: Works that have all of them.
        independent: Works among them with two or more votes whose screeners had seen no other.
        agreed: Those on which all these votes are of one category.
        pairs: Of the screeners, by their uids.
    """

    stage: Stage
    blind: bool
    needed: int
    works: int
    independent: int
    agreed: int
    pairs: tuple[Pair, ...]


def cohen(pairs: Iterable[tuple[str, str]]) -> Kappa:
    """Cohen's kappa of the categories that two raters have given to the same things."""
    cells = Counter(pairs)
    n = cells.total()
    if not n:
        return Kappa(
            n=0, agreed=0, observed=None, expected=None, kappa=None, low=None, high=None,
            undefined="no works",
        )  # fmt: skip
    agreed = sum(count for (a, b), count in cells.items() if a == b)
    names = sorted({name for pair in cells for name in pair})
    rows = {name: sum(c for (a, _), c in cells.items() if a == name) / n for name in names}
    columns = {name: sum(c for (_, b), c in cells.items() if b == name) / n for name in names}
    observed = agreed / n
    if len(names) == 1:
        return Kappa(
            n=n, agreed=agreed, observed=observed, expected=1.0, kappa=None, low=None, high=None,
            undefined="one category",
        )  # fmt: skip
    expected = sum(rows[name] * columns[name] for name in names)
    kappa = (observed - expected) / (1 - expected)
    spread = _POINT * _error(cells, n, rows, columns, expected, kappa)
    return Kappa(
        n=n,
        agreed=agreed,
        observed=observed,
        expected=expected,
        kappa=kappa,
        low=max(-1.0, kappa - spread),
        high=min(1.0, kappa + spread),
        undefined="",
    )


def _error(
    cells: Counter[tuple[str, str]],
    n: int,
    rows: Mapping[str, float],
    columns: Mapping[str, float],
    expected: float,
    kappa: float,
) -> float:
    """The large-sample standard error of kappa, of Fleiss, Cohen and Everitt (1969)."""
    same = sum(
        count / n * (1 - (rows[a] + columns[a]) * (1 - kappa)) ** 2
        for (a, b), count in cells.items()
        if a == b
    )
    other = (1 - kappa) ** 2 * sum(
        count / n * (columns[a] + rows[b]) ** 2 for (a, b), count in cells.items() if a != b
    )
    variance = same + other - (kappa - expected * (1 - kappa)) ** 2
    return math.sqrt(max(variance, 0.0) / n) / (1 - expected)


def agreement(project: Project) -> dict[Stage, Agreement]:
    """Stage -> how far its screeners agree, of the stages that have or had a team."""
    found: dict[Stage, Agreement] = {}
    for stage, team in all_teams(project).items():
        of = _independent(project, stage)
        people = sorted({by for given in of.values() for by in given})
        found[stage] = Agreement(
            stage=stage,
            blind=team.blind,
            needed=team.needed,
            works=len(of),
            independent=sum(len(given) > 1 for given in of.values()),
            agreed=sum(len(given) > 1 == len(set(given.values())) for given in of.values()),
            pairs=tuple(
                Pair(
                    first=first,
                    second=second,
                    kappa=cohen(
                        (given[first], given[second])
                        for given in of.values()
                        if first in given and second in given
                    ),
                )
                for first, second in combinations(people, 2)
            ),
        )
    return found


def _independent(project: Project, stage: Stage) -> dict[int, dict[str, str]]:
    """Row of a work with all its votes -> screener -> category of their independent vote."""
    there = votes.of_works(project.db, votes.works_with_votes(project.db, project.id, stage), stage)
    full = votes.full(project.db, project.id, stage, there)
    found: dict[int, dict[str, str]] = {
        row: {vote.by: votes.category(project.kind, vote.verdict) for vote in some}
        for row, some in there.items()
        if row in full
    }
    for (row, by), verdict in _first(project, stage).items():
        if by not in found.get(row, {}):
            continue
        if verdict is None:
            del found[row][by]
        else:
            found[row][by] = votes.category(project.kind, verdict)
    return found


def _first(project: Project, stage: Stage) -> dict[tuple[int, str], Verdict | None]:
    """(row of a work, screener) -> the vote before its first change with open votes; None where the
    first one was given then.
    """
    found: dict[tuple[str, str], Verdict | None] = {}
    for row in project.db.rows(
        "SELECT id FROM change WHERE project = ? AND action IN (?, ?)"
        """ AND instr(after, '"seen":["') ORDER BY id""",
        project.id,
        decisions.MARK,
        IMPORT,
    ):
        change = log.find(project.db, project.id, row["id"])
        if change is None or not (by := whose(change)) or change.after["stage"] != stage:
            continue
        for uid in change.after["seen"]:
            if isinstance(uid, str):
                found.setdefault((uid, by), _verdict(change.before, uid))
    rows = rows_by_name(project.db, project.id, list({uid for uid, _ in found}))
    first: dict[tuple[int, str], Verdict | None] = {}
    for (uid, by), verdict in found.items():
        if uid in rows:
            first.setdefault((rows[uid], by), verdict)
    return first


def _verdict(before: Any, uid: str) -> Verdict | None:
    """What a line of the log says that a vote was; lines of an archive may be anything."""
    works = before.get("works") if isinstance(before, Mapping) else None
    kept = works.get(uid) if isinstance(works, Mapping) else None
    if not isinstance(kept, list) or not kept or kept[0] not in VERDICTS:
        return None
    verdict: Verdict = kept[0]
    return verdict
