"""What people have said of a work: decisions, tags and notes, copied to another work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from metasearch.workspace.store.database import Database

#: The tag of a work whose parts were decided on differently.
CONFLICT = "conflicting decisions"
#: Characters of a note, and of the reason of a decision.
LONGEST_NOTE, LONGEST_REASON = 20_000, 500
_DECISION = (
    "INSERT OR REPLACE INTO decision (work, stage, by, verdict, reason, at)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_TAG = "INSERT OR IGNORE INTO tag (work, text) VALUES (?, ?)"
_RESOLUTION = (
    "INSERT INTO resolution (work, stage, votes, verdict, reason, by, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
#: Of a version that no note has had.
_NOTE = (
    "INSERT OR REPLACE INTO note (work, by, text, at, version)"
    " VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) + 1 FROM change))"
)


def state(db: Database, work: int) -> dict[str, Any]:
    """What people have said of a work, as JSON can hold it: `decisions` of [stage, by, verdict,
    reason, at], `tags`, `notes` of [by, text, at]; and where conflicts were resolved
    `resolutions` of [stage, votes, verdict, reason, by, at].
    """
    decisions = db.all("SELECT stage, by, verdict, reason, at FROM decision WHERE work = ?", work)
    notes = db.all("SELECT by, text, at FROM note WHERE work = ?", work)
    resolutions = db.all(
        "SELECT stage, votes, verdict, reason, by, at FROM resolution WHERE work = ?", work
    )
    further = {"resolutions": [list(row) for row in resolutions]} if resolutions else {}
    return {
        "decisions": [list(row) for row in decisions],
        "tags": [row[0] for row in db.all("SELECT text FROM tag WHERE work = ?", work)],
        "notes": [list(row) for row in notes],
        **further,
    }


def restore(db: Database, work: int, said: Mapping[str, Any]) -> None:
    """Say all that of a work of which nothing is said."""
    db.run_many(_DECISION, [(work, *row) for row in said["decisions"]])
    db.run_many(_TAG, [(work, text) for text in said["tags"]])
    db.run_many(_NOTE, [(work, *row) for row in said["notes"]])
    db.run_many(_RESOLUTION, [(work, *row) for row in said.get("resolutions", ())])


def add(db: Database, work: int, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Say of a work, beside what is said of it, what is said of another one.

    Of two votes of one screener the newer one stands; resolutions of conflicts are for votes that
    are others now, and none comes along. Returns whether a decision of the project contradicts one
    of the other: the work's own stands, and the work has the tag `CONFLICT`.
    """
    own_rows = {(row[0], row[1]): row for row in ours["decisions"]}
    further, conflict = [], False
    for row in theirs["decisions"]:
        stands = own_rows.get((row[0], row[1]))
        if stands is None or (row[1] and row[4] > stands[4]):
            further.append(row)
        elif not row[1]:
            conflict |= stands[2] != row[2]
    db.run_many(_DECISION, [(work, *row) for row in further])
    tags = [*theirs["tags"], *([CONFLICT] if conflict else [])]
    db.run_many(_TAG, [(work, text) for text in tags])
    own = {by: text for by, text, _ in ours["notes"]}
    for by, text, at in theirs["notes"]:
        both = f"{own[by]}\n{text}"[:LONGEST_NOTE] if own.get(by, text) != text else text
        db.run(_NOTE, work, by, both, at)
    return conflict


def twice(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[tuple[str, str, Any, Any]]:
    """(stage, screener, own row, row of the other) of each vote that one screener has given both of
    a work and of one that joins it, where the votes differ.
    """
    votes = {(row[0], row[1]): row for row in ours["decisions"] if row[1]}
    return [
        (row[0], row[1], votes[row[0], row[1]], row)
        for row in theirs["decisions"]
        if (row[0], row[1]) in votes and votes[row[0], row[1]][2:4] != row[2:4]
    ]


def copy_tags(db: Database, work: int, others: Iterable[int]) -> None:
    """Give a work the tags of others."""
    db.run_many(
        "INSERT OR IGNORE INTO tag (work, text) SELECT ?, text FROM tag WHERE work = ?",
        [(work, other) for other in others],
    )
