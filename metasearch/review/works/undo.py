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
from metasearch.review.projects.projects import PROJECTS, Project
from metasearch.review.screening import conflicts, sight, teams
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.steps import as_log
from metasearch.review.strategies.strategies import STRATEGIES
from metasearch.review.works import decisions, pins
from metasearch.review.works.decisions_file import IMPORT
from metasearch.review.works.works import rows_by_name

_Undo = Callable[[Project, Change], None]
#: Later changes among which the one is looked for that is in the way.
_MOST_LATER = 50


def undo(project: Project, change_id: int) -> int:
    """Undo a change. Returns the number of the line that says so. Raises UsageError: there is no
    such change, it cannot be undone, it is undone already, it is a vote of somebody else, or
    something later has touched the same.
    """
    with project.db.transaction():
        change = log.find(project.db, project.id, change_id)
        if change is None or not sight.visible_changes(project, project.by, [change]):
            raise UsageError(
                message("The log of the project has no change {number}", number=change_id)
            )
        if change.action not in UNDONE:
            raise UsageError(
                message("{action} cannot be undone", action=repr(change.action)),
                advice=message("What can be undone: {actions}.", actions=", ".join(sorted(UNDONE))),
            )
        if (later := _undone_by(project.db, change)) is not None:
            raise UsageError(
                message(
                    "Change {number} is undone already, by change {later}",
                    number=change_id,
                    later=later,
                ),
                advice=message("Undo that one to do it again."),
            )
        if (whose := sight.whose(change)) and whose != project.by:
            raise UsageError(
                message("Change {number} is a vote or note of somebody else", number=change_id),
                advice=message("Only they can take it back."),
            )
        if not shapes.fits(change.action, change.object, change.before, change.after):
            raise UsageError(
                message("Change {number} is not as metasearch writes it", number=change_id),
                advice=message("It came with an archive. Change what it is about by hand."),
            )
        newest = project.db.value("SELECT max(id) FROM change")
        with log.as_undo_of(change.id):
            UNDONE[change.action](project, change)
        line = _undone_by(project.db, change)
        if line is None or line <= newest:
            raise UsageError(
                message("There is nothing left to undo of change {number}", number=change_id)
            )
        return line


def undoable(project: Project, changes: Sequence[Change]) -> frozenset[int]:
    """The numbers of the changes, among some, that are of a kind that can be undone by somebody,
    and are not undone already.
    """
    return frozenset(
        change.id
        for change in changes
        if change.action in UNDONE
        and sight.whose(change) in ("", project.by)
        and _undone_by(project.db, change) is None
    )


def is_own(project: Project, change_id: int) -> bool:
    """Whether a change is a vote, or an own note, of somebody: to undo it nobody else is asked."""
    change = log.find(project.db, project.id, change_id)
    return change is not None and bool(project.by) and sight.whose(change) == project.by


def _undone_by(db: Database, change: Change) -> int | None:
    """The change that undid one, if that one was not undone in its turn."""
    undoing = db.all("SELECT id, action FROM change WHERE undoes = ? ORDER BY id", change.id)
    for line, action in undoing:
        # Works that join or are divided because of it have lines of their own.
        if action in UNDONE and db.one("SELECT 1 FROM change WHERE undoes = ?", line) is None:
            return int(line)
    return None


def _marks(project: Project, change: Change) -> None:
    stage, whose = change.after["stage"], change.after.get("by", "")
    if whose and teams.voter(project.as_user(whose), stage) != whose:
        raise UsageError(
            message("You do not screen the stage {stage} any more", stage=stage),
            advice=message("Votes that were given stay."),
        )
    if project.by and not whose and teams.voter(project, stage) == project.by:
        # Whether it can be undone would tell a screener who else has voted.
        raise UsageError(
            message("You screen the stage {stage}", stage=stage),
            advice=message("A decision of the project is taken back by who does not."),
        )
    rows = _rows(project, change.after["works"])
    there = decisions.decisions_of(project.db, rows.values(), stage, whose)
    _check_untouched(
        project,
        change,
        (
            uid
            for uid, row in rows.items()
            if _verdict(there[row][1]) != _verdict(change.after["works"][uid])
        ),
    )
    before = {row: _verdict(change.before["works"][uid]) for uid, row in rows.items()}
    decisions.mark_each(project, before, stage=stage, action=change.action, voter=whose)


def _verdict(kept: Sequence[str] | None) -> tuple[str, str] | None:
    return None if kept is None else (kept[0], kept[1])


def _tags(project: Project, change: Change) -> None:
    added = {text: _rows(project, uids) for text, uids in change.after.items()}
    removed = {text: _rows(project, uids) for text, uids in change.before.items()}
    for sides, expected in ((added, True), (removed, False)):
        for text, rows in sides.items():
            have = decisions.works_with_tag(project.db, rows.values(), text)
            others = (uid for uid, row in rows.items() if (row in have) != expected)
            _check_untouched(project, change, others)
    decisions.tag_each(
        project,
        {text: list(rows.values()) for text, rows in removed.items()},
        {text: list(rows.values()) for text, rows in added.items()},
        total=0,
    )


def _notes(project: Project, change: Change) -> None:
    rows = _rows(project, change.after["works"])
    whose = change.after.get("by", "")
    there = {
        row: text for row, (text, _) in decisions.notes_of(project.db, rows.values(), whose).items()
    }
    _check_untouched(
        project,
        change,
        (u for u, row in rows.items() if there.get(row, "") != change.after["works"][u]),
    )
    before = {row: change.before["works"][uid] for uid, row in rows.items()}
    decisions.note_each(project, before, whose=whose)


def _resolutions(project: Project, change: Change) -> None:
    stage = change.after["stage"]
    rows = _rows(project, change.after["works"])
    there = conflicts.resolutions(project.db, list(rows.values()), stage)
    # A resolution of votes that are others now holds no more, and nothing is put back.
    others = (uid for uid, row in rows.items() if there.get(row) != change.after["works"][uid])
    _check_untouched(project, change, others)
    before = {row: change.before["works"][uid] for uid, row in rows.items()}
    conflicts.write(project, stage, before)


def _pins(project: Project, change: Change) -> None:
    pins.put_back(project, change.before, change.after)


def _rows(project: Project, uids: Iterable[str]) -> dict[str, int]:
    """Uid -> row of the work that it is a name of now. Raises UsageError: a work is gone."""
    names = list(uids)
    rows = rows_by_name(project.db, project.id, names)
    gone = [uid for uid in names if uid not in rows]
    if gone:
        raise UsageError(
            message("The project has no work {names} any more", names=", ".join(gone[:5]))
        )
    return rows


def _check_untouched(project: Project, change: Change, others: Iterable[str]) -> None:
    """Check that nothing is otherwise than the change left it. Raises UsageError: something is;
    says which later change touched it, of those that who acts may see.
    """
    uid = next(iter(others), None)
    if uid is None:
        return
    rows = project.db.all(
        "SELECT id FROM change WHERE project = ?1 AND id > ?2"
        " AND (instr(before, ?3) OR instr(after, ?3)) ORDER BY id LIMIT ?4",
        project.id,
        change.id,
        uid,
        _MOST_LATER,
    )
    touching = [found for row in rows if (found := log.find(project.db, project.id, row["id"]))]
    later = next(iter(sight.visible_changes(project, project.by, touching)), None)
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


def _project(project: Project, change: Change) -> None:
    now = project.fresh()
    _check_unchanged(change, PROJECTS.values_of(now, change.after))
    values = PROJECTS.fields_of(change.before)
    details = values.get("details", {})
    projects.check({key: kept for key, kept in details.items() if kept is not None})
    projects.update(now, **values)


def _strategy(project: Project, change: Change) -> None:
    strategy = strategies.by_number(project, shapes.numbers(change.object)[0])
    _check_unchanged(change, STRATEGIES.values_of(strategy, change.after))
    strategies.update(project.db, strategy, **STRATEGIES.fields_of(change.before), by=project.by)


def _step(project: Project, change: Change) -> None:
    of, number = shapes.numbers(change.object)
    strategy = strategies.by_number(project, of)
    step = next((one for one in steps.of(project.db, strategy) if one.number == number), None)
    if step is None:
        raise UsageError(message("Step {number} was removed since", number=number))
    _check_unchanged(change, as_log(step))
    before = change.before
    own = dict.fromkeys(step.details) | before["details"]
    query = {} if not step.has_query else {"text": before["text"], "syntax": before["syntax"]}
    steps.edit(
        project.db,
        strategy,
        step.number,
        **query,
        note=before["note"],
        details=own or None,
        by=project.by,
    )


def _check_unchanged(change: Change, now: Mapping[str, Any]) -> None:
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
