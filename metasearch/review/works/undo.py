"""Changes of the log undone: what was there before is there again, and that is a change of its own,
which can be undone, too.

Nothing is undone where a later change has touched the same: that one is undone first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import log, projects, shapes
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import Project
from metasearch.review.screening import conflicts, sight, teams
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.steps import as_logged
from metasearch.review.works import decisions, pins
from metasearch.review.works.decisions_file import IMPORT
from metasearch.review.works.works import rows_named

_Undo = Callable[[Database, Project, Change, str], None]
#: Later changes among which the one is looked for that is in the way.
_MOST_LATER = 50


def undo(db: Database, project: Project, change_id: int, *, by: str = "") -> int:
    """Undo a change. Returns the number of the line that says so. Raises UsageError: there is no
    such change, it cannot be undone, it is undone already, it is a vote of somebody else, or
    something later has touched the same.
    """
    with db.transaction():
        change = log.find(db, project.id, change_id)
        if change is None or not sight.seen(db, project, by, [change]):
            raise UsageError(
                message("The log of the project has no change {number}", number=change_id)
            )
        if change.action not in UNDONE:
            raise UsageError(
                message("{action} cannot be undone", action=repr(change.action)),
                advice=message("What can be undone: {actions}.", actions=", ".join(sorted(UNDONE))),
            )
        if (later := _undone_by(db, change)) is not None:
            raise UsageError(
                message(
                    "Change {number} is undone already, by change {later}",
                    number=change_id,
                    later=later,
                ),
                advice=message("Undo that one to do it again."),
            )
        if (whose := sight.whose(change)) and whose != by:
            raise UsageError(
                message("Change {number} is a vote or note of somebody else", number=change_id),
                advice=message("Only they can take it back."),
            )
        if not shapes.fits(change.action, change.object, change.before, change.after):
            raise UsageError(
                message("Change {number} is not as metasearch writes it", number=change_id),
                advice=message("It came with an archive. Change what it is about by hand."),
            )
        newest = db.value("SELECT max(id) FROM change")
        with log.undoing(change.id):
            UNDONE[change.action](db, project, change, by)
        line = _undone_by(db, change)
        if line is None or line <= newest:
            raise UsageError(
                message("There is nothing left to undo of change {number}", number=change_id)
            )
        return line


def undoable(
    db: Database, project: Project, changes: Sequence[Change], by: str = ""
) -> frozenset[int]:
    """The numbers of the changes, among some, that are of a kind that can be undone by somebody,
    and are not undone already.
    """
    return frozenset(
        change.id
        for change in changes
        if change.action in UNDONE
        and sight.whose(change) in ("", by)
        and _undone_by(db, change) is None
    )


def is_own(db: Database, project: Project, change_id: int, by: str) -> bool:
    """Whether a change is a vote, or an own note, of somebody: to undo it nobody else is asked."""
    change = log.find(db, project.id, change_id)
    return change is not None and bool(by) and sight.whose(change) == by


def _undone_by(db: Database, change: Change) -> int | None:
    """The change that undid one, if that one was not undone in its turn."""
    undoing = db.all("SELECT id, action FROM change WHERE undoes = ? ORDER BY id", change.id)
    for line, action in undoing:
        # Works that join or are divided because of it have lines of their own.
        if action in UNDONE and db.one("SELECT 1 FROM change WHERE undoes = ?", line) is None:
            return int(line)
    return None


def _marks(db: Database, project: Project, change: Change, by: str) -> None:
    stage, whose = change.after["stage"], change.after.get("by", "")
    if whose and teams.voter(db, project, stage, whose) != whose:
        raise UsageError(
            message("You do not screen the stage {stage} any more", stage=stage),
            advice=message("Votes that were given stay."),
        )
    if by and not whose and teams.voter(db, project, stage, by) == by:
        # Whether it can be undone would tell a screener who else has voted.
        raise UsageError(
            message("You screen the stage {stage}", stage=stage),
            advice=message("A decision of the project is taken back by who does not."),
        )
    rows = _rows(db, project, change.after["works"])
    there = decisions.standing(db, rows.values(), stage, whose)
    _untouched(
        db,
        project,
        change,
        by,
        (
            uid
            for uid, row in rows.items()
            if _verdict(there[row][1]) != _verdict(change.after["works"][uid])
        ),
    )
    before = {row: _verdict(change.before["works"][uid]) for uid, row in rows.items()}
    decisions.mark_each(db, project, before, stage=stage, action=change.action, by=by, voter=whose)


def _verdict(kept: Sequence[str] | None) -> tuple[str, str] | None:
    return None if kept is None else (kept[0], kept[1])


def _tags(db: Database, project: Project, change: Change, by: str) -> None:
    added = {text: _rows(db, project, uids) for text, uids in change.after.items()}
    removed = {text: _rows(db, project, uids) for text, uids in change.before.items()}
    for sides, expected in ((added, True), (removed, False)):
        for text, rows in sides.items():
            have = decisions.tagged(db, rows.values(), text)
            others = (uid for uid, row in rows.items() if (row in have) != expected)
            _untouched(db, project, change, by, others)
    decisions.tag_each(
        db,
        project,
        {text: list(rows.values()) for text, rows in removed.items()},
        {text: list(rows.values()) for text, rows in added.items()},
        total=0,
        by=by,
    )


def _notes(db: Database, project: Project, change: Change, by: str) -> None:
    rows = _rows(db, project, change.after["works"])
    whose = change.after.get("by", "")
    there = {row: text for row, (text, _) in decisions.noted(db, rows.values(), whose).items()}
    _untouched(
        db,
        project,
        change,
        by,
        (u for u, row in rows.items() if there.get(row, "") != change.after["works"][u]),
    )
    before = {row: change.before["works"][uid] for uid, row in rows.items()}
    decisions.note_each(db, project, before, whose=whose, by=by)


def _resolutions(db: Database, project: Project, change: Change, by: str) -> None:
    stage = change.after["stage"]
    rows = _rows(db, project, change.after["works"])
    there = conflicts.resolutions(db, list(rows.values()), stage)
    # A resolution of votes that are others now holds no more, and nothing is put back.
    others = (uid for uid, row in rows.items() if there.get(row) != change.after["works"][uid])
    _untouched(db, project, change, by, others)
    before = {row: change.before["works"][uid] for uid, row in rows.items()}
    conflicts.write(db, project, stage, before, by=by)


def _pins(db: Database, project: Project, change: Change, by: str) -> None:
    pins.put_back(db, project, change.before, change.after, by=by)


def _rows(db: Database, project: Project, uids: Iterable[str]) -> dict[str, int]:
    """Uid -> row of the work that it is a name of now. Raises UsageError: a work is gone."""
    names = list(uids)
    rows = rows_named(db, project.id, names)
    gone = [uid for uid in names if uid not in rows]
    if gone:
        raise UsageError(
            message("The project has no work {names} any more", names=", ".join(gone[:5]))
        )
    return rows


def _untouched(
    db: Database, project: Project, change: Change, by: str, others: Iterable[str]
) -> None:
    """Check that nothing is otherwise than the change left it. Raises UsageError: something is;
    says which later change touched it, of those that `by` may see.
    """
    uid = next(iter(others), None)
    if uid is None:
        return
    rows = db.all(
        "SELECT id FROM change WHERE project = ?1 AND id > ?2"
        " AND (instr(before, ?3) OR instr(after, ?3)) ORDER BY id LIMIT ?4",
        project.id,
        change.id,
        uid,
        _MOST_LATER,
    )
    touching = [found for row in rows if (found := log.find(db, project.id, row["id"]))]
    later = next(iter(sight.seen(db, project, by, touching)), None)
    if later is None:
        raise UsageError(
            message("The work {uid} is not as change {number} left it", uid=uid, number=change.id)
        )
    raise UsageError(
        message(
            "The work {uid} was changed since: change {later}, {action}, {at}",
            uid=uid,
            later=later.id,
            action=later.action,
            at=later.at,
        ),
        advice=message("Undo that one first."),
    )


def _project(db: Database, project: Project, change: Change, by: str) -> None:
    now = projects.find(db, project.uid)
    own = {"title": now.title, "archived": now.archived}
    _unchanged(change, {key: own.get(key, now.details.get(key)) for key in change.after})
    before = dict(change.before)
    values: dict[str, Any] = {key: before.pop(key) for key in own if key in before}
    projects.check({key: kept for key, kept in before.items() if kept is not None})
    projects.update(db, now, **values, details=before or None, by=by)


def _strategy(db: Database, project: Project, change: Change, by: str) -> None:
    strategy = strategies.numbered(db, project, shapes.numbers(change.object)[0])
    own: dict[str, Any] = {
        "name": strategy.name,
        "sources": list(strategy.sources),
        "years": strategy.years,
        "note": strategy.note,
    }
    _unchanged(change, {key: own.get(key, strategy.details.get(key)) for key in change.after})
    before = dict(change.before)
    values = {key: before.pop(key) for key in own if key in before}
    strategies.update(db, strategy, **values, details=before or None, by=by)


def _step(db: Database, project: Project, change: Change, by: str) -> None:
    of, number = shapes.numbers(change.object)
    strategy = strategies.numbered(db, project, of)
    step = next((one for one in steps.of(db, strategy) if one.number == number), None)
    if step is None:
        raise UsageError(message("Step {number} was removed since", number=number))
    _unchanged(change, as_logged(step))
    before = change.before
    own = dict.fromkeys(step.details) | before["details"]
    query = {} if step.kind == "import" else {"text": before["text"], "syntax": before["syntax"]}
    steps.edit(db, strategy, step.number, **query, note=before["note"], details=own or None, by=by)


def _unchanged(change: Change, now: Mapping[str, Any]) -> None:
    """Check that what a change set is still so. Raises UsageError: it is not."""
    for key, value in change.after.items():
        if now.get(key) != value:
            raise UsageError(
                message("{name} was changed since change {number}", name=key, number=change.id),
                advice=message("Undo the later change first."),
            )


#: Action that can be undone -> how.
UNDONE: Mapping[str, _Undo] = {
    decisions.MARK: _marks,
    IMPORT: _marks,
    decisions.TAG: _tags,
    decisions.NOTE: _notes,
    conflicts.RESOLVE: _resolutions,
    pins.PIN: _pins,
    pins.UNPIN: _pins,
    "edit project": _project,
    "edit strategy": _strategy,
    "edit step": _step,
}
