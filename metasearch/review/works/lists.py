"""Lists of the works of a project: filtered, sorted, by the page, with facets.

How the works of a list divide by what was decided, tags, sources, years and so on.

Each facet is counted over the works that fulfil all conditions but its own, so that it shows what
another choice would give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.works import works
from metasearch.review.works.filters import (
    Condition,
    Sort,
    Standing,
    WorksQuery,
    conditions,
    standing,
)
from metasearch.review.works.works import VERDICTS, Stage, Work

__all__ = [
    "FACETS",
    "WorksFacet",
    "WorksPage",
    "WorksQuery",
    "ahead",
    "count",
    "page",
    "rows",
    "uids",
    "verdict_counts",
]


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
class Chosen:
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
    db: Database,
    project: Project,
    chosen: Mapping[str, Chosen],
    stage: Stage,
    names: Sequence[str] = FACETS,
    voter: str = "",
) -> tuple[WorksFacet, ...]:
    """The facets that have a value, of the works `chosen`; verdicts are of `voter`."""
    of_columns: dict[Chosen, dict[str, Counter[str]]] = {}
    found = []
    for name in names:
        works = chosen[name]
        if name == "verdict":
            verdicts = counts_by_verdict(db, works, stage, voter)
            found.append(_facet(name, verdicts | _conflicts(db, project, works, stage)))
        elif name in _COLUMNS:
            if works not in of_columns:
                of_columns[works] = _column_counts(db, works)
            found.append(_facet(name, of_columns[works][name]))
        else:
            found.append(_facet(name, _table_counts(db, project, name, works)))
    return tuple(one for one in found if one.values)


def counted(db: Database, chosen: Chosen) -> int:
    """How many works they are."""
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


def _column_counts(db: Database, chosen: Chosen) -> dict[str, Counter[str]]:
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


def _table_counts(db: Database, project: Project, name: str, chosen: Chosen) -> dict[str, int]:
    if name == "sources" and chosen.all:
        rows = db.all(
            "SELECT source, count(*) FROM work_source WHERE project = ? GROUP BY 1", project.id
        )
    else:
        table, column = {"sources": ("work_source", "source"), "tags": ("tag", "text")}[name]
        within = "project = ? AND " if name == "sources" else ""
        has, values = chosen.has(f"{table}.work")
        rows = db.all(
            f"SELECT {column}, count(*) FROM {table} WHERE {within}{has} GROUP BY 1",
            *([project.id] if within else []),
            *values,
        )
    return {row[0]: row[1] for row in rows}


def counts_by_verdict(
    db: Database, chosen: Chosen, stage: Stage, voter: str = ""
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
        undecided = _standing_count(db, chosen, "undecided", stage, voter)
    elif stage == "fulltext":
        undecided = db.value(
            "SELECT count(*) FROM decision"
            " WHERE stage = 'title' AND decision.by = '' AND verdict IN ('relevant', 'close')"
            f" AND {has} AND NOT EXISTS (SELECT 1 FROM decision AS other"
            " WHERE other.work = decision.work AND other.stage = 'fulltext' AND other.by = '')",
            *values,
        )
    else:
        undecided = counted(db, chosen) - sum(decided.values())
    return {"undecided": undecided} | {
        verdict: decided[verdict] for verdict in VERDICTS if verdict in decided
    }


def _conflicts(db: Database, project: Project, chosen: Chosen, stage: Stage) -> dict[str, int]:
    """The works whose votes differ, as a value of the facet; none where there are none."""
    voted = "SELECT 1 FROM screening WHERE project = ? AND stage = ?"
    if db.one(voted, project.id, stage) is None:
        return {}
    count = _standing_count(db, chosen, "conflict", stage)
    return {"conflict": count} if count else {}


def _standing_count(
    db: Database, chosen: Chosen, verdict: Standing, stage: Stage, voter: str = ""
) -> int:
    condition = standing(verdict, stage, voter)
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
    db: Database,
    project: Project,
    query: WorksQuery,
    *,
    facets: Sequence[str] = FACETS,
    reader: str = "",
) -> WorksPage:
    """A part of the list that a query asks for. `reader`: uid of a user, whose own votes and notes
    the works have, too. Raises UsageError: the query cannot be one.
    """
    found = conditions(db, project, query)
    chosen = _chosen(db, project, found)
    total = counted(db, chosen)
    counted_ = _indexed(db, project, chosen) if total > _MANY else chosen
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
        works=tuple(works.read(db, _ids(db, chosen, query), reader)),
        facets=facets_of(db, project, of_facets, query.stage, facets, query.voter),
    )


def rows(db: Database, project: Project, query: WorksQuery) -> list[int]:
    """The rows of all works that a query asks for, in its order, whatever its `start` and `count`.
    Raises UsageError: the query cannot be one.
    """
    chosen = _where(project, conditions(db, project, query))
    return [
        row[0]
        for row in db.all(
            f"SELECT id FROM {chosen.rows} ORDER BY {_ORDERS[query.sort]}",
            *chosen.values,
        )
    ]


def count(db: Database, project: Project, query: WorksQuery) -> int:
    """How many works a query asks for, whatever its `start` and `count`. Raises UsageError: the
    query cannot be one.
    """
    return counted(db, _where(project, conditions(db, project, query)))


def ahead(db: Database, project: Project, query: WorksQuery, after: int | None = None) -> list[int]:
    """The rows of the next works of a list that begins with the newest, `count` at most: those
    after a row, which may have left the list. Raises UsageError: the query cannot be one.
    """
    chosen = _where(project, conditions(db, project, query))
    found = db.all(
        f"SELECT id FROM {chosen.rows} AND (? IS NULL OR work.id < ?)"
        f" ORDER BY {_ORDERS['added']} LIMIT ?",
        *chosen.values,
        after,
        after,
        query.count,
    )
    return [row[0] for row in found]


def uids(db: Database, project: Project, query: WorksQuery) -> list[str]:
    """The names of all works of a query, as `rows`. Raises UsageError: it cannot be one."""
    chosen = _where(project, conditions(db, project, query))
    return [
        row[0]
        for row in db.all(
            f"SELECT uid FROM {chosen.rows} ORDER BY {_ORDERS[query.sort]}",
            *chosen.values,
        )
    ]


def verdict_counts(db: Database, project: Project, stage: Stage = "title") -> dict[str, int]:
    """Verdict -> works of the project, and those that are "undecided" in the stage: in that of the
    whole text of what the first one let through.
    """
    return counts_by_verdict(db, _where(project, []), stage)


def _where(project: Project, found: Sequence[Condition]) -> Chosen:
    sql = "".join(f" AND ({one.sql})" for one in found)
    return Chosen(
        f"work WHERE work.project = ?{sql}",
        (project.id, *(value for one in found for value in one.values)),
        ids="" if found else _OF_PROJECT,
        id_values=() if found else (project.id,),
        all=not found,
    )


def _chosen(db: Database, project: Project, found: Sequence[Condition]) -> Chosen:
    """The works of a list; where it is filtered, found once and kept for what is counted of them.

    The table is temporary: each connection has its own, and it is no part of the file.
    """
    chosen = _where(project, found)
    if not found:
        return chosen
    db.run("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY)")
    db.run("DELETE FROM temp.chosen")
    if len(found) == 1 and found[0].works:
        db.run(f"INSERT OR IGNORE INTO temp.chosen {found[0].works}", *found[0].values)
    else:
        db.run(f"INSERT INTO temp.chosen SELECT id FROM {chosen.rows}", *chosen.values)
    total = db.value("SELECT count(*) FROM temp.chosen")
    rows = "work WHERE work.id IN (SELECT id FROM temp.chosen)"
    return Chosen(rows, (), ids=_CHOSEN, total=total)


def _indexed(db: Database, project: Project, chosen: Chosen) -> Chosen:
    """The same works, read in the order of the index of facets."""
    if chosen.all:
        return chosen
    whole = _where(project, [])
    if chosen.total == counted(db, whole):  # none has to be looked up
        return replace(whole, total=chosen.total)
    return Chosen(
        "work INDEXED BY work_facets WHERE work.project = ?"
        " AND work.id IN (SELECT id FROM temp.chosen)",
        (project.id,),
        ids=_CHOSEN,
        total=chosen.total,
    )


def _ids(db: Database, chosen: Chosen, query: WorksQuery) -> list[int]:
    return [
        row[0]
        for row in db.all(
            f"SELECT id FROM {chosen.rows} ORDER BY {_ORDERS[query.sort]} LIMIT ? OFFSET ?",
            *chosen.values,
            query.count,
            query.start,
        )
    ]
