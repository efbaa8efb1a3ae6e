"""What saved searches have told: the entries of their feeds and e-mails."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.formats import hits
from metasearch.record import Hit
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now
from metasearch.workspace.store.uids import uid
from metasearch.workspace.works.records import in_marks

#: new: a work that no run has found before. version: the article of a preprint that was known.
#: retracted: a known work that was retracted or corrected. late: an older work of a source that had
#: not answered in the run before.
Kind = Literal["new", "version", "retracted", "late"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: News of a saved search that are kept; the oldest are forgotten.
MOST_NEWS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """One thing that a saved search has told.

    Attributes:
        id: Of its row; later ones are larger.
        uid: Of its entry in feeds; it never changes.
        saved: Id of the saved search.
        run: Number of the run within it.
        kind: One of `KINDS`.
        hit: The work as it was then.
        at: When it was told.
    """

    id: int
    uid: str
    saved: int
    run: int
    kind: Kind
    hit: Hit
    at: str


def of(
    db: Database,
    saved: SavedSearch,
    *,
    most: int = 50,
    before: int | None = None,
    run: int | None = None,
    kinds: Collection[str] = (),
) -> list[News]:
    """The news of a saved search, the last run first, and of a run the first ones of its list.

    Args:
        most: At most so many.
        before: Only those whose id is smaller.
        run: Only those of the run of this number.
        kinds: Only those of these kinds; none means all.
    """
    wanted = [kind for kind in KINDS if not kinds or kind in kinds]
    return _news(
        db,
        "news.saved = ? AND (? IS NULL OR news.id < ?) AND (? IS NULL OR saved_run.number = ?)"
        f" AND news.kind IN ({in_marks(wanted)}) ORDER BY news.id DESC LIMIT ?",
        saved.id,
        before,
        before,
        run,
        run,
        *wanted,
        most,
    )


def count(db: Database, saved: SavedSearch) -> int:
    """How many there are."""
    return int(db.value("SELECT count(*) FROM saved_news WHERE saved = ?", saved.id))


def add(db: Database, run: SavedRun, news: Sequence[tuple[Kind, bytes]]) -> None:
    """Keep what a run tells, inside a transaction. `news`: kinds, and hits as `formats/hits.py`
    writes them, in the order of the list.
    """
    at = now()
    db.run_many(
        "INSERT INTO saved_news (uid, run, saved, kind, hit, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(uid(), run.id, run.saved, kind, hit, at) for kind, hit in reversed(news)],
    )
    db.run(
        "DELETE FROM saved_news WHERE saved = ?1 AND id <="
        " (SELECT id FROM saved_news WHERE saved = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        run.saved,
        MOST_NEWS,
    )


def _news(db: Database, where: str, *values: object) -> list[News]:
    rows = db.all(
        "SELECT news.*, saved_run.number AS number FROM saved_news AS news"  # noqa: S608, own words
        f" JOIN saved_run ON saved_run.id = news.run WHERE {where}",
        *values,
    )
    return [one for row in rows if (one := _one(row)) is not None]


def _one(row: sqlite3.Row) -> News | None:
    try:
        hit = hits.read(row["hit"])
    except ValueError:  # of another release
        return None
    return News(
        id=row["id"],
        uid=row["uid"],
        saved=row["saved"],
        run=row["number"],
        kind=row["kind"],
        hit=hit,
        at=row["at"],
    )
