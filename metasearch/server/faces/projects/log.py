"""`/projects/UID/log`: the log of a project, and what undoes a change."""

from __future__ import annotations

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import after_form, opened
from metasearch.server.forms import posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.log import log_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.people import names
from metasearch.workspace.screening import sight
from metasearch.workspace.works.undo import is_own, undo, undoable

#: Lines of a page.
_LINES = 100
_LARGEST = 2**53


async def answer(request: web.Request) -> web.StreamResponse:
    """The log, or a change undone by its form."""
    here = await opened(request)

    async def render(said: Said) -> str:
        before = _number(only(request.query, "before"))
        async with here.shared.admission.brief():
            lines = await here.workspace.read(
                sight.lines, here.project, here.by, most=_LINES, before=before
            )
            can = await here.workspace.read(undoable, here.project, lines, here.by)
        people = await names(here.request, here.workspace, (line.by for line in lines))
        older = here.path("/log", before=lines[-1].id) if len(lines) == _LINES else ""
        return log_page(
            here.visit,
            here.project,
            lines,
            can,
            people=people,
            older=older,
            error=said.error,
            done=only(request.query, "done"),
        )

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)

    async def action() -> str:
        number = _number(only(fields, "change"))
        if number is None:
            raise UsageError(message("No change was named"))
        if not await here.workspace.read(is_own, here.project, number, here.by):
            here.needs("edit")
        await here.service.ready(here.project)
        await here.workspace.write(undo, here.project, number, by=here.by)
        return here.path("/log", done="undone")

    return await after_form(request, fields, action, render)


def _number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) < _LARGEST):
        raise Problem.bad_parameters(
            [{"parameter": "before", "reason": message("must be a number")}]
        )
    return int(text)
