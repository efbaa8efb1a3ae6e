"""How the end of a run of a saved search is stored: all of it, or nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.message import message
from metasearch.workspace.saved import due, history, news, told
from metasearch.workspace.saved import saved as saved_searches
from metasearch.workspace.saved import schedule as schedules
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.news import Found, Judged, State
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.saved.schedule import Hours
from metasearch.workspace.store import leases
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import written
from metasearch.workspace.works.records import batches, in_marks

#: Names that a saved search remembers.
MOST_NAMES = 500_000
#: Names that one statement asks for.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of asking the sources.

    Attributes:
        error: Why the run has failed; "" where it has not.
        statuses: Source -> one of `metasearch.events.Status`.
        found: The works that are looked at.
    """

    error: str = ""
    statuses: Mapping[str, str] = field(default_factory=dict)
    found: Sequence[Found] = ()
    works: int = 0
    year: int = 0


def begin(db: Database, saved: SavedSearch) -> SavedRun:
    """Begin a run."""
    with db.transaction():
        return history.begin(db, saved)


def stop(db: Database, run: SavedRun) -> None:
    """End a run before its end, if it has none."""
    with db.transaction():
        history.stopped(db, run)


def store(
    db: Database, saved: SavedSearch, run: SavedRun, outcome: Outcome, holder: str, hours: Hours
) -> SavedRun:
    """End a run: what it tells, what it has seen, and when the next one is. Raises UsageError: it
    was removed meanwhile, or another process has run it; nothing was stored.
    """
    with db.transaction():
        current = saved_searches.by_id(db, saved.id)
        if not leases.holds(db, due.lease_of(saved), holder):
            raise UsageError(
                message(
                    "The saved search {name} was run by another process meanwhile",
                    name=repr(saved.name),
                )
            )
        if outcome.error:
            failures = history.failed(db, run, outcome.error, outcome.statuses)
            at = schedules.after_failure(failures, saved.uid, _now())
        else:
            failures = 0
            _done(db, saved, run, outcome)
            at = schedules.next_run(saved.schedule, saved.uid, _now(), hours)
        # One that was changed meanwhile is planned already.
        unchanged = current.schedule == saved.schedule and current.digest == saved.digest
        if saved.schedule and unchanged:
            if at is None:
                saved_searches.pause(db, saved, _why_paused(failures, outcome.error))
            else:
                saved_searches.plan(db, saved, written(at.timestamp()))
    return history.by_id(db, run.id)


def _why_paused(failures: int, error: str) -> str:
    return message(
        "{count} runs in a row have failed, the last one because: {error}",
        count=failures,
        error=error,
    )


def _done(db: Database, saved: SavedSearch, run: SavedRun, outcome: Outcome) -> None:
    """Store a run in which sources answered."""
    found = outcome.found
    judged = news.judge(
        found,
        _known(db, saved, (name for one in found for name in one.names)),
        answered=history.answered_before(db, run),
        year=outcome.year,
        baseline=run.baseline,
    )
    _remember(db, run, judged.seen)
    told.add(db, run, [(one.kind, hits.write(one.found.hit)) for one in judged.told if one.kind])
    history.done(
        db,
        run,
        works=outcome.works,
        waiting=judged.waiting,
        passed_over=judged.passed_over + outcome.works - len(found),
        statuses=outcome.statuses,
    )
    # The digest of what was asked: where it was changed meanwhile, the next run is a baseline.
    saved_searches.has_run(db, saved)
    if saved.paused:
        saved_searches.go_on(db, saved)


def _known(db: Database, saved: SavedSearch, names: Iterable[str]) -> dict[str, State]:
    """Name -> state, of those that earlier runs have found."""
    known: dict[str, State] = {}
    for some in batches(sorted(set(names)), _AT_ONCE):
        for row in db.all(
            f"SELECT name, state FROM saved_name WHERE saved = ? AND name IN ({in_marks(some)})",  # noqa: S608, own words
            saved.id,
            *some,
        ):
            known[row["name"]] = State.of(row["state"])
    return known


def _remember(db: Database, run: SavedRun, seen: Sequence[Judged]) -> None:
    """Keep the names of works; of too many those that were found longest ago are forgotten."""
    states: dict[str, State] = {}
    for one in seen:
        for name in one.found.names:
            # Two works of one answer may share an identifier.
            other = states.get(name, one.state)
            states[name] = State(
                one.state.preprint and other.preprint, max(one.state.said, other.said)
            )
    db.run_many(
        "INSERT INTO saved_name (saved, name, state, run) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (saved, name) DO UPDATE SET state = excluded.state, run = excluded.run",
        [(run.saved, name, str(state), run.number) for name, state in states.items()],
    )
    count = int(db.value("SELECT count(*) FROM saved_name WHERE saved = ?", run.saved))
    if count > MOST_NAMES:
        db.run(
            "DELETE FROM saved_name WHERE saved = ?1 AND name IN (SELECT name FROM saved_name"
            " WHERE saved = ?1 ORDER BY run, name LIMIT ?2)",
            run.saved,
            count - MOST_NAMES,
        )


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
