"""The runs of a saved search, and what each source answered in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from metasearch.message import message
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store import values as sentences
from metasearch.review.store.database import Database
from metasearch.review.store.values import now

#: "stopped": before its end, by a shutdown or a crash; nothing of it was seen or told.
RunStatus = Literal["running", "done", "failed", "stopped"]
#: Runs of a saved search that are kept: the oldest ones without news are forgotten.
MOST_RUNS = 400
#: What a source says that has answered in full.
_ANSWERED = ("ok", "empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """One run of a saved search.

    Attributes:
        id: Of its row.
        saved: Id of its saved search.
        number: Within the saved search, from 1.
        status: "failed" where no source answered: nothing of it was seen or told.
        baseline: Whether it begins a baseline: of it only retractions are told.
        started, ended: Moments; `ended` is None while it runs.
        works: That it found; None before its end.
        told: News that it told.
        waiting: Works that are left for the next run to tell, because one tells no more.
        passed_over: Works that are never told for the same reason: late ones, and those behind the
            places that are looked at.
        error: Why it failed, as a `Message` where it can be translated; "" where it did not.
        sources: Name -> status, one of `metasearch.events.Status`.
    """

    id: int
    saved: int
    number: int
    status: RunStatus
    baseline: bool
    started: str
    ended: str | None
    works: int | None
    told: int
    waiting: int
    passed_over: int
    error: str
    sources: Mapping[str, str]

    @property
    def failed_sources(self) -> tuple[str, ...]:
        """Names of the sources that have not answered in full."""
        return tuple(
            name
            for name, status in self.sources.items()
            if status not in (*_ANSWERED, "running", "skipped")
        )


def of(db: Database, saved: SavedSearch, *, most: int = 50) -> list[SavedRun]:
    """The newest runs, the last one first."""
    return _runs(
        db,
        "SELECT * FROM saved_run WHERE saved = ? ORDER BY number DESC LIMIT ?",
        saved.id,
        most,
    )


def last(db: Database, saved: SavedSearch) -> SavedRun | None:
    """The last run; None where there is none."""
    return next(iter(of(db, saved, most=1)), None)


def by_id(db: Database, number: int) -> SavedRun:
    """The run of a row, which must be there."""
    return _runs(db, "SELECT * FROM saved_run WHERE id = ?", number)[0]


def begin(db: Database, saved: SavedSearch) -> SavedRun:
    """Begin a run, inside a transaction; one that was killed is marked as stopped."""
    _stop(db, "saved = ? AND status = 'running'", saved.id)
    number = db.run(
        "INSERT INTO saved_run (saved, number, status, baseline, started)"
        " SELECT ?, 1 + coalesce(max(number), 0), 'running', ?, ? FROM saved_run WHERE saved = ?",
        saved.id,
        int(saved.baseline != saved.digest),
        now(),
        saved.id,
    )
    db.run(
        "DELETE FROM saved_run WHERE saved = ?1 AND number <="
        " (SELECT max(number) FROM saved_run WHERE saved = ?1) - ?2"
        " AND NOT EXISTS (SELECT 1 FROM saved_news WHERE saved_news.run = saved_run.id)",
        saved.id,
        MOST_RUNS,
    )
    return by_id(db, number)


def done(
    db: Database,
    run: SavedRun,
    *,
    works: int,
    waiting: int,
    passed_over: int,
    statuses: Mapping[str, str],
) -> None:
    """End a run in which a source answered, inside a transaction."""
    _answers(db, run, statuses)
    db.run(
        "UPDATE saved_run SET status = 'done', ended = ?, works = ?, waiting = ?, passed_over = ?"
        " WHERE id = ?",
        now(),
        works,
        waiting,
        passed_over,
        run.id,
    )


def failed(db: Database, run: SavedRun, error: str, statuses: Mapping[str, str]) -> int:
    """End a run in which none did, inside a transaction; returns how many in a row have failed."""
    _answers(db, run, statuses)
    db.run(
        "UPDATE saved_run SET status = 'failed', ended = ?, error = ?, sentences = ? WHERE id = ?",
        now(),
        error,
        sentences.packed(error=error),
        run.id,
    )
    return int(
        db.value(
            "SELECT count(*) FROM saved_run WHERE saved = ?1 AND status = 'failed' AND number >"
            " (SELECT coalesce(max(number), 0) FROM saved_run WHERE saved = ?1"
            "  AND status = 'done')",
            run.saved,
        )
    )


def stopped(db: Database, run: SavedRun) -> None:
    """End a run before its end."""
    _stop(db, "id = ? AND status = 'running'", run.id)


def answered_before(db: Database, run: SavedRun) -> frozenset[str]:
    """The sources that answered in full in the last run before this one that was done."""
    rows = db.all(
        "SELECT source FROM saved_answer WHERE status IN ('ok', 'empty') AND run ="
        " (SELECT id FROM saved_run WHERE saved = ? AND status = 'done' AND number < ?"
        "  ORDER BY number DESC LIMIT 1)",
        run.saved,
        run.number,
    )
    return frozenset(row["source"] for row in rows)


def _stop(db: Database, where: str, value: int) -> None:
    error = message("the run was stopped before its end")
    db.run(
        "UPDATE saved_run SET status = 'stopped', ended = ?, error = ?, sentences = ?"  # noqa: S608, own words
        f" WHERE {where}",
        now(),
        error,
        sentences.packed(error=error),
        value,
    )


def _answers(db: Database, run: SavedRun, statuses: Mapping[str, str]) -> None:
    db.run_many(
        "INSERT INTO saved_answer (run, source, status) VALUES (?, ?, ?)",
        [(run.id, source, status) for source, status in statuses.items()],
    )


def _runs(db: Database, sql: str, *values: object) -> list[SavedRun]:
    return [_run(db, row) for row in db.all(sql, *values)]


def _run(db: Database, row: sqlite3.Row) -> SavedRun:
    answers = db.all("SELECT source, status FROM saved_answer WHERE run = ? ORDER BY 1", row["id"])
    return SavedRun(
        id=row["id"],
        saved=row["saved"],
        number=row["number"],
        status=row["status"],
        baseline=bool(row["baseline"]),
        started=row["started"],
        ended=row["ended"],
        works=row["works"],
        told=int(db.value("SELECT count(*) FROM saved_news WHERE run = ?", row["id"])),
        waiting=row["waiting"],
        passed_over=row["passed_over"],
        error=sentences.sentence(row["error"], sentences.unpacked(row["sentences"]).get("error")),
        sources={answer["source"]: answer["status"] for answer in answers},
    )
