"""`/projects/UID/works/export`: works of a list in a file, or for a screening tool."""

from __future__ import annotations

import tempfile

from aiohttp import web

from metasearch.formats import WRITABLE
from metasearch.message import message
from metasearch.server.api import is_usable
from metasearch.server.faces.projects.opened import file_name, opened
from metasearch.server.faces.projects.works import query_of
from metasearch.server.faces.workspace.files import exported
from metasearch.server.faces.workspace.sending import send_file
from metasearch.server.limits.permits import in_share
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.quota import take_export
from metasearch.server.visit import visit_of
from metasearch.workspace.works.exporting import EXPORTS, TOOLS, file_of


@in_share("exports", "GET")
async def answer(request: web.Request) -> web.StreamResponse:
    """The file."""
    here = await opened(request)
    name = only(request.query, "format") or "ris"
    if name not in EXPORTS:
        offered = [
            (each, WRITABLE[TOOLS.get(each, each)].media_type)
            for each in EXPORTS
            if is_usable(each)
        ]
        raise Problem.unacceptable(message("There is no such format."), offered)
    query, file = query_of(request.query, by=here.by), file_of(name)
    await take_export(request, here.project, name)

    with tempfile.TemporaryFile() as written:
        how = {"stage": query.stage, "style": visit_of(request).style}
        await here.workspace.long(exported, here.project, query, name, how, written)
        stem, private = file_name(here.project.name), {"Cache-Control": "private, no-store"}
        return await send_file(
            request, written, file.media_type, f"{stem}-works.{file.extension}", private
        )
