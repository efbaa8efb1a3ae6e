"""Votes of screeners, and what follows from them.

What the project has decided on a work with votes, while a team screens the stage, is a function of
its standing votes and of its resolution:

- a resolution for just these votes decides;
- else, where at least as many have voted as are needed and all agree, that is the decision;
- else there is none: too few have voted, or the work is a conflict.

Agreement: the same verdict. But where "close", "maybe" and "relevant" all mean that a work goes on,
in all projects but novelty searches, they agree, too, and the decision is "relevant". In the stage
of the whole text those who exclude a work must give the same reason, for reports count reasons; who
gives none agrees with any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from metasearch.message import Message, message
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.works.records import AT_ONCE, batches, in_marks
from metasearch.review.works.works import LONGEST_REASON, Stage, Verdict

#: [verdict, reason, at] of a decision, as the log has it; None for undecided.
Kept = list[str] | None


@dataclass(frozen=True, slots=True)
class Vote:
    """What one screener has decided on a work.

    Attributes:
        by: Uid of the screener.
        verdict: One of `VERDICTS`.
        reason: Why; "" where none is given.
        at: When.
    """

    by: str
    verdict: Verdict
    reason: str
    at: str


# --------------------------------------------------------------------------- what follows


def category(kind: str, verdict: Verdict) -> Verdict:
    """What a verdict counts as, in a project of a kind: two verdicts of one category agree."""
    return "relevant" if verdict in ("close", "maybe") and kind != "novelty" else verdict


def consensus(
    kind: str, stage: Stage, votes: Sequence[Vote], needed: int
) -> tuple[Verdict, str] | None:
    """(verdict, reason) that votes decide; None where they are too few, or differ. `votes`: all
    standing votes on the work, in any order. `needed`: how many there must be.
    """
    if len(votes) < needed or len({category(kind, vote.verdict) for vote in votes}) != 1:
        return None
    verdicts = {vote.verdict for vote in votes}
    verdict: Verdict = verdicts.pop() if len(verdicts) == 1 else "relevant"
    reasons = sorted({vote.reason for vote in votes if vote.reason})
    if stage == "fulltext" and verdict == "excluded" and len(reasons) > 1:
        return None
    return verdict, "; ".join(reasons)[:LONGEST_REASON]


def key_of(votes: Iterable[Vote]) -> str:
    """What names just these votes, whatever their order."""
    return orjson.dumps(sorted([vote.by, vote.verdict, vote.reason] for vote in votes)).decode()


def of_works(db: Database, rows: Iterable[int], stage: Stage) -> dict[int, list[Vote]]:
    """Row of a work -> its votes by the uids of the screeners, of those that have any."""
    found: dict[int, list[Vote]] = {}
    for some in batches(sorted(set(rows)), AT_ONCE):
        for row in db.all(
            "SELECT work, by, verdict, reason, at FROM decision"
            f" WHERE stage = ? AND by <> '' AND work IN ({in_marks(some)}) ORDER BY work, by",
            stage,
            *some,
        ):
            found.setdefault(row["work"], []).append(
                Vote(row["by"], row["verdict"], row["reason"], row["at"])
            )
    return found


def works_with_votes(db: Database, project: int, stage: Stage) -> list[int]:
    """The rows of all works that have a vote."""
    return [
        row[0]
        for row in db.all(
            "SELECT DISTINCT decision.work FROM decision JOIN work ON work.id = decision.work"
            " WHERE work.project = ? AND decision.stage = ? AND decision.by <> '' ORDER BY 1",
            project,
            stage,
        )
    ]


def refusals(
    db: Database, project: int, stage: Stage, voter: str, rows: Iterable[int]
) -> dict[int, Message]:
    """Row of a work -> why a decision cannot be kept, of those of which it cannot. `voter`: whose
    vote it is; "" for a decision of the project.
    """
    rule = _rule(db, project, stage)
    if rule is None:
        return {}
    needed = rule[0]
    rows = list(rows)
    votes = of_works(db, rows, stage)
    if not voter:
        why = message("screeners have voted on it")
        return {row: why for row in rows if row in votes}
    before = _decisions(db, rows, stage)
    found: dict[int, Message] = {}
    for row in rows:
        there = votes.get(row, [])
        if not there and row in before:
            found[row] = message("the project has decided on it without votes")
        elif len(there) >= needed and all(vote.by != voter for vote in there):
            found[row] = message("it has all the votes that it needs")
    return found


def full(db: Database, project: int, stage: Stage, rows: Iterable[int]) -> set[int]:
    """The works among some that have all the votes that they need: what is said of them may be
    seen. A stage without a team has none.
    """
    needed = db.value(
        "SELECT needed FROM screening WHERE project = ? AND stage = ?", project, stage
    )
    if needed is None:
        return set()
    return {row for row, votes in of_works(db, rows, stage).items() if len(votes) >= needed}


def open_works(db: Database, project: int, stage: Stage, rows: Iterable[int]) -> set[int]:
    """The works among some whose votes may be seen: those that have all votes that they need, and
    those that had them once, or whose votes were not blind. What was seen stays so.
    """
    rows = set(rows)
    blind = db.value("SELECT blind FROM screening WHERE project = ? AND stage = ?", project, stage)
    if blind is not None and not blind:
        return set(of_works(db, rows, stage)) | _read_open_works(db, stage, rows)
    return full(db, project, stage, rows) | _read_open_works(db, stage, rows)


def _read_open_works(db: Database, stage: Stage, rows: Iterable[int]) -> set[int]:
    return {
        row[0]
        for some in batches(sorted(set(rows)), AT_ONCE)
        for row in db.all(
            f"SELECT work FROM opened WHERE stage = ? AND work IN ({in_marks(some)})", stage, *some
        )
    }


def has_sealed_votes(db: Database, project: int, stage: Stage) -> bool:
    """Whether a work has votes that may not be seen yet."""
    rows = works_with_votes(db, project, stage)
    return len(open_works(db, project, stage, rows)) < len(rows)


def copy_openness(db: Database, work: int, others: Iterable[int]) -> None:
    """Let the votes on a work be open where those on others were that it is made of."""
    db.run_many(
        "INSERT OR IGNORE INTO opened (work, stage) SELECT ?, stage FROM opened WHERE work = ?",
        [(work, other) for other in others],
    )


def settle(
    db: Database, project: int, stage: Stage, rows: Iterable[int], *, had_votes: bool = False
) -> dict[int, tuple[Kept, Kept]]:
    """Write what follows from the votes on works, inside the transaction that has changed them.

    Works without votes are left as they are, and so is every work where no team screens the stage.
    `had_votes`: whether all of the works had votes until now, so that one without is undecided.
    Returns row of each work of which the decision of the project is another one now -> the decision
    before, and now.
    """
    rule = _rule(db, project, stage)
    if rule is None:
        return {}
    needed, kind, blind = rule
    rows = list(rows)
    votes = of_works(db, rows, stage)
    db.run_many(
        "INSERT OR IGNORE INTO opened (work, stage) VALUES (?, ?)",
        [(row, stage) for row, there in votes.items() if len(there) >= needed or not blind],
    )
    if had_votes:
        votes = {row: votes.get(row, []) for row in rows}
    before = _decisions(db, votes, stage)
    resolved = _resolutions(db, votes, stage)
    at = now()
    changed: dict[int, tuple[Kept, Kept]] = {}
    for row, there in votes.items():
        verdict = resolved.get(row, {}).get(key_of(there)) or consensus(kind, stage, there, needed)
        was = before.get(row)
        if (None if was is None else (was[0], was[1])) != verdict:
            changed[row] = (was, None if verdict is None else [*verdict, at])
    write(db, stage, "", {row: now_ for row, (_, now_) in changed.items()})
    return changed


def settle_all(db: Database, project: int, stage: Stage) -> dict[int, tuple[Kept, Kept]]:
    """`settle` for all works of a project that have votes."""
    return settle(db, project, stage, works_with_votes(db, project, stage))


def keep_decisions(db: Database, project: int, stage: Stage, by: str) -> None:
    """Let decisions stand that the votes do not lead to, where a team begins again: they become
    resolutions of these votes.
    """
    rule = _rule(db, project, stage)
    if rule is None:
        return
    needed, kind, _ = rule
    votes = of_works(db, works_with_votes(db, project, stage), stage)
    before = _decisions(db, votes, stage)
    at = now()
    db.run_many(
        _RESOLUTION,
        [
            (row, stage, key_of(there), was[0], was[1], by, at)
            for row, there in votes.items()
            if (was := before.get(row)) is not None
            and consensus(kind, stage, there, needed) != (was[0], was[1])
        ],
    )
    settle(db, project, stage, votes)


_RESOLUTION = (
    "INSERT OR REPLACE INTO resolution (work, stage, votes, verdict, reason, by, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def write(db: Database, stage: Stage, by: str, changed: Mapping[int, Kept]) -> None:
    """Write rows of `decision`: row of a work -> [verdict, reason, at], None to remove it."""
    db.run_many(
        "DELETE FROM decision WHERE work = ? AND stage = ? AND by = ?",
        [(row, stage, by) for row, kept in changed.items() if kept is None],
    )
    db.run_many(
        "INSERT OR REPLACE INTO decision (work, stage, by, verdict, reason, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(row, stage, by, *kept) for row, kept in changed.items() if kept is not None],
    )


def _rule(db: Database, project: int, stage: Stage) -> tuple[int, str, bool] | None:
    """(votes that are needed, kind of project, blind), while a team screens the stage."""
    row = db.one(
        "SELECT screening.needed, project.kind, screening.blind FROM screening"
        " JOIN project ON project.id = screening.project"
        " WHERE screening.project = ? AND screening.stage = ? AND screening.ended IS NULL",
        project,
        stage,
    )
    return None if row is None else (row["needed"], row["kind"], bool(row["blind"]))


def _decisions(db: Database, rows: Iterable[int], stage: Stage) -> dict[int, list[str]]:
    """Row of a work -> [verdict, reason, at] of the decision of the project, where there is one."""
    return {
        row["work"]: [row["verdict"], row["reason"], row["at"]]
        for some in batches(sorted(set(rows)), AT_ONCE)
        for row in db.all(
            "SELECT work, verdict, reason, at FROM decision"
            f" WHERE stage = ? AND by = '' AND work IN ({in_marks(some)})",
            stage,
            *some,
        )
    }


def _resolutions(
    db: Database, rows: Iterable[int], stage: Stage
) -> dict[int, dict[str, tuple[Verdict, str]]]:
    """Row of a work -> the votes that a resolution is for -> (verdict, reason)."""
    return {
        row["work"]: {row["votes"]: (row["verdict"], row["reason"])}
        for some in batches(sorted(set(rows)), AT_ONCE)
        for row in db.all(
            "SELECT work, votes, verdict, reason FROM resolution"
            f" WHERE stage = ? AND work IN ({in_marks(some)})",
            stage,
            *some,
        )
    }
