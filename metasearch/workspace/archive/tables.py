"""Which rows an archive holds, in which order, and what of them other rows are named by.

Rows of a table with an `id` are numbered from 1 in an archive, so that it does not depend on the
workspace that wrote it. The tables that are left out are made of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from metasearch.workspace.store.database import Database

_OF_STRATEGY = "strategy IN (SELECT id FROM strategy WHERE project = ?)"
_OF_STEP = (
    "step IN (SELECT step.id FROM step JOIN strategy ON strategy.id = step.strategy"
    " WHERE strategy.project = ?)"
)
_OF_RUN = "run IN (SELECT id FROM run WHERE project = ?)"
_OF_ANSWER = (
    "answer IN (SELECT answer.id FROM answer JOIN run ON run.id = answer.run WHERE run.project = ?)"
)
_OF_WORK = "work IN (SELECT id FROM work WHERE project = ?)"
_OF_PROJECT = "project = ?"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a workspace. `where`: which of its rows belong to the project `?`. `names`: column
    -> table whose ids it holds, beside those that the schema declares.
    """

    name: str
    where: str
    order: str = "id"
    names: Mapping[str, str] = field(default_factory=dict)
    long: bool = True


#: A row names rows of tables before its own, or of its own.
TABLES: tuple[Table, ...] = (
    Table("project", "id = ?"),
    Table("strategy", _OF_PROJECT),
    Table("step", _OF_STRATEGY),
    Table("step_parent", _OF_STEP, "step, parent", long=False),
    Table("run", _OF_PROJECT),
    Table("answer", _OF_RUN),
    Table("record", _OF_PROJECT),
    Table("finding", _OF_ANSWER, "answer, record", long=False),
    Table("work", _OF_PROJECT, names={"component": "record"}, long=False),
    Table("work_body", _OF_WORK, "work"),
    Table("work_record", _OF_WORK, "record", long=False),
    Table("work_source", _OF_PROJECT, "work, source", long=False),
    Table("joined_work", _OF_PROJECT, "work, at, key, uid"),
    Table("alias", _OF_PROJECT, "work, name", long=False),
    Table("decision", _OF_WORK, "work, stage, by", long=False),
    Table("tag", _OF_WORK, "work, text", long=False),
    Table("note", _OF_WORK, "work, by"),
    Table("screening", _OF_PROJECT, "stage", long=False),
    Table("screener", _OF_PROJECT, "stage, by", long=False),
    Table("resolution", _OF_WORK, "work, stage"),
    Table("opened", _OF_WORK, "work, stage", long=False),
    Table("pin", _OF_PROJECT),
    Table("known_work", _OF_PROJECT),
    Table("other_source", _OF_PROJECT),
    Table("report", _OF_PROJECT),
    Table("change", _OF_PROJECT),
)
#: Columns that archives leave out: the project is another one there, and versions tell the editors
#: of one workspace of each other. A run is resumed where it began, so that only there it is of use
#: which of its answers are half ones.
_LEFT_OUT = frozenset({"project", "version", "hidden", "half"})


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, as an archive has them.

    Attributes:
        names: In the order of the table, without those that are left out.
        refers: Column -> table whose ids it holds.
        required: Those without which there is no row.
        of_project: Whether it has a column `project`, which an archive leaves out.
    """

    names: tuple[str, ...]
    blobs: frozenset[str]
    refers: Mapping[str, str]
    required: frozenset[str]
    numbered: bool
    of_project: bool


def columns(db: Database, table: Table) -> Columns:
    """The columns that a table has in this release."""
    rows = db.all("SELECT * FROM pragma_table_info(?)", table.name)
    names = tuple(row["name"] for row in rows if row["name"] not in _LEFT_OUT)
    declared = db.all('SELECT "from", "table" FROM pragma_foreign_key_list(?)', table.name)
    refers = {row["from"]: row["table"] for row in declared if row["from"] != "project"}
    return Columns(
        names=names,
        blobs=frozenset(row["name"] for row in rows if row["type"] == "BLOB"),
        refers={**refers, **table.names},
        required=frozenset(
            row["name"]
            for row in rows
            if (row["notnull"] or row["pk"]) and row["dflt_value"] is None
        )
        & frozenset(names),
        numbered="id" in names,
        of_project=any(row["name"] == "project" for row in rows),
    )
