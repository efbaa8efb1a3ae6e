"""The SQLite file of a collection: its tables, the text that is indexed, and the collection that is
open for writing.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from metasearch import regular_files
from metasearch.adapters.specs.registry import collection_file
from metasearch.bib import identifiers, normalise
from metasearch.bib.normalise import is_cjk, simplify
from metasearch.bib.record_json import encodable, record_to_json
from metasearch.errors import CollectionError
from metasearch.message import message
from metasearch.record import Author, Record

# The text of a record that is indexed, and the same spelling for the words of a query. The same
# rules fold both: `normalise.fold`, simplified Chinese characters, and blanks around every Chinese,
# Japanese or Korean character, because such text has no blanks between words. A query for several
# of them is a phrase, so any substring is found, even one character; FTS5's trigram tokenizer finds
# no substring shorter than three.
#
# An identifier, a type or a language is one word. Its punctuation is moved into Unicode's private
# use area, whose characters FTS5 counts as letters.

#: The columns of the index, with their weights in the ranking (bm25).
COLUMNS = {
    "title": 5.0, "author": 3.0, "venue": 1.0, "abstract": 1.0, "subject": 2.0, "other": 0.5,
    "doi": 1.0, "isbn": 1.0, "issn": 1.0, "type": 0.0, "language": 0.0,
}  # fmt: skip
_PRIVATE = 0xE000
#: The first character of each of these words, so that no plain word equals one.
_MARK = chr(0xF000)
_BETWEEN = f" {chr(0xF001)} "
_FORMS: dict[str, Callable[[str | None], str | None]] = {
    "doi": identifiers.doi,
    "isbn": identifiers.isbn,
    "issn": identifiers.issn,
}
_STRING = re.compile(r'(?:\b(doi|isbn|issn|type|language)\s*:\s*)?"((?:[^"]|"")*)"')


def fold_text(text: str) -> str:
    """The text as indexed: folded, blanks around each Chinese, Japanese or Korean character."""
    text = simplify(normalise.fold(text))
    if text.isascii():
        return text
    return "".join([f" {char} " if is_cjk(char) else char for char in text])


def exact(value: str) -> str:
    """A value as one word: "10.1000/x" with punctuation as letters in the eyes of FTS5."""
    moved = (
        char if char.isalnum() or ord(char) > 0xFF else chr(_PRIVATE + ord(char))
        for char in value.lower()
    )
    return _MARK + "".join(moved)


def index_texts(record: Record) -> tuple[str, ...]:
    """The text of each of `COLUMNS` for a record."""
    titles = (
        record.title,
        record.subtitle,
        record.original_title,
        record.translated_title,
        *record.titles,
    )
    people = (form for person in (*record.authors, *record.editors) for form in _names(person))
    numbers = (record.doi, *record.isbn, *record.issn, *record.ids.values(), record.source_id)
    return (
        _join(titles),
        _join(people),
        _join((record.venue,)),
        _join((record.abstract,)),
        _join((*record.keywords, *record.subjects)),
        _join((record.publisher, record.institution, *numbers)),
        # A DOI is also found by its prefix.
        _exactly((record.doi, record.doi.partition("/")[0]) if record.doi else ()),
        _exactly(record.isbn),
        _exactly(record.issn),
        _exactly((record.type,)),
        _exactly((record.language,)),
    )


def _names(person: Author) -> Iterable[str]:
    """The forms of a name that users search for: whole, without middle names, with initials, and
    with the family name first or last.
    """
    yield person.name
    if person.family and person.given:
        given = re.findall(r"[^\W_]+", person.given) or [person.given]
        for form in (person.given, given[0], " ".join(word[0] for word in given)):
            yield f"{person.family} {form} {person.family}"


def _join(parts: Iterable[str | None]) -> str:
    """The parts with a word of no query between them, so that no phrase spans two."""
    return _BETWEEN.join(fold_text(part) for part in parts if part)


def _exactly(values: Iterable[str | None]) -> str:
    return " ".join(exact(value) for value in values if value)


def with_index_spelling(expression: str) -> str:
    """An expression of FTS5 whose quoted texts are spelt as in the index."""
    return _STRING.sub(_string_spelling, expression)


def _string_spelling(match: re.Match[str]) -> str:
    column, text = match[1], match[2].replace('""', '"')
    if not column:
        return f'"{_quotable(fold_text(text))}"'
    return f'{column} : "{_quotable(exact(_canonical(column, text)))}"'


def _quotable(text: str) -> str:
    """The text without quotes and NUL, which would end the string; no word holds them."""
    return text.replace('"', " ").replace("\0", " ")


def _canonical(column: str, text: str) -> str:
    """An identifier in the form that records have; the text itself where it is not one."""
    form = _FORMS.get(column)
    return (form(text) if form else None) or text.strip()


# The SQLite file of a collection: its tables, marks and lock. The FTS5 table stores its text. A
# contentless table would be half as large, but deleting a record from it needs exactly the text
# that was inserted, by whatever version of this program. A large file is better than a collection
# that finds deleted records.

#: What a collection was filled from.
Kind = Literal["files", "oai"]
#: The application id of our SQLite files ("mssh"), and the version of their tables.
APPLICATION, VERSION = 0x6D737368, 1

_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, root TEXT NOT NULL, size INTEGER NOT NULL,
    changed INTEGER NOT NULL, digest TEXT NOT NULL, lost INTEGER NOT NULL
);
CREATE TABLE records (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, year INTEGER, body BLOB,
    deleted INTEGER NOT NULL DEFAULT 0, datestamp TEXT NOT NULL DEFAULT '',
    run INTEGER NOT NULL DEFAULT 0, file INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX records_by_year ON records (year) WHERE deleted = 0;
CREATE INDEX records_by_file ON records (file);
CREATE VIRTUAL TABLE texts USING fts5(
    {", ".join(COLUMNS)}, tokenize = 'unicode61 remove_diacritics 2'
);
"""
#: Part of the transaction that makes the tables, so that no file is left without a kind.
_KINDS: Mapping[Kind, str] = {
    kind: f"INSERT INTO meta VALUES ('kind', '{kind}');"  # noqa: S608
    for kind in ("files", "oai")
}


def check(db: sqlite3.Connection, path: Path) -> None:
    """Check that an open file is a collection that this version can read. Raises CollectionError:
    it is not; sqlite3.Error: it is not an SQLite file, or broken.
    """
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise CollectionError(
            str(path),
            message("the file is not a collection of metasearch"),
            advice=message("Move it out of the folder of collections."),
        )
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise CollectionError(
            str(path),
            message(
                "it has version {version}, and this program reads version {own}",
                version=version,
                own=VERSION,
            ),
            advice=message("Use the newer program, or remove the collection and fill it again."),
        )


def make(db: sqlite3.Connection, kind: Kind) -> None:
    """Make the tables of a collection in an empty file."""
    try:
        db.executescript(
            f"BEGIN;{_TABLES}{_KINDS[kind]}PRAGMA application_id = {APPLICATION};PRAGMA "
            f"user_version = {VERSION};COMMIT"
        )
    except sqlite3.OperationalError as exc:
        if "fts5" in str(exc):
            raise CollectionError(
                "sqlite3",
                message("this Python's SQLite has no FTS5"),
                advice=message("Use a Python whose SQLite has it."),
            ) from exc
        raise


def lock(path: Path, held: ExitStack) -> None:
    """Lock the collection until `held` is closed. The lock is one of SQLite's on a separate file,
    and ends with the process.
    """
    held_file = sqlite3.connect(path.with_suffix(".lock"), timeout=0, isolation_level=None)
    held.callback(held_file.close)
    try:
        held_file.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as exc:
        if "locked" not in str(exc):
            raise
        raise CollectionError(
            str(path),
            message("another process is writing to this collection"),
            advice=message("Try again when it has finished."),
        ) from exc


def regular(path: Path) -> None:
    """Check that the files of a collection, where they exist, are regular files. Raises
    NoRegularFile: one is a device, pipe or socket, which SQLite would wait for or write to.
    """
    for place in (path, path.with_suffix(".lock")):
        with suppress(FileNotFoundError):
            regular_files.open_regular(place).close()


def unusable(path: Path, cause: Exception) -> CollectionError:
    """The error for a file that cannot be used."""
    if "unable to open database file" in str(cause):  # SQLite gives no reason
        try:
            with suppress(FileNotFoundError):
                regular(path)
        except OSError as exc:
            cause = exc
    reason = regular_files.why(cause)
    advice = message(
        "Check free space and the owner of the file; or remove the collection, and fill it again."
    )
    return CollectionError(
        str(path), message("the collection cannot be used: {reason}", reason=reason), advice=advice
    )


# A collection that is open for writing: its transactions, records and files.

#: Bytes of one record at most: a larger one holds a whole text in place of an abstract.
LARGEST = 4 << 20
#: Seconds that a write waits for readers.
PATIENCE = 30.0
#: Suffix of the file in which a new collection is made; no search opens such a file.
_DRAFT = ".new"

_INDEX = f"INSERT INTO texts (rowid, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"  # noqa: S608

Change = Literal["added", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class FileEntry:
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
            collection = cls(path, _connect(draft or path), held, draft=draft)
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
            self._db = _connect(self.file)
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
        body, texts = record_to_json(record), [encodable(text) for text in index_texts(record)]
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

    def files(self) -> dict[str, FileEntry]:
        rows = self._execute("SELECT id, path, root, size, changed, digest, lost FROM files")
        return {row[1]: FileEntry(*row) for row in rows}

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


def _connect(path: Path) -> sqlite3.Connection:
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
