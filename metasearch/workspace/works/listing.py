"""Lists of the works of a project: filtered, sorted, by the page, with facets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import facets as counting
from metasearch.workspace.works import works
from metasearch.workspace.works.facets import FACETS, Chosen, WorksFacet
from metasearch.workspace.works.filters import Condition, Sort, WorksQuery, conditions
from metasearch.workspace.works.works import Stage, Work

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
    total = counting.counted(db, chosen)
    counted = _indexed(db, project, chosen) if total > _MANY else chosen
    of_facets = {
        name: (
            counted
            if all(one.name != name for one in found)
            else _where(project, [one for one in found if one.name != name])
        )
        for name in facets
    }
    return WorksPage(
        total=total,
        start=query.start,
        works=tuple(works.read(db, _ids(db, chosen, query), reader)),
        facets=counting.facets(db, project, of_facets, query.stage, facets, query.voter),
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
    return counting.counted(db, _where(project, conditions(db, project, query)))


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
    return counting.verdict_counts(db, _where(project, []), stage)


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
    if chosen.total == counting.counted(db, whole):  # none has to be looked up
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
