"""Works that the searches of a project are expected to find, and which of them they find.

Known works of a project: works that its searches are expected to find, named by a person.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from metasearch.bib import record_json
from metasearch.bib.work_ids import identifiers, read_name
from metasearch.dedup import Fingerprint
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.reading import read_bytes
from metasearch.message import message
from metasearch.query import And, Query, matches, to_text
from metasearch.record import Record
from metasearch.review.projects.projects import Project
from metasearch.review.runs.plan import SourceQuestion
from metasearch.review.store.database import Database
from metasearch.review.store.values import storable
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.works import works
from metasearch.review.works.groups import WorkRules, rules
from metasearch.review.works.places import PlacedRecord, ProjectPlaces
from metasearch.review.works.records import title_key
from metasearch.review.works.works import works_by_name

#: Bounds: known works of a project, characters of a line.
MOST, LONGEST = 500, 1_000
#: What the records are said to come from.
SOURCE = "known"
_PMID = re.compile(r"(?:PMID:?\s*)?([1-9][0-9]{0,8})", re.IGNORECASE)
_YEAR = re.compile(r"(.+?)[\s,.]*\(?((?:1[5-9]|20)[0-9]{2})\)?[.\s]*")
_SCHEMES = frozenset({"doi", "pmid", "pmcid", "arxiv", "isbn"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWork:
    """A work that the searches are expected to find. `name`: "doi:10.1000/abc", "pmid:1", or its
    title. `record`: what is known of it; of an identifier nothing else.
    """

    id: int
    name: str
    record: Record


def of(project: Project) -> list[KnownWork]:
    """The known works of a project, in the order in which they were added."""
    rows = project.db.all("SELECT * FROM known_work WHERE project = ? ORDER BY id", project.id)
    return [_from_row(row) for row in rows]


def add_lines(project: Project, text: str) -> list[KnownWork]:
    """Add a work for each line: a DOI, "PMID 1" or the number alone, "pmcid:", "arxiv:" or "isbn:"
    with an identifier, or else a title, whose year may follow it. Returns those that are new; blank
    lines, and what is there already, add nothing. Raises UsageError: a line is too long or no
    identifier, or there would be too many works.
    """
    found: list[tuple[str, Record]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (line := " ".join(line.split())):
            continue
        if len(line) > LONGEST:
            raise UsageError(
                message(
                    "Line {number} has more than {most} characters", number=number, most=LONGEST
                ),
                advice=message("Write a DOI, a PMID or a title a line."),
            )
        try:
            found.append(_of_line(line))
        except ValueError as exc:
            raise UsageError(
                message("Line {number}: {reason}", number=number, reason=str(exc)),
                advice=message("Write a DOI, a PMID or a title a line."),
            ) from None
    return _add(project, found)


def add_file(
    project: Project,
    content: bytes,
    name: str,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
) -> list[KnownWork]:
    """Add the works of a bibliographic file; returns those that are new. Raises FileFormatError:
    the file cannot be read, or has no record; UsageError: there would be too many works.
    """
    reading = read_bytes(content, name, format=format, encoding=encoding)
    if not reading.entries:
        why = reading.problems[0].message if reading.problems else message("it has no record")
        raise FileFormatError(name, why)
    found = [(_name_of(one), one) for one in reading.records]
    return _add(project, found)


def remove(project: Project, names: Sequence[str]) -> None:
    """Remove known works by their names. Raises UsageError: there is none of a name; then nothing
    is removed.
    """
    with project.db.transaction():
        for name in dict.fromkeys(map(storable, names)):
            row = project.db.one(
                "SELECT id FROM known_work WHERE project = ? AND name = ?", project.id, name
            )
            if row is None:
                raise UsageError(
                    message("There is no known work {name}", name=repr(name[:80])),
                    advice=message("Names are written as the list shows them."),
                )
            project.db.run(
                "DELETE FROM known_work WHERE id = ? AND project = ?", row["id"], project.id
            )
            project.log("remove known work", "project", name, None)


def _add(project: Project, found: Iterable[tuple[str, Record]]) -> list[KnownWork]:
    with project.db.transaction():
        before = {known.name for known in of(project)}
        named = ((storable(name), record) for name, record in found)
        new = {name: record for name, record in named if name and name not in before}
        if len(before) + len(new) > MOST:
            raise UsageError(
                message("A project has at most {most} known works", most=MOST),
                advice=message("Choose those that matter most."),
            )
        for name, record in new.items():
            body = record_json.record_to_json(replace(record, source_id=record.source_id or name))
            project.db.insert("known_work", project=project.id, name=name, body=body)
        if new:
            project.log("add known works", "project", None, list(new))
    return [known for known in of(project) if known.name in new]


def _of_line(line: str) -> tuple[str, Record]:
    """Name and record of a line. Raises ValueError: it begins as an identifier, and is none."""
    if number := _PMID.fullmatch(line):
        return _identify("pmid", number[1])
    try:
        name = read_name(line)
    except ValueError:
        if line.lower().startswith(("10.", "doi:", "http://", "https://")):
            raise
        name = ""
    scheme, _, value = name.partition(":")
    if scheme.lower() in _SCHEMES:
        return _identify(scheme.lower(), value)
    dated = _YEAR.fullmatch(line)
    title, year = (dated[1], int(dated[2])) if dated else (line, None)
    return line, Record(source=SOURCE, title=title, year=year)


def _identify(scheme: str, value: str) -> tuple[str, Record]:
    if scheme == "doi":
        return f"doi:{value}", Record(source=SOURCE, doi=value)
    if scheme == "isbn":
        return f"isbn:{value}", Record(source=SOURCE, isbn=(value,))
    return f"{scheme}:{value}", Record(source=SOURCE, ids={scheme: value})


def _name_of(record: Record) -> str:
    """What a work of a file is called: by its DOI, PMID or another identifier, else its title."""
    names = {name.partition(":")[0]: name for name in identifiers(record)}
    chosen = next((names[scheme] for scheme in ("doi", "pmid", *names) if scheme in names), "")
    title = " ".join(record.title.split())[:LONGEST]
    return chosen or (f"{title} ({record.year})" if record.year and title else title)


def _from_row(row: sqlite3.Row) -> KnownWork:
    record = record_json.record_from_json(orjson.loads(row["body"]), SOURCE, 0)
    return KnownWork(id=row["id"], name=row["name"], record=record)


# Which step and source found each known work of a project, and why the others missed it. A step
# whose query does not fit what is known of a work lost it by its words; one whose query fits lost
# it because no source that was asked holds it, or gave it among the records that were fetched.

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
class KnownWorkCheck:
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

    @property
    def lacks(self) -> list[str]:
        """The parts of all queries that the work does not fit."""
        return list(dict.fromkeys(part for verdict in self.steps for part in verdict.lacks))


@dataclass(frozen=True, slots=True)
class Validation:
    """All known works of a project under one strategy."""

    works: tuple[KnownWorkCheck, ...]

    @property
    def found(self) -> int:
        return sum(one.found for one in self.works)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedWork:
    """A known work that a strategy has not found.

    Attributes:
        check: The work.
        fits: Whether the work fits what the strategy searches for; None where what is known of it
            does not tell.
        clauses: Number of a line -> its parts that the work does not fit, in metasearch's syntax.
    """

    check: KnownWorkCheck
    fits: bool | None
    clauses: Mapping[int, tuple[str, ...]]

    @property
    def reason(self) -> str:
        if self.fits is None:
            return message("what is known of it does not tell whether it fits")
        if self.fits:
            return message("it fits, and no database that was asked has given it")
        return message("it does not fit")


def missed(
    made: Validation, steps: Sequence[Step], finals: Collection[int]
) -> Iterator[MissedWork]:
    """The known works that were not found. `finals`: the lines whose records the strategy brings.

    A line that joins others lost a work by those of them that the work does not fit.
    """
    parents = {step.number: step.parents for step in steps}
    for check in made.works:
        if check.found:
            continue
        verdicts = {verdict.step: verdict for verdict in check.steps}
        ends = [verdicts[number].fits for number in finals if number in verdicts]
        clauses: dict[int, tuple[str, ...]] = {}
        waiting = [number for number in finals if number in verdicts]
        while waiting:
            verdict = verdicts[waiting.pop()]
            if verdict.fits is not False or verdict.step in clauses:
                continue
            inner = [number for number in parents[verdict.step] if verdicts[number].fits is False]
            waiting += inner
            if not inner:
                clauses[verdict.step] = verdict.lacks
        fits = True if True in ends else None if None in ends or not ends else False
        yield MissedWork(
            check=check, fits=fits, clauses={} if fits else dict(sorted(clauses.items()))
        )


def validate(project: Project, strategy: Strategy) -> Validation:
    """Look for the known works of a project among what the runs of a strategy have found.

    A known work is a work of the project where they share an identifier, where the matchers of the
    project say so, or where a title alone is known and is that of the work.
    """
    rows = step_rows.of(project.db, strategy)
    queries = {
        number: SourceQuestion.of(step, strategy.years).query
        for number, step in resolve_all(rows).items()
        if isinstance(step, ResolvedStep)
    }
    numbers = [row.number for row in rows]
    made_by = rules(project.db, project.id)
    return Validation(
        tuple(_check(project, strategy, one, numbers, queries, made_by) for one in of(project))
    )


def _check(
    project: Project,
    strategy: Strategy,
    known: KnownWork,
    numbers: Sequence[int],
    queries: dict[int, Query],
    made_by: WorkRules,
) -> KnownWorkCheck:
    meant = works.read(project.db, _rows(project, known.record, made_by))
    # The merged record first: it has the abstract of one source and the keywords of another.
    described = [one for work in meant for one in (work.hit.record, *work.hit.records)]
    records = described or [known.record]
    finders = tuple(_finders(project.db, strategy, [work.id for work in meant]))
    return KnownWorkCheck(
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


def _rows(project: Project, record: Record, made_by: WorkRules) -> list[int]:
    """The rows of the works of the project that a record is of, the oldest first."""
    names = identifiers(record)
    named = {
        one.id for some in works_by_name(project.db, project.id, names).values() for one in some
    }
    if named:
        return sorted(named)
    if not record.title:
        return []
    if not record.byline:
        return sorted(_of_title(project, record))
    fingerprint = Fingerprint(record, record.key)
    near = ProjectPlaces(project.db, project.id, made_by.chain).near(
        PlacedRecord.of(0, fingerprint, made_by.chain)
    )
    found = set()
    for number in sorted(near.exactly | near.others):
        row = project.db.one("SELECT work FROM work_record WHERE record = ?", number)
        if row is None or row["work"] in found:
            continue
        found |= {
            row["work"]
            for other in works.read(project.db, [row["work"]])[0].hit.records
            if (match := made_by.chain.judge(fingerprint, Fingerprint(other, other.key)))
            and match.verdict != "different"
        }
    return sorted(found)


def _of_title(project: Project, record: Record) -> Iterator[int]:
    """Works of a title, of its year where that is known, a year more or less."""
    for row in project.db.all(
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
