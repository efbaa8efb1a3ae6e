"""What keeps a workspace file safe: checks, and copies.

Whether a workspace file is whole: the file itself, its rows, and where it lies.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from metasearch.errors import UsageError, WorkspaceError
from metasearch.message import N_, Message, message, message_n
from metasearch.regular_files import sqlite_kind
from metasearch.review.projects import removal
from metasearch.review.store.database import Database, unusable

#: Problems of one kind that SQLite names; the rest is not looked for.
_MOST = 10
_REPORT = N_(
    "Please report it, with the version of metasearch; the works can be made anew by "
    "`metasearch project export` and `metasearch project import`."
)
_BACKUP = N_("Go back to a backup; or save what can be read by `metasearch project export`.")

_REPAIR = N_("Remove it: metasearch workspace check --repair")

#: What is counted: where a row stands, what is wrong with it, and what to do. Those of `_DANGERS`
#: are no damage.
_ROWS: tuple[tuple[str, str, str], ...] = (
    (
        "record WHERE id NOT IN (SELECT record FROM work_record UNION SELECT record FROM entering)",
        N_("{count} records belong to no work"),
        _REPORT,
    ),
    (
        "work WHERE id NOT IN (SELECT work FROM work_record)",
        N_("{count} works have no record"),
        _REPORT,
    ),
    (
        "work WHERE id NOT IN (SELECT work FROM work_body)",
        N_("{count} works have no content"),
        _REPORT,
    ),
    (
        (
            "work WHERE NOT EXISTS (SELECT 1 FROM alias WHERE alias.project = work.project"
            " AND alias.name = work.uid AND alias.work = work.id)"
        ),
        N_("{count} works are not found by their ids"),
        _REPORT,
    ),
    (
        "record WHERE id NOT IN (SELECT record FROM finding)",
        N_("{count} records were found by no search"),
        _REPORT,
    ),
    (
        (
            "project WHERE hidden = ''"
            " AND NOT EXISTS (SELECT 1 FROM change WHERE change.project = project.id)"
        ),
        N_("{count} projects have no log"),
        _BACKUP,
    ),
    (
        "change WHERE undoes >= id OR NOT json_valid(before) OR NOT json_valid(after)",
        N_("{count} lines of logs cannot be read"),
        _BACKUP,
    ),
    (
        "project WHERE hidden <> ''",
        N_("{count} projects are being imported or deleted, or an end was lacking"),
        N_("What is left of one whose program has died goes with the next import."),
    ),
    (
        "project WHERE NOT json_valid(details)",
        N_("the answers of {count} projects cannot be read"),
        _BACKUP,
    ),
    (
        "run WHERE status = 'running' AND julianday(started) < julianday('now', '-1 day')",
        N_("{count} runs began more than a day ago and have no end"),
        N_("They were stopped; what they fetched is kept. Run the strategy again."),
    ),
    (
        "user WHERE NOT json_valid(preferences) OR NOT json_valid(quotas)",
        N_("the preferences or quotas of {count} users cannot be read"),
        _BACKUP,
    ),
    (
        "audit WHERE NOT json_valid(detail)",
        N_("{count} lines of the audit log cannot be read"),
        _BACKUP,
    ),
    (
        (
            "link WHERE (kind = 'password') IS (user IS NULL)"
            " OR (kind = 'member') IS (project IS NULL)"
        ),
        N_("{count} links are for nobody, or for no project"),
        N_("Make new ones; nobody can use these."),
    ),
    (
        (
            "signature WHERE digest <> (SELECT digest FROM report WHERE id = signature.report)"
            " OR EXISTS (SELECT 1 FROM signature AS other WHERE other.report = signature.report"
            " AND other.role <> signature.role AND other.by = signature.by)"
        ),
        N_("{count} signatures are not those of the report, or both of one user"),
        _BACKUP,
    ),
    (
        "saved_search WHERE owner <> '' AND owner NOT IN (SELECT uid FROM user)",
        N_("{count} saved searches belong to users who are gone"),
        _REPORT,
    ),
    (
        (
            "project WHERE EXISTS (SELECT 1 FROM member WHERE member.project = project.id)"
            " AND NOT EXISTS (SELECT 1 FROM member JOIN user ON user.id = member.user"
            " WHERE member.project = project.id AND member.role = 'owner' AND NOT user.disabled"
            " AND user.role <> 'guest')"
        ),
        N_("{count} projects have members, and no owner who may log in"),
        N_("Make somebody the owner: metasearch user role NAME owner --project NAME"),
    ),
)
#: Beginnings of those rows that are dangers, and no damage.
_DANGERS = ("run ", "link ", "project WHERE EXISTS", "project WHERE hidden <>")
#: Of a project that comes or goes some rows are there, and others are not.
_THERE = " AND project NOT IN (SELECT id FROM project WHERE hidden <> '')"

_REPORTS = (
    "SELECT report.kind, report.number, document, digest, name"
    " FROM report JOIN project ON project.id = report.project WHERE hidden = ''"
)

#: File systems of network drives, as Linux names them.
_NETWORK = frozenset(
    "9p afs ceph cifs davfs fuse.davfs2 fuse.glusterfs fuse.rclone fuse.sshfs lustre ncpfs nfs "
    "nfs4 smb3 smbfs".split()
)


@dataclass(frozen=True, slots=True)
class WorkspaceProblem:
    """Something wrong with a workspace. `harmful`: there is damage; else a danger."""

    what: Message
    advice: Message
    harmful: bool = True


def check(db: Database) -> list[WorkspaceProblem]:
    """What is wrong; nothing where all is well. It reads the whole file."""
    with db.snapshot():
        try:
            broken = list(_file(db))
            if not broken:
                broken = [*_rows(db), *_across(db), *_users(db), *_digests(db)]
        except WorkspaceError as exc:
            if sqlite_kind(exc.__cause__) != sqlite3.SQLITE_CORRUPT:
                raise
            what = message("the file is damaged: {reason}", reason=str(exc.__cause__))
            broken = [WorkspaceProblem(what, message(_BACKUP))]
    left = [] if broken else _remains(db)
    return [*broken, *_words(db, whole=not broken), *left, *_place(db)]


def _remains(db: Database) -> Iterator[WorkspaceProblem]:
    """Whether something belongs to no project."""
    for what in removal.find_remains(db).messages():
        yield WorkspaceProblem(what, message(_REPAIR), harmful=False)


def _file(db: Database) -> Iterator[WorkspaceProblem]:
    """Whether SQLite finds its pages, its indexes, and what rows name."""
    for row in db.all(f"PRAGMA integrity_check({_MOST})"):
        if row[0] != "ok":
            yield WorkspaceProblem(
                message("the file is damaged: {reason}", reason=row[0]), message(_BACKUP)
            )
    for row in db.all("SELECT * FROM pragma_foreign_key_check LIMIT ?", _MOST):
        what = message(
            "a row of {table} names one of {other} that is gone", table=row[0], other=row[2]
        )
        advice = _REPAIR if row[2] == "project" else _BACKUP
        yield WorkspaceProblem(what, message(advice))


def _rows(db: Database) -> Iterator[WorkspaceProblem]:
    for where, what, advice in _ROWS:
        there = _THERE if where.startswith(("record ", "work ")) else ""
        count = db.value(f"SELECT count(*) FROM {where}{there}")  # noqa: S608, own words
        if count:
            harmful = not where.startswith(_DANGERS)
            yield WorkspaceProblem(message(what, count=f"{count:,}"), message(advice), harmful)


@dataclass(frozen=True, slots=True)
class TableRelation:
    """A column by which a row of one project, or saved search, could name a row of another.

    `table`, `column`: where it stands. `across`: the statement that gives (number of an owner, how
    many rows of its name a row of another one).
    """

    table: str
    column: str
    other: str
    owner: str
    across: str


#: What owns rows.
_OWNERS = ("project", "saved_search")
#: (table, column) -> table whose rows it names, of those that the schema does not declare.
_UNDECLARED = {("work", "component"): "record", ("record_place", "record"): "record"}


def relations(db: Database) -> list[TableRelation]:
    named: dict[str, dict[str, str]] = {}
    for (table,) in db.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        rows = db.all(
            'SELECT "from", "table" FROM pragma_foreign_key_list(?1)'
            ' JOIN pragma_table_info(?1) AS info ON info.name = "from" ORDER BY info.cid',
            table,
        )
        named[table] = {row["from"]: row["table"] for row in rows}
    for (table, column), other in _UNDECLARED.items():
        named[table][column] = other
    found = []
    for table, columns in named.items():
        own = _owner(table, named)
        for column, other in sorted(columns.items()):
            theirs = _owner(other, named)
            # What tells whose a row is tells nothing else.
            if own and theirs and own.kind == theirs.kind and own.column != column:
                found.append(_relation(table, column, other, own, theirs))
    return found


def _relation(table: str, column: str, other: str, own: _Owner, theirs: _Owner) -> TableRelation:
    across = (
        f"SELECT {own.of.format(table)} AS owner, count(*) AS rows FROM {table}"  # noqa: S608, own names
        f" JOIN {other} AS other ON other.rowid = {table}.{column}"
        f" WHERE owner <> {theirs.of.format('other')} GROUP BY owner"
    )
    return TableRelation(table, column, other, own.kind, across)


@dataclass(frozen=True, slots=True)
class _Owner:
    """Of the rows of a table: its kind, the expression that gives its number, with "{}" for the
    name of the table, and the column that the expression begins with.
    """

    kind: str
    of: str
    column: str


def _owner(table: str, named: Mapping[str, Mapping[str, str]]) -> _Owner | None:
    """What owns the rows of a table; None for tables of users."""
    if table in _OWNERS:
        return _Owner(table, "{}.id", "id")
    # A column that names the owner itself tells it; else the first one that names a row of theirs.
    columns = sorted(named[table].items(), key=lambda one: one[1] not in _OWNERS)
    for column, other in columns:
        if other in _OWNERS:
            return _Owner(other, f"{{}}.{column}", column)
        if other != table and (further := _owner(other, named)):
            of = f"(SELECT {further.of.format(other)} FROM {other}"  # noqa: S608, own names
            return _Owner(further.kind, f"{of} WHERE {other}.rowid = {{}}.{column})", column)
    return None


def _across(db: Database) -> Iterator[WorkspaceProblem]:
    """Whether rows of a project name rows of another one."""
    for one in relations(db):
        for owner, count in db.all(one.across):
            name = db.value(f"SELECT name FROM {one.owner} WHERE id = ?", owner)  # noqa: S608
            what = message(
                "{count} rows of {table} of {name} name rows of {other} of another project",
                count=f"{count:,}",
                table=one.table,
                name=name,
                other=one.other,
            )
            advice = message(
                "Go back to a backup; or delete {name}, which leaves the other project as it is.",
                name=name,
            )
            yield WorkspaceProblem(what, advice)


def _users(db: Database) -> Iterator[WorkspaceProblem]:
    """Whether somebody may change accounts, where there are some."""
    users = db.value("SELECT count(*) FROM user")
    office = "SELECT 1 FROM user WHERE role = 'administrator' AND NOT disabled"
    if users and db.one(office) is None:
        yield WorkspaceProblem(
            message("there are users, and no administrator who may log in"),
            message("Make one: metasearch user role NAME administrator"),
            harmful=False,
        )


def _digests(db: Database) -> Iterator[WorkspaceProblem]:
    """Whether records and frozen reports are what they were when they were saved."""
    changed = sum(
        hashlib.sha256(row["body"]).hexdigest() != row["digest"]
        for row in db.rows(f"SELECT body, digest FROM record WHERE TRUE{_THERE}")  # noqa: S608
    )
    if changed:
        what = message_n(
            "{count} record is not what was saved",
            "{count} records are not what was saved",
            changed,
        )
        yield WorkspaceProblem(what, message(_BACKUP))
    for row in db.rows(_REPORTS):
        if hashlib.sha256(row["document"].encode()).hexdigest() != row["digest"]:
            what = message(
                "the final report {kind} {number} of {project} is not what it was",
                kind=row["kind"],
                number=row["number"],
                project=row["name"],
            )
            yield WorkspaceProblem(what, message(_BACKUP))


def _words(db: Database, *, whole: bool) -> Iterator[WorkspaceProblem]:
    """Whether the index of words fits the works; SQLite compares by a statement that writes."""
    if not whole:
        return
    try:
        with db.transaction():
            db.run("INSERT INTO work_words (work_words, rank) VALUES ('integrity-check', 1)")
    except WorkspaceError as exc:
        if sqlite_kind(exc.__cause__) == sqlite3.SQLITE_CORRUPT:
            yield WorkspaceProblem(message("words of works are not found"), message(_REPORT))
        elif sqlite_kind(exc.__cause__) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH):
            raise


def _place(db: Database) -> Iterator[WorkspaceProblem]:
    """Dangers of where the file lies."""
    drive = _drive(db.path)
    if drive in _NETWORK:
        yield WorkspaceProblem(
            message("the file lies on a network drive ({kind})", kind=drive),
            message(
                "Two computers that write at once would damage it: move it to a local disk, and "
                "name it by [workspace] file."
            ),
            harmful=False,
        )
    mode = db.value("PRAGMA journal_mode")
    if mode != "wal":
        yield WorkspaceProblem(
            message("the write-ahead log is off ({mode})", mode=mode),
            message("Readers wait for writers: check that the drive is a local one."),
            harmful=False,
        )
    try:
        rights = stat.S_IMODE(db.path.stat().st_mode)
    except OSError:
        yield WorkspaceProblem(
            message("the file is no longer at its place: {file}", file=db.path),
            message("Make a backup at once: what is open is lost when the last program ends."),
        )
        return
    if sys.platform != "win32" and rights & 0o077:
        yield WorkspaceProblem(
            message("other users of this computer may read or change the file"),
            message("If that is not meant: chmod 600 {file}", file=db.path),
            harmful=False,
        )


def _drive(path: Path) -> str:
    """The file system of a file; "" where the system does not tell."""
    try:
        lines = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return drive_of(str(path.resolve()), lines)


def drive_of(path: str, mounts: list[str]) -> str:
    """The kind of the file system that is mounted nearest above a path.

    `path`: an absolute one, without links. `mounts`: lines of fstab(5): device, folder, kind, ...;
    blanks in a folder are escaped.
    """
    nearest, kind = "", ""
    for line in mounts:
        parts = line.split()
        if len(parts) < 3:
            continue
        folder = parts[1].replace("\\040", " ").rstrip("/")
        if (path == folder or path.startswith(f"{folder}/")) and len(folder) >= len(nearest):
            nearest, kind = folder, parts[2]
    return kind


# A copy of a workspace in a file of its own, made while others write to the workspace. SQLite
# copies the whole as it is at one moment. The copy is read through before it gets its name, so that
# a file with that name is a whole copy, also after a loss of power.


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy that was made. `file`: where it lies. It is a workspace, and can be used as one."""

    file: Path
    bytes: int
    projects: int


def backup(db: Database, target: Path) -> Backup:
    """Copy a workspace to a new file, which only its owner may read. Raises UsageError: there is a
    file already, or no folder for it. Raises WorkspaceError: the workspace cannot be read, or the
    copy cannot be written; no part of it is left.
    """
    if os.path.lexists(target):
        raise _exists(target)
    if not target.parent.is_dir():
        raise UsageError(
            message("there is no folder {folder}", folder=target.parent),
            advice=message("Make it first, or name a file in another folder."),
        )
    draft: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)  # mode 0600
        os.close(handle)
        draft = Path(name)
        projects = _copy(db, draft)
        _on_the_disk(draft, os.O_RDWR)
        size = draft.stat().st_size
        _publish(draft, target)
    except (OSError, ValueError, sqlite3.Error) as exc:
        raise unusable(target, exc) from exc
    finally:
        if draft is not None:
            for part in (draft, *(draft.with_name(draft.name + end) for end in ("-wal", "-shm"))):
                with suppress(OSError):
                    part.unlink()
    with suppress(OSError):  # a folder cannot be opened everywhere
        _on_the_disk(target.parent, os.O_RDONLY)
    return Backup(file=target, bytes=size, projects=projects)


def _copy(db: Database, draft: Path) -> int:
    """Copy, and read the copy through; returns how many projects there are. Raises sqlite3.Error:
    the copy cannot be written; WorkspaceError: the workspace is damaged.
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        db.backup_to(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without the log beside it
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise WorkspaceError(
                str(db.path),
                message("the workspace is damaged: {reason}", reason=found),
                advice=message("Run `metasearch workspace check`, or go back to a backup."),
            )
        return int(copy.execute("SELECT count(*) FROM project WHERE hidden = ''").fetchone()[0])


def _on_the_disk(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _publish(draft: Path, target: Path) -> None:
    """Give the copy its name, unless another file has it by now."""
    try:
        os.link(draft, target)  # unlike a rename it replaces nothing
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise _exists(target) from None
        draft.rename(target)


def _exists(target: Path) -> UsageError:
    return UsageError(
        message("{file} exists already", file=target),
        advice=message("A backup never replaces a file: name another one, as with the date in it."),
    )
