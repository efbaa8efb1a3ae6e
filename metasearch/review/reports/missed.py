"""How many works the searches have missed, from the overlap of the databases: capture and
recapture.

A database is a trapping occasion, and a work an animal. What few databases have found tells how
many none has found.

- Lower bound and interval: Chao, A. (1987). Estimating the population size for capture-recapture
  data with unequal catchability. Biometrics 43, 783-791. For a number of occasions, and where
  nothing was seen twice: Chao, A. et al. (2014). Rarefaction and extrapolation with Hill numbers.
  Ecological Monographs 84, 45-67.
- Two lists: Chapman, D. G. (1951). Some properties of the hypergeometric distribution with
  applications to zoological sample censuses. University of California Publications in Statistics
  1, 131-160; its variance: Seber, G. A. F. (1970). The effects of trap response on tag recapture
  estimates. Biometrics 26, 13-22.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database

#: Works that at least two databases have found, below which nothing can be said.
FEWEST_SHARED = 3
#: The 97.5 % point of the normal distribution.
_Z = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate of all works that there are.

    Attributes:
        once, twice: Works that exactly one database found, and exactly two.
        total: Estimated works; with `method` "chao" there are at least so many.
        low, high: The ends of the 95 % interval.
    """

    method: Literal["chao", "chapman"]
    databases: int
    found: int
    once: int
    twice: int
    total: float
    low: float
    high: float

    @property
    def missed(self) -> float:
        """Works that none of the databases has given, by the estimate."""
        return self.total - self.found

    @property
    def share(self) -> float:
        """Which part of all works was found, by the estimate: 0 to 1."""
        return self.found / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What is estimated from. `databases`: name of each -> works that it found. `counts`: number of
    databases -> works that exactly so many found.
    """

    databases: Mapping[str, int]
    counts: Mapping[int, int]

    @property
    def found(self) -> int:
        """Works in all."""
        return sum(self.counts.values())


def overlap(db: Database, project: Project, *, included: bool = False) -> Overlap:
    """How the works of a project are spread over its databases and registers.

    `included`: whether only works count that are relevant as far as it is decided: neither left out
    nor undecided.
    """
    chosen = (
        " AND EXISTS (SELECT 1 FROM decision WHERE decision.work = work_source.work"
        "  AND decision.by = '' AND decision.verdict IN ('relevant', 'close'))"
        " AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.work = work_source.work"
        "  AND decision.by = '' AND decision.verdict = 'excluded')"
        if included
        else ""
    )
    asked = (
        "SELECT DISTINCT answer.source FROM run JOIN answer ON answer.run = run.id"
        " WHERE run.project = ?1 AND run.mode <> 'counts' AND answer.place <> 'other'"
        " AND answer.status IN ('ok', 'empty')"
    )
    within = f"FROM work_source WHERE project = ?1 AND source IN ({asked}){chosen}"
    with db.snapshot():
        names = [row["source"] for row in db.all(asked, project.id)]
        by_source = {
            row["source"]: row["works"]
            for row in db.all(
                f"SELECT source, count(*) AS works {within} GROUP BY source",
                project.id,
            )
        }
        counts = {
            row["databases"]: row["works"]
            for row in db.all(
                "SELECT databases, count(*) AS works FROM"  # noqa: S608, no value is in it
                f" (SELECT count(*) AS databases {within} GROUP BY work) GROUP BY databases",
                project.id,
            )
        }
    return Overlap(
        databases={name: by_source.get(name, 0) for name in sorted(names)}, counts=counts
    )


def estimate(overlap: Overlap) -> Estimate | None:
    """Estimate the number of all works; None where the overlap says nothing: with fewer than two
    databases, or fewer than `FEWEST_SHARED` works that two of them found.
    """
    if len(overlap.databases) < 2:
        return None
    shared = sum(works for databases, works in overlap.counts.items() if databases > 1)
    if shared < FEWEST_SHARED:
        return None
    once, twice = overlap.counts.get(1, 0), overlap.counts.get(2, 0)
    if len(overlap.databases) == 2:
        first, second = overlap.databases.values()
        total, variance = chapman(first, second, twice)
    else:
        total, variance = chao(overlap.found, once, twice, len(overlap.databases))
    low, high = interval(overlap.found, total, variance)
    return Estimate(
        method="chapman" if len(overlap.databases) == 2 else "chao",
        databases=len(overlap.databases),
        found=overlap.found,
        once=once,
        twice=twice,
        total=total,
        low=low,
        high=high,
    )


def chao(found: int, once: int, twice: int, occasions: int) -> tuple[float, float]:
    """Chao's lower bound for the number of all, and its variance. `once`, `twice`: how many were
    seen on one occasion, and on two; where none was on two, the form without bias is used.
    """
    part = (occasions - 1) / occasions
    if twice:
        ratio = once / twice
        total = found + part * once * ratio / 2
        variance = twice * (part * ratio**2 / 2 + part**2 * ratio**3 + part**2 * ratio**4 / 4)
        return total, variance
    total = found + part * once * (once - 1) / 2
    variance = (
        part * once * (once - 1) / 2
        + part**2 * once * (2 * once - 1) ** 2 / 4
        - part**2 * once**4 / (4 * total)
        if once
        else 0.0
    )
    return total, max(variance, 0.0)


def chapman(first: int, second: int, both: int) -> tuple[float, float]:
    """Chapman's estimate of the number of all from two lists, and Seber's variance of it."""
    total = (first + 1) * (second + 1) / (both + 1) - 1
    variance = (
        (first + 1)
        * (second + 1)
        * (first - both)
        * (second - both)
        / ((both + 1) ** 2 * (both + 2))
    )
    return total, variance


def interval(found: int, total: float, variance: float) -> tuple[float, float]:
    """The ends of the 95 % interval, by a log-normal number of those that were not found (Chao
    1987): never below what was found.
    """
    missed = total - found
    if missed <= 0 or variance <= 0:
        return float(found), max(total, float(found))
    spread = math.exp(_Z * math.sqrt(math.log1p(variance / missed**2)))
    return found + missed / spread, found + missed * spread
