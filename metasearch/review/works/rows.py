"""The rows of a work: what is computed from its hit, written and removed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metasearch.bib import normalise
from metasearch.bib import work_ids as names
from metasearch.bib.chinese_characters import plain
from metasearch.formats import hits
from metasearch.record import Hit, Record
from metasearch.review.store.database import Database
from metasearch.review.works.records import AT_ONCE, batches, in_marks

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
            words=searched(hit),
            names=frozenset(_names(hit, keys)),
            sources=frozenset(record.source for record in hit.records),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
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
        self._written: dict[int, tuple[str, Contents]] = {}
        self._updated: list[int] = []
        self._smaller: list[int] = []
        self._records: dict[int, int] = {}
        # (row of a work, its words before, its words now); None where there are none.
        self._words: list[tuple[int, str | None, str | None]] = []

    def insert(self, uid: str, contents: Contents) -> int:
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

    def update(self, work: int, uid: str, contents: Contents, *, smaller: bool = False) -> None:
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
        yield from map(_plain, names.identifiers(record))


def _values(contents: Contents) -> tuple[object, ...]:
    return (
        contents.component,
        *contents.values.columns,
        contents.first_run,
        contents.added,
    )


def _columns(hit: Hit) -> tuple[object, ...]:
    record = hit.record
    author = record.authors[0] if record.authors else None
    title = _shown(record.title or record.original_title or "")
    positions = [one.position for one in hit.records if one.position > 0]
    return (
        title,
        _key(title),
        _shown(author.name) if author else "",
        _key(author.family or author.name) if author else LAST_KEY,
        record.year,
        record.type or "",
        _shown(record.venue or ""),
        _shown(record.language or ""),
        _shown(record.doi or ""),
        record.citations,
        record.open_access or "",
        int(record.retracted is True),
        min(positions, default=LAST_POSITION),
    )


def _shown(text: str) -> str:
    return _plain(text[:LONGEST_SHOWN])


def title_key(title: str) -> str:
    """A title as the column `title_key` has it."""
    return _key(_shown(title))


def _key(text: str) -> str:
    return " ".join(normalise.words(_plain(text[: 2 * LONGEST_KEY])))[:LONGEST_KEY] or LAST_KEY


def _plain(text: str) -> str:
    """Without lone surrogates, which SQLite cannot keep."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def searched(hit: Hit) -> str:
    """What the words of a work are: those of its titles, people, venue, keywords and abstract."""
    record = hit.record
    return folded(" ".join(_texts(record))[:LONGEST_WORDS])


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
    yield from (author.name for author in record.authors)
    yield from record.keywords
    if record.abstract:
        yield record.abstract


def folded(text: str) -> str:
    """A text as it is searched: without case, marks and diacritics, Chinese simplified and its
    characters one by one.
    """
    if not text.isascii():
        text = _CJK.sub(r" \1 ", plain(_plain(text)))
    return " ".join(normalise.words(text))
