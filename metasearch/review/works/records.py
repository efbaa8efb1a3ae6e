"""The records of a project: immutable versions, and which answer gave which of them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

import orjson

from metasearch.bib import normalise, record_json
from metasearch.bib import work_ids as names
from metasearch.bib.normalise import plain
from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Hit, Record
from metasearch.review.store.database import Database
from metasearch.review.store.values import now, storable

T = TypeVar("T")
#: Values of one statement; SQLite takes 32,766.
AT_ONCE = 500
#: Of records that no citation leads to.
NO_LINKS: Mapping[str, str] = {}
#: Digits of a digest that name a record which has no id of its own.
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """A record as it is kept. `key`: its name among all records of the project: "source:id"; of a
    record to which its source gives no id, "source:@" and the beginning of its digest.
    """

    id: int
    key: str
    record: Record


@dataclass(frozen=True, slots=True)
class PackedRecord:
    """A record as it is written.

    Attributes:
        record: With a name of its own, where its source gives none.
        body: In bytes; empty where it cannot be kept.
        problem: Why it cannot be kept; "" where it can.
    """

    record: Record
    body: bytes = b""
    digest: str = ""
    problem: str = ""


@dataclass(slots=True)
class KeepResult:
    """What became of the records of one answer.

    Attributes:
        new: How many are new to the project.
        versions: How many say otherwise than the project's version of them.
        known: How many were there already, word for word.
        left_out: (position, reason) of those that cannot be kept.
    """

    new: int = 0
    versions: int = 0
    known: int = 0
    left_out: list[tuple[int, str]] = field(default_factory=list)


def pack_record(record: Record) -> PackedRecord:
    """A record as it is written, computed before the transaction that writes it."""
    try:
        body = record_json.record_to_json(record)
        if not record.source_id:
            record = replace(record, source_id=f"@{_digest(body)[:_DIGITS]}")
            body = record_json.record_to_json(record)
    except ValueError as exc:
        problem = message("the record cannot be kept: {reason}", reason=str(exc))
        return PackedRecord(record, problem=problem)
    if not record.key.isascii():
        record = replace(
            record, source=storable(record.source), source_id=storable(record.source_id)
        )
    return PackedRecord(record, body, _digest(body))


def keep(
    db: Database,
    project: int,
    answer: int,
    many: Iterable[PackedRecord],
    kept: KeepResult,
    links: Mapping[str, str] = NO_LINKS,
) -> None:
    """Keep the records of an answer, inside a transaction. `links`: key of a record -> what the
    finding says of citations. Those that are new wait in the table
    `entering` until works are made of them.

    The same content adds no row. Another content under a known key is a new version, unless the
    same answer has given that key before: then it is a record of its own, and de-duplication
    decides.
    """
    added = now()
    for one in many:
        if one.problem:
            kept.left_out.append((one.record.position, one.problem))
            continue
        db.run(
            "INSERT OR IGNORE INTO finding (answer, record, position, links) VALUES (?, ?, ?, ?)",
            answer,
            _keep(db, project, answer, one, added, kept),
            one.record.position,
            links.get(one.record.key, "[]"),
        )


def _keep(
    db: Database, project: int, answer: int, one: PackedRecord, added: str, kept: KeepResult
) -> int:
    """The row of a record, which is written where it is new."""
    versions = db.all(
        "SELECT id, digest, superseded, entering.record AS entering, replaces FROM record"
        " LEFT JOIN entering ON entering.record = record.id"
        " WHERE record.project = ? AND key = ?",
        project,
        one.record.key,
    )
    replaced = {row["replaces"] for row in versions}
    newest = next(
        (
            row
            for row in versions
            if row["id"] not in replaced and (row["entering"] or row["superseded"] is None)
        ),
        None,
    )
    same = next((row for row in versions if row["digest"] == one.digest), None)
    # Of a version that another answer replaces at this moment there is nothing to be said.
    if same is not None and (same is newest or (newest is not None and newest["entering"])):
        kept.known += 1
        return int(same["id"])
    if newest is not None and _has_given(db, answer, newest["id"]):
        return _beside(db, project, answer, one, added, kept)
    # A version that was there is the newest one again.
    number = _insert(db, project, one, added) if same is None else int(same["id"])
    _let_enter(db, project, answer, number, same is None, None if newest is None else newest["id"])
    if newest is None:
        kept.new += 1
    else:
        kept.versions += 1
    return number


def count_new(db: Database, project: int, records: Iterable[Record]) -> int:
    sought = "SELECT 1 FROM record WHERE project = ? AND key = ? AND digest = ?"
    count = 0
    for record in records:
        try:
            known = db.one(sought, project, record.key, _digest(record_json.record_to_json(record)))
        except ValueError:  # it cannot be kept
            continue
        count += known is None
    return count


def _beside(
    db: Database, project: int, answer: int, one: PackedRecord, added: str, kept: KeepResult
) -> int:
    """A record whose key another one of the same answer has: it is named after its content, too."""
    record = replace(one.record, source_id=f"{one.record.source_id}@{one.digest[:_DIGITS]}")
    known = db.value(
        "SELECT id FROM record WHERE project = ? AND key = ? AND superseded IS NULL",
        project,
        record.key,
    )
    if known is not None:
        kept.known += 1
        return int(known)
    body = record_json.record_to_json(record)
    number = _insert(db, project, PackedRecord(record, body, _digest(body)), added)
    _let_enter(db, project, answer, number, True, None)
    kept.new += 1
    return number


def _has_given(db: Database, answer: int, record: int) -> bool:
    return (
        db.one("SELECT 1 FROM finding WHERE answer = ? AND record = ?", answer, record) is not None
    )


def _insert(db: Database, project: int, one: PackedRecord, added: str) -> int:
    return db.run(
        "INSERT INTO record (project, source, key, digest, body, position, added)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        project,
        one.record.source,
        one.record.key,
        one.digest,
        one.body,
        one.record.position,
        added,
    )


def _let_enter(
    db: Database, project: int, answer: int, record: int, is_new: bool, replaces: int | None
) -> None:
    db.run(
        "INSERT INTO entering (record, project, answer, is_new, replaces) VALUES (?, ?, ?, ?, ?)",
        record,
        project,
        answer,
        int(is_new),
        replaces,
    )


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def read(db: Database, ids: Iterable[int]) -> Iterator[ProjectRecord]:
    """Records by their rows, in the order of the rows."""
    for some in batches(sorted(set(ids)), AT_ONCE):
        marks = ",".join("?" * len(some))
        rows = db.all(
            f"SELECT id, source, key, body, position FROM record WHERE id IN ({marks}) ORDER BY id",
            *some,
        )
        for row in rows:
            yield ProjectRecord(
                row["id"], row["key"], record_of(row["body"], row["source"], row["position"])
            )


def record_of(body: bytes, source: str, position: int) -> Record:
    """The record of a row. Raises ValueError: the row is damaged."""
    return record_json.record_from_json(orjson.loads(body), source, position)


def batches(values: Iterable[T], most: int) -> Iterator[list[T]]:
    """The values, so many at once."""
    coming = iter(values)
    while some := list(islice(coming, most)):
        yield some


def in_marks(values: Sequence[object]) -> str:
    """A question mark for each value."""
    return ",".join("?" * len(values))


# Keys that stay: many sources and files give no identifiers, and a position is none.

#: Hexadecimal digits of an identifier that is made of what a record says: 64 bits.
#: What such an identifier begins with.
_MADE = "~"


def with_key(record: Record) -> Record:
    """The record, with an identifier that is made of what it says where its source gives none.

    The same description of a work has the same identifier in every answer and file.
    """
    return record if record.source_id else replace(record, source_id=_MADE + _content(record))


def with_keys(records: Sequence[Record]) -> list[Record]:
    """The records of a file, each with a key of its own; what is twice in it is kept twice."""
    seen: Counter[str] = Counter()
    kept: list[Record] = []
    for record in map(with_key, records):
        seen[record.key] += 1
        times = seen[record.key]
        again = record if times == 1 else replace(record, source_id=f"{record.source_id}~{times}")
        kept.append(again)
    return kept


def _content(record: Record) -> str:
    said = [
        record.title,
        record.subtitle,
        [author.name for author in record.authors],
        record.year,
        record.date,
        record.venue,
        record.publisher,
        record.institution,
        record.edition,
        record.volume,
        record.issue,
        record.pages,
        record.doi,
        sorted(record.ids.items()),
        record.version,
        record.isbn,
        record.issn,
        record.type,
        record.url,
    ]
    return hashlib.sha256(orjson.dumps(said)).hexdigest()[:_DIGITS]


#: Characters of what a list shows and sorts by, and of what is searched in it.
LONGEST_SHOWN, LONGEST_KEY, LONGEST_WORDS = 1_000, 100, 30_000
#: What sorts behind everything else: a position, or a name, that is not known.
LAST_POSITION, LAST_KEY = 2**31 - 1, "\uffff"
_CJK = re.compile(f"({normalise.CJK.pattern})")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkValues:
    """What the rows of a work get of its hit; computed before the transaction that writes them.
    `columns`: of the table `work`, from `title` to `position`.
    """

    columns: tuple[object, ...]
    body: bytes
    words: str
    names: frozenset[str]
    sources: frozenset[str]

    @classmethod
    def of(cls, hit: Hit, keys: Iterable[str]) -> WorkValues:
        """Those of a hit whose records have these keys."""
        return cls(
            columns=_columns(hit),
            body=hits.write(hit),
            words=search_words(hit),
            names=frozenset(_names(hit, keys)),
            sources=frozenset(record.source for record in hit.records),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkContents:
    """What a work is made of. `component`: names the works that a new record may join or divide
    together. `first_run`: row of the run that found it first.
    """

    values: WorkValues
    component: int
    first_run: int
    added: str


_COLUMNS = (
    "component", "title", "title_key", "author", "author_key", "year", "type", "venue", "language",
    "doi", "citations", "open_access", "retracted", "position", "first_run", "added",
)  # fmt: skip


class WorkRows:
    """The rows of the works of a project while some of them are written, inside a transaction.

    What stands beside the rows of `work` itself is written by `finish`, all at once: a virtual
    table flushes what it has whenever another statement comes between.
    """

    def __init__(self, db: Database, project: int) -> None:
        self._db = db
        self._project = project
        self._written: dict[int, tuple[str, WorkContents]] = {}
        self._updated: list[int] = []
        self._smaller: list[int] = []
        self._records: dict[int, int] = {}
        # (row of a work, its words before, its words now); None where there are none.
        self._words: list[tuple[int, str | None, str | None]] = []

    def insert(self, uid: str, contents: WorkContents) -> int:
        """Write a new work; returns its row."""
        marks = ", ".join("?" * (len(_COLUMNS) + 2))
        work = self._db.run(
            f"INSERT INTO work (project, uid, {', '.join(_COLUMNS)}) VALUES ({marks})",
            self._project,
            uid,
            *_values(contents),
        )
        values = contents.values
        self._db.run(
            "INSERT INTO work_body (work, hit, words) VALUES (?, ?, ?)",
            work,
            values.body,
            values.words,
        )
        self._words.append((work, None, values.words))
        self._written[work] = (uid, contents)
        return work

    def update(self, work: int, uid: str, contents: WorkContents, *, smaller: bool = False) -> None:
        """Write a work anew."""
        settings = ", ".join(f"{name} = ?" for name in _COLUMNS)
        self._db.run(f"UPDATE work SET {settings} WHERE id = ?", *_values(contents), work)
        before = self._db.value("SELECT words FROM work_body WHERE work = ?", work)
        words = contents.values.words
        self._db.run(
            "UPDATE work_body SET hit = ?, words = ? WHERE work = ?",
            contents.values.body,
            words,
            work,
        )
        if before != words:
            self._words.append((work, before, words))
        self._updated.append(work)
        if smaller:
            self._smaller.append(work)
        self._written[work] = (uid, contents)

    def move_records(self, work: int, records: Iterable[int]) -> None:
        """Let records, and the versions that they supersede, stand in a work."""
        self._records.update(dict.fromkeys(records, work))

    def finish(self, gone: Sequence[int] = ()) -> None:
        """Write what is left to be written, and remove works of which no record is left."""
        db, project = self._db, self._project
        db.run_many(
            "INSERT INTO work_record (record, work) VALUES (?, ?)"
            " ON CONFLICT (record) DO UPDATE SET work = excluded.work",
            sorted(self._records.items()),
        )
        for work in gone:
            before = db.value("SELECT words FROM work_body WHERE work = ?", work)
            self._words.append((work, before, None))
            db.run("DELETE FROM work WHERE id = ?", work)
        db.run_many("DELETE FROM work_source WHERE work = ?", [(work,) for work in self._updated])
        db.run_many(
            "INSERT INTO work_source (work, project, source) VALUES (?, ?, ?)",
            sorted(
                (work, project, source)
                for work, (_, contents) in self._written.items()
                for source in contents.values.sources
            ),
        )
        db.run_many("DELETE FROM alias WHERE work = ?", [(work,) for work in self._smaller])
        earlier = self._earlier()
        db.run_many(
            "INSERT OR IGNORE INTO alias (project, name, work) VALUES (?, ?, ?)",
            sorted(
                (project, name, work)
                for work, (uid, contents) in self._written.items()
                for name in {uid, *earlier.get(work, ()), *contents.values.names}
            ),
        )
        db.run_many(
            "INSERT INTO work_words (work_words, rowid, words) VALUES ('delete', ?, ?)",
            [(work, before) for work, before, _ in self._words if before is not None],
        )
        db.run_many(
            "INSERT INTO work_words (rowid, words) VALUES (?, ?)",
            [(work, now) for work, _, now in self._words if now is not None],
        )

    def _earlier(self) -> dict[int, list[str]]:
        """Work -> the ids of works that have joined it."""
        found: dict[int, list[str]] = {}
        for some in batches(self._written, AT_ONCE):
            for work, name in self._db.all(
                f"SELECT work, uid FROM joined_work WHERE work IN ({in_marks(some)})", *some
            ):
                found.setdefault(work, []).append(name)
        return found


def _names(hit: Hit, keys: Iterable[str]) -> Iterable[str]:
    yield from keys
    yield hit.id
    yield from hit.also
    for record in hit.records:
        yield from map(storable, names.identifiers(record))


def _values(contents: WorkContents) -> tuple[object, ...]:
    return (
        contents.component,
        *contents.values.columns,
        contents.first_run,
        contents.added,
    )


def _columns(hit: Hit) -> tuple[object, ...]:
    record = hit.record
    author = next(iter(record.byline), None)
    title = _display_text(record.title or record.original_title or "")
    positions = [one.position for one in hit.records if one.position > 0]
    return (
        title,
        _key(title),
        _display_text(author.name) if author else "",
        _key(author.family or author.name) if author else LAST_KEY,
        record.year,
        record.type or "",
        _display_text(record.venue or ""),
        _display_text(record.language or ""),
        _display_text(record.doi or ""),
        record.citations,
        record.open_access or "",
        int(record.retracted is True),
        min(positions, default=LAST_POSITION),
    )


def _display_text(text: str) -> str:
    return storable(text[:LONGEST_SHOWN])


def title_key(title: str) -> str:
    """A title as the column `title_key` has it."""
    return _key(_display_text(title))


def _key(text: str) -> str:
    return " ".join(normalise.words(storable(text[: 2 * LONGEST_KEY])))[:LONGEST_KEY] or LAST_KEY


def search_words(hit: Hit) -> str:
    """What the words of a work are: those of its titles, people, venue, keywords and abstract."""
    record = hit.record
    return fold(" ".join(_texts(record))[:LONGEST_WORDS])


def _texts(record: Record) -> Iterable[str]:
    yield record.title
    for text in (
        record.subtitle,
        record.original_title,
        record.translated_title,
        record.venue,
        *record.titles,
    ):
        if text:
            yield text
    yield from (author.name for author in record.byline)
    yield from record.keywords
    if record.abstract:
        yield record.abstract


def fold(text: str) -> str:
    """A text as it is searched: without case, marks and diacritics, Chinese simplified and its
    characters one by one.
    """
    if not text.isascii():
        text = _CJK.sub(r" \1 ", plain(storable(text)))
    return " ".join(normalise.words(text))
