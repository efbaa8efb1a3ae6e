"""The log of a project: who changed what, and a button that undoes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.frame import frame
from metasearch.server.pages.projects.words import ACTION_WORDS, called
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.log import Change
from metasearch.workspace.projects import Project

#: Characters of what stood there before and after.
_LONGEST = 300
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {"undone": N_("The change was undone.")}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log.

    Attributes:
        by: Name of the user; "" for the command line, and where there are no users.
        action: To be translated.
        before, after: As short texts; "" for nothing.
        undoes: The number of the change that it undid; None for others.
    """

    id: int
    at: str
    by: str
    action: str
    object: str
    before: str
    after: str
    undoes: int | None
    can_be_undone: bool


def log_page(
    visit: Visit,
    project: Project,
    changes: Sequence[Change],
    undoable: frozenset[int],
    *,
    people: Mapping[str, str] | None = None,
    older: str = "",
    error: UsageError | None = None,
    done: str = "",
) -> str:
    """The whole page.

    Args:
        changes: The newest first.
        people: Uid of a user -> name; None on a server without users, which shows nobody.
        older: Address of the lines before them; "" for none.
        error: Why a change was not undone.
    """
    return page(
        "projects/log.html",
        visit,
        f"{visit.language.gettext('Log')} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/log"),
        lines=[
            log_line(change, change.id in undoable, called(visit.language, people or {}))
            for change in changes
        ],
        has_people=people is not None,
        older=older,
        error=error,
        done=DONE_WORDS.get(done, ""),
    )


def log_line(change: Change, can_be_undone: bool, people: Mapping[str, str] | None = None) -> Line:
    """One line; `people` are the names of users by their uids."""
    return Line(
        change.id,
        change.at,
        (people or {}).get(change.by, ""),
        ACTION_WORDS.get(change.action, change.action),
        change.object,
        _short(change.before),
        _short(change.after),
        change.undoes,
        can_be_undone,
    )


def _short(value: Any) -> str:
    """What JSON held, as a text of one line."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
