"""One shelf that is being asked: read-only, bounded in time and size, and never believed
blindly.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from metasearch.collections.database import check
from metasearch.collections.texts import COLUMNS, spelt
from metasearch.errors import ShelfError

#: Steps of SQLite's machine between two looks at whether to stop; some microseconds each hundred.
STEPS = 2_000
#: Seconds to wait for whoever fills the shelf.
PATIENCE = 2.0
#: Bytes that one value in the file may have, and characters of a statement.
LONGEST_VALUE = 32 << 20

_RANK = f"bm25(texts, {', '.join(map(str, COLUMNS.values()))})"
_WHERE = "deleted = 0 AND (:first IS NULL OR year >= :first) AND (:last IS NULL OR year <= :last)"
_MATCHING = (
    f"FROM texts JOIN records ON records.id = texts.rowid WHERE texts MATCH :words AND {_WHERE}"
)
_ALL = f"FROM records WHERE {_WHERE}"
#: Of equal rank is first what was published last; the key decides the rest, so that an order is the
#: same every time.
_ORDER = "year IS NULL, year DESC, key LIMIT :size OFFSET :start"


class Stopped(Exception):
    """The search took too long, or nobody waits for it any more."""


class TooMuch(Exception):
    """A single record is larger than a page may be."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a shelf is asked for.

    Attributes:
        words: An expression of FTS5 whose words are all in quotes; "" for every record.
        first, last: Years, both included; None is open.
        start: Places to pass over.
        size: Most records of the page.
    """

    words: str = ""
    first: int | None = None
    last: int | None = None
    start: int = 0
    size: int = 20


@dataclass(frozen=True, slots=True)
class ShelfFacts:
    """What a shelf says of itself: what it was filled from, and when.

    Attributes:
        records: How many can be found.
        meta: Facts by name; see docs/shelves.md.
        lost: Records of its files that could not be read.
    """

    name: str
    records: int
    lost: int
    meta: dict[str, str]


def search(
    path: Path,
    wanted: Wanted,
    *,
    stop: Callable[[], bool] = lambda: False,
    max_bytes: int = 1 << 24,
) -> bytes:
    """A page of records as JSON: {"total": 12, "records": [...]}, the best ones first.

    Args:
        path: The shelf's file.
        wanted: What to look for.
        stop: Asked now and then whether to give up.
        max_bytes: Largest page; it holds fewer records than were asked for rather than more bytes.

    Raises:
        ShelfError: The file is not there, is no shelf, or is broken; or the words are no
            expression.
        Stopped: `stop` said so.
        TooMuch: The first record alone is larger than `max_bytes`.
    """
    rows = _MATCHING if wanted.words else _ALL
    order = f"{_RANK}, {_ORDER}" if wanted.words else _ORDER
    values = {
        "words": spelt(wanted.words),
        "first": wanted.first,
        "last": wanted.last,
        "size": wanted.size,
        "start": wanted.start,
    }
    with _opened(path, stop) as db:
        total = db.execute(f"SELECT count(*) {rows}", values).fetchone()[0]
        found: list[bytes] = []
        size = 0
        for (body,) in db.execute(f"SELECT body {rows} ORDER BY {order}", values):
            record = _json(body)
            size += len(record) + 1
            if size > max_bytes:  # a short page: the next one begins where it ends
                if not found:
                    raise TooMuch
                break
            found.append(record)
    return b'{"total":%d,"records":[%b]}' % (int(total), b",".join(found))


def facts(folder_file: Path, name: str) -> ShelfFacts:
    """What a shelf says of itself.

    Raises:
        ShelfError: The file is not there, is no shelf, or is broken.
    """
    with _opened(folder_file, lambda: False) as db:
        records = db.execute("SELECT count(*) FROM records WHERE deleted = 0").fetchone()[0]
        lost = db.execute("SELECT coalesce(sum(lost), 0) FROM files").fetchone()[0]
        meta = {
            str(key): str(value)
            for key, value in db.execute("SELECT name, value FROM meta ORDER BY name")
        }
    return ShelfFacts(name, int(records), int(lost), meta)


@contextmanager
def _opened(path: Path, stop: Callable[[], bool]) -> Iterator[sqlite3.Connection]:
    if not os.path.isfile(path):  # noqa: PTH113, which tells False where the folder may not be looked into
        raise ShelfError(
            str(path), "there is no such shelf", advice="`metasearch shelves list` names all."
        )
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)) as db:
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            db.set_progress_handler(lambda: int(stop()), STEPS)
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA query_only = ON")
            check(db, path)
            db.execute("BEGIN")  # count and page are of one state
            yield db
    except sqlite3.Error as exc:
        if stop():
            raise Stopped from exc
        if "fts5: syntax error" in str(exc) or "no such column" in str(exc):
            raise ShelfError(
                str(path), f"the query cannot be read: {exc}", advice="Please report it."
            ) from exc
        advice = "Remove the shelf with `metasearch shelves remove`, and fill it again."
        raise ShelfError(str(path), f"the shelf cannot be read: {exc}", advice=advice) from exc


def _json(body: object) -> bytes:
    """A record's JSON; "null" for what is none, so that one broken row costs no page."""
    if isinstance(body, bytes):
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError:
            return b"null"
        return body
    return b"null"
