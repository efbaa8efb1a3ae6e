"""`/api/projects/UID/archive` and `/api/projects/import`: a project as one file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from aiohttp import web

from metasearch import opening
from metasearch.message import message
from metasearch.server.faces.workspace.members import Member, Members, parameters_of
from metasearch.server.faces.workspace.opened import answer, opened, project_of
from metasearch.server.faces.workspace.sending import send_file
from metasearch.server.problem import Problem
from metasearch.server.received import body_into
from metasearch.server.site import site_of
from metasearch.server.users.making import maker_of
from metasearch.server.users.quota import take_export
from metasearch.workspace import objects
from metasearch.workspace.archive.members import MOST_PACKED
from metasearch.workspace.archive.writing import export_project
from metasearch.workspace.projects import LONGEST_NAME
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
#: Seconds after which a client may ask again.
_LATER = "30"


async def archive(request: web.Request) -> web.StreamResponse:
    """`/api/projects/UID/archive`: everything of the project.

    Raises:
        Problem: 404 where there is no such project, 503 where there is no room for the file.
    """
    here = opened(request)
    project = await project_of(request, here)
    await here.workspace.read(sight.check_archive, project, here.by)
    await take_export(request, project, "archive")
    async with here.service.archive():
        with tempfile.TemporaryFile() as file:
            try:
                made = await here.workspace.long(export_project, project, file)
            except OSError as exc:
                raise _unwritable(exc) from exc
            lacking = {LACKING: ", ".join(map(str, made.lacking))} if made.lacking else {}
            return await send_file(request, file, ZIP, "project.zip", lacking)


async def import_(request: web.Request) -> web.Response:
    """`/api/projects/import`: a project of an archive, the whole of it or nothing.

    Raises:
        Problem: 400 where it is no archive, 408 where it does not come, 413 where it is too large,
            415 for another type, 503 where there is no room for the file.
    """
    here = opened(request)
    if request.content_type != ZIP:
        raise Problem(415, None, message("An archive is posted as {type}.", type=ZIP))
    asked = parameters_of(request.query, IMPORT)
    async with here.service.archive():
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "archive.zip"
            try:
                with path.open("wb") as file:
                    await body_into(request, here.shared.options, MOST_PACKED, file)
            except OSError as exc:
                raise _unwritable(exc) from exc
            made = await here.workspace.long(
                maker_of(request).imported,
                path,
                asked.get("name"),
                write=here.workspace.portion,
            )
    return answer(
        objects.imported_project(made),
        status=201,
        location=site_of(request).path(f"/api/projects/{made.project.uid}"),
    )


def _unwritable(exc: OSError) -> Problem:
    return Problem(
        503,
        None,
        message("The server cannot write the archive: {reason}", reason=opening.why(exc)),
        headers={"Retry-After": _LATER},
    )
