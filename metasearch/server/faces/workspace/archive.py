"""`/api/projects/UID/archive` and `/api/projects/import`: a project as one file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from aiohttp import web

from metasearch.message import message
from metasearch.server.faces.workspace.members import Member, Members, parameters_of
from metasearch.server.faces.workspace.opened import answer, opened, project_of
from metasearch.server.faces.workspace.sending import send_file
from metasearch.server.limits.permits import in_share
from metasearch.server.problem import Problem
from metasearch.server.received import body_into
from metasearch.server.site import site_of
from metasearch.server.users.making import maker_of
from metasearch.server.users.quota import check_archive, take_export
from metasearch.workspace import objects
from metasearch.workspace.archive.members import MOST_PACKED
from metasearch.workspace.archive.writing import export_project
from metasearch.workspace.projects import LONGEST_NAME
from metasearch.workspace.remains import arriving
from metasearch.workspace.screening import sight

#: What an archive is. A form of another site can send no body of this type, as none of JSON.
ZIP = "application/zip"
#: The header with the runs whose recorded pages an archive lacks.
LACKING = "Lacking-Runs"
IMPORT: Members = {
    "name": Member(
        help="Its name here; without it that in the archive, with `-2` where it is taken.",
        most=LONGEST_NAME,
    )
}


@in_share("archives", "GET")
async def archive(request: web.Request) -> web.StreamResponse:
    """`/api/projects/UID/archive`: all of the project. Raises OSError: no room for the file."""
    here = opened(request)
    project = await project_of(request, here)
    await here.workspace.read(sight.check_archive, project, here.by)
    await take_export(request, project, "archive")
    with tempfile.TemporaryFile() as file:
        made = await here.workspace.long(export_project, project, file)
        lacking = {LACKING: ", ".join(map(str, made.lacking))} if made.lacking else {}
        return await send_file(request, file, ZIP, "project.zip", lacking)


@in_share("archives", "POST")
async def import_(request: web.Request) -> web.Response:
    """`/api/projects/import`: a project of an archive, the whole of it or nothing. Raises OSError:
    there is no room for the file.
    """
    here = opened(request)
    if request.content_type != ZIP:
        raise Problem(415, None, message("An archive is posted as {type}.", type=ZIP))
    asked = parameters_of(request.query, IMPORT)
    with arriving() as file:
        await body_into(request, here.shared.options, MOST_PACKED, file)
        file.flush()
        path = Path(file.name)
        await check_archive(request, path)
        made = await here.workspace.work(maker_of(request).imported, path, asked.get("name"))
    return answer(
        objects.imported_project(made),
        status=201,
        location=site_of(request).path(f"/api/projects/{made.project.uid}"),
    )
