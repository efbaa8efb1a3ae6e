"""`/projects`: all projects, and a form for a new one."""

from __future__ import annotations

from typing import cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.server.faces.projects.opened import after_form, served
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.listing import projects_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.received import only
from metasearch.server.site import SHARED
from metasearch.server.visit import visit_of
from metasearch.workspace import projects
from metasearch.workspace.projects import KINDS, Kind
from metasearch.workspace.workspace import Workspace


async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or a new project from its form.

    Raises:
        Problem: 404 where there is no workspace, and those of `posted`.
    """
    workspace, visit = served(request).workspace, visit_of(request)

    async def render(said: Said) -> str:
        async with request.app[SHARED].admission.brief():
            every = await workspace.read(projects.every)
        return projects_page(visit, every, said.error, said.fields, only(request.query, "done"))

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)

    async def action() -> str:
        return visit.site.path(f"/projects/{await _created(workspace, fields)}")

    return await after_form(request, fields, action, render)


async def _created(workspace: Workspace, fields: MultiMapping[str]) -> str:
    """The uid of a new project."""
    kind = cast("Kind", chosen(fields, "kind", KINDS, "review"))
    made = await workspace.write(
        projects.create, only(fields, "name").strip(), kind, only(fields, "title").strip()
    )
    return made.uid
