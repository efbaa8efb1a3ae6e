"""The list of saved searches, and the form for a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.reading import SYNTAX_WORDS
from metasearch.server.pages.saved.words import (
    DONE_WORDS,
    OFF_WORDS,
    RUN_WORDS,
    SCHEDULES,
    schedule_words,
)
from metasearch.server.visit import Visit
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.outbox import MailState
from metasearch.workspace.saved.saved import LONGEST_NAME, SavedSearch


@dataclass(frozen=True, slots=True)
class Line:
    """A saved search in the list. `last`: its last run; None where it has none."""

    saved: SavedSearch
    last: SavedRun | None
    news: int


@dataclass(frozen=True, slots=True)
class SavedList:
    """What the page shows. `mails`: whether e-mails are sent; None on a server that sends none.
    `offered`: field of the form for a new one -> its text, from the address of the page.
    """

    lines: Sequence[Line]
    mails: MailState | None
    offered: Mapping[str, str] = field(default_factory=dict)


def saved_page(visit: Visit, shown: SavedList, said: Said, done: str = "") -> str:
    """The whole page."""

    def typed(name: str, usual: str = "") -> str:
        return said.typed(name, shown.offered.get(name, usual))

    return page(
        "saved/list.html",
        visit,
        visit.language.gettext("Saved searches"),
        current="/saved",
        shown=shown,
        said=said,
        typed=typed,
        done=DONE_WORDS.get(done, ""),
        off_words=OFF_WORDS,
        run_words=RUN_WORDS,
        schedule_words=schedule_words,
        schedules=SCHEDULES,
        syntaxes=SYNTAX_WORDS,
        longest_name=LONGEST_NAME,
    )
