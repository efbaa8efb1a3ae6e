"""What each line of a strategy, each of its alternatives and each database has brought, and what
would be lost without it: computed from the records that the runs have kept.

A line finds in a database the works that the database gave for it, as it is now. Where only its
hits were counted, or its query was changed since, it finds the works of which a record that the
database gave for another line fits it. Whether a record fits is decided by what it says, as
`metasearch.query.matches` does. A work that a database gave although nothing of its record fits was
found by what only the database sees: a full text, a heading, another form of a word. Of such works
no loss is told; their number is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query import Query
from metasearch.query.matching_sets import MatchingSets, bits_of, numbers_of
from metasearch.review.projects.projects import Project
from metasearch.review.runs import figures, known_works
from metasearch.review.runs.figures import Figures, StepFigures
from metasearch.review.runs.known_works import MissedWork
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.strategies.variants import Alternative, StrategyQueries
from metasearch.review.works import records
from metasearch.review.works.works import relevant_works

#: Records that are compared with a strategy, each some 0.5 ms; on a server, where others wait.
MOST_RECORDS, MOST_ON_A_SERVER = 200_000, 20_000
#: Words and phrases of all queries that are made without an alternative, each some microsecond.
_MOST_WORDS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What something has brought, in one database or in all.

    Attributes:
        works, included: Works that it finds; of them those that are relevant as far as it is
            decided.
        lost, lost_included: Those that the strategy does not find any more without it.
    """

    works: int
    included: int
    lost: int
    lost_included: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LineContribution(Contribution):
    """What a line has brought.

    Attributes:
        hits: That the database says it has; None where that is not known.
        given: Whether the database was asked for records of this line, as it is now.
        only, only_included: Works that no other database has, and no other line, but for those
            that the line names or that name it.
    """

    hits: int | None
    given: bool
    only: int
    only_included: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeEvidence:
    """What one part of an OR has brought. `text`: the part, in metasearch's syntax. `sources`: name
    -> what it has brought there. `all`: in all databases together.
    """

    text: str
    sources: Mapping[str, Contribution]
    all: Contribution


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEvidence:
    """What a line has brought; `sources` and `all` as of an alternative. `final`: whether its
    records are what the strategy brings. `alternatives`: None where the strategy is too large for
    them.
    """

    step: Step
    final: bool
    sources: Mapping[str, LineContribution]
    all: LineContribution
    alternatives: tuple[AlternativeEvidence, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyEvidence:
    """What a strategy has brought.

    Attributes:
        sources: Name -> name for people.
        records: Records that its runs have kept, the newest version of each.
        works, included: That it finds now.
        unexplained: Name of a source -> works that it gave although their records do not fit: no
            loss of them is told.
        lines: In the order of their numbers.
        missed: Known works that it has not found, and why.
    """

    sources: Mapping[str, str]
    records: int
    works: int
    included: int
    unexplained: Mapping[str, int]
    lines: tuple[LineEvidence, ...]
    missed: tuple[MissedWork, ...]


def evidence(project: Project, strategy: Strategy, *, most: int = MOST_RECORDS) -> StrategyEvidence:
    """The evidence of a strategy. Raises UsageError: more than `most` records are kept."""
    with project.db.snapshot():
        held = Held.of(project, strategy, most=most)
        checked = known_works.validate(project, strategy)
        counted = _Evidence(held)
        made = tuple(counted.lines())
        finals = sorted(counted.finals)
    found = counted.all_found
    return StrategyEvidence(
        sources={name: held.table.sources.get(name, name) for name in held.sources},
        records=len(held.works),
        works=len(found),
        included=len(found & held.included),
        unexplained={name: len(counted.unexplained(name)) for name in held.sources},
        lines=made,
        missed=tuple(known_works.missed(checked, held.steps, finals)),
    )


# ---------------------------------------------------------------- the records that are kept


@dataclass(slots=True)
class Held:
    """What the runs of a strategy have kept.

    Attributes:
        sets: Of the queries of the strategy, and whatever else was to be compared.
        works: Number of a record in the sets -> row of its work.
        sources: Name -> the records that it gave, as bits.
        records: Row of a work -> numbers of its records.
        given: Step and source -> works that the newest answer to the query of now gave.
        included: Works that are relevant as far as it is decided.
    """

    steps: Sequence[Step]
    table: Figures
    queries: StrategyQueries
    sets: MatchingSets
    works: list[int] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    records: dict[int, list[int]] = field(default_factory=dict)
    given: dict[tuple[int, str], frozenset[int]] = field(default_factory=dict)
    included: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls, project: Project, strategy: Strategy, *, most: int, more: Iterable[Query] = ()
    ) -> Held:
        """`more`: queries that the records are compared with, too. Raises UsageError: there are
        more records than `most`.
        """
        rows = step_rows.of(project.db, strategy)
        queries = StrategyQueries(rows, strategy.years)
        table = figures.table(project.db, strategy)
        held = cls(rows, table, queries, MatchingSets([*queries.every_query(), *more]))
        held._read(project.db, strategy, most)
        held.included = relevant_works(project)
        return held

    def _read(self, db: Database, strategy: Strategy, most: int) -> None:
        given_by: dict[int, list[str]] = {}
        work_of: dict[int, int] = {}
        for record, work, source in db.rows(_KEPT, strategy.id):
            work_of[record] = work
            given_by.setdefault(record, []).append(source)
        if len(work_of) > most:
            raise UsageError(
                message(
                    "The strategy has {count} records; at most {most} are compared here",
                    count=f"{len(work_of):,}",
                    most=f"{most:,}",
                ),
                advice=message("Use `metasearch strategy evidence` on the command line.")
                if most < MOST_RECORDS
                else message("Make a strategy of some of its lines."),
            )
        bits: dict[str, list[int]] = {}
        for one in records.read(db, work_of):
            number, work = self.sets.add(one.record), work_of[one.id]
            self.works.append(work)
            self.records.setdefault(work, []).append(number)
            for source in given_by[one.id]:
                bits.setdefault(source, []).append(number)
        self.sources = {name: bits_of(numbers) for name, numbers in sorted(bits.items())}
        self._read_given(db)

    def _read_given(self, db: Database) -> None:
        for line in self.table.steps:
            digest = line.question.digest if line.question else None
            for source, figure in line.figures.items():
                kept = figure.kept
                if kept is None or (line.step.has_query and kept.digest != digest):
                    continue
                rows = db.all(_GIVEN, kept.id)
                self.given[line.step.number, source] = frozenset(row[0] for row in rows)
                self.sources.setdefault(source, 0)

    def works_of(self, bits: int) -> set[int]:
        """The works of a set of records."""
        return {self.works[number] for number in numbers_of(bits)}


#: Newest version of each record that an answer gave to a step of a strategy: its row, work, source.
_KEPT = (
    "SELECT DISTINCT newest.id, work_record.work, answer.source FROM run"
    " JOIN answer ON answer.run = run.id JOIN finding ON finding.answer = answer.id"
    " JOIN record AS given ON given.id = finding.record"
    " JOIN record AS newest ON newest.project = given.project AND newest.key = given.key"
    " AND newest.superseded IS NULL"
    " JOIN work_record ON work_record.record = newest.id WHERE run.strategy = ?"
)
_GIVEN = (
    "SELECT DISTINCT work_record.work FROM finding"
    " JOIN work_record ON work_record.record = finding.record WHERE finding.answer = ?"
)


# ---------------------------------------------------------------- what is found, and what is lost


class _Evidence:
    """Counts for one strategy what its parts bring. A line is named by its number."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self._words = 0
        lines = held.table.steps
        self._figures = {line.step.number: line for line in lines}
        self.finals = final_steps(lines)
        self._fit = {
            number: held.sets.of(query).fit for number, query in held.queries.queries.items()
        }
        #: Line and source -> the works that the line finds there.
        self.brought = {
            (line.step.number, source): self._brought(line.step.number, source)
            for line in lines
            for source in held.sources
        }
        self._unexplained = {
            place: works - self._fitting(*place) for place, works in self.brought.items()
        }
        self.found = {
            source: set[int]().union(*(self.brought[line, source] for line in self.finals))
            for source in held.sources
        }
        self.all_found = set[int]().union(*self.found.values())

    def _brought(self, line: int, source: str) -> set[int]:
        given = self.held.given.get((line, source))
        return self._fitting(line, source) if given is None else set(given)

    def _fitting(self, line: int, source: str) -> set[int]:
        """Works that a source gave and that fit a line for which, or by way of which, it was
        asked.
        """
        asked = {line} | (self.finals & set(self.held.queries.users.get(line, ())))
        if not any(source in self._figures[one].figures for one in asked):
            return set()
        return self.held.works_of(self._fit.get(line, 0) & self.held.sources[source])

    def unexplained(self, source: str) -> set[int]:
        """The works that a source gave to final lines although their records do not fit."""
        asked = [line for line in self.finals if line in self.held.queries.queries]
        return set[int]().union(*(self._unexplained[line, source] for line in asked))

    def lines(self) -> Iterator[LineEvidence]:
        names = sorted(self._figures)
        places = {line: place for place, line in enumerate(names)}
        users = {line: self.held.queries.users.get(line, []) for line in names}
        related = dict.fromkeys(names, 0)
        for line in names:
            for other in (line, *users[line]):
                related[line] |= 1 << places[other]
                related[other] |= 1 << places[line]
        databases: dict[int, int] = {}  # work -> how many databases have it
        bringing: dict[int, int] = {}  # work -> the lines that find it
        for source in self.held.sources:
            of_source = set[int]()
            for line in names:
                of_source |= self.brought[line, source]
                for work in self.brought[line, source]:
                    bringing[work] = bringing.get(work, 0) | 1 << places[line]
            for work in of_source:
                databases[work] = databases.get(work, 0) + 1
        alone: dict[int, set[int]] = {}  # lines -> works that one database has and only they find
        for work, by in bringing.items():
            if databases[work] == 1:
                alone.setdefault(by, set()).add(work)
        for line in names:
            only = (works for by, works in alone.items() if not by & ~related[line])
            yield self._line(line, set[int]().union(*only))

    def _line(self, line: int, only: set[int]) -> LineEvidence:
        held, shown = self.held, self._figures[line]
        lost = self._lost(held.queries.without_step(line), gone=line)
        sources = {}
        for source in held.sources:
            works = self.brought[line, source]
            figure = shown.figures.get(source)
            sources[source] = self._of_line(
                works,
                only & works,
                lost[source],
                hits=figure.claimed if figure and not figure.stale else None,
                given=(line, source) in held.given,
            )
        every = set[int]().union(*(self.brought[line, source] for source in held.sources))
        return LineEvidence(
            step=shown.step,
            final=line in self.finals,
            sources=sources,
            all=self._of_line(
                every,
                only & every,
                self._lost_everywhere(lost),
                hits=shown.claimed,
                given=any(one.given for one in sources.values()),
            ),
            alternatives=self._alternatives(line),
        )

    def _alternatives(self, line: int) -> tuple[AlternativeEvidence, ...] | None:
        listed = self.held.queries.alternatives(line)
        self._words += len(listed) * self.held.queries.cost(line)
        return None if self._words > _MOST_WORDS else tuple(map(self._alternative, listed))

    def _of_line(
        self, works: set[int], only: set[int], lost: set[int], *, hits: int | None, given: bool
    ) -> LineContribution:
        included = self.held.included
        return LineContribution(
            works=len(works),
            included=len(works & included),
            lost=len(lost),
            lost_included=len(lost & included),
            hits=hits,
            given=given,
            only=len(only),
            only_included=len(only & included),
        )

    def _alternative(self, one: Alternative) -> AlternativeEvidence:
        held = self.held
        lost = self._lost(held.queries.without(one))
        meant = held.queries.meaning(one)
        fit = self.held.sets.of(meant).fit if meant is not None else held.sets.every
        bringing = self.finals & {one.step, *held.queries.users[one.step]} or {one.step}
        works = {
            source: held.works_of(fit & bits)
            & set[int]().union(*(self.brought[line, source] for line in bringing))
            for source, bits in held.sources.items()
        }
        every = set[int]().union(*works.values())
        return AlternativeEvidence(
            text=one.text,
            sources={
                source: self._contribution(works[source], lost[source]) for source in held.sources
            },
            all=self._contribution(every, self._lost_everywhere(lost)),
        )

    def _contribution(self, works: set[int], lost: set[int]) -> Contribution:
        included = self.held.included
        return Contribution(
            works=len(works),
            included=len(works & included),
            lost=len(lost),
            lost_included=len(lost & included),
        )

    def _lost(
        self, changed: Mapping[int, Query | None], gone: int | None = None
    ) -> dict[str, set[int]]:
        """Source -> the works that are not found there any more. `changed`: line -> its new query;
        `gone`: a line that is removed.
        """
        removed = {line for line, query in changed.items() if query is None}
        removed |= set() if gone is None else {gone}
        after = {
            line: self.held.sets.of(query).fit
            for line, query in changed.items()
            if query is not None and line in self.finals
        }
        lost = {}
        for source in self.held.sources:
            in_doubt = set[int]()
            for line in self.finals & removed:
                in_doubt |= self.brought[line, source]
            for line, fit in after.items():
                records_ = self._fit.get(line, 0) & ~fit & self.held.sources[source]
                in_doubt |= self.held.works_of(records_) & self.brought[line, source]
            for line in self.finals - removed if in_doubt else ():
                in_doubt -= self._left(line, source, in_doubt, after.get(line))
            lost[source] = in_doubt
        return lost

    def _left(self, line: int, source: str, works: set[int], fit: int | None) -> set[int]:
        """Which of some works a line still finds in a source. `fit`: the records that fit its new
        query; None where that is the old one.
        """
        there = works & self.brought[line, source]
        if fit is None or not there:
            return there
        bits = fit & self.held.sources[source]
        fits = bits.to_bytes(len(self.held.works) // 8 + 1, "little")
        return {
            work
            for work in there
            if work in self._unexplained[line, source]
            or any(fits[one >> 3] >> (one & 7) & 1 for one in self.held.records.get(work, ()))
        }

    def _lost_everywhere(self, lost: Mapping[str, set[int]]) -> set[int]:
        """The works that no source finds any more."""
        somewhere = set[int]().union(*lost.values())
        return {
            work
            for work in somewhere
            if all(work in gone for source, gone in lost.items() if work in self.found[source])
        }


def final_steps(lines: Sequence[StepFigures]) -> set[int]:
    """The lines whose records are what a strategy brings: those of which records were kept; before
    there are any, the last line that no other names.
    """
    kept = {
        line.step.number
        for line in lines
        if any(figure.kept is not None for figure in line.figures.values())
    }
    if any(line.step.has_query and line.step.number in kept for line in lines):
        return kept
    named = {parent for line in lines for parent in line.step.parents}
    able = [line.step.number for line in lines if line.question is not None]
    last = [number for number in able if number not in named][-1:]
    return kept | set(last)
