"""A collection that is open for writing: its transactions, records and files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from metasearch.adapters.specs.collections import collection_file
from metasearch.bib.record_json import encodable, packed
from metasearch.collections.database import Kind, check, lock, make, regular, unusable
from metasearch.collections.texts import COLUMNS, indexed
from metasearch.errors import CollectionError
from metasearch.record import Record

#: Bytes of one record at most: a larger one holds a whole text in place of an abstract.
LARGEST = 4 << 20
#: Seconds that a write waits for readers.
PATIENCE = 30.0
#: Suffix of the file in which a new collection is made; no search opens such a file.
_DRAFT = ".new"

_INDEX = f"INSERT INTO texts (rowid, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"  # noqa: S608

Change = Literal["added", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file whose records are in the collection.

    Attributes:
        changed: Time of its last change, in Unix nanoseconds.
        digest: SHA-256 of its bytes.
        lost: How many of its records could not be read.
    """

    id: int
    path: str
    root: str
    size: int
    changed: int
    digest: str
    lost: int


class Collection:
    """A collection that is open for writing. Meanwhile no other process can write to it, and all
    can search it.

    A new collection is written to a draft file beside its place, which no search opens. The first
    transaction that stores a record moves the draft to its place; without one, the draft is
    deleted.
    """

    def __init__(
        self, file: Path, db: sqlite3.Connection, held: ExitStack, *, draft: Path | None = None
    ) -> None:
        self.file = file
        self._db = db
        self._held = held
        self._draft = draft

    @classmethod
    def open(cls, folder: Path, name: str, kind: Kind) -> Self:
        """Open a collection for writing; a new one is made with its first record. Raises
        CollectionError: the file is not a collection, has a later version or another `kind`, or
        another process is writing to it.
        """
        path = collection_file(folder, name)
        held = ExitStack()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            regular(path)
            lock(path, held)
            draft = None if _holds_something(path) else path.with_suffix(_DRAFT)
            if draft is not None:
                _clear(draft)  # left by a process that was killed
            collection = cls(path, _connected(draft or path), held, draft=draft)
        except (sqlite3.Error, OSError) as exc:
            held.close()
            raise unusable(path, exc) from exc
        except BaseException:
            held.close()
            raise
        try:
            collection._begin(kind)
        except (sqlite3.Error, OSError) as exc:
            collection.close()
            raise unusable(path, exc) from exc
        except BaseException:
            collection.close()
            raise
        return collection

    def _begin(self, kind: Kind) -> None:
        if self._draft is not None:
            self._draft.chmod(0o600)
            make(self._db, kind)
        check(self._db, self.file)
        if self._draft is None:
            _prepare(self._db)
        if self.meta("kind") != kind:
            filled = {"files": "`metasearch index`", "oai": "`metasearch harvest`"}
            raise CollectionError(
                str(self.file),
                f"this collection is filled by {filled['oai' if kind == 'files' else 'files']}",
                advice="Choose another name with --name.",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and release its lock."""
        with suppress(sqlite3.Error):
            self._leave_wal()
        self._db.close()
        draft = self._draft
        with suppress(OSError):
            if draft is not None:
                _clear(draft)
        self._held.close()
        with suppress(OSError):
            if draft is not None:
                self.file.with_suffix(".lock").unlink(missing_ok=True)

    @property
    def exists(self) -> bool:
        """Whether the collection has a file; a new one has none until its first record."""
        return self._draft is None

    def _leave_wal(self) -> None:
        if self._draft is None:
            # A user who may not write to the folder cannot open a file in WAL mode. While another
            # process reads the file, it stays in that mode until the next write.
            self._db.execute("PRAGMA busy_timeout = 0")
            self._db.execute("PRAGMA journal_mode = DELETE")

    def _take_its_place(self) -> None:
        """Move the draft to the place of the collection, while no transaction is open."""
        assert self._draft is not None
        try:
            self._db.close()
            self._draft.replace(self.file)
            self._draft = None
            self._db = _connected(self.file)
            _prepare(self._db)
        except (sqlite3.Error, OSError) as exc:
            raise unusable(self.file, exc) from exc

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction: all changes of the block are stored, or none. Raises CollectionError: the
        file cannot be written.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as exc:
            raise unusable(self.file, exc) from exc
        if self._draft is not None and self.count:
            self._take_its_place()

    def _execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as exc:
            raise unusable(self.file, exc) from exc

    # ---------------------------------------------------------------- facts

    def meta(self, name: str) -> str:
        """A fact about the collection; "" where there is none of this name."""
        row = self._execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def note(self, **facts: str) -> None:
        """Store facts about the collection."""
        for fact in facts.items():
            self._execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", fact)

    @property
    def count(self) -> int:
        """How many records a search can find."""
        return int(self._execute("SELECT count(*) FROM records WHERE deleted = 0").fetchone()[0])

    # ---------------------------------------------------------------- records

    def put(
        self, key: str, record: Record, *, datestamp: str = "", run: int = 0, file: int = 0
    ) -> Change:
        """Store a record in place of that with its key. Raises ValueError: it cannot be stored."""
        body, texts = packed(record), [encodable(text) for text in indexed(record)]
        if len(body) > LARGEST:
            raise ValueError(f"it is larger than {LARGEST:,} bytes")
        known = self._execute(
            "SELECT id, body, deleted FROM records WHERE key = ?", (key,)
        ).fetchone()
        if known is not None and known[1] == body and not known[2]:
            self._execute(
                "UPDATE records SET datestamp = ?, run = ?, file = ? WHERE id = ?",
                (datestamp, run, file, known[0]),
            )
            return "unchanged"
        values = (record.year, body, datestamp, run, file)
        if known is None:
            cursor = self._execute(
                "INSERT INTO records (key, year, body, datestamp, run, file) VALUES (?, ?, ?, ?, "
                "?, ?)",
                (key, *values),
            )
            number = cursor.lastrowid
        else:
            number = known[0]
            self._execute("DELETE FROM texts WHERE rowid = ?", (number,))
            self._execute(
                "UPDATE records SET deleted = 0, year = ?, body = ?, datestamp = ?, run = ?, file "
                "= ? WHERE id = ?",
                (*values, number),
            )
        self._execute(_INDEX, (number, *texts))
        return "added" if known is None or known[2] else "changed"

    def keep(self, key: str, *, run: int) -> None:
        """Mark a record as seen by a run; its content is not changed."""
        self._execute("UPDATE records SET run = ? WHERE key = ?", (run, key))

    def has(self, key: str) -> bool:
        """Whether there is a record with this key."""
        return (
            self._execute("SELECT 1 FROM records WHERE key = ? AND deleted = 0", (key,)).fetchone()
            is not None
        )

    def delete(self, key: str, *, datestamp: str = "", run: int = 0) -> bool:
        """Mark a record as deleted by its source; returns whether it was there."""
        known = self._execute(
            "SELECT id FROM records WHERE key = ? AND deleted = 0", (key,)
        ).fetchone()
        if known is None:
            return False
        self._execute("DELETE FROM texts WHERE rowid = ?", known)
        self._execute(
            "UPDATE records SET deleted = 1, year = NULL, body = NULL, datestamp = ?, run = ? "
            "WHERE id = ?",
            (datestamp, run, known[0]),
        )
        return True

    def sweep(self, run: int) -> int:
        """Delete the records that no run since `run` has seen; returns how many."""
        return self._delete_where("run < ?", run)

    def _delete_where(self, where: str, value: int) -> int:
        counted = f"SELECT count(*) FROM records WHERE {where} AND deleted = 0"  # noqa: S608
        gone = self._execute(counted, (value,)).fetchone()
        ids = f"SELECT id FROM records WHERE {where}"  # noqa: S608
        self._execute(f"DELETE FROM texts WHERE rowid IN ({ids})", (value,))  # noqa: S608
        self._execute(f"DELETE FROM records WHERE {where}", (value,))  # noqa: S608
        return int(gone[0])

    # ---------------------------------------------------------------- files

    def files(self) -> dict[str, KnownFile]:
        """The files whose records are in the collection, by path."""
        rows = self._execute("SELECT id, path, root, size, changed, digest, lost FROM files")
        return {row[1]: KnownFile(*row) for row in rows}

    def put_file(
        self, path: str, root: str, *, size: int, changed: int, digest: str, lost: int
    ) -> int:
        """Store the facts of a file; returns its number, which `put` takes as `file`."""
        self._execute(
            "INSERT INTO files (path, root, size, changed, digest, lost) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (path) DO UPDATE SET root = excluded.root, size = excluded.size, changed "
            "= excluded.changed, "
            "digest = excluded.digest, lost = excluded.lost",
            (path, root, size, changed, digest, lost),
        )
        return int(self._execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()[0])

    def empty_file(self, number: int) -> int:
        """Delete the records of a file; returns how many."""
        return self._delete_where("file = ?", number)

    def drop_file(self, number: int) -> int:
        """Delete a file and its records; returns how many records."""
        gone = self.empty_file(number)
        self._execute("DELETE FROM files WHERE id = ?", (number,))
        return gone


def _holds_something(path: Path) -> bool:
    """Whether the file is there and not empty; a process that dies early leaves an empty one."""
    return path.exists() and path.stat().st_size > 0


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")  # searches can read while this writes
    db.execute("PRAGMA synchronous = NORMAL")


def _clear(draft: Path) -> None:
    for place in (draft, draft.with_name(f"{draft.name}-journal")):
        place.unlink(missing_ok=True)


def remove(folder: Path, name: str) -> None:
    """Delete a collection with all its records. Raises CollectionError: there is none, or another
    process is writing to it.
    """
    path = collection_file(folder, name)
    if not path.exists() and not path.is_symlink():
        raise CollectionError(
            str(path),
            "there is no such collection",
            advice="`metasearch collections list` names all.",
        )
    with ExitStack() as held:
        try:
            lock(path, held)
            for ending in (".sqlite", ".sqlite-wal", ".sqlite-shm", _DRAFT):
                path.with_suffix(ending).unlink(missing_ok=True)
        except (sqlite3.Error, OSError) as exc:
            raise unusable(path, exc) from exc
    with suppress(OSError):
        path.with_suffix(".lock").unlink(missing_ok=True)
