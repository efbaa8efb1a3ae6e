"""`/projects`: all projects, and forms for a new one and for one in an archive."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import Render, after_form, served
from metasearch.server.forms import WITH_FILE, chosen, posted, posted_with_file
from metasearch.server.limits.permits import in_share
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.listing import projects_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.received import only
from metasearch.server.site import SHARED
from metasearch.server.users.making import Maker, maker_of
from metasearch.server.users.quota import check_archive
from metasearch.server.visit import visit_of
from metasearch.workspace.projects import KINDS, Kind, Project
from metasearch.workspace.remains import arriving
from metasearch.workspace.workspace import Workspace

#: Bytes of an archive that a browser sends, and of it unpacked; the command line takes larger ones.
MOST_BYTES, MOST_UNPACKED = 200_000_000, 4_000_000_000


@in_share("archives", "POST")
async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or a new project from its form or from an archive."""
    service, visit = served(request), visit_of(request)
    workspace, maker = service.workspace, maker_of(request)

    async def render(said: Said) -> str:
        async with request.app[SHARED].admission.brief():
            every = await workspace.read(maker.listed)
        return projects_page(visit, every, said, only(request.query, "done"), most_bytes=MOST_BYTES)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    if request.content_type == WITH_FILE:
        return await _archive(request, workspace, render)
    fields = await posted(request)

    async def action() -> str:
        made = await _created(workspace, maker, fields)
        named = made.name == only(fields, "name").strip()
        path = f"/projects/{made.uid}"
        return visit.site.path(path) if named else visit.site.path(path, done="renamed")

    return await after_form(request, fields, action, render)


async def _archive(request: web.Request, workspace: Workspace, render: Render) -> web.Response:
    """The answer to the form with an archive."""
    with arriving() as file:
        fields, upload = await posted_with_file(request, MOST_BYTES, disk=file)
        file.flush()

        async def action() -> str:
            if not upload.name:
                raise UsageError(
                    message("No file was chosen"),
                    advice=message("Choose the archive of a project."),
                )
            await check_archive(request, Path(file.name), MOST_UNPACKED)
            made = await workspace.work(
                maker_of(request).imported,
                Path(file.name),
                only(fields, "name").strip() or None,
                MOST_UNPACKED,
            )
            wanted = only(fields, "name").strip() or made.name
            done = "imported" if made.project.name == wanted else "named"
            return visit_of(request).site.path(f"/projects/{made.project.uid}", done=done)

        return await after_form(request, fields, action, render)


async def _created(workspace: Workspace, maker: Maker, fields: MultiMapping[str]) -> Project:
    """A new project."""
    kind = cast("Kind", chosen(fields, "kind", KINDS, "review"))
    return await workspace.write(
        maker.create, only(fields, "name").strip(), kind, only(fields, "title").strip()
    )
