"""diskcache, made safe for a file that anybody may have written: no pickle, no settings and no
claims of its own.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import DEFAULT_SETTINGS, METADATA

#: Largest stored value, compressed. Everything lies inside the SQLite file: files beside it are
#: slower and less safe.
LARGEST_ROW = 1 << 24
#: Tags that are told apart in the numbers.
MOST_TAGS = 1000
#: Seconds that an access waits for another process.
LOCK_TIMEOUT = 1.0


class SafeDisk(diskcache.Disk):  # type: ignore[misc]  # the package is not typed
    """Text keys and bytes, and no pickle either way, whatever a row says of itself
    (CVE-2025-69872).
    """

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
        """Removes nothing: we write no files, so a row that names one is a forgery, and could name
        any file.
        """


class Pages(diskcache.Cache):  # type: ignore[misc]  # as above
    """A cache that trusts no row of its file, and leaves no connection behind it where that is no
    file of ours.
    """

    def __init__(self, folder: Path, size_limit: int) -> None:
        options = {**_OPTIONS, "size_limit": size_limit}
        _check_settings(folder, options)
        try:
            super().__init__(str(folder), timeout=LOCK_TIMEOUT, disk=SafeDisk, **options)
        except BaseException:
            self.close()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._con
        # A row that claims to be larger than what we write is an error, not that much memory.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW + 4096)
        return connection

    @property
    def _sql_retry(self) -> Callable[..., sqlite3.Cursor]:
        """As in diskcache, which waits for a minute while it opens; a search cannot."""
        execute: Callable[..., sqlite3.Cursor] = self._sql
        latest = time.monotonic() + LOCK_TIMEOUT

        def patiently(*args: Any) -> sqlite3.Cursor:
            while True:
                try:
                    return execute(*args)
                except sqlite3.OperationalError as exc:
                    if not is_busy(exc) or time.monotonic() >= latest:
                        raise
                time.sleep(0.001)

        return patiently

    def __len__(self) -> int:
        """Rows; counted, because the number that diskcache keeps may be made up."""
        ((rows,),) = self._sql("SELECT COUNT(*) FROM Cache").fetchall()
        return int(rows)

    def volume(self) -> int:
        """Bytes of the file; there are no others."""
        ((pages,),) = self._sql("PRAGMA page_count").fetchall()
        return int(self._page_size * pages)

    def tags(self) -> dict[str, tuple[int, int]]:
        """Tag -> (rows, bytes of their values), the largest first."""
        rows = self._sql(
            "SELECT CAST(tag AS BLOB), COUNT(*), TOTAL(LENGTH(value)) FROM Cache"
            " WHERE LENGTH(tag) < 100 GROUP BY 1 ORDER BY 3 DESC LIMIT ?",
            (MOST_TAGS,),
        )
        # As bytes, because SQLite takes whatever is called text for UTF-8.
        return {
            tag.decode(errors="replace"): (count, int(size)) for tag, count, size in rows.fetchall()
        }


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


def _check_settings(folder: Path, options: Mapping[str, Any]) -> None:
    """Look at the settings in a file before diskcache obeys them: it takes their names for
    attributes and pragmas.

    Raises:
        sqlite3.DatabaseError: The file is no database, or its settings are not those that we write.
    """
    file = folder / diskcache.core.DBNAME
    if not file.exists():
        return
    with closing(sqlite3.connect(file, timeout=LOCK_TIMEOUT, isolation_level=None)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW + 4096)
        try:
            rows = connection.execute("SELECT key, value FROM Settings LIMIT 100").fetchall()
        except sqlite3.OperationalError as exc:
            if str(exc).startswith("no such table"):
                return  # somebody has just made it
            raise
    for key, value in rows:
        numeric = key == "size_limit" or key in METADATA
        if (type(value) is not int) if numeric else (key not in options or value != options[key]):
            raise sqlite3.DatabaseError("its settings are not ours")
