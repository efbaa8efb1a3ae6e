"""Which work is which, when works are made anew: ids that stay, and what people said that goes
along.

- The work that holds the oldest record of an earlier one is that one; where several earlier ones
  become one work, the oldest of them is kept, and the ids of the others become names of it.
- Decisions, tags and notes of the others come along. Where two decisions contradict one another, that
  of the kept work stands, the work gets the tag `CONFLICT`, and the log has both.
- When a work is divided, the part with its oldest record stays it. A part that was a work of its own
  before it joined gets its id, decisions, tags and notes of that time back. Any other part is a new
  work: it has the tags, and no decision, so that a person looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from metasearch.workspace import log
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now
from metasearch.workspace.store.uids import uid
from metasearch.workspace.works import storing
from metasearch.workspace.works.grouping import Found
from metasearch.workspace.works.records import AT_ONCE, batches, in_marks
from metasearch.workspace.works.storing import Contents

#: The tag of a work whose parts were decided on differently.
CONFLICT = "conflicting decisions"
#: Characters of a note.
LONGEST_NOTE = 20_000


@dataclass(slots=True)
class Assigned:
    """What became of the works.

    Attributes:
        new: How many are new.
        grown: How many have another set of records than before.
        joined: (uid of the work that is kept, uid that is a name of it now).
        divided: (uid of the work that was divided, uid of a part of it).
        conflicts: Uids of works with decisions that contradict one another.
    """

    new: int = 0
    grown: int = 0
    joined: list[tuple[str, str]] = field(default_factory=list)
    divided: list[tuple[str, str]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Old:
    """A work as it was.

    Attributes:
        records: Its records, without superseded ones.
        owner: The oldest of them, or the newest version of what was the oldest.
        behind: Row of a superseded version -> row of the newest.
    """

    id: int
    uid: str
    component: int
    first_run: int
    added: str
    records: set[int] = field(default_factory=set)
    owner: int | None = None
    behind: dict[int, int] = field(default_factory=dict)


def assign(
    db: Database,
    project: int,
    components: Iterable[int],
    found: Sequence[Found],
    *,
    run: int | None,
    anew: bool = False,
    by: str = "",
) -> Assigned:
    """Write works that were made anew, inside a transaction.

    Args:
        db: The workspace.
        project: Its id.
        components: Those that the works of before stand in.
        found: The works now: they hold all records of these components.
        run: The row of the run that gave the new records; None where there are none.
        anew: Whether a work is written again also where its records are those of before.
        by: Who did what this follows from; for the log.
    """
    done = Assigned()
    olds = _olds(db, project, components)
    home = {row: old for old in olds.values() for row in old.records}
    owned: dict[int, list[_Old]] = {}
    for old in olds.values():
        if old.owner is not None:
            owned.setdefault(old.owner, []).append(old)
    moment = now()
    plan: list[tuple[Found, list[_Old], list[_Old]]] = []
    for one in found:
        came = {old.id: old for row in one.records if (old := home.get(row)) is not None}
        kept = sorted(
            (old for row in one.records for old in owned.get(row, ())), key=lambda old: old.id
        )
        plan.append((one, kept, sorted(came.values(), key=lambda old: old.id)))
    # Works that go on come first, so that every record has left its old one before that is removed.
    lines: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for one, kept, came in plan:
        if kept:
            _go_on(db, project, one, kept, came, run, moment, anew, done, lines)
    for one, kept, came in plan:
        if not kept:
            _begin(db, project, one, came, run, moment, done, lines)
    for _, kept, _ in plan:
        for gone in kept[1:]:
            storing.remove(db, gone.id)
    if lines:
        log.write(
            db,
            project,
            "join and divide works",
            "works",
            [before for before, _ in lines],
            [after for _, after in lines],
            by=by,
        )
    return done


def _olds(db: Database, project: int, components: Iterable[int]) -> dict[int, _Old]:
    """The works of components, by row."""
    found: dict[int, _Old] = {}
    rows: list[tuple[int, int, int | None]] = []
    for some in batches(sorted(set(components)), AT_ONCE):
        for row in db.all(
            "SELECT id, uid, component, first_run, added FROM work"
            f" WHERE project = ? AND component IN ({in_marks(some)})",  # noqa: S608, marks only
            project,
            *some,
        ):
            found[row["id"]] = _Old(*row)
    for some in batches(sorted(found), AT_ONCE):
        rows += (
            tuple(row)
            for row in db.all(
                "SELECT work_record.work, record.id, record.superseded FROM work_record"
                " JOIN record ON record.id = work_record.record"
                f" WHERE work_record.work IN ({in_marks(some)}) ORDER BY record.id",  # noqa: S608
                *some,
            )
        )
    newer = {record: by for _, record, by in rows if by is not None}
    for work, record, _ in rows:
        newest = record
        while newest in newer:
            newest = newer[newest]
        old = found[work]
        old.records.add(newest)
        if newest != record:
            old.behind[record] = newest
        if old.owner is None:
            old.owner = newest
    return found


def _go_on(
    db: Database,
    project: int,
    one: Found,
    kept: list[_Old],
    came: list[_Old],
    run: int | None,
    moment: str,
    anew: bool,  # noqa: FBT001, as in `assign`
    done: Assigned,
    lines: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    """Write a work that was there before."""
    work, rows = kept[0], set(one.records)
    for gone in kept[1:]:
        _carry_over(db, project, work, gone, moment, done, lines)
        done.joined.append((work.uid, gone.uid))
    if rows == work.records and len(kept) == 1 and not anew:
        is_newer = any(newest in rows for newest in work.behind.values())
        if not is_newer:
            if one.component != work.component:
                db.run("UPDATE work SET component = ? WHERE id = ?", one.component, work.id)
            return
    smaller = not work.records <= rows
    if rows != work.records:
        done.grown += 1
    storing.move_records(db, work.id, [*rows, *_behind(came, rows)])
    first_run, added = _first(db, rows, came, run, moment, smaller=smaller)
    storing.update(
        db,
        project,
        work.id,
        work.uid,
        Contents(
            hit=one.hit,
            records=one.records,
            component=one.component,
            first_run=first_run,
            added=added,
        ),
        smaller=smaller,
    )


def _begin(
    db: Database,
    project: int,
    one: Found,
    came: list[_Old],
    run: int | None,
    moment: str,
    done: Assigned,
    lines: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    """Write a work that is new, or was one before it joined another."""
    rows = set(one.records)
    first_run, added = _first(db, rows, came, run, moment, smaller=bool(came))
    contents = Contents(
        hit=one.hit,
        records=one.records,
        component=one.component,
        first_run=first_run,
        added=added,
    )
    earlier = _earlier(db, one, came)
    name = earlier[0] if earlier is not None else uid()
    if earlier is not None:
        db.run("DELETE FROM joined_work WHERE uid = ?", name)
        db.run("DELETE FROM alias WHERE project = ? AND name = ?", project, name)
    work = storing.insert(db, project, name, contents)
    _take_names(db, project, work, one, came)
    storing.move_records(db, work, [*rows, *_behind(came, rows)])
    if not came:
        done.new += 1
        return
    done.divided.append((came[0].uid, name))
    if earlier is not None:
        restore(db, work, orjson.loads(earlier[1]))
    else:
        db.run_many(
            "INSERT OR IGNORE INTO tag (work, text) SELECT ?, text FROM tag WHERE work = ?",
            [(work, old.id) for old in came],
        )
    lines.append(({"divided": came[0].uid}, {"part": name, "again": earlier is not None}))


def _earlier(db: Database, one: Found, came: list[_Old]) -> tuple[str, str] | None:
    """(uid, state) of the work that a part was before it joined: the one that joined last."""
    if not came:
        return None
    keys = set(one.records.values())
    rows = db.all(
        "SELECT uid, key, state FROM joined_work"
        f" WHERE work IN ({in_marks(came)}) ORDER BY rowid DESC",  # noqa: S608, marks only
        *(old.id for old in came),
    )
    return next(((row["uid"], row["state"]) for row in rows if row["key"] in keys), None)


def _take_names(db: Database, project: int, work: int, one: Found, came: list[_Old]) -> None:
    """Let the ids of works that joined the records of a part be names of that part."""
    keys = set(one.records.values())
    for old in came:
        for row in db.all("SELECT uid, key FROM joined_work WHERE work = ?", old.id):
            if row["key"] in keys:
                db.run("UPDATE joined_work SET work = ? WHERE uid = ?", work, row["uid"])
                db.run("DELETE FROM alias WHERE project = ? AND name = ?", project, row["uid"])
                db.run(
                    "INSERT INTO alias (project, name, work) VALUES (?, ?, ?)",
                    project,
                    row["uid"],
                    work,
                )


def _behind(came: list[_Old], rows: set[int]) -> list[int]:
    """The superseded versions of records."""
    return [row for old in came for row, newest in old.behind.items() if newest in rows]


def _first(
    db: Database,
    rows: set[int],
    came: list[_Old],
    run: int | None,
    moment: str,
    *,
    smaller: bool,
) -> tuple[int, str]:
    """(the first run that found any of the records, when the work was added)."""
    runs = [old.first_run for old in came]
    if smaller:  # what was first found may be in another part now
        runs = [
            row[0]
            for some in batches(sorted([*rows, *_behind(came, rows)]), AT_ONCE)
            for row in db.all(
                "SELECT min(answer.run) FROM finding JOIN answer ON answer.id = finding.answer"
                f" WHERE finding.record IN ({in_marks(some)})",  # noqa: S608, marks only
                *some,
            )
            if row[0] is not None
        ]
    if run is not None and not runs:
        runs = [run]
    return min(runs), min((old.added for old in came), default=moment)


def state(db: Database, work: int) -> dict[str, Any]:
    """What people have said of a work, as JSON can hold it."""
    return {
        "decisions": [
            list(row)
            for row in db.all(
                "SELECT stage, by, verdict, reason, at FROM decision WHERE work = ?", work
            )
        ],
        "tags": [row[0] for row in db.all("SELECT text FROM tag WHERE work = ?", work)],
        "notes": [
            list(row) for row in db.all("SELECT by, text, at FROM note WHERE work = ?", work)
        ],
    }


def restore(db: Database, work: int, said: dict[str, Any]) -> None:
    """Write what people have said of a work that has nothing of it."""
    db.run_many(
        "INSERT INTO decision (work, stage, by, verdict, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(work, *row) for row in said["decisions"]],
    )
    db.run_many("INSERT INTO tag (work, text) VALUES (?, ?)", [(work, t) for t in said["tags"]])
    db.run_many(
        "INSERT INTO note (work, by, text, at) VALUES (?, ?, ?, ?)",
        [(work, *row) for row in said["notes"]],
    )


def _carry_over(
    db: Database,
    project: int,
    work: _Old,
    gone: _Old,
    moment: str,
    done: Assigned,
    lines: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    """Let a work have what was said of another one that has become part of it."""
    theirs, ours = state(db, gone.id), state(db, work.id)
    decided = {(stage, by): verdict for stage, by, verdict, *_ in ours["decisions"]}
    conflict = False
    for stage, by, verdict, reason, at in theirs["decisions"]:
        before = decided.get((stage, by))
        if before is None:
            db.run(
                "INSERT INTO decision (work, stage, by, verdict, reason, at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                work.id, stage, by, verdict, reason, at,
            )  # fmt: skip
        elif before != verdict:
            conflict = True
    tags = [*theirs["tags"], *([CONFLICT] if conflict else [])]
    db.run_many(
        "INSERT OR IGNORE INTO tag (work, text) VALUES (?, ?)", [(work.id, text) for text in tags]
    )
    own = {by: text for by, text, _ in ours["notes"]}
    for by, text, at in theirs["notes"]:
        both = f"{own[by]}\n{text}"[:LONGEST_NOTE] if by in own and own[by] != text else text
        db.run(
            "INSERT OR REPLACE INTO note (work, by, text, at) VALUES (?, ?, ?, ?)",
            work.id, by, both, at,
        )  # fmt: skip
    key = db.value("SELECT key FROM record WHERE id = ?", gone.owner)
    db.run("UPDATE joined_work SET work = ? WHERE work = ?", work.id, gone.id)
    db.run(
        "INSERT INTO joined_work (uid, project, work, key, state, at) VALUES (?, ?, ?, ?, ?, ?)",
        gone.uid, project, work.id, key, orjson.dumps(theirs).decode(), moment,
    )  # fmt: skip
    # Whoever has used a name of it finds the work by it.
    db.run(
        "INSERT OR IGNORE INTO alias (project, name, work)"
        " SELECT project, name, ? FROM alias WHERE work = ?",
        work.id,
        gone.id,
    )
    if conflict:
        done.conflicts.append(work.uid)
    lines.append(
        (
            {"uid": gone.uid, "said": theirs, "into_said": ours},
            {"into": work.uid, "conflict": conflict},
        )
    )
