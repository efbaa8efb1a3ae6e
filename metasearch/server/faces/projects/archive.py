"""`/projects/UID/archive`: a project as one file, which can be imported elsewhere."""

from __future__ import annotations

import asyncio
import tempfile

from aiohttp import web

from metasearch.server.faces.projects.opened import file_name, opened
from metasearch.server.limits.permits import in_share
from metasearch.server.users.quota import take_export
from metasearch.workspace.archive.writing import export_project
from metasearch.workspace.screening import sight

#: Bytes that are sent at a time.
_CHUNK = 1 << 18


@in_share("archives", "GET")
async def answer(request: web.Request) -> web.StreamResponse:
    """The archive. It is written to disk first, so that a part of one is never sent as a whole.
    Raises UsageError: it cannot be written.
    """
    here = await opened(request)
    await here.workspace.read(sight.check_archive, here.project, here.by)
    response = web.StreamResponse(
        headers={
            "Content-Disposition": f'attachment; filename="{file_name(here.project.name)}.zip"',
            "Cache-Control": "private, no-store",
        }
    )
    response.content_type = "application/zip"
    if request.method == "HEAD":
        return web.Response(headers=response.headers)
    await take_export(request, here.project, "archive")
    with tempfile.TemporaryFile() as file:
        written = await here.workspace.long(export_project, here.project, file)
        response.content_length = written.bytes
        file.seek(0)
        await response.prepare(request)
        while part := await asyncio.to_thread(file.read, _CHUNK):
            await response.write(part)
        await response.write_eof()
    return response
