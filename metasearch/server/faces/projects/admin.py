"""`/admin/projects`: all projects of the workspace, for administrators, who are members of none by
office; what makes one an owner is audited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import after_form, served, unknown_form
from metasearch.server.forms import posted
from metasearch.server.identity import who
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.admin import ProjectLine, admin_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.received import only
from metasearch.server.site import SHARED
from metasearch.server.users.people import client_of
from metasearch.server.visit import visit_of
from metasearch.workspace import projects
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts
from metasearch.workspace.users.owning import own


@dataclass(frozen=True, slots=True)
class Owned:
    """A project, with the names and uids of its owners."""

    project: Project
    owners: Mapping[str, str]


async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or an administrator made an owner."""
    service, visit = served(request), visit_of(request)

    async def render(said: Said) -> str:
        async with request.app[SHARED].admission.brief():
            listed = await service.workspace.read(every)
        lines = [
            ProjectLine(
                each.project.uid,
                each.project.name,
                each.project.title,
                list(each.owners.values()),
                visit.site.path(f"/projects/{each.project.uid}")
                if who(request) in each.owners
                else "",
            )
            for each in listed
        ]
        return admin_page(visit, lines, said)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)

    async def action() -> str:
        if only(fields, "do") != "own":
            raise unknown_form()
        uid = only(fields, "project")
        await service.workspace.write(take, uid, who(request), client_of(request))
        return visit.site.path(f"/projects/{uid}/members")

    return await after_form(request, fields, action, render)


def every(db: Database) -> list[Owned]:
    """All projects with their owners, the newest first."""
    owners: dict[int, dict[str, str]] = {}
    for row in db.all(
        "SELECT member.project, user.uid, user.shown, user.name FROM member"
        " JOIN user ON user.id = member.user WHERE member.role = 'owner' ORDER BY user.name"
    ):
        owners.setdefault(row["project"], {})[row["uid"]] = row["shown"] or row["name"]
    return [Owned(project, owners.get(project.id, {})) for project in projects.every(db)]


def take(db: Database, project: str, by: str, client: str) -> None:
    """Make an administrator an owner of a project. Raises UsageError: there is no such project, or
    the user is no administrator.
    """
    user = accounts.by_uid(db, by)
    found = next((each for each in projects.every(db) if each.uid == project), None)
    if user is None or found is None:
        raise UsageError(message("There is no such project any more"))
    own(db, found, user, client=client)
