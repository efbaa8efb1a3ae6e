"""Projects as a JSON interface: one and all, their logs and archives.

`/api/projects`: all projects; one of them, its log, and what undoes a change.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    VERSION,
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
    send_file,
)
from metasearch.review.objects import Object
from metasearch.review.projects import members, projects
from metasearch.review.projects import projects as details
from metasearch.review.projects.archive_checks import MOST_PACKED
from metasearch.review.projects.archive_format import export_project
from metasearch.review.projects.member_pages import every, take
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.projects.removal import arrival_file
from metasearch.review.quota_checks import check_archive, take_export
from metasearch.review.screening import sight
from metasearch.review.service import Maker, client_of, deleted, in_share, maker_of, names
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, links
from metasearch.review.users.accounts import shown_name
from metasearch.review.users.permissions import PROJECT_ROLES
from metasearch.server.forms import body_into
from metasearch.server.identity import allowed
from metasearch.server.problem import Problem
from metasearch.server.site import site_of

NEW: Members = {
    "name": Member(
        help="Its short name: letters, digits, `.`, `_` and `-`.",
        required=True,
        most=projects.LONGEST_NAME,
        example="gambling",
    ),
    "kind": Member(
        help="A systematic review, a novelty search (查新), or neither.",
        choices=projects.KINDS,
        example="review",
    ),
    "title": Member(
        help="For people; without it the name.",
        most=projects.LONGEST_TITLE,
        example="Gambling harms",
    ),
}
CHANGES: Members = {
    "title": Member(help="The new title.", most=projects.LONGEST_TITLE),
    "archived": Member(help="Whether it is put away.", kind="flag"),
    "version": VERSION,
}
DELETE: Members = {
    "name": Member(help="The name of the project again, against mistakes.", required=True)
}
ANSWERS: Members = {
    "answers": Member(
        help="Key of a question -> its answer; null or an empty text takes it away.",
        kind="object",
        required=True,
        example={"review.registration": "CRD42026000000"},
    ),
    "version": VERSION,
}
LOG: Members = {
    "count": Member(help="So many lines, 200 without it.", kind="whole", least=1, most=1_000),
    "before": Member(
        help="Lines before the change of this number.", kind="whole", least=1, most=2**53
    ),
}


async def projects_(request: web.Request) -> web.Response:
    """`/api/projects`: the list, or a new project."""
    here = opened(request)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(_all, maker_of(request))
        return answer({"projects": listed})
    given = await body_of(request, NEW)
    made = await here.workspace.write(
        maker_of(request).create,
        given["name"],
        given.get("kind", "plain"),
        given.get("title", ""),
    )
    return answer(
        objects.project(made),
        status=201,
        location=site_of(request).path(f"/api/projects/{made.uid}"),
    )


async def project(request: web.Request) -> web.Response:
    """`/api/projects/UID`: the project, or a change of it. Raises Conflict: 409 for one that was
    made with an older version.
    """
    here = opened(request)
    shown = await project_of(request, here)
    if request.method == "POST":
        given = await body_of(request, CHANGES)
        shown = await here.workspace.write(projects.update, shown, by=here.by, **given)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_one, shown))


async def questions(request: web.Request) -> web.Response:
    """`/api/projects/UID/questions`: what only a person knows, with the answers, or new answers.
    Raises Conflict: 409 for answers that were made with an older version.
    """
    here = opened(request)
    shown = await project_of(request, here)
    if request.method == "POST":
        given = await body_of(request, ANSWERS)
        shown = await here.workspace.write(
            details.answer, shown, given["answers"], version=given.get("version"), by=here.by
        )
    given_answers = details.answers(shown)
    asked = details.questions(shown)
    return answer(
        {
            "questions": [objects.question(each, given_answers) for each in asked],
            "version": shown.version,
        }
    )


async def delete(request: web.Request) -> web.Response:
    """`/api/projects/UID/delete`: the project and all that belongs to it."""
    here = opened(request)
    _only_post(request)
    shown = await project_of(request, here)
    given = await body_of(request, DELETE)
    if given["name"] != shown.name:
        raise Problem.bad_parameters(
            [{"parameter": "name", "reason": f"is not the name of the project: {shown.name}"}]
        )
    job = here.service.jobs.of(shown.id)
    if job is not None:
        await job.stop()
    await deleted(request, here.workspace, shown)
    return answer({"deleted": shown.uid})


async def log_(request: web.Request) -> web.Response:
    """`/api/projects/UID/log`: who changed what, the newest first."""
    here = opened(request)
    shown = await project_of(request, here)
    asked = parameters_of(request.query, LOG)
    async with here.shared.admission.brief():
        lines = await here.workspace.read(
            sight.lines,
            shown,
            here.by,
            most=asked.get("count", 200),
            before=asked.get("before"),
        )
    people = await names(request, here.workspace, (each.by for each in lines))
    return answer({"changes": [objects.with_name(objects.change(each), people) for each in lines]})


def _all(db: Database, maker: Maker) -> list[Object]:
    return [objects.project(each, projects.overview_of(db, each)) for each in maker.listed(db)]


def _one(db: Database, shown: Project) -> Object:
    return objects.project(shown, projects.overview_of(db, shown)) | {
        "details": dict(shown.details)
    }


def _only_post(request: web.Request) -> None:
    if request.method != "POST":
        raise Problem(405, headers={"Allow": "POST"})


# `/api/projects/UID/archive` and `/api/projects/import`: a project as one file.

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
    with arrival_file() as file:
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


# Members of projects as a JSON interface, on a server with users.
#
# `/api/projects/UID/members`: who may do what in a project, on a server with users.
#
# Nobody is made a member by a name, which would tell who has an account: whoever is to join gets a
# link.

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


# `/api/admin/projects`: all projects, for administrators; or one more owner of one.

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
