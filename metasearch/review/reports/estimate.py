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
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from metasearch.message import message_in
from metasearch.review.projects.projects import Project
from metasearch.review.reports.document import Block, Heading, Items, Paragraph, Phrase, Table, Text
from metasearch.review.works.works import is_relevant

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
    def number_missed(self) -> float:
        """Works that none of the databases has given, by the estimate."""
        return self.total - self.found

    @property
    def share(self) -> float:
        """Which part of all works was found, by the estimate: 0 to 1."""
        return self.found / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What is estimated from.

    Attributes:
        databases: Name of each -> works that it found.
        counts: Number of databases -> works that exactly so many found.
        sets: Names of databases, sorted -> works that exactly these found.
    """

    databases: Mapping[str, int]
    counts: Mapping[int, int]
    sets: Mapping[tuple[str, ...], int] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """Works in all."""
        return sum(self.counts.values())


def overlap(project: Project, *, included: bool = False) -> Overlap:
    """How the works of a project are spread over its databases and registers.

    `included`: whether only works count that are relevant as far as it is decided: neither left out
    nor undecided.
    """
    chosen = f" AND {is_relevant('work_source.work')}" if included else ""
    asked = (
        "SELECT DISTINCT answer.source FROM run JOIN answer ON answer.run = run.id"
        " WHERE run.project = ?1 AND run.mode <> 'counts' AND answer.place <> 'other'"
        " AND answer.status IN ('ok', 'empty')"
    )
    within = f"FROM work_source WHERE project = ?1 AND source IN ({asked}){chosen}"
    with project.db.snapshot():
        names = [row["source"] for row in project.db.all(asked, project.id)]
        rows = project.db.all(
            "SELECT names, count(*) AS works FROM"  # noqa: S608, no value is in it
            " (SELECT group_concat(source, char(10)) AS names FROM"
            f" (SELECT work, source {within} ORDER BY work, source) GROUP BY work) GROUP BY names",
            project.id,
        )
    sets = Counter[tuple[str, ...]]()
    for row in rows:
        sets[tuple(sorted(row["names"].split("\n")))] += row["works"]
    databases, counts = dict.fromkeys(sorted(names), 0), Counter[int]()
    for together, works in sets.items():
        counts[len(together)] += works
        for name in together:
            databases[name] += works
    return Overlap(databases=databases, counts=dict(sorted(counts.items())), sets=sets)


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


def section(project: Project, phrase: Phrase, *, level: int = 1) -> Iterator[Block]:
    """The blocks: both estimates, what they are made of, and what they assume."""
    both = (
        (phrase("All works found"), overlap(project)),
        (
            phrase("Works judged relevant so far"),
            overlap(project, included=True),
        ),
    )
    yield Heading(text=phrase("Estimate of what was missed"), level=level)
    yield Paragraph(
        text=phrase(
            "From how many works several databases have found, the number of works "
            "that none of them has given can be estimated (capture and recapture)."
        )
    )
    rows: list[tuple[Text, ...]] = []
    for label, found in both:
        rows.append((label, *_row(found, estimate(found), phrase)))
    yield Table(
        caption=phrase("Works that there are, by estimate"),
        head=(
            phrase("Works"),
            phrase("Databases"),
            phrase("Found"),
            phrase("By one only"),
            phrase("By two"),
            phrase("Estimated in all"),
            phrase("95 % interval"),
            phrase("Share found"),
        ),
        rows=tuple(rows),
        numbers=(1, 2, 3, 4, 5, 6, 7),
        widths=(21, 15, 10, 10, 9, 15, 11, 9),
    )
    yield from _words([estimate(found) for _, found in both], both[0][1], phrase)


def _row(found: Overlap, guessed: Estimate | None, phrase: Phrase) -> tuple[str, ...]:
    said = (
        str(len(found.databases)),
        f"{found.found:,}",
        f"{found.counts.get(1, 0):,}",
        f"{found.counts.get(2, 0):,}",
    )
    if guessed is None:
        none = phrase(message_in("report", "none"))
        return (*said, none, "–", "–")
    # A lower bound is no more exact than whole works.
    total = f"{guessed.total:,.0f}"
    if guessed.method == "chao":
        total = phrase("at least {total}", total=total)
    return (
        *said,
        total,
        f"{guessed.low:,.0f}\N{EN DASH}{guessed.high:,.0f}",
        f"{guessed.share:.0%}",
    )


def _words(guesses: list[Estimate | None], found: Overlap, phrase: Phrase) -> Iterator[Block]:
    methods = {one.method for one in guesses if one is not None}
    if None in guesses:
        yield Paragraph(
            text=phrase(
                "Nothing can be estimated where fewer than two databases answered, or "
                "fewer than {fewest} works were found by two of them.",
                fewest=FEWEST_SHARED,
            )
        )
    if "chao" in methods:
        yield Paragraph(
            text=phrase(
                "Method: Chao's lower bound (Chao 1987; for a finite number of occasions "
                "Chao and others 2014) with a log-normal 95 % interval; each database is "
                "an occasion."
            )
        )
    if "chapman" in methods:
        yield Paragraph(
            text=phrase(
                "Method: Chapman's estimate for two lists (Chapman 1951, variance of "
                "Seber 1970) with a log-normal 95 % interval."
            )
        )
    if methods:
        yield Paragraph(text=phrase("What this assumes:"))
        yield Items(items=_assumptions(phrase))


def _assumptions(phrase: Phrase) -> tuple[str, ...]:
    return (
        phrase(
            "Databases find works independently. In truth they share much of their "
            "content, so that more is missed than the estimate says."
        ),
        phrase(
            "The same question was put to each of them, and all of its records were "
            "obtained; a source that gave only a part lowers the overlap and raises "
            "the estimate."
        ),
        phrase("Duplicates are recognised; each that is not recognised raises the estimate."),
        phrase(
            "Only works that the query describes and a database of this kind may "
            "hold are estimated; nothing is said of works in other words or in no "
            "database."
        ),
    )
