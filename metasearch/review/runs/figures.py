"""The table of a strategy: how many hits each source has for each step, when that was asked, and
what has become stale since.

A failed answer is not 0, and neither is one that was never asked for: sums say what they lack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from metasearch.errors import UsageError
from metasearch.review.projects.projects import Project
from metasearch.review.runs import runs
from metasearch.review.runs.contradictions import Contradiction, Counted, contradiction
from metasearch.review.runs.plan import SourceQuestion
from metasearch.review.runs.runs import StoredAnswer
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all
from metasearch.review.strategies.strategies import Step, Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFigure:
    """What is known of one source and one step.

    Attributes:
        answered: The newest one in which the source answered in full, whose `claimed` is the number
            of hits; None where it never did.
        kept: The newest one whose records were kept, be there any; None where there is none.
        stale: Whether `newest` answers another query than that of the step now.
    """

    newest: StoredAnswer
    answered: StoredAnswer | None
    kept: StoredAnswer | None
    stale: bool

    @property
    def claimed(self) -> int | None:
        """The source's hits when last asked; None where it failed then, or did not say."""
        return self.newest.claimed if self.newest.answered else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFigures:
    """One line of the table.

    Attributes:
        question: The query that it is now; None of an import, or where it has an error.
        error: Why it cannot be searched for; None where it can, or is an import.
        figures: Name of a source -> what is known; those that were never asked are not in it.
        claimed: Sum of the hits of the sources that answered the query of now; None where none did.
        fetched: Sum of the records that the newest runs kept; None where records were never asked
            for.
        missing: Names of the sources of other steps that the sum of the hits lacks: they failed,
            did not say a number, answered another query, or were not asked; () of an import.
        first, last: When the oldest and the newest answer of the sums were asked for; None where
            there are none.
        contradictions: What cannot be right of the numbers: at most one for each source that finds
            less for alternatives than for one of them, or more for a conjunction than for a part.
    """

    step: Step
    question: SourceQuestion | None
    error: UsageError | None
    figures: Mapping[str, SourceFigure]
    claimed: int | None
    fetched: int | None
    missing: tuple[str, ...]
    first: str | None
    last: str | None
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The contradictions as sentences."""
        return tuple(one.sentence for one in self.contradictions)

    @property
    def exact(self) -> bool:
        """Whether every number of the sum is of the whole query."""
        return all(
            figure.newest.exact
            for figure in self.figures.values()
            if figure.claimed is not None and not figure.stale
        )

    @property
    def stale(self) -> bool:
        return any(figure.stale for figure in self.figures.values())


@dataclass(frozen=True, slots=True)
class Figures:
    """The table.

    `sources`: name -> name for people, of each that was asked: those of the newest run first, in
    the order in which they were named there. `steps`: a line each, in the order of their numbers.
    """

    sources: Mapping[str, str]
    steps: tuple[StepFigures, ...]


def table(db: Database, strategy: Strategy) -> Figures:
    """The table of a strategy, of the newest answer of each source to each step.

    An answer is stale where the query of its step is another one now: the step was edited, one that
    it names was, or the years of the strategy were. Imports are never stale.
    """
    rows = step_rows.of(db, strategy)
    resolved = resolve_all(rows)
    sources = runs.sources_of(db, strategy)
    known: dict[int, dict[str, list[StoredAnswer]]] = {}
    for answer in runs.newest(db, strategy):
        known.setdefault(answer.step, {}).setdefault(answer.source, []).append(answer)
    queried = {source for row in rows if row.has_query for source in known.get(row.number, ())}
    asked = [source for source in sources if source in queried]
    known = {
        step: {source: found[source] for source in sources if source in found}
        for step, found in known.items()
    }
    lines = {
        row.number: _line(
            row, resolved.get(row.number), known.get(row.number, {}), strategy.years, asked
        )
        for row in rows
    }
    return Figures(
        sources,
        tuple(
            replace(line, contradictions=tuple(_contradictions(line, lines, sources)))
            for line in lines.values()
        ),
    )


def _contradictions(
    line: StepFigures, lines: Mapping[int, StepFigures], sources: Mapping[str, str]
) -> Iterator[Contradiction]:
    """What contradicts the numbers of a step, by those of the steps that it names."""
    for source, label in sources.items():
        here = _counted(line, source)
        if here is not None:
            named = (
                _counted(lines[number], source) for number in line.step.parents if number in lines
            )
            parts = [part for part in named if part is not None]
            if (found := contradiction(here, parts, label)) is not None:
                yield found


def _counted(line: StepFigures, source: str) -> Counted | None:
    """What a source said to a step as it is now; None where it did not."""
    figure = line.figures.get(source)
    if figure is None or figure.stale or line.question is None:
        return None
    query = line.question.step.query
    return Counted(line.step.number, query, figure.newest, figure.claimed)


def _line(
    step: Step,
    found: ResolvedStep | UsageError | None,
    known: Mapping[str, list[StoredAnswer]],
    years: str,
    asked: Iterable[str],
) -> StepFigures:
    question = SourceQuestion.of(found, years) if isinstance(found, ResolvedStep) else None
    by_hand = not step.has_query
    figures = {
        source: _figure(answers, None if by_hand else question, by_hand=by_hand)
        for source, answers in known.items()
    }
    counted = {
        source: figure
        for source, figure in figures.items()
        if figure.claimed is not None and not figure.stale
    }
    kept = [figure.kept.fetched or 0 for figure in figures.values() if figure.kept is not None]
    dates = [figure.newest.asked_at for figure in counted.values() if figure.newest.asked_at]
    return StepFigures(
        step=step,
        question=question,
        error=found if isinstance(found, UsageError) and not by_hand else None,
        figures=figures,
        claimed=sum(figure.claimed or 0 for figure in counted.values()) if counted else None,
        fetched=sum(kept) if kept else None,
        missing=() if by_hand else tuple(source for source in asked if source not in counted),
        first=min(dates, default=None),
        last=max(dates, default=None),
    )


def _figure(
    answers: list[StoredAnswer], question: SourceQuestion | None, *, by_hand: bool
) -> SourceFigure:
    newest = answers[-1]
    return SourceFigure(
        newest=newest,
        answered=next((answer for answer in reversed(answers) if answer.answered), None),
        kept=next((answer for answer in reversed(answers) if answer.fetched is not None), None),
        stale=not by_hand and (question is None or newest.digest != question.digest),
    )


# What the sources of a project are called: also databases that were searched by hand, and sources
# that the configuration does not have any more.


def source_labels(project: Project) -> dict[str, str]:
    """Name of a source -> its name for people, as the newest answer has it."""
    rows = project.db.all(
        "SELECT answer.source, answer.label FROM answer JOIN run ON run.id = answer.run"
        " WHERE run.project = ? ORDER BY answer.id",
        project.id,
    )
    return {row["source"]: row["label"] for row in rows}
