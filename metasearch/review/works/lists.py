"""Lists of works: what a list is narrowed to, as conditions of SQL, its order, pages and facets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from metasearch.bib.work_ids import identifiers
from metasearch.dedup import Fingerprint
from metasearch.dedup.hits import record_ids
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query.values import parse_years
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.store.database import Database
from metasearch.review.works import works
from metasearch.review.works.records import fold, in_marks, record_of
from metasearch.review.works.works import (
    PASSED,
    STAGES,
    VERDICTS,
    Stage,
    Work,
    works_by_name,
)

#: "undecided" in a stage; in that of the whole text only what the first stage let through.
#: "conflict": all votes that are needed were given, and they decide nothing.
Standing = Literal[
    "",
    "undecided",
    "decided",
    "relevant",
    "maybe",
    "close",
    "excluded",
    "unavailable",
    "conflict",
]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
#: How a list is sorted: by title or first author, the newest year or addition or the most cited
#: first, or by the best position that a source gave.
Sort = Literal["added", "title", "author", "year", "citations", "relevance"]
SORTS: tuple[Sort, ...] = get_args(Sort)
#: Bounds of a request.
LONGEST_TEXT, MOST_WORDS, MOST_FILTER_VALUES, MOST_COUNT = 500, 32, 200, 500
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


def check_query(query: WorksQuery) -> None:
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
    if max(map(len, several)) > MOST_FILTER_VALUES:
        raise UsageError(message("More than {most} values of one filter", most=MOST_FILTER_VALUES))
    if len(query.voter) > LONGEST_TEXT or len(query.text) > LONGEST_TEXT:
        raise UsageError(
            message(
                "The text that is looked for has more than {most} characters", most=LONGEST_TEXT
            )
        )
    if not 0 <= query.start < 10**9 or not 0 <= query.count <= MOST_COUNT:
        raise UsageError(message("A list has 0 to {most} works from a place on", most=MOST_COUNT))


def conditions(project: Project, query: WorksQuery) -> list[Condition]:
    """A query's conditions, without the project's. Raises UsageError: it cannot be one."""
    check_query(query)
    return list(_conditions(project, query))


def _conditions(project: Project, query: WorksQuery) -> Iterator[Condition]:
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
    if query.stage == "fulltext":
        # What only contradicts itself is shown: somebody must look at it.
        yield Condition(
            "stage",
            f"NOT EXISTS ({_DECIDED} AND verdict = 'excluded') OR EXISTS ({_DECIDED})",
            ("title", "", "fulltext", ""),
        )
    if query.verdict:
        yield decision_condition(query.verdict, query.stage, query.voter)
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
        yield _is_one_of(
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
        known = rows_of_known_works(project)
        word = "IN" if query.known else "NOT IN"
        yield Condition("known", f"work.id {word} ({in_marks(known)})", tuple(known))


#: What somebody has decided on a work in a stage.
_DECIDED = (
    "SELECT 1 FROM decision WHERE decision.work = work.id"
    " AND decision.stage = ? AND decision.by = ?"
)


def decision_condition(verdict: Standing, stage: Stage, voter: str = "") -> Condition:
    """The condition on what the project, or a screener, has decided on a work in a stage. Raises
    UsageError: there is no such verdict.
    """
    decided = _DECIDED
    passed = f"EXISTS ({decided} AND decision.verdict IN {PASSED})"
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


def _steps(project: ProjectRow, steps: Sequence[str | int]) -> Condition:
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
    return _is_one_of(
        "steps",
        "SELECT work_record.work FROM strategy JOIN step ON step.strategy = strategy.id"
        " JOIN answer ON answer.step = step.id JOIN finding ON finding.answer = answer.id"
        " JOIN work_record ON work_record.record = finding.record"
        f" WHERE strategy.project = ? AND ({' OR '.join(named)})",
        tuple(values),
    )


def _is_one_of(name: str, works: str, values: tuple[object, ...]) -> Condition:
    """The condition that a work is one of those that a SELECT returns."""
    return Condition(name, f"work.id IN ({works})", values, works)


def words_query(text: str) -> str:
    """What is typed, as a query of SQLite's FTS5; "" where it holds no word."""
    parts = []
    for quoted, word in _PIECE.findall(text)[:MOST_WORDS]:
        found = fold(quoted or word).split()
        if found:
            # A beginning is enough of a word in letters, but not of a phrase in quotation marks.
            beginning = "*" if word and found[-1].isascii() and len(found[-1]) > 1 else ""
            parts.append(f'"{" ".join(found)}"{beginning}')
    return " AND ".join(parts)


def rows_of_known_works(project: Project) -> list[int]:
    """The rows of the works that the searches are expected to find, by the names that these have:
    identifiers, and the id that is made of title and author.
    """
    names: list[str] = []
    for row in project.db.all(
        "SELECT body FROM known_work WHERE project = ? ORDER BY id LIMIT ?",
        project.id,
        _MOST_KNOWN,
    ):
        record = record_of(row["body"], "known", 0)
        names += identifiers(record)
        if record.title:
            names += record_ids(Fingerprint(record))
    found = works_by_name(project.db, project.id, names)
    return sorted({work.id for works in found.values() for work in works})


# Lists of the works of a project: filtered, sorted, by the page, with facets. How the works of a
# list divide by what was decided, tags, sources, years and so on.
#
# Each facet is counted over the works that fulfil all conditions but its own, so that it shows what
# another choice would give.

#: Values that are shown of a facet.
MOST_VALUES = 50
#: Facet, which is the field of `WorksQuery` that narrows by it -> column of `work`; in the order of
#: the index `work_facets`.
_COLUMNS: Mapping[str, str] = {
    "years": "year",
    "types": "type",
    "languages": "language",
    "open_access": "open_access",
    "first_runs": "first_run",
}
#: All facets, in the order in which they are shown.
FACETS = ("verdict", "tags", "sources", *_COLUMNS)


@dataclass(frozen=True, slots=True)
class FacetCount:
    """One value of a facet, as the field of `WorksQuery` takes it ("" for works that do not say),
    and how many works have it.
    """

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class WorksFacet:
    """One facet of a list of works.

    Attributes:
        name: The field of `WorksQuery` that narrows by it.
        values: The most frequent first; years and runs by their numbers, the newest first; verdicts
            in their order, with "undecided" first.
        more: How many values are not among them.
    """

    name: str
    values: tuple[FacetCount, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class WorkSelection:
    """Works that are counted.

    Attributes:
        rows: What stands behind FROM, with columns as `work` has them.
        ids: A condition with the place `{work}` that is true of the works; that they are among the
            `rows` where it is empty.
        all: Whether it is all works of the project.
        total: How many they are, where that is known.
    """

    rows: str
    values: tuple[object, ...]
    ids: str = ""
    id_values: tuple[object, ...] = ()
    all: bool = False
    total: int | None = None

    def has(self, work: str) -> tuple[str, tuple[object, ...]]:
        """A condition that a column names one of the works, and the values of its marks."""
        if self.ids:
            return self.ids.format(work=work), self.id_values
        return f"{work} IN (SELECT id FROM {self.rows})", self.values


def facets_of(
    project: Project,
    chosen: Mapping[str, WorkSelection],
    stage: Stage,
    names: Sequence[str] = FACETS,
    voter: str = "",
) -> tuple[WorksFacet, ...]:
    """The facets that have a value, of the works `chosen`; verdicts are of `voter`."""
    of_columns: dict[WorkSelection, dict[str, Counter[str]]] = {}
    found = []
    for name in names:
        works = chosen[name]
        if name == "verdict":
            verdicts = counts_by_verdict(project.db, works, stage, voter)
            found.append(_facet(name, verdicts | _conflicts(project, works, stage)))
        elif name in _COLUMNS:
            if works not in of_columns:
                of_columns[works] = _column_counts(project.db, works)
            found.append(_facet(name, of_columns[works][name]))
        else:
            found.append(_facet(name, _table_counts(project, name, works)))
    return tuple(one for one in found if one.values)


def count_of(db: Database, chosen: WorkSelection) -> int:
    if chosen.total is not None:
        return chosen.total
    count: int = db.value(f"SELECT count(*) FROM {chosen.rows}", *chosen.values)
    return count


def _facet(name: str, counts: Mapping[str, int]) -> WorksFacet:
    values = list(counts.items())
    if name in ("years", "first_runs"):
        values.sort(key=lambda pair: -int(pair[0] or -1))
    elif name != "verdict":
        values.sort(key=lambda pair: (-pair[1], pair[0]))
    shown = tuple(FacetCount(*pair) for pair in values[:MOST_VALUES])
    return WorksFacet(name, shown, len(values) - len(shown))


def _column_counts(db: Database, chosen: WorkSelection) -> dict[str, Counter[str]]:
    """The counts of all facets of columns, in one pass over an index in their order."""
    columns = ", ".join(_COLUMNS.values())
    rows = db.all(
        f"SELECT {columns}, count(*) FROM {chosen.rows} GROUP BY {columns}", *chosen.values
    )
    numbers = {row[0]: str(row[1]) for row in db.all("SELECT id, number FROM run")}
    counts: dict[str, Counter[str]] = {name: Counter() for name in _COLUMNS}
    for *values, count in rows:
        for name, value in zip(_COLUMNS, values, strict=True):
            text = numbers[value] if name == "first_runs" else "" if value is None else str(value)
            counts[name][text] += count
    return counts


def _table_counts(project: Project, name: str, chosen: WorkSelection) -> dict[str, int]:
    if name == "sources" and chosen.all:
        rows = project.db.all(
            "SELECT source, count(*) FROM work_source WHERE project = ? GROUP BY 1", project.id
        )
    else:
        table, column = {"sources": ("work_source", "source"), "tags": ("tag", "text")}[name]
        within = "project = ? AND " if name == "sources" else ""
        has, values = chosen.has(f"{table}.work")
        rows = project.db.all(
            f"SELECT {column}, count(*) FROM {table} WHERE {within}{has} GROUP BY 1",
            *([project.id] if within else []),
            *values,
        )
    return {row[0]: row[1] for row in rows}


def counts_by_verdict(
    db: Database, chosen: WorkSelection, stage: Stage, voter: str = ""
) -> dict[str, int]:
    """Verdict -> works; with "undecided", which in the stage of the whole text are those that the
    first stage let through. Of a screener, their votes, and what they can still vote on.
    """
    has, values = chosen.has("decision.work")
    rows = db.all(
        "SELECT verdict, count(*) FROM decision"
        f" WHERE stage = ? AND decision.by = ? AND {has} GROUP BY verdict",
        stage,
        voter,
        *values,
    )
    decided: dict[str, int] = {row[0]: row[1] for row in rows}
    if voter:
        undecided = _decision_count(db, chosen, "undecided", stage, voter)
    elif stage == "fulltext":
        undecided = db.value(
            "SELECT count(*) FROM decision"
            f" WHERE stage = 'title' AND decision.by = '' AND verdict IN {PASSED}"
            f" AND {has} AND NOT EXISTS (SELECT 1 FROM decision AS other"
            " WHERE other.work = decision.work AND other.stage = 'fulltext' AND other.by = '')",
            *values,
        )
    else:
        undecided = count_of(db, chosen) - sum(decided.values())
    return {"undecided": undecided} | {
        verdict: decided[verdict] for verdict in VERDICTS if verdict in decided
    }


def _conflicts(project: Project, chosen: WorkSelection, stage: Stage) -> dict[str, int]:
    """The works whose votes differ, as a value of the facet; none where there are none."""
    voted = "SELECT 1 FROM screening WHERE project = ? AND stage = ?"
    if project.db.one(voted, project.id, stage) is None:
        return {}
    count = _decision_count(project.db, chosen, "conflict", stage)
    return {"conflict": count} if count else {}


def _decision_count(
    db: Database, chosen: WorkSelection, verdict: Standing, stage: Stage, voter: str = ""
) -> int:
    condition = decision_condition(verdict, stage, voter)
    count: int = db.value(
        f"SELECT count(*) FROM {chosen.rows} AND {condition.sql}",
        *chosen.values,
        *condition.values,
    )
    return count


# Lists of the works of a project: filtered, sorted, by the page, with facets.

#: What a list is sorted by; the row at the end makes it one order. Indexes have these columns, and
#: the row stands in each of them.
_ORDERS: Mapping[Sort, str] = {
    "added": "id DESC",
    "title": "title_key, id",
    "author": "author_key, id",
    "year": "year DESC, id DESC",
    "citations": "citations DESC, id DESC",
    "relevance": "position, id",
}
#: Conditions on the row of a work: that it is one of the project, one of a list that is filtered.
_OF_PROJECT = "EXISTS (SELECT 1 FROM work WHERE work.id = {work} AND work.project = ?)"
_CHOSEN = "{work} IN (SELECT id FROM temp.chosen)"
#: Of so many works all are looked at in the order of an index, and not one by one.
_MANY = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksPage:
    """A part of a list. `start`: the place of the first one of `works`, from 0."""

    total: int
    start: int
    works: tuple[Work, ...]
    facets: tuple[WorksFacet, ...]


def page(
    project: Project, query: WorksQuery, *, facets: Sequence[str] = FACETS, reader: str = ""
) -> WorksPage:
    """A part of the list that a query asks for. `reader`: uid of a user, whose own votes and notes
    the works have, too. Raises UsageError: the query cannot be one.
    """
    found = conditions(project, query)
    chosen = _select(project, found)
    total = count_of(project.db, chosen)
    counted_ = _by_index(project, chosen) if total > _MANY else chosen
    of_facets = {
        name: (
            counted_
            if all(one.name != name for one in found)
            else _where(project, [one for one in found if one.name != name])
        )
        for name in facets
    }
    return WorksPage(
        total=total,
        start=query.start,
        works=tuple(works.read(project.db, _ids(project.db, chosen, query), reader)),
        facets=facets_of(project, of_facets, query.stage, facets, query.voter),
    )


def rows(project: Project, query: WorksQuery) -> list[int]:
    """The rows of all works that a query asks for, in its order, whatever its `start` and `count`.
    Raises UsageError: the query cannot be one.
    """
    chosen = _where(project, conditions(project, query))
    return [
        row[0]
        for row in project.db.all(
            f"SELECT id FROM {chosen.rows} ORDER BY {_ORDERS[query.sort]}",
            *chosen.values,
        )
    ]


def count(project: Project, query: WorksQuery) -> int:
    """How many works a query asks for, whatever its `start` and `count`. Raises UsageError: the
    query cannot be one.
    """
    return count_of(project.db, _where(project, conditions(project, query)))


def ahead(project: Project, query: WorksQuery, after: int | None = None) -> list[int]:
    """The rows of the next works of a list that begins with the newest, `count` at most: those
    after a row, which may have left the list. Raises UsageError: the query cannot be one.
    """
    chosen = _where(project, conditions(project, query))
    found = project.db.all(
        f"SELECT id FROM {chosen.rows} AND (? IS NULL OR work.id < ?)"
        f" ORDER BY {_ORDERS['added']} LIMIT ?",
        *chosen.values,
        after,
        after,
        query.count,
    )
    return [row[0] for row in found]


def uids(project: Project, query: WorksQuery) -> list[str]:
    """The names of all works of a query, as `rows`. Raises UsageError: it cannot be one."""
    chosen = _where(project, conditions(project, query))
    return [
        row[0]
        for row in project.db.all(
            f"SELECT uid FROM {chosen.rows} ORDER BY {_ORDERS[query.sort]}",
            *chosen.values,
        )
    ]


def verdict_counts(project: Project, stage: Stage = "title") -> dict[str, int]:
    """Verdict -> works of the project, and those that are "undecided" in the stage: in that of the
    whole text of what the first one let through.
    """
    return counts_by_verdict(project.db, _where(project, []), stage)


def _where(project: ProjectRow, found: Sequence[Condition]) -> WorkSelection:
    sql = "".join(f" AND ({one.sql})" for one in found)
    return WorkSelection(
        f"work WHERE work.project = ?{sql}",
        (project.id, *(value for one in found for value in one.values)),
        ids="" if found else _OF_PROJECT,
        id_values=() if found else (project.id,),
        all=not found,
    )


def _select(project: Project, found: Sequence[Condition]) -> WorkSelection:
    """The works of a list; where it is filtered, found once and kept for what is counted of them.

    The table is temporary: each connection has its own, and it is no part of the file.
    """
    chosen = _where(project, found)
    if not found:
        return chosen
    project.db.run("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY)")
    project.db.run("DELETE FROM temp.chosen")
    if len(found) == 1 and found[0].works:
        project.db.run(f"INSERT OR IGNORE INTO temp.chosen {found[0].works}", *found[0].values)
    else:
        project.db.run(f"INSERT INTO temp.chosen SELECT id FROM {chosen.rows}", *chosen.values)
    total = project.db.value("SELECT count(*) FROM temp.chosen")
    rows = "work WHERE work.id IN (SELECT id FROM temp.chosen)"
    return WorkSelection(rows, (), ids=_CHOSEN, total=total)


def _by_index(project: Project, chosen: WorkSelection) -> WorkSelection:
    """The same works, read in the order of the index of facets."""
    if chosen.all:
        return chosen
    whole = _where(project, [])
    if chosen.total == count_of(project.db, whole):  # none has to be looked up
        return replace(whole, total=chosen.total)
    return WorkSelection(
        "work INDEXED BY work_facets WHERE work.project = ?"
        " AND work.id IN (SELECT id FROM temp.chosen)",
        (project.id,),
        ids=_CHOSEN,
        total=chosen.total,
    )


def _ids(db: Database, chosen: WorkSelection, query: WorksQuery) -> list[int]:
    return [
        row[0]
        for row in db.all(
            f"SELECT id FROM {chosen.rows} ORDER BY {_ORDERS[query.sort]} LIMIT ? OFFSET ?",
            *chosen.values,
            query.count,
            query.start,
        )
    ]
