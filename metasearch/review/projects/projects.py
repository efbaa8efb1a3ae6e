"""Projects: what a person works on, with its strategies, runs, works and reports."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import log, removal
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.values import now, uid

#: A systematic review, a novelty search (查新), or neither.
Kind = Literal["review", "novelty", "plain"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Bounds, in characters and in projects.
LONGEST_NAME, LONGEST_TITLE, LONGEST_DETAILS, MOST_PROJECTS = 60, 500, 1_000_000, 10_000
#: A part of an address of the interface, which a project of this name would hide.
_RESERVED = frozenset({"import"})
#: In the log; and how many versions are looked back for what stood there.
_EDIT, _MOST_BACK = "edit project", 1_000
#: What a project is called on the command line: letters of any language, digits, ".", "_", "-".
_NAME = re.compile(r"[^\W_][\w.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project.

    Attributes:
        id: Of its row.
        uid: Its name in addresses; it never changes.
        name: Its name on the command line.
        kind: One of `KINDS`.
        title: For people.
        details: What only a person knows: the answers to the questions of its reports.
        created: When it was made.
        archived: Whether it is put away.
        version: Larger after each change of title, details or `archived`.
    """

    id: int
    uid: str
    name: str
    kind: Kind
    title: str
    details: Mapping[str, Any]
    created: str
    archived: bool
    version: int


def create(db: Database, name: str, kind: Kind, title: str = "", *, by: str = "") -> Project:
    """Make a project. Raises UsageError: the name or the title cannot be used, or another project
    has the name.
    """
    if kind not in KINDS:
        raise UsageError(
            message("There is no kind of project {kind}", kind=repr(kind)),
            advice=message("There are {kinds}.", kinds=", ".join(KINDS)),
        )
    check_name(name)
    title = _title(title or name)
    with db.transaction():
        if db.value("SELECT count(*) FROM project") >= MOST_PROJECTS:
            raise UsageError(
                message("A workspace holds at most {most} projects", most=f"{MOST_PROJECTS:,}"),
                advice=message("Export and delete one first."),
            )
        # No name is the uid of another one: `find` would take the one for the other.
        if db.one("SELECT 1 FROM project WHERE name = ? OR uid = ?", name, name) is not None:
            raise UsageError(
                message("There is a project {name} already", name=repr(name)),
                advice=message("Choose another name."),
            )
        number = db.run(
            "INSERT INTO project (uid, name, kind, title, created) VALUES (?, ?, ?, ?, ?)",
            uid(),
            name,
            kind,
            title,
            now(),
        )
        log.write(db, number, "new project", "project", None, {"kind": kind, "title": title}, by=by)
    return find(db, name)


def check_name(name: str) -> None:
    """Check a name for a project or a strategy. Raises UsageError: it cannot be one."""
    if name in _RESERVED:
        raise UsageError(
            message("{name} cannot be a name", name=repr(name)),
            advice=message("Choose another name."),
        )
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise UsageError(
            message("{name} cannot be a name", name=repr(name[:LONGEST_NAME])),
            advice=message(
                "A name has at most {most} letters, digits, '.', '_' and '-', and begins with a "
                "letter or digit.",
                most=LONGEST_NAME,
            ),
        )


def free_name(db: Database, name: str) -> str:
    """The name, with "-2", "-3" and so on behind it where a project has it already."""
    taken = {text for row in db.all("SELECT name, uid FROM project") for text in row}
    found, number = name, 1
    while found in taken:
        number += 1
        end = f"-{number}"
        found = f"{name[: LONGEST_NAME - len(end)]}{end}"
    return found


def find(db: Database, name: str) -> Project:
    """The project with this name or uid. Raises UsageError: there is none."""
    row = db.one(
        "SELECT * FROM project WHERE (name = ? OR uid = ?) AND hidden = ''"
        " ORDER BY uid = ? DESC LIMIT 1",
        name,
        name,
        name,
    )
    if row is not None:
        return _project(row)
    names = [row["name"] for row in db.all("SELECT name FROM project WHERE hidden = ''")]
    near = difflib.get_close_matches(name[:LONGEST_NAME], names, n=3)
    raise UsageError(
        message("There is no project {name}", name=repr(name[:LONGEST_NAME])),
        advice=message("Did you mean {names}?", names=", ".join(near))
        if near
        else message("`metasearch project list` shows all; `metasearch project new` makes one."),
    )


def by_id(db: Database, number: int) -> Project:
    """The project of a row, which is there."""
    row = db.one("SELECT * FROM project WHERE id = ?", number)
    assert row is not None
    return _project(row)


def every(db: Database) -> list[Project]:
    """All projects, the newest first; those that are put away last."""
    rows = db.all(
        "SELECT * FROM project WHERE hidden = '' ORDER BY archived, created DESC, id DESC"
    )
    return [_project(row) for row in rows]


def update(
    db: Database,
    project: Project,
    *,
    title: str | None = None,
    details: Mapping[str, Any] | None = None,
    archived: bool | None = None,
    version: int | None = None,
    by: str = "",
) -> Project:
    """Change a project; what is None stays. `details` replaces the keys that it names, and removes
    those whose value is None. `version` is that of the project that the change was made with.
    Raises Conflict: it was changed since that version; UsageError: the title or the details cannot
    be used.
    """
    with db.transaction():
        old = find(db, project.uid)
        merged = {**old.details, **(details or {})}
        merged = {key: value for key, value in merged.items() if value is not None}
        packed = orjson.dumps(merged, option=orjson.OPT_SORT_KEYS).decode()
        if len(packed) > LONGEST_DETAILS:
            raise UsageError(message("The details of the project are too long"))
        new_title = old.title if title is None else _title(title)
        put_away = old.archived if archived is None else archived
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for key, was, becomes in (
            ("title", old.title, new_title),
            ("archived", old.archived, put_away),
            *((key, old.details.get(key), merged.get(key)) for key in details or ()),
        ):
            if was != becomes:
                before[key], after[key] = was, becomes
        text = message("The project was changed since you opened it")
        values.check_version(version, old.version, text, after, before)
        if after:
            db.run(
                "UPDATE project SET title = ?, details = ?, archived = ?, version = version + 1"
                " WHERE id = ?",
                new_title,
                packed,
                int(put_away),
                old.id,
            )
            log.write(db, old.id, _EDIT, "project", before, after, by=by)
    return find(db, project.uid)


def details_at(db: Database, project: Project, version: int) -> Mapping[str, Any] | None:
    """The details that a project had at an earlier version; None where the log does not tell.

    Each version but the first is that of one line of the log.
    """
    count = project.version - version
    if not 0 < count <= _MOST_BACK:
        return None
    lines = db.all(
        "SELECT before FROM change WHERE project = ? AND action = ? ORDER BY id DESC LIMIT ?",
        project.id,
        _EDIT,
        count,
    )
    if len(lines) < count:
        return None
    details = dict(project.details)
    for line in lines:
        details |= orjson.loads(line["before"])
    own = ("title", "archived")
    return {key: it for key, it in details.items() if it is not None and key not in own}


def delete(db: Database, project: Project) -> None:
    """Remove a project with all that belongs to it: at once for all who look, its rows in portions
    between which others write.
    """
    removal.remove(db, project.id)


def _title(title: str) -> str:
    title = " ".join(title.split())
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        raise UsageError(
            message("{title} cannot be a title", title=repr(title[:80])),
            advice=message("A title has 1 to {most} characters.", most=LONGEST_TITLE),
        )
    return title


def _project(row: sqlite3.Row) -> Project:
    return Project(
        id=row["id"],
        uid=row["uid"],
        name=row["name"],
        kind=row["kind"],
        title=row["title"],
        details=orjson.loads(row["details"]),
        created=row["created"],
        archived=bool(row["archived"]),
        version=row["version"],
    )


# How much a project holds, for lists of projects and its first page.


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The numbers of a project.

    Attributes:
        strategies, steps: What is searched for; steps that were removed are not counted.
        runs: Of all kinds, also those that were stopped.
        records: Versions of records that were fetched or imported.
        works: After merging.
        undecided: Works without a decision on title and abstract.
        reports: Those that are frozen.
        last_run: When the newest run began; None where there is none.
    """

    strategies: int
    steps: int
    runs: int
    records: int
    works: int
    undecided: int
    reports: int
    last_run: str | None


def overview_of(db: Database, project: Project) -> Overview:
    """The numbers of a project as they are now."""
    row = db.one(
        """
        SELECT
            (SELECT count(*) FROM strategy WHERE project = ?1) AS strategies,
            (SELECT count(*) FROM step JOIN strategy ON strategy.id = step.strategy
             WHERE strategy.project = ?1 AND NOT step.removed) AS steps,
            (SELECT count(*) FROM run WHERE project = ?1) AS runs,
            (SELECT count(*) FROM record WHERE project = ?1) AS records,
            (SELECT count(*) FROM work WHERE project = ?1) AS works,
            (SELECT count(DISTINCT work.id) FROM decision JOIN work ON work.id = decision.work
             WHERE work.project = ?1 AND decision.stage = 'title' AND decision.by = '') AS decided,
            (SELECT count(*) FROM report WHERE project = ?1) AS reports,
            (SELECT max(started) FROM run WHERE project = ?1) AS last_run
        """,
        project.id,
    )
    assert row is not None
    return Overview(
        strategies=row["strategies"],
        steps=row["steps"],
        runs=row["runs"],
        records=row["records"],
        works=row["works"],
        undecided=row["works"] - row["decided"],
        reports=row["reports"],
        last_run=row["last_run"],
    )
