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
    Here,
    Member,
    Members,
    answer,
    body_of,
    found,
    named,
    numbered,
    opened,
    parameters_of,
    project_of,
)
from metasearch.review.objects import Object
from metasearch.review.projects import members
from metasearch.review.projects.member_pages import every, take
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.reports.reports import Signature
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import accounts, audit, links
from metasearch.review.users.accounts import shown_name
from metasearch.review.users.permissions import PROJECT_ROLES
from metasearch.server.identity import allowed, who
from metasearch.server.problem import Problem
from metasearch.server.site import site_of

INVITE: Members = {
    "role": Member(
        help="What who uses the link is in the project.",
        required=True,
        choices=PROJECT_ROLES,
        example="screener",
    )
}
CHANGE_ROLE: Members = {
    "role": Member(help="The new role.", choices=PROJECT_ROLES),
    "removed": Member(help="True removes the member; what they did stays.", kind="flag"),
}


async def members_(request: web.Request) -> web.Response:
    """`/api/projects/UID/members`: the members, or a link by which somebody joins."""
    here, project = await _opened(request)
    if request.method == "POST":
        given = await body_of(request, INVITE)
        made = await here.workspace.write(_invited, project, given["role"], here.by, request)
        return answer(made, status=201)
    return answer(await here.workspace.read(_listed, project, allowed(request, "members")))


async def member(request: web.Request) -> web.Response:
    """`/api/projects/UID/members/UID`: another role, or a member removed."""
    here, project = await _opened(request)
    given = await body_of(request, CHANGE_ROLE)
    removed, role = given.get("removed", False), given.get("role")
    if removed == (role is not None):
        raise UsageError(message("a member is removed or gets a role: one of both"))
    changed = await here.workspace.write(
        _changed, project, named(request, "user"), role, here.by, client_of(request)
    )
    if not changed:
        raise Problem(404)
    return answer({"removed": named(request, "user")} if removed else {"role": role})


async def leave(request: web.Request) -> web.Response:
    """`/api/projects/UID/members/leave`: who asks is a member no more."""
    here, project = await _opened(request)
    await body_of(request, {})
    await here.workspace.write(_changed, project, here.by, None, here.by, client_of(request))
    return answer({"removed": here.by})


async def revoke(request: web.Request) -> web.Response:
    """`/api/projects/UID/members/invitations/N`: a link that nobody can use any more."""
    here, project = await _opened(request)
    await body_of(request, {})
    number = numbered(request, "number")
    if not await here.workspace.write(_revoked, project, number, here.by, client_of(request)):
        raise Problem(404)
    return answer({"revoked": number})


async def _opened(request: web.Request) -> tuple[Here, Project]:
    here = opened(request)
    return here, await project_of(request, here)


def _invited(db: Database, project: Project, role: str, by: str, request: web.Request) -> Object:
    secret = links.create(
        db, "member", project=project, role=role, by=by, client=client_of(request)
    )
    newest = links.every(db, "member", project)[0]
    address = site_of(request).url(f"{links.PATHS['member']}{secret}")
    return {"link": address, "role": role, "expires": newest.expires, "number": newest.id}


def _listed(db: Database, project: Project, with_links: bool) -> Object:
    made: dict[str, Any] = {"members": [asdict(each) for each in members.of(db, project)]}
    if with_links:
        invited = links.every(db, "member", project)
        names = shown_name(db, (link.by for link in invited))
        made["invitations"] = [
            {
                "number": link.id,
                "role": link.role,
                "by": link.by,
                "by_name": names.get(link.by, ""),
                "created": link.created,
                "expires": link.expires,
            }
            for link in invited
        ]
    return made


def _changed(db: Database, project: Project, uid: str, role: Any, by: str, client: str) -> bool:
    """Whether there is such a member: they get the role, or None removes them."""
    with db.transaction():
        user = accounts.by_uid(db, uid)
        if user is None or members.role(db, project, uid) is None:
            return False
        if role is None:
            return members.remove(db, project, user, by=by, client=client)
        members.set_role(db, project, user, role, by=by, client=client)
        return True


def _revoked(db: Database, project: Project, number: int, by: str, client: str) -> bool:
    return links.revoke(db, number, project, by=by, client=client)


OWN: Members = {
    "project": Member(
        help="The uid of the project that the administrator becomes an owner of.",
        required=True,
        most=60,
    )
}


async def all_projects(request: web.Request) -> web.Response:
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


async def sign(
    request: web.Request,
    workspace: Workspace,
    project: Project,
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
            report = reports.find(db, project, kind, number)
            name = shown_name(db, [by])[by]
            made = reports.sign(db, project, report, role, by=by, name=name, digest=digest)
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
    report = await found(here.workspace.read(reports.find, project, kind, number))
    signed = await here.workspace.read(reports.signatures_of, report)
    return answer({"signatures": [objects.signature(each) for each in signed]})
