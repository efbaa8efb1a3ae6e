"""The rows of a work: what is computed from its hit, written and removed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metasearch.bib import normalise
from metasearch.bib import work_ids as names
from metasearch.bib.chinese.characters import plain
from metasearch.formats import hits
from metasearch.record import Hit, Record
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.records import in_marks

#: Characters of what a list shows and sorts by, and of what is searched in it.
LONGEST_SHOWN, LONGEST_KEY, LONGEST_WORDS = 1_000, 100, 30_000
#: What sorts behind everything else: a position, or a name, that is not known.
LAST_POSITION, LAST_KEY = 2**31 - 1, "\uffff"
_CJK = re.compile(f"({normalise.CJK.pattern})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a work is made of.

    Attributes:
        hit: Its records and the merged one.
        records: Row of each of its records -> key.
        component: Names the works that a new record may join or divide together.
        first_run: Row of the run that found it first.
        added: When that was.
    """

    hit: Hit
    records: dict[int, str]
    component: int
    first_run: int
    added: str


_COLUMNS = (
    "component", "title", "title_key", "author", "author_key", "year", "type", "venue", "language",
    "doi", "citations", "open_access", "retracted", "position", "first_run", "added",
)  # fmt: skip


def insert(db: Database, project: int, uid: str, contents: Contents) -> int:
    """Write a new work; returns its row."""
    marks = ", ".join("?" * (len(_COLUMNS) + 2))
    work = db.run(
        f"INSERT INTO work (project, uid, {', '.join(_COLUMNS)}) VALUES ({marks})",
        project,
        uid,
        *_values(contents),
    )
    words = searched(contents.hit)
    db.run(
        "INSERT INTO work_body (work, hit, words) VALUES (?, ?, ?)",
        work,
        hits.write(contents.hit),
        words,
    )
    db.run("INSERT INTO work_words (rowid, words) VALUES (?, ?)", work, words)
    _write_rest(db, project, work, uid, contents)
    return work


def update(
    db: Database, project: int, work: int, uid: str, contents: Contents, *, smaller: bool = False
) -> None:
    """Write a work anew.

    Args:
        db: The workspace.
        project: Its id.
        work: The row of the work.
        uid: Its name.
        contents: What it is now.
        smaller: Whether it has lost records, and so their names.
    """
    settings = ", ".join(f"{name} = ?" for name in _COLUMNS)
    db.run(f"UPDATE work SET {settings} WHERE id = ?", *_values(contents), work)
    words = searched(contents.hit)
    before = db.value("SELECT words FROM work_body WHERE work = ?", work)
    if before != words:
        db.run(
            "INSERT INTO work_words (work_words, rowid, words) VALUES ('delete', ?, ?)",
            work,
            before,
        )
        db.run("INSERT INTO work_words (rowid, words) VALUES (?, ?)", work, words)
    db.run(
        "UPDATE work_body SET hit = ?, words = ? WHERE work = ?",
        hits.write(contents.hit),
        words,
        work,
    )
    db.run("DELETE FROM work_source WHERE work = ?", work)
    if smaller:
        db.run("DELETE FROM alias WHERE work = ?", work)
    _write_rest(db, project, work, uid, contents)


def remove(db: Database, work: int) -> None:
    """Remove a work, of which no record is left."""
    db.run("DELETE FROM work_words WHERE rowid = ?", work)
    db.run("DELETE FROM work WHERE id = ?", work)


def move_records(db: Database, work: int, records: Sequence[int]) -> None:
    """Let records, and the versions that they supersede, stand in a work."""
    db.run_many(
        "INSERT INTO work_record (record, work) VALUES (?, ?)"
        " ON CONFLICT (record) DO UPDATE SET work = excluded.work",
        [(record, work) for record in records],
    )


def _write_rest(db: Database, project: int, work: int, uid: str, contents: Contents) -> None:
    db.run_many(
        "INSERT INTO work_source (work, project, source) VALUES (?, ?, ?)",
        [(work, project, source) for source in sorted({r.source for r in contents.hit.records})],
    )
    earlier = (row[0] for row in db.all("SELECT uid FROM joined_work WHERE work = ?", work))
    db.run_many(
        "INSERT OR IGNORE INTO alias (project, name, work) VALUES (?, ?, ?)",
        [(project, name, work) for name in sorted({uid, *earlier, *_names(contents)})],
    )


def _names(contents: Contents) -> Iterable[str]:
    """The names that a work has of its records."""
    hit = contents.hit
    yield from contents.records.values()
    yield hit.id
    yield from hit.also
    for record in hit.records:
        yield from map(_plain, names.identifiers(record))


def _values(contents: Contents) -> tuple[object, ...]:
    record = contents.hit.record
    author = record.authors[0] if record.authors else None
    title = _shown(record.title or record.original_title or "")
    positions = [one.position for one in contents.hit.records if one.position > 0]
    return (
        contents.component,
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
        contents.first_run,
        contents.added,
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


def delete_rows(db: Database, table: str, column: str, ids: Sequence[int]) -> None:
    """Delete the rows of a few works; table and column are names of ours."""
    if ids:
        db.run(f"DELETE FROM {table} WHERE {column} IN ({in_marks(ids)})", *ids)
