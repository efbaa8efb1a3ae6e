"""What all pages of a project share: the way back, its title, and the tabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.projects import Project


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a project. `words`: to be translated. `here`: whether it is the page itself."""

    words: str
    address: str
    here: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The head of a page of a project. `all`: address of the list of projects."""

    all: str
    title: str
    base: str
    tabs: Sequence[Tab]


_TABS = (
    ("", N_("Overview")),
    ("/strategies", N_("Strategies")),
    ("/works", N_("Works")),
    ("/reports", N_("Reports")),
    ("/log", N_("Log")),
)
#: Of a server with users, behind the works and at the end.
_SCREENING, _MEMBERS = ("/screening", N_("Screening")), ("/members", N_("Members"))


def frame(visit: Visit, project: Project, here: str) -> Frame:
    """The head of a page. `here`: the path of its tab below the project: "", "/works"."""
    base = visit.site.path(f"/projects/{project.uid}")
    listed = (*_TABS[:3], _SCREENING, *_TABS[3:], _MEMBERS) if visit.user else _TABS
    tabs = [Tab(words, base + path, path == here) for path, words in listed]
    return Frame(visit.site.path("/projects"), project.title, base, tabs)
