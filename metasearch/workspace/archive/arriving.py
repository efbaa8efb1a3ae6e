"""Brings a project that was read into a file of its own to a workspace in which others write: its
rows in portions, under a project that nothing shows, which the last transaction shows.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from metasearch.errors import UsageError, WorkspaceError
from metasearch.message import message
from metasearch.workspace.archive.format import table_member
from metasearch.workspace.archive.members import wrong
from metasearch.workspace.archive.tables import TABLES
from metasearch.workspace.projects import MOST_PROJECTS
from metasearch.workspace.removing import folder_of, hidden_name, lock, remove
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.portions import in_portions
from metasearch.workspace.store.times import now

#: Bytes of a portion at most, but for a row that alone is larger.
MOST_BYTES = 2 << 20
#: Table with numbers -> a row that stands behind those of the archive until they are all there, so
#: that what others add meanwhile gets later numbers.
_BEHIND: Mapping[str, str] = {
    "strategy": "(id, project, number, name, created) VALUES ({strategy}, {project}, -1, '', '')",
    "step": "(id, strategy, number, kind, text, edited)"
    " VALUES ({step}, {strategy}, 0, 'query', '', '')",
    "run": "(id, project, strategy, number, mode, status, started, tool)"
    " VALUES ({run}, {project}, {strategy}, 0, 'records', 'done', '', '')",
    "answer": "(id, run, step, source, label, status)"
    " VALUES ({answer}, {run}, {step}, '', '', 'ok')",
    "record": "(id, project, source, key, digest, body, added)"
    " VALUES ({record}, {project}, '', '', '', x'', '')",
    "work": "(id, project, uid, component, first_run, added)"
    " VALUES ({work}, {project}, '{uid}', 0, {run}, '')",
    "pin": "(id, project, verdict, a, b, at) VALUES ({pin}, {project}, 'same', '', '', '')",
    "known_work": "(id, project, name, body) VALUES ({known_work}, {project}, '', x'')",
    "other_source": "(id, project, kind, name) VALUES ({other_source}, {project}, 'other', '')",
    "report": "(id, project, kind, number, data, document, digest, frozen)"
    " VALUES ({report}, {project}, '', '', '', '', '', '')",
    "change": "(id, project, at, action, object) VALUES ({change}, {project}, '', '', '')",
}
_WORDS = (
    "INSERT INTO main.work_words (rowid, words) SELECT work, words FROM arriving.work_body"
    " WHERE {some}"
)
_SUPERSEDED = (
    "UPDATE main.record SET superseded ="
    " (SELECT superseded FROM arriving.record AS own WHERE own.id = record.id)"
    " WHERE id IN (SELECT id FROM arriving.record WHERE {some})"
)


class Taken(Exception):
    """Another project of the workspace has meanwhile got a uid of a work of this one."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a project that arrives.

    Attributes:
        base: Table -> what is added to the numbers of the archive's rows.
        behind: Table -> number of the row that stands behind them.
        folder: Beside the workspace, for what is no part of it yet.
    """

    project: int
    base: Mapping[str, int]
    behind: Mapping[str, int]
    folder: Path
    db: Database

    def bring(self, stage: Database) -> None:
        """Copy the rows of a file, which have their numbers in the workspace already. Raises Taken:
        a uid is that of another work by now; UsageError: a row cannot be there twice.
        """
        for step in _steps(stage):
            try:
                in_portions(self.db, partial(step.portion, stage, [None]))
            except WorkspaceError as exc:
                if not isinstance(exc.__cause__, sqlite3.IntegrityError):
                    raise
                if str(exc.__cause__).endswith(".uid"):
                    raise Taken from exc
                raise wrong(table_member(step.table), str(exc.__cause__)) from exc

    def clear(self) -> None:
        """Remove the rows that stand behind the others, in the last transaction."""
        for table in reversed(tuple(_BEHIND)):
            self.db.run(f"DELETE FROM {table} WHERE id = ?", self.behind[table])  # noqa: S608


@contextmanager
def place(db: Database, rows: Mapping[str, int]) -> Iterator[Place]:
    """A place for a project with so many rows of each table; where the block fails, what it has
    brought is removed. Raises UsageError: there are too many projects.
    """
    token = secrets.token_hex(8)
    folder = folder_of(db.path, token)
    with lock(folder):
        base, behind = _reserve(db, token, rows)
        project = behind["project"]
        try:
            yield Place(project, base, behind, folder, db)
        except BaseException:
            # What is left where this fails, too, is removed by the next one that cleans up.
            with suppress(WorkspaceError, RuntimeError):
                remove(db, project)
            raise


def _reserve(
    db: Database, token: str, rows: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Make the project that nothing shows, and keep numbers free for its rows."""
    with db.transaction():
        if db.value("SELECT count(*) FROM project") >= MOST_PROJECTS:
            raise UsageError(
                message("A workspace holds at most {most} projects", most=f"{MOST_PROJECTS:,}"),
                advice=message("Export and delete one first."),
            )
        name = hidden_name()
        project = db.run(
            "INSERT INTO project (uid, name, kind, title, created, hidden)"
            " VALUES (?, ?, 'plain', '', ?, ?)",
            name,
            name,
            now(),
            token,
        )
        base = {"project": project - 1}
        behind = {"project": project}
        for table, row in _BEHIND.items():
            highest = f"SELECT max(id) FROM {table}"  # noqa: S608, own names
            base[table] = db.value(highest) or 0
            behind[table] = base[table] + rows.get(table, 0) + 1
            db.run(f"INSERT INTO {table} {row.format(**behind, uid=name)}")
        return base, behind


# --------------------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class _Step:
    """Some columns of a table that are brought. `size`: SQL of the bytes of a row, about.
    `statements`: what brings the rows between two keys; "{some}" chooses them.
    """

    table: str
    key: tuple[str, ...]
    size: str
    statements: tuple[str, ...]
    only: str = ""

    def portion(
        self, stage: Database, after: list[tuple[object, ...] | None], db: Database, rows: int
    ) -> int:
        """Bring the next rows; `after` holds the key of the last one."""
        keys, marks = ", ".join(self.key), ", ".join("?" * len(self.key))
        some, values = f"TRUE{self.only}", tuple[object, ...]()
        if after[0] is not None:
            some, values = f"({keys}) > ({marks}){self.only}", after[0]
        count, size, last = 0, 0, None
        for row in stage.rows(
            f"SELECT {self.size}, {keys} FROM {self.table} WHERE {some}"  # noqa: S608, own names
            f" ORDER BY {keys} LIMIT ?",
            *values,
            rows,
        ):
            size += row[0]
            if count and size > MOST_BYTES:
                break
            count, last = count + 1, tuple(row)[1:]
        if last is None:
            return 0
        after[0] = last
        some = f"{some} AND ({keys}) <= ({marks})"
        with db.beside(stage.path, "arriving"), db.transaction():
            for statement in self.statements:
                db.run(statement.format(some=some), *values, *last)
        return count


def _steps(stage: Database) -> Iterator[_Step]:
    for name in (*(table.name for table in TABLES[1:]), "entering"):
        info = stage.all("SELECT * FROM pragma_table_info(?)", name)
        names = [row["name"] for row in info]
        key = tuple(row["name"] for row in sorted(info, key=lambda row: row["pk"]) if row["pk"])
        texts = [row["name"] for row in info if row["type"] in ("TEXT", "BLOB")]
        size = " + ".join(f'coalesce(length("{text}"), 0)' for text in texts) or "0"
        # A record may be superseded by one that comes later.
        values = ["NULL" if one == "superseded" else f'"{one}"' for one in names]
        into, listed = ", ".join(f'"{one}"' for one in names), ", ".join(values)
        chosen = f"{listed} FROM arriving.{name} WHERE {{some}}"
        statements = [f"INSERT INTO main.{name} ({into}) SELECT {chosen}"]
        if name == "work_body":
            statements.append(_WORDS)
        yield _Step(name, key, size, tuple(statements))
        if name == "record":
            yield _Step(name, key, "0", (_SUPERSEDED,), " AND superseded IS NOT NULL")
