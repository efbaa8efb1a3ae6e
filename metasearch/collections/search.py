"""Searches a collection, read-only, with bounds for time and size; and the transport that answers
requests to `collection:NAME`.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.specs.registry import collection_file
from metasearch.adapters.specs.specfile import COLLECTION_URL
from metasearch.collections.store import COLUMNS, check, with_index_spelling
from metasearch.errors import BadAnswer, CollectionError, NotAllowed, TimedOut, TooLarge
from metasearch.message import message

# Searches a collection: read-only, with bounds for time and size. The file may have come from
# anywhere, so its content is checked.

#: Steps of SQLite's virtual machine between two calls of `stop`; a hundred take microseconds.
STEPS = 2_000
#: Seconds to wait for a process that writes to the collection.
PATIENCE = 2.0
#: Bytes of one value in the file, and characters of a statement, at most.
LONGEST_VALUE = 32 << 20

_RANK = f"bm25(texts, {', '.join(map(str, COLUMNS.values()))})"
_WHERE = "deleted = 0 AND (:first IS NULL OR year >= :first) AND (:last IS NULL OR year <= :last)"
_MATCHING = (
    f"FROM texts JOIN records ON records.id = texts.rowid WHERE texts MATCH :words AND {_WHERE}"
)
_ALL = f"FROM records WHERE {_WHERE}"
#: Among equal ranks the newest record comes first; then the key decides, so that the order is
#: always the same.
_ORDER = "year IS NULL, year DESC, key LIMIT :size OFFSET :start"


class Stopped(Exception):
    """The search took too long, or was cancelled."""


class TooMuch(Exception):
    """A single record is larger than a page may be."""


@dataclass(frozen=True, slots=True)
class PageOrder:
    """One page of a search in a collection.

    Attributes:
        words: An expression of FTS5 whose words are all in quotes; "" for every record.
        first, last: Years, both included; None sets no bound.
        size: Records of the page at most.
        newest: Whether the newest records come first, in place of those that fit the words best.
    """

    words: str = ""
    first: int | None = None
    last: int | None = None
    start: int = 0
    size: int = 20
    newest: bool = False


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """The facts of a collection: its origin, its date, its size.

    Attributes:
        records: How many records a search can find.
        meta: Facts by name; see docs/collections.md.
        lost: How many records of its files could not be read.
    """

    name: str
    records: int
    lost: int
    meta: dict[str, str]


def search(
    path: Path,
    wanted: PageOrder,
    *,
    stop: Callable[[], bool] = lambda: False,
    max_bytes: int = 1 << 24,
) -> bytes:
    """A page of records as JSON: {"total": 12, "records": [...]}, the best or the newest first.

    `stop`: called regularly; True ends the search. `max_bytes`: bytes of the page at most; it holds
    fewer records where they would exceed this.

    Raises:
        CollectionError: There is no file, it is not a collection, or it is broken; or `words` is
            not an expression of FTS5.
        Stopped: `stop` returned True.
        TooMuch: The first record alone is larger than `max_bytes`.
    """
    rows = _MATCHING if wanted.words else _ALL
    order = f"{_RANK}, {_ORDER}" if wanted.words and not wanted.newest else _ORDER
    values = {
        "words": with_index_spelling(wanted.words),
        "first": wanted.first,
        "last": wanted.last,
        "size": wanted.size,
        "start": wanted.start,
    }
    with _open(path, stop) as db:
        total = db.execute(f"SELECT count(*) {rows}", values).fetchone()[0]
        page: list[bytes] = []
        size = 0
        for (body,) in db.execute(f"SELECT body {rows} ORDER BY {order}", values):
            record = _json(body)
            size += len(record) + 1
            if size > max_bytes:  # a short page: the next one begins where it ends
                if not page:
                    raise TooMuch
                break
            page.append(record)
    return b'{"total":%d,"records":[%b]}' % (int(total), b",".join(page))


def facts(folder_file: Path, name: str) -> CollectionFacts:
    """A collection's facts. Raises CollectionError: no file, no collection, or a broken one."""
    with _open(folder_file, lambda: False) as db:
        records = db.execute("SELECT count(*) FROM records WHERE deleted = 0").fetchone()[0]
        lost = db.execute("SELECT coalesce(sum(lost), 0) FROM files").fetchone()[0]
        meta = {
            str(key): str(value)
            for key, value in db.execute("SELECT name, value FROM meta ORDER BY name")
        }
    return CollectionFacts(name, int(records), int(lost), meta)


@contextmanager
def _open(path: Path, stop: Callable[[], bool]) -> Iterator[sqlite3.Connection]:
    if not os.path.isfile(path):  # noqa: PTH113, which raises where the folder may not be read
        raise CollectionError(
            str(path),
            message("there is no such collection"),
            advice=message("`metasearch collections list` names all."),
        )
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)) as db:
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            db.set_progress_handler(lambda: int(stop()), STEPS)
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA query_only = ON")
            check(db, path)
            db.execute("BEGIN")  # count and page read the same state
            yield db
    except sqlite3.Error as exc:
        if stop():
            raise Stopped from exc
        if "fts5: syntax error" in str(exc) or "no such column" in str(exc):
            raise CollectionError(
                str(path),
                message("the query cannot be read: {error}", error=str(exc)),
                advice=message("Please report it."),
            ) from exc
        advice = message(
            "Remove the collection with `metasearch collections remove`, and fill it again."
        )
        raise CollectionError(
            str(path),
            message("the collection cannot be read: {error}", error=str(exc)),
            advice=advice,
        ) from exc


def _json(body: object) -> bytes:
    """A record's JSON; "null" for a broken row, so that the other records are still found."""
    if isinstance(body, bytes):
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError:
            return b"null"
        return body
    return b"null"


# Answers requests to `collection:NAME` from the file of a collection. A thread reads the file, with
# a connection of its own. Such a URL can hold a name only, so no request reaches a file outside the
# folder of collections.

#: Records of a page, and records to skip, at most.
LARGEST_PAGE, LAST_PLACE = 1_000, 1_000_000


class CollectionTransport:
    """A `Transport` for requests to collections in a folder; None where there is none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<CollectionTransport over {self._folder}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        if self._folder is None or not COLLECTION_URL.fullmatch(request.url):
            raise NotAllowed(
                request.source,
                message("the URL names no collection"),
                advice=message("Write it like collection:my-refs."),
            )
        began = time.perf_counter()
        given_up = threading.Event()
        try:
            async with asyncio.timeout(timeout):
                body = await asyncio.to_thread(_read, self._folder, request, given_up, max_bytes)
        except (TimeoutError, Stopped) as exc:
            raise TimedOut(
                request.source,
                message("no whole answer within {seconds} s", seconds=f"{timeout:g}"),
                url=request.log_url,
            ) from exc
        except TooMuch as exc:
            raise TooLarge(request.source, max_bytes, url=request.log_url) from exc
        except CollectionError as exc:
            # Its message holds a path, which a client of a server must not see.
            raise BadAnswer(
                request.source, exc.reason, url=request.log_url, advice=exc.advice
            ) from None
        finally:
            given_up.set()  # ends the thread
        return Page(
            request=request,
            content_type="application/json",
            body=body,
            fetched_at=time.time(),
            seconds=time.perf_counter() - began,
        )

    async def close(self) -> None:
        """Do nothing: no connection stays open between two requests."""


def _read(folder: Path, request: Request, given_up: threading.Event, max_bytes: int) -> bytes:
    path = collection_file(folder, request.url.removeprefix("collection:"))
    return search(
        path, page_order(dict(public(request.params))), stop=given_up.is_set, max_bytes=max_bytes
    )


def page_order(params: Mapping[str, str]) -> PageOrder:
    """The page that the parameters of a request ask for; values that cannot be read are ignored."""
    first, hyphen, last = params.get("years", "").partition("-")
    return PageOrder(
        words=params.get("query", ""),
        first=_number(first, 9_999),
        last=_number(last if hyphen else first, 9_999),
        start=_number(params.get("start", ""), LAST_PLACE) or 0,
        size=_number(params.get("size", ""), LARGEST_PAGE) or 20,
        newest=params.get("sort") == "date",
    )


def _number(text: str, most: int) -> int | None:
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) < 12 else None
