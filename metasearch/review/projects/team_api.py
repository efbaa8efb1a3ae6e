"""The JSON interface of a team, on a server with users: members of projects, and signatures of
finished reports.

`/api/projects/UID/members`: who may do what in a project. Nobody is made a member by a name, which
would tell who has an account: people join by a link.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    number_in_path,
    or_not_found,
    parameters_of,
    part_of_path,
    project_request,
    workspace_request,
)
from metasearch.review.objects import Excerpt, Object
from metasearch.review.projects import members
from metasearch.review.projects.member_pages import every, take
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.reports import reports
from metasearch.review.reports.reports import Signature
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import audit, links
from metasearch.review.users.accounts import names_for_people
from metasearch.review.users.links import OneTimeLink
from metasearch.review.users.permissions_and_quotas import PROJECT_ROLES, ProjectRole
from metasearch.server.identity import is_allowed, who
from metasearch.server.problem import Problem
from metasearch.server.site import site_of

INVITATION = Excerpt(
    OneTimeLink,
    "number role by by_name created expires",
    number=int,
    role=ProjectRole,
    by=str,
    by_name=str,
)
#: How long a link that is made is good for.
LINK_DAYS = Member(
    help=f"How many days the link is good for; {links.SECONDS['member'] // 86_400} without it.",
    kind="whole",
    least=1,
    most=links.MOST_DAYS,
    example=14,
)
INVITE: Members = {
    "role": Member(
        help="What who uses the link is in the project.",
        required=True,
        choices=PROJECT_ROLES,
        example="screener",
    ),
    "days": LINK_DAYS,
}
CHANGE_ROLE: Members = {
    "role": Member(help="The new role.", choices=PROJECT_ROLES),
    "removed": Member(help="True removes the member; what they did stays.", kind="flag"),
}


async def answer_members(request: web.Request) -> web.Response:
    """`/api/projects/UID/members`: the members, or a link by which somebody joins."""
    here = await project_request(request)
    if request.method == "POST":
        given = await body_of(request, INVITE)
        made = await here.write(_invite, given["role"], given.get("days"), request)
        return answer(made, status=201)
    return answer(await here.read(_team_of, is_allowed(request, "members")))


async def answer_member(request: web.Request) -> web.Response:
    """`/api/projects/UID/members/UID`: another role, or a member removed."""
    here = await project_request(request)
    given = await body_of(request, CHANGE_ROLE)
    removed, role = given.get("removed", False), given.get("role")
    if removed == (role is not None):
        raise UsageError(message("a member is removed or gets a role: one of both"))
    if not await here.write(
        members.change, part_of_path(request, "user"), role, client_of(request)
    ):
        raise Problem(404)
    return answer({"removed": part_of_path(request, "user")} if removed else {"role": role})


async def answer_leave(request: web.Request) -> web.Response:
    """`/api/projects/UID/members/leave`: who asks is a member no more."""
    here = await project_request(request)
    await body_of(request, {})
    await here.write(members.change, here.by, None, client_of(request))
    return answer({"removed": here.by})


async def answer_invitation_end(request: web.Request) -> web.Response:
    """`/api/projects/UID/members/invitations/N`: a link that nobody can use any more."""
    here = await project_request(request)
    await body_of(request, {})
    number = number_in_path(request, "number")
    if not await here.workspace.write(
        links.revoke, number, here.project, by=here.by, client=client_of(request)
    ):
        raise Problem(404)
    return answer({"revoked": number})


def _invite(project: Project, role: str, days: int | None, request: web.Request) -> Object:
    secret = links.create(
        project.db,
        "member",
        project=project,
        role=role,
        by=project.by,
        client=client_of(request),
        days=days,
    )
    newest = links.every(project.db, "member", project)[0]
    address = site_of(request).url(f"{links.PATHS['member']}{secret}")
    return {"link": address, "role": role, "expires": newest.expires, "number": newest.id}


def _team_of(project: Project, with_links: bool) -> Object:
    made: dict[str, Any] = {"members": [asdict(each) for each in members.of(project)]}
    if with_links:
        invited = links.every(project.db, "member", project)
        names = names_for_people(project.db, (link.by for link in invited))
        made["invitations"] = [
            INVITATION(link, number=link.id, by_name=names.get(link.by, "")) for link in invited
        ]
    return made


OWN: Members = {
    "project": Member(
        help="The uid of the project that the administrator becomes an owner of.",
        required=True,
        most=60,
    )
}


async def answer_all_projects(request: web.Request) -> web.Response:
    """`/api/admin/projects`: all projects with their owners, or one more owner."""
    here = workspace_request(request)
    if request.method == "POST":
        given = await body_of(request, OWN)
        await or_not_found(
            here.workspace.write(take, given["project"], here.by, client_of(request))
        )
        return answer({"project": given["project"], "role": "owner"})
    async with here.shared.admission.brief():
        listed = await here.workspace.read(every)
    return answer(
        {
            "projects": [
                objects.project(project)
                | {"owners": [{"uid": uid, "shown": name} for uid, name in owners.items()]}
                for project, owners in listed
            ]
        }
    )


async def sign(
    request: web.Request,
    workspace: Workspace,
    project: ProjectRow,
    kind: str,
    number: str,
    *,
    role: str,
    digest: str,
) -> Signature:
    """Sign a report with the account of the request; the audit log says so. `role`: "searcher" or
    "reviewer". Raises UsageError: as `reports.sign`; or there is no such report.
    """
    by, client = who(request), client_of(request)

    def signed(db: Database) -> Signature:
        with db.transaction():
            acts = project.at(db, by)
            report = reports.find(acts, kind, number)
            name = names_for_people(db, [by])[by]
            made = reports.sign(acts, report, role, name=name, digest=digest)
            detail = {"report": f"{kind}/{report.number}", "role": made.role, "digest": made.digest}
            audit.write(db, by, "report signed", f"project:{project.uid}", detail, client)
            return made

    return await workspace.write(signed)


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
        choices=reports.ROLES,
        example="reviewer",
    ),
    "digest": Member(
        help="SHA-256 of the report that was read, as the list of finished reports has it.",
        required=True,
        most=64,
    ),
}


async def answer_signatures(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports/KIND/signatures`: a finished report's, or one more."""
    here = await project_request(request)
    kind = part_of_path(request, "kind")
    if request.method == "POST":
        given = await body_of(request, SIGN)
        number = given.pop("number")
        made = await sign(request, here.workspace, here.project, kind, number, **given)
        return answer(objects.signature(made), status=201)
    number = parameters_of(request.query, SIGNED).get("number", "last")
    report = await or_not_found(here.read(reports.find, kind, number))
    signed = await here.workspace.read(reports.signatures_of, report)
    return answer({"signatures": [objects.signature(each) for each in signed]})
