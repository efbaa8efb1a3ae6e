"""`/api/admin/projects`: all projects, for administrators; or one more owner of one."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.faces.projects.admin import every, take
from metasearch.server.faces.workspace.members import Member, Members, body_of
from metasearch.server.faces.workspace.opened import answer, found, opened
from metasearch.server.users.people import client_of
from metasearch.workspace import objects

OWN: Members = {
    "project": Member(
        help="The uid of the project that the administrator becomes an owner of.",
        required=True,
        most=60,
    )
}


async def projects_(request: web.Request) -> web.Response:
    """`/api/admin/projects`: all projects with their owners, or one more owner."""
    here = opened(request)
    if request.method == "POST":
        given = await body_of(request, OWN)
        await found(here.workspace.write(take, given["project"], here.by, client_of(request)))
        return answer({"project": given["project"], "role": "owner"})
    async with here.shared.admission.brief():
        listed = await here.workspace.read(every)
    return answer(
        {
            "projects": [
                objects.project(each.project)
                | {"owners": [{"uid": uid, "shown": name} for uid, name in each.owners.items()]}
                for each in listed
            ]
        }
    )
