"""Reads an archive into a workspace: all of it, or nothing.

Brings a project that was read into a file of its own to a workspace in which others write: its
rows in portions, under a project that nothing shows, which the last transaction shows.
"""

from __future__ import annotations

import re
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from metasearch.errors import UsageError, WorkspaceError
from metasearch.message import message
from metasearch.review.projects import archive_checks, log, projects, shapes
from metasearch.review.projects.archive_checks import Archive, wrong
from metasearch.review.projects.archive_format import (
    PAGE,
    TABLES,
    ArchiveColumns,
    ArchiveTable,
    columns,
    renumber_object,
    renumber_report,
    table_member,
)
from metasearch.review.projects.projects import MOST_PROJECTS, Project, check_name
from metasearch.review.projects.removal import folder_of, hidden_name, lock, remove
from metasearch.review.reports import reports
from metasearch.review.runs import figures, other_sources, runs
from metasearch.review.store import workspace as recordings
from metasearch.review.store.database import Database, in_portions, unusable
from metasearch.review.store.values import now, uid
from metasearch.review.strategies import steps, strategies

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


class UidClash(Exception):
    """Another project of the workspace has meanwhile got a uid of a work of this one."""


@dataclass(frozen=True, slots=True)
class Arrival:
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
                    raise UidClash from exc
                raise wrong(table_member(step.table), str(exc.__cause__)) from exc

    def clear(self) -> None:
        """Remove the rows that stand behind the others, in the last transaction."""
        for table in reversed(tuple(_BEHIND)):
            self.db.run(f"DELETE FROM {table} WHERE id = ?", self.behind[table])  # noqa: S608


@contextmanager
def place(db: Database, rows: Mapping[str, int]) -> Iterator[Arrival]:
    """A place for a project with so many rows of each table; where the block fails, what it has
    brought is removed. Raises UsageError: there are too many projects.
    """
    token = secrets.token_hex(8)
    folder = folder_of(db.path, token)
    with lock(folder):
        base, behind = _reserve(db, token, rows)
        project = behind["project"]
        try:
            yield Arrival(project, base, behind, folder, db)
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


# Reads an archive into a workspace: all of it, or nothing. It is read and checked in a file of its
# own, which then is brought to the workspace: others write meanwhile. Rows get new
# numbers behind those that are there; what names a row is moved by the same distance, so that
# nothing has to be remembered of 100,000 records. Uids are kept unless another project of the
# workspace has them; the old ones are then further names of the works.

#: A uid in the JSON of a line of the log.
_UID = re.compile(r"(?<=[\":])[a-km-z2-9]{12}(?=\")")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectImport:
    """What was imported.

    Attributes:
        project: As it is in the workspace now.
        rows: Table -> rows.
        pages: Recorded files.
        name: The project's name in the archive; that of the workspace is another one where it was
            taken.
        new_uids: Works that got another uid; their old one is a further name of them.
    """

    project: Project
    rows: Mapping[str, int]
    pages: int
    name: str
    new_uids: int


def import_project(
    db: Database,
    path: Path,
    *,
    name: str | None = None,
    largest: int | None = None,
    by: str = "",
    last: Callable[[Project], None] = lambda _: None,
) -> ProjectImport:
    """Read an archive.

    `name`: for the project; None takes that of the archive, with "-2" behind it where a project has
    it already. `largest`: bytes that it may have when it is unpacked; None takes those of any
    archive. `last`: called in the last transaction, with the project: what it does happens with all
    the rest or not at all. Raises UsageError: it is no archive of this or an earlier release, it
    was changed, or the name cannot be used. Nothing was imported.
    """
    if name is not None:
        check_name(name)
    with archive_checks.open_archive(path, largest) as archive:
        own = db.value("PRAGMA user_version")
        if archive.manifest["tables"] > own:
            raise UsageError(
                message(
                    "the archive has the tables of version {version}, and this program knows "
                    "versions up to {own}",
                    version=archive.manifest["tables"],
                    own=own,
                ),
                advice=message("Use the newer release of metasearch that has written it."),
            )
        if archive.rows.get("project") != 1:
            raise wrong(table_member("project"), message("an archive holds one project"))
        if name is not None:
            _check_free(db, name)
        while True:
            # Whoever imports the same archive at once may be faster with its uids.
            with suppress(UidClash), place(db, archive.rows) as here:
                return _import(db, archive, here, name, by, last)


def _import(
    db: Database,
    archive: Archive,
    here: Arrival,
    name: str | None,
    by: str,
    last: Callable[[Project], None],
) -> ProjectImport:
    with Database(here.folder / "stage") as stage:
        # It is made anew whenever it is needed: nothing of it has to outlast a loss of power.
        stage.run("PRAGMA journal_mode = OFF")
        stage.run("PRAGMA synchronous = OFF")
        reading = _ArchiveReader(stage, db, archive, here)
        try:
            with stage.transaction():
                reading.read()
            here.bring(stage)
            row = stage.one("SELECT * FROM project")
            assert row is not None
            return reading.show(dict(row), name, by, last)
        except BaseException:
            reading.forget_pages()
            raise


@dataclass(slots=True)
class _ArchiveReader:
    db: Database
    workspace: Database
    archive: Archive
    here: Arrival
    uid: str = ""
    old_name: str = ""
    #: Uid of the archive -> that of the workspace, where it is another one.
    uids: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None
    #: Bytes of recorded pages.
    pages: int = 0

    def read(self) -> None:
        """Read all tables and pages, inside a transaction."""
        # A row may name a later one of its table; at the end all are there.
        self.db.run("PRAGMA defer_foreign_keys = ON")
        for table in TABLES:
            self._table(table, columns(self.db, table))
        self._derive()
        self._pages()
        self._read_through()

    def show(
        self,
        row: Mapping[str, Any],
        name: str | None,
        by: str,
        last: Callable[[Project], None],
    ) -> ProjectImport:
        """Show the project, whose rows are all there, to everybody: the last transaction."""
        db = self.workspace
        with db.transaction():
            if name is not None:
                _check_free(db, name)
            self.here.clear()
            db.run(
                "UPDATE project SET uid = ?, name = ?, kind = ?, title = ?, details = ?,"
                " created = ?, archived = ?, hidden = '' WHERE id = ?",
                uid() if _is_taken(db, row["uid"]) else row["uid"],
                projects.free_name(db, self.old_name) if name is None else name,
                *(row[key] for key in ("kind", "title", "details", "created", "archived")),
                self.here.project,
            )
            project = projects.by_id(db, self.here.project).as_user(by)
            what = {
                "archive": self.archive.digest,
                "name": self.old_name,
                "tool": str(self.archive.manifest.get("tool", ""))[:100],
            }
            project.log("import project", "project", None, what)
            recordings.set_pages(db, project.id, self.pages)
            last(project)
            if self.pages and self.folder is not None:
                self.folder.parent.mkdir(exist_ok=True, mode=0o700)
                self._receive_pages().rename(self.folder)
        return ProjectImport(
            project=project,
            rows=self.archive.rows,
            pages=len(self.archive.pages),
            name=self.old_name,
            new_uids=len(self.uids),
        )

    def forget_pages(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _table(self, table: ArchiveTable, shape: ArchiveColumns) -> None:
        at = ""

        def rows() -> Iterator[tuple[Any, ...]]:
            nonlocal at
            for number, row in lines:
                at = f"{table_member(table.name)}, line {number}"
                found = checked.read(row, at)
                self._localise(table, shape, found, number, at)
                if shape.of_project:
                    found["project"] = self.here.project
                yield of_row(found)

        lines = self.archive.lines(table.name)
        first = next(lines, None)
        if first is None:
            return
        checked = archive_checks.ArchiveRows(
            table.name, shape, first[1], f"{table_member(table.name)}, line {first[0]}"
        )
        wanted = [name for name in shape.names if name in first[1]]
        wanted += ["project"] if shape.of_project else []
        of_row = itemgetter(*wanted)  # a table has two columns or more
        lines = chain([first], lines)
        marks = ", ".join("?" * len(wanted))
        listed = ", ".join(f'"{name}"' for name in wanted)
        try:
            self.db.run_many(
                f"INSERT INTO {table.name} ({listed}) VALUES ({marks})",  # noqa: S608, own names
                rows(),
            )
        except WorkspaceError as exc:
            if isinstance(exc.__cause__, sqlite3.IntegrityError):  # a CHECK, or twice the same
                raise wrong(at, str(exc.__cause__)) from exc
            raise

    def _localise(
        self, table: ArchiveTable, shape: ArchiveColumns, row: dict[str, Any], number: int, at: str
    ) -> None:
        """Give a row its numbers and names in this workspace."""
        if shape.numbered:
            if row["id"] != number:
                raise wrong(at, message("the rows are not numbered from 1"))
            row["id"] += self.here.base[table.name]
        for name, other in shape.refers.items():
            value = row.get(name)
            if value is None:
                continue
            if type(value) is not int or not 1 <= value <= self.archive.rows.get(other, 0):
                raise wrong(f"{at}, {name}", message("there is no such row"))
            row[name] = value + self.here.base[other]
        match table.name:
            case "project":
                self._project(row, at)
            case "strategy":
                _name(row, at)
            case "step_parent":
                self._step_parent(row, at)
            case "report":
                row["data"] = renumber_report(row["data"], self._number)
            case "run":
                self._run(row, at)
            case "work" | "joined_work":
                row["uid"] = self._uid(row["uid"])
            case "change":
                self._change(row, at)

    def _project(self, row: dict[str, Any], at: str) -> None:
        self.old_name = _name(row, at)
        title, answers = str(row["title"]), str(row.get("details", ""))
        if not title.isprintable() or not 0 < len(title) <= projects.LONGEST_TITLE:
            raise wrong(f"{at}, title", message("it cannot be a title"))
        if len(answers) > projects.LONGEST_DETAILS:
            raise wrong(f"{at}, details", message("it is too long"))
        if _is_taken(self.workspace, row["uid"]):
            row["uid"] = uid()
        self.uid = row["uid"]

    def _run(self, row: dict[str, Any], at: str) -> None:
        """A run that had not ended, or could be resumed where it began, has ended with the export;
        its pages get their place here.
        """
        if row.get("status") in ("running", "interrupted"):
            row["status"] = "stopped"
        recorded = row.get("recorded", "")
        if recorded:
            if not isinstance(recorded, str) or not PAGE.fullmatch(
                f"{recorded}/source/0123456789abcdef/page.json"
            ):
                raise wrong(at, message("its pages have no place in an archive"))
            row["recorded"] = str(self._folder() / recorded.partition("/")[2])

    def _folder(self) -> Path:
        """A new folder beside the workspace, for recorded pages."""
        if self.folder is None:
            place = recordings.place_of(self.workspace.path) / self.uid
            if place.exists():
                place = place.with_name(f"{self.uid}-{secrets.token_hex(4)}")
            self.folder = place
        return self.folder

    def _uid(self, old: str) -> str:
        """The uid of a work: its own, unless another work of the workspace has or had it."""
        if old in self.uids:
            return self.uids[old]
        taken = self.workspace.one(
            "SELECT 1 FROM work WHERE uid = ? UNION ALL SELECT 1 FROM joined_work WHERE uid = ?",
            old,
            old,
        )
        if taken is None:
            return old
        self.uids[old] = uid()
        return self.uids[old]

    def _step_parent(self, row: Mapping[str, Any], at: str) -> None:
        """A step names steps of its own strategy."""
        both = row["step"], row["parent"]
        if self.db.value("SELECT count(DISTINCT strategy) FROM step WHERE id IN (?, ?)", *both) > 1:
            raise wrong(at, message("it is a step of another strategy"))

    def _change(self, row: dict[str, Any], at: str) -> None:
        """A line of the log is about what the project has; `values` has checked its shape."""
        if row.get("undoes") is not None and row["undoes"] >= row["id"]:
            raise wrong(f"{at}, undoes", message("it undoes no earlier line"))
        strategy, step = shapes.numbers(row["object"])
        if strategy and self.db.one(*_there(self.here.project, strategy, step)) is None:
            raise wrong(f"{at}, object", message("the project has none of this number"))
        row["object"] = renumber_object(row["object"], self._number)
        if self.uids:
            for name in ("object", "before", "after"):
                if name in row:
                    row[name] = _with_new_uids(str(row[name]), self.uids)

    def _number(self, table: str, row: int) -> int | None:
        if not 1 <= row <= self.archive.rows.get(table, 0):
            return None
        return row + self.here.base.get(table, 0)

    def _derive(self) -> None:
        """Make what is made of other rows: the records that wait for works, and the new names of
        works. What an import had brought that had not come to its end is left out.
        """
        without_work = "record NOT IN (SELECT record FROM work_record)"
        self.db.run(
            f"DELETE FROM finding WHERE {without_work} AND answer IN (SELECT answer.id"  # noqa: S608
            " FROM answer JOIN run ON run.id = answer.run"
            " WHERE run.mode = 'import' AND run.status <> 'done')"
        )
        self.db.run(
            "DELETE FROM record WHERE id NOT IN (SELECT record FROM finding"
            " UNION SELECT record FROM work_record)"
        )
        self.db.run(
            "INSERT INTO entering (record, project, answer, is_new, replaces)"  # noqa: S608
            " SELECT record, ?, min(answer), 1, (SELECT older.id FROM record AS new"
            " JOIN record AS older ON older.project = new.project AND older.key = new.key"
            " WHERE new.id = finding.record AND older.superseded IS NULL"
            " AND older.id IN (SELECT record FROM work_record))"
            f" FROM finding WHERE {without_work} GROUP BY record",
            self.here.project,
        )
        self.db.run(
            "INSERT OR IGNORE INTO alias (project, name, work)"
            " SELECT project, uid, id FROM work WHERE project = ?"
            " UNION ALL SELECT project, uid, work FROM joined_work WHERE project = ?",
            self.here.project,
            self.here.project,
        )

    def _pages(self) -> None:
        """Write recorded pages beside the workspace; the last transaction places them."""
        try:
            for name in self.archive.pages:
                place = self._receive_pages() / name.partition("/")[2]
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self.pages += place.write_bytes(self.archive.page(name))
        except OSError as exc:
            raise unusable(self.here.folder, exc) from exc

    def _receive_pages(self) -> Path:
        return self.here.folder / "pages"

    def _read_through(self) -> None:
        """Read what was imported as the program will read it."""
        try:
            project = projects.find(self.db, self.uid)
            for strategy in strategies.of(project):
                steps.of(self.db, strategy)
                figures.table(self.db, strategy)
            for run in runs.of(project):
                runs.answers(self.db, run)
            other_sources.of(project)
            for report in reports.frozen(project):
                reports.document(self.db, report)
                reports.find_previous(project, report.kind, report.number)
            projects.answers(project)
            with suppress(StopIteration):
                next(iter(log.lines(self.db, project.id, most=1)))
        except WorkspaceError:
            raise
        except UsageError as exc:
            raise wrong("tables", exc.args[0]) from exc
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as exc:
            raise wrong("tables", message("a value is not as metasearch writes it")) from exc


def _is_taken(db: Database, uid_: str) -> bool:
    """Whether a project of the workspace has a uid. No uid is the name of another project:
    `projects.find` would take the one for the other.
    """
    return db.one("SELECT 1 FROM project WHERE uid = ? OR name = ?", uid_, uid_) is not None


def _check_free(db: Database, name: str) -> None:
    if _is_taken(db, name):
        raise UsageError(
            message("There is a project {name} already", name=repr(name)),
            advice=message("Choose another name."),
        )


def _name(row: Mapping[str, Any], at: str) -> str:
    try:
        check_name(str(row["name"]))
    except UsageError as exc:
        raise wrong(at, exc.args[0]) from exc
    return str(row["name"])


def _there(project: int, strategy: int, step: int) -> tuple[str, *tuple[int, ...]]:
    """The statement that finds a strategy of a project by its number, or a step of it."""
    if not step:
        return "SELECT 1 FROM strategy WHERE project = ? AND number = ?", project, strategy
    found = (
        "SELECT 1 FROM step JOIN strategy ON strategy.id = step.strategy"
        " WHERE strategy.project = ? AND strategy.number = ? AND step.number = ?"
    )
    return found, project, strategy, step


def _with_new_uids(text: str, uids: Mapping[str, str]) -> str:
    """A text of the log in which works have other uids."""
    found = re.sub(r"(?<=^work:)[a-z2-9]{12}$", lambda one: uids.get(one[0], one[0]), text)
    return _UID.sub(lambda one: uids.get(one[0], one[0]), found)
