"""Which step and source found each known work of a project, and why the others missed it.

A step whose query does not fit what is known of a work lost it by its words; one whose query fits
lost it because no source that was asked holds it, or gave it among the records that were fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metasearch.bib.work_ids import identifiers
from metasearch.dedup import Fingerprint
from metasearch.query import And, Query, matches, to_text
from metasearch.record import Record
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import known as known_works
from metasearch.workspace.runs.known import KnownWork
from metasearch.workspace.runs.prepared import Question
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps as step_rows
from metasearch.workspace.strategies.resolve import ResolvedStep, resolve_all
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.works import works
from metasearch.workspace.works.names import works_named
from metasearch.workspace.works.places import Placed, Places
from metasearch.workspace.works.rules import Rules, rules
from metasearch.workspace.works.storing import title_key

#: Characters that are shown of a part of a query.
SHOWN = 120
#: Works of one title that are compared with a known one.
MOST_OF_A_TITLE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """An answer that had a known work.

    Attributes:
        run, step: Their numbers.
        source: Its name.
        position: Of the record in the answer, from 1; 0 where it is unknown.
        asked_at: When the source was asked.
    """

    run: int
    step: int
    source: str
    position: int
    asked_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepVerdict:
    """What one step has to do with a known work.

    Attributes:
        step: Its number.
        sources: Names of those that gave the work for this step, in any run.
        fits: Whether the work fits the query of the step as it is now; None where what is known of
            the work does not tell, or the step has no query.
        lacks: The parts of the query that the work does not fit, in metasearch's syntax.
    """

    step: int
    sources: tuple[str, ...]
    fits: bool | None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """A known work, and what became of it.

    Attributes:
        known: The work.
        works: Uids of the works of the project that it is; none where it was never found.
        finders: Answers of this strategy that had it, the oldest run first.
        steps: A verdict for each step, in the order of their numbers.
    """

    known: KnownWork
    works: tuple[str, ...]
    finders: tuple[Finder, ...]
    steps: tuple[StepVerdict, ...]

    @property
    def found(self) -> bool:
        """Whether this strategy has found it."""
        return bool(self.finders)


@dataclass(frozen=True, slots=True)
class Validation:
    """All known works of a project under one strategy."""

    works: tuple[Validated, ...]

    @property
    def found(self) -> int:
        """How many of them the strategy has found."""
        return sum(one.found for one in self.works)


def validate(db: Database, project: Project, strategy: Strategy) -> Validation:
    """Look for the known works of a project among what the runs of a strategy have found.

    A known work is a work of the project where they share an identifier, where the matchers of the
    project say so, or where a title alone is known and is that of the work.
    """
    rows = step_rows.of(db, strategy)
    queries = {
        number: Question.of(step, strategy.years).query
        for number, step in resolve_all(rows).items()
        if isinstance(step, ResolvedStep)
    }
    numbers = [row.number for row in rows]
    made_by = rules(db, project.id)
    return Validation(
        tuple(
            _validated(db, project, strategy, one, numbers, queries, made_by)
            for one in known_works.of(db, project)
        )
    )


def _validated(
    db: Database,
    project: Project,
    strategy: Strategy,
    known: KnownWork,
    numbers: Sequence[int],
    queries: dict[int, Query],
    made_by: Rules,
) -> Validated:
    meant = works.read(db, _rows(db, project, known.record, made_by))
    # The merged record first: it has the abstract of one source and the keywords of another.
    described = [one for work in meant for one in (work.hit.record, *work.hit.records)]
    records = described or [known.record]
    finders = tuple(_finders(db, strategy, [work.id for work in meant]))
    return Validated(
        known=known,
        works=tuple(work.uid for work in meant),
        finders=finders,
        steps=tuple(
            _verdict(
                number,
                queries.get(number),
                records,
                (finder.source for finder in finders if finder.step == number),
            )
            for number in numbers
        ),
    )


def _rows(db: Database, project: Project, record: Record, made_by: Rules) -> list[int]:
    """The rows of the works of the project that a record is of, the oldest first."""
    names = identifiers(record)
    named = {one.id for some in works_named(db, project.id, names).values() for one in some}
    if named:
        return sorted(named)
    if not record.title:
        return []
    if not record.authors:
        return sorted(_of_title(db, project, record))
    fingerprint = Fingerprint(record, record.key)
    near = Places(db, project.id, made_by.chain).near(Placed.of(0, fingerprint, made_by.chain))
    found = set()
    for number in sorted(near.exactly | near.others):
        row = db.one("SELECT work FROM work_record WHERE record = ?", number)
        if row is None or row["work"] in found:
            continue
        found |= {
            row["work"]
            for other in works.read(db, [row["work"]])[0].hit.records
            if (match := made_by.chain.judge(fingerprint, Fingerprint(other, other.key)))
            and match.verdict != "different"
        }
    return sorted(found)


def _of_title(db: Database, project: Project, record: Record) -> Iterator[int]:
    """Works of a title, of its year where that is known, a year more or less."""
    for row in db.all(
        "SELECT id, year FROM work WHERE project = ? AND title_key = ? LIMIT ?",
        project.id,
        title_key(record.title),
        MOST_OF_A_TITLE,
    ):
        if record.year is None or row["year"] is None or abs(row["year"] - record.year) <= 1:
            yield row["id"]


def _finders(db: Database, strategy: Strategy, rows: Sequence[int]) -> Iterator[Finder]:
    for work in rows:
        for row in db.all(
            "SELECT run.number AS run, step.number AS step, answer.source, finding.position,"
            " answer.asked_at FROM work_record"
            " JOIN finding ON finding.record = work_record.record"
            " JOIN answer ON answer.id = finding.answer JOIN run ON run.id = answer.run"
            " JOIN step ON step.id = answer.step"
            " WHERE work_record.work = ? AND run.strategy = ?"
            " ORDER BY run.number, step.number, answer.source, finding.position",
            work,
            strategy.id,
        ):
            yield Finder(
                run=row["run"],
                step=row["step"],
                source=row["source"],
                position=row["position"],
                asked_at=row["asked_at"],
            )


def _verdict(
    step: int, query: Query | None, records: Sequence[Record], sources: Iterable[str]
) -> StepVerdict:
    named = tuple(dict.fromkeys(sources))
    if query is None:
        return StepVerdict(step=step, sources=named, fits=None)
    fits = _fit(query, records)
    lacks: tuple[str, ...] = ()
    if fits is False:
        parts = query.parts if isinstance(query, And) else (query,)
        lacks = tuple(to_text(part)[:SHOWN] for part in parts if _fit(part, records) is False)
    return StepVerdict(step=step, sources=named, fits=fits, lacks=lacks)


def _fit(query: Query, records: Sequence[Record]) -> bool | None:
    """Whether one of the descriptions of a work fits; None where that cannot be said."""
    unsure = False
    for record in records:
        verdict = matches(query, record)
        if verdict:
            return True
        unsure = unsure or verdict is None
    return None if unsure else False
