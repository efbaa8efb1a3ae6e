"""How the works of a list divide by what was decided, tags, sources, years and so on.

Each facet is counted over the works that fulfil all conditions but its own, so that it shows what
another choice would give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.works import VERDICTS, Stage

#: Values that are shown of a facet.
MOST_VALUES = 50
#: Facet, which is the field of `WorksQuery` that narrows by it -> column of `work`; in the order in
#: which they are shown.
_COLUMNS: Mapping[str, str] = {
    "years": "year",
    "types": "type",
    "languages": "language",
    "open_access": "open_access",
}
#: All facets, in the order in which they are shown.
FACETS = ("verdict", "tags", "sources", *_COLUMNS, "first_runs")


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
        values: Of its question marks.
        all: Whether it is all works of the project.
    """

    rows: str
    values: tuple[object, ...]
    all: bool = False


def facet(
    db: Database, project: Project, name: str, chosen: Chosen, stage: Stage = "title"
) -> WorksFacet:
    """One of `FACETS` over some works."""
    if name == "verdict":
        counts = verdict_counts(db, chosen, stage)
        return WorksFacet(name, tuple(FacetCount(*one) for one in counts.items()))
    if name in _COLUMNS:
        pairs = db.all(
            f"SELECT {_COLUMNS[name]}, count(*) FROM {chosen.rows} GROUP BY 1",
            *chosen.values,
        )
    elif name == "first_runs":
        pairs = db.all(
            "SELECT run.number, one.count FROM"
            f" (SELECT first_run, count(*) AS count FROM {chosen.rows} GROUP BY 1) AS one"
            " JOIN run ON run.id = one.first_run",
            *chosen.values,
        )
    elif name == "sources" and chosen.all:
        pairs = db.all(
            "SELECT source, count(*) FROM work_source WHERE project = ? GROUP BY 1", project.id
        )
    else:
        table, column = {"sources": ("work_source", "source"), "tags": ("tag", "text")}[name]
        pairs = db.all(
            f"SELECT {column}, count(*) FROM {table}"
            f" WHERE work IN (SELECT id FROM {chosen.rows}) GROUP BY 1",
            *chosen.values,
        )
    values = [("" if value is None else str(value), count) for value, count in pairs]
    if name in ("years", "first_runs"):
        values.sort(key=lambda pair: -int(pair[0] or -1))
    else:
        values.sort(key=lambda pair: (-pair[1], pair[0]))
    shown = tuple(FacetCount(*pair) for pair in values[:MOST_VALUES])
    return WorksFacet(name, shown, len(values) - len(shown))


def verdict_counts(db: Database, chosen: Chosen, stage: Stage) -> dict[str, int]:
    """Verdict -> works; with "undecided", which in the stage of the whole text are those that the
    first stage let through.
    """
    works = f"SELECT id FROM {chosen.rows}"
    rows = db.all(
        "SELECT verdict, count(DISTINCT work) FROM decision"
        f" WHERE stage = ? AND work IN ({works}) GROUP BY verdict",
        stage,
        *chosen.values,
    )
    decided: dict[str, int] = {row[0]: row[1] for row in rows}
    if stage == "fulltext":
        undecided = db.value(
            "SELECT count(DISTINCT work) FROM decision"
            f" WHERE stage = 'title' AND verdict IN ('relevant', 'close') AND work IN ({works})"
            " AND NOT EXISTS (SELECT 1 FROM decision AS other WHERE other.work = decision.work"
            " AND other.stage = 'fulltext')",
            *chosen.values,
        )
    else:
        undecided = db.value(
            f"SELECT count(*) FROM {chosen.rows}",
            *chosen.values,
        ) - db.value(
            f"SELECT count(DISTINCT work) FROM decision WHERE stage = ? AND work IN ({works})",
            stage,
            *chosen.values,
        )
    return {"undecided": undecided} | {
        verdict: decided[verdict] for verdict in VERDICTS if verdict in decided
    }


def facets(
    db: Database,
    project: Project,
    chosen: Mapping[str, Chosen],
    stage: Stage,
    names: Sequence[str] = FACETS,
) -> tuple[WorksFacet, ...]:
    """All facets that have a value; `chosen` has the works of each."""
    found = (facet(db, project, name, chosen[name], stage) for name in names)
    return tuple(one for one in found if one.values)
