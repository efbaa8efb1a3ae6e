"""`/projects/UID/works/export`: the works of a list in a format of files, or for a screening
tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from aiohttp import web

from metasearch.errors import FormatError
from metasearch.formats import WRITABLE
from metasearch.message import message
from metasearch.server.api import is_usable
from metasearch.server.faces.projects.opened import file_name, opened
from metasearch.server.faces.projects.works import query_of
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.quota import take_export
from metasearch.server.visit import visit_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.exporting import EXPORTS, TOOLS, export, file_of


async def answer(request: web.Request) -> web.StreamResponse:
    """The file; its parts are read and sent one after the other.

    Raises:
        Problem: 400 for a list that cannot be, 404 where there is no such project, 406 for an
            unknown format.
    """
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

    def begun(db: Database) -> tuple[Iterator[bytes], bytes]:
        parts = export(
            db, here.project, query, name, stage=query.stage, style=visit_of(request).style
        )
        return parts, next(parts, b"")

    try:
        parts, first = await here.workspace.read(begun)
    except FormatError as error:
        raise Problem.of(error) from error
    response = web.StreamResponse(
        headers={
            "Content-Disposition": f'attachment; filename="{file_name(here.project.name)}-works'
            f'.{file.extension}"',
            "Cache-Control": "private, no-store",
        }
    )
    response.content_type = file.media_type
    await response.prepare(request)
    part: bytes | None = first
    while part is not None:
        await response.write(part)
        # The next part is read by the same connection as the first.
        part = await here.workspace.read(lambda _: next(parts, None))
    await response.write_eof()
    return response
