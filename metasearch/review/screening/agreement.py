"""How far screeners agree beyond chance: Cohen's kappa of each pair.

    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20, 37-46.

    Fleiss, J. L., Cohen, J., Everitt, B. S. (1969). Large sample standard errors of kappa and
    weighted kappa. Psychological Bulletin 72, 323-327.

Votes count as they were before their screener could see those of others: a vote that was changed
when the votes on the work were open counts as it was, and one that was first given then is left
out; so is the second one of a stage that is not blind. Works that lack votes are left out, too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from metasearch.review.projects import log
from metasearch.review.projects.projects import Project
from metasearch.review.screening import votes
from metasearch.review.screening.sight import whose
from metasearch.review.screening.teams import teams
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from metasearch.review.works.decisions_file import IMPORT
from metasearch.review.works.works import VERDICTS, Stage, Verdict, rows_named

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


def agreement(db: Database, project: Project) -> dict[Stage, Agreement]:
    """Stage -> how far its screeners agree, of the stages that have or had a team."""
    found: dict[Stage, Agreement] = {}
    for stage, team in teams(db, project).items():
        of = _independent(db, project, stage)
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


def _independent(db: Database, project: Project, stage: Stage) -> dict[int, dict[str, str]]:
    """Row of a work with all its votes -> screener -> category of their independent vote."""
    there = votes.of_works(db, votes.voted(db, project.id, stage), stage)
    full = votes.full(db, project.id, stage, there)
    found: dict[int, dict[str, str]] = {
        row: {vote.by: votes.category(project.kind, vote.verdict) for vote in some}
        for row, some in there.items()
        if row in full
    }
    for (row, by), verdict in _first(db, project, stage).items():
        if by not in found.get(row, {}):
            continue
        if verdict is None:
            del found[row][by]
        else:
            found[row][by] = votes.category(project.kind, verdict)
    return found


def _first(db: Database, project: Project, stage: Stage) -> dict[tuple[int, str], Verdict | None]:
    """(row of a work, screener) -> the vote before its first change with open votes; None where the
    first one was given then.
    """
    found: dict[tuple[str, str], Verdict | None] = {}
    for row in db.rows(
        "SELECT id FROM change WHERE project = ? AND action IN (?, ?)"
        """ AND instr(after, '"seen":["') ORDER BY id""",
        project.id,
        decisions.MARK,
        IMPORT,
    ):
        change = log.find(db, project.id, row["id"])
        if change is None or not (by := whose(change)) or change.after["stage"] != stage:
            continue
        for uid in change.after["seen"]:
            if isinstance(uid, str):
                found.setdefault((uid, by), _verdict(change.before, uid))
    rows = rows_named(db, project.id, list({uid for uid, _ in found}))
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
