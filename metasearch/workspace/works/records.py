"""The records of a project: immutable versions, and which answer gave which of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

import orjson

from metasearch.bib import record_json
from metasearch.message import message
from metasearch.record import Record
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now

T = TypeVar("T")
#: Values of one statement; SQLite takes 32,766.
AT_ONCE = 500
#: Digits of a digest that name a record which has no id of its own.
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as it is kept.

    Attributes:
        id: Of its row.
        key: Its name among all records of the project: "source:id"; of a record to which its source
            gives no id, "source:@" and the beginning of its digest.
    """

    id: int
    key: str
    record: Record


@dataclass(slots=True)
class Kept:
    """What became of the records of one answer.

    Attributes:
        entered: Those that are new, and new versions.
        superseded: Row of a version that is not the newest any more -> row of the newest.
        new: How many of those that were entered are no version of an earlier one.
        known: How many were there already, word for word.
        left_out: (position, reason) of those that cannot be kept.
    """

    entered: list[Stored] = field(default_factory=list)
    superseded: dict[int, int] = field(default_factory=dict)
    new: int = 0
    known: int = 0
    left_out: list[tuple[int, str]] = field(default_factory=list)


def keep(db: Database, project: int, answer: int, records: Iterable[Record]) -> Kept:
    """Keep the records of an answer, inside a transaction.

    The same content adds no row. Another content under a known key is a new version, unless the
    same answer has given that key before: then it is a record of its own, and de-duplication
    decides.
    """
    kept = Kept()
    added = now()
    for record in records:
        try:
            stored, is_new = _keep(db, project, answer, record, added, kept)
        except ValueError as exc:
            kept.left_out.append(
                (record.position, message("the record cannot be kept: {reason}", reason=str(exc)))
            )
            continue
        if not is_new:
            kept.known += 1
        db.run(
            "INSERT OR IGNORE INTO finding (answer, record, position) VALUES (?, ?, ?)",
            answer,
            stored,
            record.position,
        )
    # What was entered and superseded by the same records is not entered.
    kept.entered = [one for one in kept.entered if one.id not in kept.superseded]
    return kept


def _keep(
    db: Database, project: int, answer: int, record: Record, added: str, kept: Kept
) -> tuple[int, bool]:
    """(row of the record, whether something was written)."""
    body = record_json.packed(record)
    if not record.source_id:
        record = replace(record, source_id=f"@{_digest(body)[:_DIGITS]}")
        body = record_json.packed(record)
    if not record.key.isascii():
        record = replace(record, source=_plain(record.source), source_id=_plain(record.source_id))
    digest, key = _digest(body), record.key
    versions = db.all(
        "SELECT id, digest, superseded FROM record WHERE project = ? AND key = ?", project, key
    )
    newest = next((row["id"] for row in versions if row["superseded"] is None), None)
    same = next((row for row in versions if row["digest"] == digest), None)
    if same is not None and same["id"] == newest:
        return newest, False
    if newest is not None and _has_given(db, answer, newest):
        return _beside(db, project, record, digest, added, kept)
    if same is None:
        number = _insert(db, project, record, (key, digest, body), added)
        kept.new += newest is None
    else:  # as it was before the newest version
        number = same["id"]
        db.run("UPDATE record SET superseded = NULL WHERE id = ?", number)
    if newest is not None:
        db.run("UPDATE record SET superseded = ? WHERE id = ?", number, newest)
        kept.superseded[newest] = number
        kept.superseded.pop(number, None)
    kept.entered.append(Stored(number, key, record))
    return number, True


def count_new(db: Database, project: int, records: Iterable[Record]) -> int:
    """How many rows the records would add at most; `named` ones."""
    sought = "SELECT 1 FROM record WHERE project = ? AND key = ? AND digest = ?"
    count = 0
    for record in records:
        try:
            known = db.one(sought, project, record.key, _digest(record_json.packed(record)))
        except ValueError:  # it cannot be kept
            continue
        count += known is None
    return count


def _beside(
    db: Database, project: int, record: Record, digest: str, added: str, kept: Kept
) -> tuple[int, bool]:
    """A record whose key another one of the same answer has: it is named after its content, too."""
    record = replace(record, source_id=f"{record.source_id}@{digest[:_DIGITS]}")
    known = db.value(
        "SELECT id FROM record WHERE project = ? AND key = ? AND superseded IS NULL",
        project,
        record.key,
    )
    if known is not None:
        return known, False
    body = record_json.packed(record)
    number = _insert(db, project, record, (record.key, _digest(body), body), added)
    kept.entered.append(Stored(number, record.key, record))
    kept.new += 1
    return number, True


def _has_given(db: Database, answer: int, record: int) -> bool:
    return (
        db.one("SELECT 1 FROM finding WHERE answer = ? AND record = ?", answer, record) is not None
    )


def _insert(
    db: Database, project: int, record: Record, content: tuple[str, str, bytes], added: str
) -> int:
    key, digest, body = content
    return db.run(
        "INSERT INTO record (project, source, key, digest, body, position, added)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        project,
        record.source,
        key,
        digest,
        body,
        record.position,
        added,
    )


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _plain(text: str) -> str:
    """Without lone surrogates, which SQLite cannot keep."""
    return text.encode("utf-8", "replace").decode()


def read(db: Database, ids: Iterable[int]) -> Iterator[Stored]:
    """Records by their rows, in the order of the rows."""
    for some in batches(sorted(set(ids)), AT_ONCE):
        marks = ",".join("?" * len(some))
        rows = db.all(
            f"SELECT id, source, key, body, position FROM record WHERE id IN ({marks}) ORDER BY id",
            *some,
        )
        for row in rows:
            yield Stored(
                row["id"], row["key"], record_of(row["body"], row["source"], row["position"])
            )


def record_of(body: bytes, source: str, position: int) -> Record:
    """The record of a row.

    Raises:
        ValueError: The row is damaged.
    """
    return record_json.unpacked(orjson.loads(body), source, position)


def batches(values: Iterable[T], most: int) -> Iterator[list[T]]:
    """The values, so many at once."""
    coming = iter(values)
    while some := list(islice(coming, most)):
        yield some


def in_marks(values: Sequence[object]) -> str:
    """A question mark for each value."""
    return ",".join("?" * len(values))
