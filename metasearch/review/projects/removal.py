"""What belongs to no project: remains of processes that ended in the middle of an import or a
deletion. `workspace check` finds them, and `workspace check --repair` removes them.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from metasearch.message import Message, message_n
from metasearch.workspace import recorded
from metasearch.workspace.removing import remove_hidden
from metasearch.workspace.store.database import Database

#: How the temporary file of an archive is called.
_ARRIVING = "metasearch-archive-"
#: Seconds after which no archive arrives any more that was not written to since.
_LONGEST = 86_400.0


@dataclass(frozen=True, slots=True)
class Remains:
    """What belongs to no project.

    Attributes:
        files: Of archives that were received.
        rows: Table -> rows whose project is gone.
        miscounted: Rows of projects whose sums for the quotas are wrong.
    """

    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    rows: tuple[tuple[str, int], ...] = ()
    miscounted: tuple[int, ...] = ()

    def told(self) -> Iterator[Message]:
        """In words."""
        if self.folders:
            yield message_n(
                "{count} folder with recorded pages belongs to no project: {names}",
                "{count} folders with recorded pages belong to no project: {names}",
                len(self.folders),
                names=", ".join(map(str, self.folders[:10])),
            )
        if self.files:
            yield message_n(
                "{count} archive was received and never imported: {names}",
                "{count} archives were received and never imported: {names}",
                len(self.files),
                names=", ".join(map(str, self.files[:10])),
            )
        for table, count in self.rows:
            yield message_n(
                "{count} row of {table} belongs to no project",
                "{count} rows of {table} belong to no project",
                count,
                table=table,
            )
        if self.miscounted:
            yield message_n(
                "the quotas count {count} project wrongly",
                "the quotas count {count} projects wrongly",
                len(self.miscounted),
            )


@contextmanager
def arriving() -> Iterator[IO[bytes]]:
    """A temporary file, which only its owner may read, for an archive that is received."""
    with tempfile.NamedTemporaryFile(prefix=_ARRIVING, suffix=".zip") as file:
        yield file


def find(db: Database) -> Remains:
    """What belongs to no project, and was not begun a moment ago."""
    return Remains(
        folders=tuple(_folders(db)),
        files=tuple(_files()),
        rows=tuple((table, count) for table in _tables(db) if (count := _orphans(db, table))),
        miscounted=tuple(_miscounted(db)),
    )


def remove(db: Database) -> Remains:
    """Remove what belongs to no project, and count anew what projects hold; returns what it was."""
    remove_hidden(db)
    found = find(db)  # which reads the whole file, beside others who write
    with db.transaction():
        for table, _ in found.rows:
            db.run(f"DELETE FROM {table} WHERE {_GONE}")  # noqa: S608, own names
        for project, records, size, pages in _counted(db, found.miscounted):
            db.run(
                "INSERT INTO stored (project, records, bytes, pages) VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT (project) DO UPDATE SET records = ?2, bytes = ?3, pages = ?4",
                project,
                records,
                size,
                pages,
            )
        # An import that goes on has written its project by now, and its pages are no remains.
        still = {*_folders(db)}
        recorded.remove([folder for folder in found.folders if folder in still])
    for file in found.files:
        with suppress(OSError):
            file.unlink()
    return found


def _folders(db: Database) -> Iterator[Path]:
    """Folders of recorded pages whose project is gone; none where another file of the same name,
    but for its ending, lies beside the workspace: they may be its own.
    """
    if _twin(db.path):
        return
    uids = {row["uid"] for row in db.all("SELECT uid FROM project")}
    place = recorded.place_of(db.path)
    named = {
        Path(row["recorded"]).relative_to(place).parts[0]
        for row in db.all("SELECT DISTINCT recorded FROM run WHERE recorded <> ''")
        if Path(row["recorded"]).is_relative_to(place) and Path(row["recorded"]) != place
    }
    for folder in recorded.folders(db.path):
        if recorded.uid_of(folder) not in uids and folder.name not in named:
            yield folder


def _twin(path: Path) -> bool:
    beside = path.absolute()
    own = {beside.name, f"{beside.name}-wal", f"{beside.name}-shm", f"{beside.name}-journal"}
    try:
        names = [entry.name for entry in os.scandir(beside.parent) if entry.is_file()]
    except OSError:
        return True
    return any(Path(name).stem == beside.stem and name not in own for name in names)


def _files() -> Iterator[Path]:
    """Archives that a process has received, which ended before it removed them."""
    latest = time.time() - _LONGEST
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not entry.name.startswith(_ARRIVING):
                continue
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if entry.is_file(follow_symlinks=False) and about.st_mtime < latest:
                    yield Path(entry.path)


def _tables(db: Database) -> list[str]:
    """The tables whose rows belong to projects."""
    return [
        row["name"]
        for row in db.all(
            "SELECT DISTINCT m.name FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f"
            " WHERE m.type = 'table' AND f.\"table\" = 'project' AND f.\"from\" = 'project'"
            " ORDER BY m.name"
        )
    ]


_GONE = "project IS NOT NULL AND project NOT IN (SELECT id FROM project)"


def _orphans(db: Database, table: str) -> int:
    return int(db.value(f"SELECT count(*) FROM {table} WHERE {_GONE}"))  # noqa: S608, own names


def _miscounted(db: Database) -> Iterator[int]:
    """Projects of which `stored` says otherwise."""
    with db.snapshot():
        numbers = [row["id"] for row in db.all("SELECT id FROM project ORDER BY id")]
        for number, *sums in _counted(db, numbers):
            held = db.one("SELECT records, bytes, pages FROM stored WHERE project = ?", number)
            if held is None or [*held] != sums:
                yield number


def _counted(db: Database, numbers: Iterable[int]) -> Iterator[tuple[int, int, int, int]]:
    """(project, records, bytes, bytes of pages), of what is there now."""
    for number in numbers:
        row = db.one(
            "SELECT uid, (SELECT count(*) FROM record WHERE project = ?1),"
            " (SELECT ifnull(sum(length(body)), 0) FROM record WHERE project = ?1)"
            " + (SELECT ifnull(sum(length(CAST(document AS BLOB))), 0) FROM report"
            " WHERE project = ?1)"
            " + (SELECT ifnull(sum(length(CAST(before AS BLOB)) + length(CAST(after AS BLOB))), 0)"
            " FROM change WHERE project = ?1) FROM project WHERE id = ?1",
            number,
        )
        if row is not None:
            folders = recorded.folders_of(db.path, row["uid"])
            yield number, row[1], row[2], recorded.bytes_of(folders)
