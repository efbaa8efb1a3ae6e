"""The page of all projects, for administrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metasearch.server.pages.accounts.tabs import tabs
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.visit import Visit


@dataclass(frozen=True, slots=True)
class ProjectLine:
    """A project in the list. `address`: of its page; "" for a reader who does not own it."""

    uid: str
    name: str
    title: str
    owners: Sequence[str]
    address: str


def admin_page(visit: Visit, projects: Sequence[ProjectLine], said: Said) -> str:
    """The whole page."""
    return page(
        "projects/admin.html",
        visit,
        visit.language.gettext("All projects"),
        current="/admin",
        tabs=tabs(visit, "/admin/projects"),
        projects=projects,
        said=said,
    )
