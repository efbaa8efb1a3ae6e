"""Who may see what of the votes: in a blind stage nobody sees a vote of another before the work has
all the votes that it needs. That is so after the stage has ended, too, and holds for lines of the
log, for archives, and for whatever else tells of a vote. Votes that could be seen once stay open:
nobody forgets them when the work needs more, and `conflicts.py` counts no later vote.

A reader is the uid of a user, "" for somebody without one, or None for the command line, which
reads the file itself and is shown everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import log
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import Project
from metasearch.review.screening import teams, votes
from metasearch.review.works import decisions, groups
from metasearch.review.works.decisions_file import IMPORT
from metasearch.review.works.works import STAGES, Stage, rows_by_name

#: Actions whose lines may be votes.
_VOTES = frozenset({decisions.MARK, IMPORT, groups.VOTES})
#: Lines that are read at once, at least, where some of them are not shown.
_AT_ONCE = 50


def lines(
    project: Project, reader: str | None, *, most: int = 200, before: int | None = None
) -> list[Change]:
    """As `log.lines`, of those that a reader may see."""
    if reader is None:
        return log.lines(project.db, project.id, most=most, before=before)
    found: list[Change] = []
    while len(found) < most:
        wanted = max(most - len(found), _AT_ONCE)
        some = log.lines(project.db, project.id, most=wanted, before=before)
        found += visible_changes(project, reader, some)
        if len(some) < wanted:
            break
        before = some[-1].id
    return found[:most]


def visible_changes(
    project: Project, reader: str | None, changes: Sequence[Change]
) -> list[Change]:
    """Those of some lines of the log that a reader may see, without the votes of others in lines
    about works that were joined.
    """
    if reader is None:
        return list(changes)
    sealed = _Seals(project, changes)
    return [
        replace(change, before=without_votes(change.action, change.before))
        for change in changes
        if sealed.shows(change, reader)
    ]


class _Seals:
    """What of some lines is not to be seen yet."""

    def __init__(self, project: Project, changes: Iterable[Change]) -> None:
        uids: dict[Stage, set[str]] = {}
        for change in changes:
            if whose(change) and change.action in _VOTES:
                uids.setdefault(change.after["stage"], set()).update(change.after["works"])
        shown = teams.teams(project)
        self._open: dict[str, set[str]] = {}
        for stage, names in uids.items():
            team = shown.get(stage)
            if team is not None and not team.blind:
                self._open[stage] = names
                continue
            rows = rows_by_name(project.db, project.id, list(names))
            open_ = votes.open_works(project.db, project.id, stage, rows.values())
            # Of a work that is gone nobody can tell any more whether its votes may be seen.
            self._open[stage] = {uid for uid, row in rows.items() if row in open_}

    def shows(self, change: Change, reader: str) -> bool:
        """Whether a reader may see a line."""
        by = whose(change)
        if not by or by == reader:
            return True
        if change.action == decisions.NOTE:
            return False
        return set(change.after["works"]) <= self._open[change.after["stage"]]


def whose(change: Change) -> str:
    """The screener whose votes or own notes a line is about; "" for any other line."""
    if change.action not in _VOTES and change.action != decisions.NOTE:
        return ""
    after = change.after
    # Lines of an archive may be anything.
    if not isinstance(after, Mapping) or not isinstance(after.get("works"), Mapping):
        return ""
    if change.action in _VOTES and after.get("stage") not in STAGES:
        return ""
    if not isinstance(after.get("seen", []), list):
        return ""
    by = after.get("by")
    return by if isinstance(by, str) else ""


def without_votes(action: str, before: Any) -> Any:
    """What was before a change: of works that were joined without what screeners have said."""
    if action != groups.ACTION or not isinstance(before, list):
        return before
    return [_bare(one) for one in before]


def _bare(before: Any) -> Any:
    if not isinstance(before, Mapping):
        return before
    return {
        name: {
            **{key: value for key, value in said.items() if key != "resolutions"},
            "decisions": [row for row in said.get("decisions", ()) if not row[1]],
            "notes": [row for row in said.get("notes", ()) if not row[0]],
        }
        if name in ("said", "into_said") and isinstance(said, Mapping)
        else said
        for name, said in before.items()
    }


def check_archive(project: Project, reader: str) -> None:
    """Check that a reader may have an archive, which holds all votes. Raises UsageError: they
    screen a stage blind, and some of its works lack votes.
    """
    for stage, team in teams.teams(project).items():
        if not team.blind or reader not in team.screeners:
            continue
        if votes.has_sealed_votes(project.db, project.id, stage) or _has_sealed(
            project, stage, reader
        ):
            raise UsageError(
                message("An archive holds votes that you must not see yet"),
                advice=message(
                    "Somebody who does not screen the project can make it; or wait until each work "
                    "has all its votes."
                ),
            )


def _has_sealed(project: Project, stage: Stage, reader: str) -> bool:
    """Whether the log has votes or notes of others on works of which nobody may see them: also
    those that were taken back.
    """
    names: set[str] = set()
    for row in project.db.all(
        "SELECT id FROM change WHERE project = ? AND action IN (?, ?, ?, ?)",
        project.id,
        decisions.NOTE,
        *sorted(_VOTES),
    ):
        change = log.find(project.db, project.id, row["id"])
        if change is None or whose(change) in ("", reader):
            continue
        if change.after.get("stage", stage) == stage:
            names.update(change.after["works"])
    rows = rows_by_name(project.db, project.id, names)
    open_ = votes.open_works(project.db, project.id, stage, rows.values())
    return any(rows.get(name) not in open_ for name in names)
