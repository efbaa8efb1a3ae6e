"""diskcache, made safe for a file that an attacker may have written: no pickle, no settings and no
claims of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import DEFAULT_SETTINGS, METADATA

#: Largest stored value, compressed. Everything lies inside the SQLite file: files beside it are
#: slower and less safe.
LARGEST_ROW = 1 << 24
#: Tags that are counted one by one.
MOST_TAGS = 1000
#: Seconds that an access waits for another process.
LOCK_TIMEOUT = 1.0


class SafeDisk(diskcache.Disk):  # type: ignore[misc]  # the package is not typed
    """Text keys and bytes, and no pickle, whatever a row claims (CVE-2025-69872)."""

    def put(self, key: Any) -> tuple[Any, bool]:
        """The key as it is stored."""
        if type(key) is not str:
            raise TypeError("keys are text")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        """The key as it was given."""
        if not raw:
            raise ValueError("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        """The columns for a value."""
        if read or type(value) is not bytes or len(value) >= self.min_file_size:
            raise TypeError("values are bytes and lie in the database")
        return super().store(value, False, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """The value of a row."""
        if mode != diskcache.core.MODE_RAW or filename is not None or type(value) is not bytes:
            raise ValueError("a row that is not plain bytes")
        return value

    def remove(self, file_path: Any) -> None:
        """Removes nothing: we write no files, so a row that names one is a forgery."""


class Pages(diskcache.Cache):  # type: ignore[misc]  # as above
    """A cache that believes no row of its file, and leaves no connection open where the file is not
    ours.

    Only documented calls of diskcache are used, and plain SQLite on a connection of our own; `_con`
    is the one exception (docs/decisions/0005). `folder`: where the file lies. `size_limit`: bytes
    that the file may take, roughly. Raises sqlite3.DatabaseError: the file cannot be used; see
    `is_busy`.
    """

    def __init__(self, folder: Path, size_limit: int) -> None:
        self._file = folder / diskcache.core.DBNAME
        options = {**_OPTIONS, "size_limit": size_limit}
        if self._file.exists():
            with closing(_connected(self._file)) as connection:
                _check_lock(connection)
                _check_settings(connection, options)
        try:
            super().__init__(str(folder), timeout=LOCK_TIMEOUT, disk=SafeDisk, **options)
        except BaseException:
            self.close()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        """diskcache's connection of this thread, with a limit on what SQLite returns of a row.

        A limit belongs to a connection, and diskcache has no public way to its own: its queries
        return the file name in a row, which could be a forged one of a gigabyte.
        """
        return _limited(super()._con)

    def write(self, key: str, row: bytes, seconds: float, tag: str) -> None:
        """Stores a value. Raises diskcache.Timeout: another process has the file."""
        with self.transact():
            self._correct_size()
            self.set(key, row, expire=seconds, tag=tag)

    def upkeep(self) -> None:
        """Deletes what has expired, and the oldest values where the file is too large. Raises
        diskcache.Timeout: another process has the file.
        """
        with self.transact():
            self._correct_size()
        self.cull()

    def measure(self) -> tuple[int, int, dict[str, tuple[int, int]]]:
        """Counts what the file holds; the numbers that diskcache keeps in it may be forged. Returns
        rows; bytes of the file; tag -> (rows, bytes of their values), the largest first.
        """
        with closing(_connected(self._file)) as connection:
            ((rows,),) = connection.execute("SELECT COUNT(*) FROM Cache")
            ((pages,),) = connection.execute("PRAGMA page_count")
            ((page_size,),) = connection.execute("PRAGMA page_size")
            # As bytes, because SQLite takes whatever is called text for UTF-8.
            tags = connection.execute(
                "SELECT CAST(tag AS BLOB), COUNT(*), TOTAL(LENGTH(value)) FROM Cache"
                " WHERE LENGTH(tag) < 100 GROUP BY 1 ORDER BY 3 DESC LIMIT ?",
                (MOST_TAGS,),
            ).fetchall()
        by_tag = {tag.decode(errors="replace"): (count, int(size)) for tag, count, size in tags}
        return int(rows), int(pages) * int(page_size), by_tag

    def _correct_size(self) -> None:
        """Sets the size of files beside the database, of which there are none, whatever the file
        claims: diskcache adds it to the size of the file, and culls by the sum.
        """
        self.reset("size", 0)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file; what Python itself objects to has no code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


#: Every setting, named, so that a file can choose none.
_OPTIONS: Mapping[str, Any] = DEFAULT_SETTINGS | {
    "disk_min_file_size": LARGEST_ROW,
    "eviction_policy": "least-recently-stored",
    "statistics": 0,
    "tag_index": 0,
    "sqlite_synchronous": 0,  # a cache may lose its file to a power cut; it begins anew
}


def _limited(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, on which a row that claims to be larger than ours is an error."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW + 4096)
    return connection


def _connected(file: Path) -> sqlite3.Connection:
    """A connection of our own, without transactions that begin by themselves."""
    return _limited(sqlite3.connect(file, timeout=LOCK_TIMEOUT, isolation_level=None))


def _check_lock(connection: sqlite3.Connection) -> None:
    """Fails where another process has the file: diskcache waits a minute for it while it opens, and
    a search cannot. Raises sqlite3.OperationalError: after `LOCK_TIMEOUT`.
    """
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


def _check_settings(connection: sqlite3.Connection, options: Mapping[str, Any]) -> None:
    """Checks the settings in a file before diskcache obeys them: it takes their names for
    attributes and pragmas. Raises sqlite3.DatabaseError: the file is no database, or its settings
    are not those that we write.
    """
    try:
        rows = connection.execute("SELECT key, value FROM Settings LIMIT 100").fetchall()
    except sqlite3.OperationalError as exc:
        if str(exc).startswith("no such table"):
            return  # another process has just made the file
        raise
    for key, value in rows:
        if key == "size_limit" or key in METADATA:
            ours = type(value) is int
        else:
            ours = key in options and value == options[key]
        if not ours:
            raise sqlite3.DatabaseError("its settings are not ours")
