"""The list of the strategies of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metasearch.formats.text import line
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.frame import frame
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.projects import Project


@dataclass(frozen=True, slots=True)
class StrategyLine:
    """A row of the list."""

    name: str
    address: str
    steps: int
    note: str
    created: str


def strategies_page(
    visit: Visit,
    project: Project,
    listed: Sequence[StrategyLine],
    said: Said,
    notes: Sequence[str] = (),
) -> str:
    """The whole page; `notes` are what does not hold of a search file that was read."""
    return page(
        "projects/strategies.html",
        visit,
        f"{visit.language.gettext('Strategies')} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/strategies"),
        strategies=listed,
        said=said,
        notes=notes,
        done=N_("The search file was read.") if notes else "",
    )
