"""What a list of works is narrowed to, as conditions of SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.bib.work_ids import identifiers
from metasearch.dedup import Fingerprint
from metasearch.dedup.naming import record_ids
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query.values import parse_years
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.works.records import in_marks, record_of
from metasearch.review.works.rows import folded
from metasearch.review.works.works import STAGES, VERDICTS, Stage, works_named

#: "undecided" in a stage; in that of the whole text only what the first stage let through.
#: "conflict": all votes that are needed were given, and they decide nothing.
Standing = Literal[
    "", "undecided", "decided", "relevant", "close", "excluded", "unavailable", "conflict"
]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
#: How a list is sorted: by title or first author, the newest year or addition or the most cited
#: first, or by the best position that a source gave.
Sort = Literal["added", "title", "author", "year", "citations", "relevance"]
SORTS: tuple[Sort, ...] = get_args(Sort)
#: Bounds of a request.
LONGEST_TEXT, MOST_WORDS, MOST_VALUES, MOST_COUNT = 500, 32, 200, 500
_PIECE = re.compile(r'"([^"]*)"?|(\S+)')
#: Known works that are looked for.
_MOST_KNOWN = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksQuery:
    """What is to be listed: all conditions hold, and of several values of one, any.

    Attributes:
        text: Words that stand in title, authors, venue, keywords or abstract, all of them, each as
            the beginning of a word; "in quotation marks" one after the other. Chinese needs no
            blanks.
        verdict: What was decided in the stage.
        voter: Uid of a screener, whose votes `verdict` is about in place of what the project has
            decided: "undecided" is what they can still vote on.
        sources: Names of sources that gave the work.
        steps: That found it: numbers, of any strategy, or "STRATEGY/3".
        runs: Numbers of runs that found it.
        first_runs: Numbers of runs that were the first to find it.
        years: "2019-2024", "2019-", "-2024", "2020".
        types, languages, open_access: Of the work; "" is that of works that do not say.
        known: Whether it is one of the works that the searches are expected to find; None for all.
        start, count: Which part of the list, from 0; at most `MOST_COUNT`.
    """

    text: str = ""
    verdict: Standing = ""
    stage: Stage = "title"
    voter: str = ""
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    steps: tuple[str | int, ...] = ()
    runs: tuple[int, ...] = ()
    first_runs: tuple[int, ...] = ()
    years: str = ""
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    open_access: tuple[str, ...] = ()
    known: bool | None = None
    sort: Sort = "added"
    start: int = 0
    count: int = 20


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on `work`.

    Attributes:
        name: Of the field of `WorksQuery`; the facet of that name is counted without it.
        values: What stands in place of the question marks of `sql`.
        works: A SELECT of the rows of just these works, with the same values, which may return one
            repeatedly; "" where there is none that is faster than the condition.
    """

    name: str
    sql: str
    values: tuple[object, ...] = ()
    works: str = ""


def checked(query: WorksQuery) -> None:
    """Check a query. Raises UsageError: a value is none that there is, or there are too many."""
    for name, value, choices in (
        ("verdict", query.verdict, STANDINGS[1:]),
        ("stage", query.stage, STAGES),
        ("sort", query.sort, SORTS),
    ):
        if value not in choices and not (name == "verdict" and not value):
            raise UsageError(
                message("There is no {name} {value}", name=name, value=repr(str(value)[:40])),
                advice=message("Use one of {choices}.", choices=", ".join(choices)),
            )
    several = (
        query.tags, query.sources, query.steps, query.runs, query.first_runs, query.types,
        query.languages, query.open_access,
    )  # fmt: skip
    if max(map(len, several)) > MOST_VALUES:
        raise UsageError(message("More than {most} values of one filter", most=MOST_VALUES))
    if len(query.voter) > LONGEST_TEXT or len(query.text) > LONGEST_TEXT:
        raise UsageError(
            message(
                "The text that is looked for has more than {most} characters", most=LONGEST_TEXT
            )
        )
    if not 0 <= query.start < 10**9 or not 0 <= query.count <= MOST_COUNT:
        raise UsageError(message("A list has 0 to {most} works from a place on", most=MOST_COUNT))


def conditions(db: Database, project: Project, query: WorksQuery) -> list[Condition]:
    """A query's conditions, without the project's. Raises UsageError: it cannot be one."""
    checked(query)
    return list(_conditions(db, project, query))


def _conditions(db: Database, project: Project, query: WorksQuery) -> Iterator[Condition]:
    if query.text.strip():
        match = words_query(query.text)
        yield (
            Condition(
                "text", "work.id IN (SELECT rowid FROM work_words WHERE work_words MATCH ?)",
                (match,),
            )
            if match
            else Condition("text", "0")
        )  # fmt: skip
    if query.verdict:
        yield standing(query.verdict, query.stage, query.voter)
    for tag in query.tags:
        yield Condition(
            "tags",
            "EXISTS (SELECT 1 FROM tag WHERE tag.work = work.id AND tag.text = ?)",
            (tag,),
        )
    if query.sources:
        yield Condition(
            "sources",
            "work.id IN (SELECT work FROM work_source WHERE project = ?"
            f" AND source IN ({in_marks(query.sources)}))",
            (project.id, *query.sources),
        )
    if query.steps:
        yield _steps(project, query.steps)
    if query.runs:
        yield _found(
            "runs",
            "SELECT work_record.work FROM run JOIN answer ON answer.run = run.id"
            " JOIN finding ON finding.answer = answer.id"
            " JOIN work_record ON work_record.record = finding.record"
            f" WHERE run.project = ? AND run.number IN ({in_marks(query.runs)})",
            (project.id, *query.runs),
        )
    if query.first_runs:
        yield Condition(
            "first_runs",
            "work.first_run IN (SELECT id FROM run WHERE project = ?"
            f" AND number IN ({in_marks(query.first_runs)}))",
            (project.id, *query.first_runs),
        )
    if query.years.strip():
        years = parse_years(query.years)
        yield Condition(
            "years",
            "work.year BETWEEN ? AND ?",
            (years.first if years.first is not None else -(10**9),
             years.last if years.last is not None else 10**9),
        )  # fmt: skip
    for name, column, values in (
        ("types", "type", query.types),
        ("languages", "language", query.languages),
        ("open_access", "open_access", query.open_access),
    ):
        if values:
            yield Condition(name, f"work.{column} IN ({in_marks(values)})", tuple(values))
    if query.known is not None:
        known = known_rows(db, project)
        word = "IN" if query.known else "NOT IN"
        yield Condition("known", f"work.id {word} ({in_marks(known)})", tuple(known))


def standing(verdict: Standing, stage: Stage, voter: str = "") -> Condition:
    """The condition on what the project, or a screener, has decided on a work in a stage. Raises
    UsageError: there is no such verdict.
    """
    decided = (
        "SELECT 1 FROM decision WHERE decision.work = work.id"
        " AND decision.stage = ? AND decision.by = ?"
    )
    passed = f"EXISTS ({decided} AND decision.verdict IN ('relevant', 'close'))"
    match verdict:
        case "decided":
            return Condition("verdict", f"EXISTS ({decided})", (stage, voter))
        case "conflict":
            return Condition("verdict", f"NOT EXISTS ({decided}) AND {_FULL}", (stage, "", stage))
        case "undecided":
            sql = f"NOT EXISTS ({decided})"
            values: tuple[object, ...] = (stage, "")
            if voter:
                sql += f" AND NOT EXISTS ({decided}) AND NOT {_FULL}"
                values += (stage, voter, stage)
            if stage == "fulltext":
                sql += f" AND {passed}"
                values += ("title", "")
            return Condition("verdict", sql, values)
        case _ if verdict in VERDICTS:
            return Condition(
                "verdict", f"EXISTS ({decided} AND decision.verdict = ?)", (stage, voter, verdict)
            )
    raise UsageError(message("There is no verdict {verdict}", verdict=repr(verdict[:40])))


#: Whether a work has all the votes that the team of a stage needs.
_FULL = (
    "EXISTS (SELECT 1 FROM screening WHERE screening.project = work.project"
    " AND screening.stage = ? AND screening.needed <= (SELECT count(*) FROM decision AS vote"
    " WHERE vote.work = work.id AND vote.stage = screening.stage AND vote.by <> ''))"
)


def _steps(project: Project, steps: Sequence[str | int]) -> Condition:
    named: list[str] = []
    values: list[object] = [project.id]
    for step in steps:
        strategy, slash, number = str(step).rpartition("/")
        digits = number.strip().lstrip("#")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise UsageError(
                message("{step} is no step", step=repr(str(step)[:40])),
                advice=message("Write its number, or the name of its strategy before it: main/3."),
            )
        named.append("(step.number = ? AND strategy.name = ?)" if slash else "step.number = ?")
        values += [int(digits), *([strategy] if slash else [])]
    return _found(
        "steps",
        "SELECT work_record.work FROM strategy JOIN step ON step.strategy = strategy.id"
        " JOIN answer ON answer.step = step.id JOIN finding ON finding.answer = answer.id"
        " JOIN work_record ON work_record.record = finding.record"
        f" WHERE strategy.project = ? AND ({' OR '.join(named)})",
        tuple(values),
    )


def _found(name: str, works: str, values: tuple[object, ...]) -> Condition:
    """The condition that a work is one of those that a SELECT returns."""
    return Condition(name, f"work.id IN ({works})", values, works)


def words_query(text: str) -> str:
    """What is typed, as a query of SQLite's FTS5; "" where it holds no word."""
    parts = []
    for quoted, word in _PIECE.findall(text)[:MOST_WORDS]:
        found = folded(quoted or word).split()
        if found:
            # A beginning is enough of a word in letters, but not of a phrase in quotation marks.
            beginning = "*" if word and found[-1].isascii() and len(found[-1]) > 1 else ""
            parts.append(f'"{" ".join(found)}"{beginning}')
    return " AND ".join(parts)


def known_rows(db: Database, project: Project) -> list[int]:
    """The rows of the works that the searches are expected to find, by the names that these have:
    identifiers, and the id that is made of title and author.
    """
    names: list[str] = []
    for row in db.all(
        "SELECT body FROM known_work WHERE project = ? ORDER BY id LIMIT ?",
        project.id,
        _MOST_KNOWN,
    ):
        record = record_of(row["body"], "known", 0)
        names += identifiers(record)
        if record.title:
            names += record_ids(Fingerprint(record))
    found = works_named(db, project.id, names)
    return sorted({work.id for works in found.values() for work in works})
