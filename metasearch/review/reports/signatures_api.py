"""`/api/projects/UID/reports/KIND/signatures`: who has signed a finished report, or one more."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.faces.workspace.members import Member, Members, body_of, parameters_of
from metasearch.server.faces.workspace.opened import answer, found, named, opened, project_of
from metasearch.server.users.signing import sign
from metasearch.workspace import objects
from metasearch.workspace.reports import finished, signatures

SIGNED: Members = {
    "number": Member(
        help="Of the finished report; without it the newest one.", most=40, example="last"
    )
}
SIGN: Members = {
    "number": Member(help="Of the finished report.", required=True, most=40, example="last"),
    "role": Member(
        help="As what the user of the token signs. The reviewer is another user than the searcher, "
        "and one who has run no search of the report.",
        required=True,
        choices=signatures.ROLES,
        example="reviewer",
    ),
    "digest": Member(
        help="SHA-256 of the report that was read, as the list of finished reports has it.",
        required=True,
        most=64,
    ),
}


async def signatures_(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports/KIND/signatures`: a finished report's, or one more."""
    here = opened(request)
    project = await project_of(request, here)
    kind = named(request, "kind")
    if request.method == "POST":
        given = await body_of(request, SIGN)
        number = given.pop("number")
        made = await sign(request, here.workspace, project, kind, number, **given)
        return answer(objects.signature(made), status=201)
    number = parameters_of(request.query, SIGNED).get("number", "last")
    report = await found(here.workspace.read(finished.find, project, kind, number))
    signed = await here.workspace.read(signatures.of, report)
    return answer({"signatures": [objects.signature(each) for each in signed]})
