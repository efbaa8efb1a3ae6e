"""The pages of who works on projects, on a server with users: members, and for administrators all
projects.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.page import (
    FormState,
    PageRequest,
    after_form,
    browser_service,
    frame,
    number_in,
    page_or_form,
    page_request,
    tabs,
    unknown_form,
    user_names,
)
from metasearch.review.projects import members, projects
from metasearch.review.projects.members import ProjectMember
from metasearch.review.projects.members import take_over as own
from metasearch.review.projects.projects import Project
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, links
from metasearch.review.users.accounts import names_for_people
from metasearch.review.users.links import OneTimeLink
from metasearch.review.users.permissions_and_quotas import PROJECT_ROLES, ProjectRole
from metasearch.server.forms import choice_of, only, read_form_fields
from metasearch.server.identity import who
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response
from metasearch.server.site import SHARED
from metasearch.server.visit import visit_of

#: Role -> (its name, what it may do).
ROLE_WORDS: Mapping[ProjectRole, tuple[str, str]] = {
    "owner": (N_("Owner"), N_("all, and says who is a member")),
    "editor": (
        N_("Editor"),
        N_("also changes strategies, runs searches, makes reports final and signs them"),
    ),
    "screener": (N_("Screener"), N_("also decides on works, tags and notes them")),
    "reader": (N_("Reader"), N_("reads and exports")),
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "role": N_("The role was changed."),
    "removed": N_("The member was removed; what they did stays."),
    "revoked": N_("Nobody can use the link any more."),
}


_LARGEST = 15


async def answer_members(request: web.Request) -> web.StreamResponse:
    """The members, or what a form says. A new link is shown once, by the answer itself."""
    here = await page_request(request)

    async def render(said: FormState, link: str = "") -> str:
        async with here.shared.admission.brief():
            listed, invited, names = await here.read(_team_of, here.visit.can("members"))
        return page(
            "projects/members.html",
            here.visit,
            f"{here.visit.language.gettext('Members')} · {line(here.project.title)}",
            current="/projects",
            frame=frame(here.visit, here.project, "/members"),
            members=listed,
            invitations=invited,
            names=user_names(here.visit.language, names),
            roles=ROLE_WORDS,
            own=here.by,
            link=link,
            said=said,
            done=DONE_WORDS.get(only(request.query, "done"), ""),
        )

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields = await read_form_fields(request)
    if only(fields, "do") == "invite":
        here.needs("members")
        try:
            link = await _invite(here, fields)
        except UsageError as error:
            return page_response(request, await render(FormState(error, fields, "invite")), 400)
        return page_response(request, await render(FormState(), link))
    return await after_form(request, fields, lambda: _do(here, fields), render)


def _team_of(
    project: Project, with_links: bool
) -> tuple[list[ProjectMember], list[OneTimeLink], Mapping[str, str]]:
    """The members, the links that can be used, and the names of who made these."""
    invited = links.every(project.db, "member", project) if with_links else []
    return members.of(project), invited, names_for_people(project.db, (link.by for link in invited))


async def _invite(here: PageRequest, fields: MultiMapping[str]) -> str:
    """The address of a new link."""
    role = choice_of(fields, "role", PROJECT_ROLES, "reader")
    secret = await here.workspace.write(
        links.create,
        "member",
        project=here.project,
        role=role,
        by=here.by,
        client=client_of(here.request),
        days=number_in(fields, "days"),
    )
    return here.visit.site.url(f"{links.PATHS['member']}{secret}")


async def _do(here: PageRequest, fields: MultiMapping[str]) -> str:
    client, do = client_of(here.request), only(fields, "do")
    if do == "leave":
        if only(fields, "sure") != "yes":
            raise UsageError(
                message("You are still a member"),
                advice=message("Tick the box that says that you leave."),
            )
        await _change(here, here.by, None, client)
        return here.visit.site.path("/projects", done="left")
    here.needs("members")
    uid = only(fields, "user")
    match do:
        case "role":
            named = choice_of(fields, "role", PROJECT_ROLES, "")
            role = next((each for each in PROJECT_ROLES if each == named), None)
            if role is None:
                raise unknown_form()
            await _change(here, uid, role, client)
            return here.path("/members", done="role")
        case "remove":
            await _change(here, uid, None, client)
            own = uid == here.by
            return (
                here.visit.site.path("/projects", done="left")
                if own
                else here.path("/members", done="removed")
            )
        case "revoke":
            text = only(fields, "link")
            number = int(text) if text.isascii() and text.isdigit() and len(text) < _LARGEST else 0
            await here.workspace.write(
                links.revoke, number, here.project, by=here.by, client=client
            )
            return here.path("/members", done="revoked")
    raise unknown_form()


async def _change(here: PageRequest, uid: str, role: ProjectRole | None, client: str) -> None:
    if not await here.write(members.change, uid, role, client):
        raise UsageError(message("There is no such member any more"))


# `/admin/projects`: all projects of the workspace, for administrators, who are members of none by
# office; what makes one an owner is audited.


async def answer_all(request: web.Request) -> web.StreamResponse:
    """The list, or an administrator made an owner."""
    service, visit = browser_service(request), visit_of(request)

    async def render(said: FormState) -> str:
        async with request.app[SHARED].admission.brief():
            listed = await service.workspace.read(every)
        return page(
            "projects/admin.html",
            visit,
            visit.language.gettext("All projects"),
            current="/admin",
            tabs=tabs(visit, "/admin/projects"),
            projects=listed,
            own=who(request),
            said=said,
        )

    async def action(fields: MultiMapping[str]) -> str:
        if only(fields, "do") != "own":
            raise unknown_form()
        uid = only(fields, "project")
        await service.workspace.write(take, uid, who(request), client_of(request))
        return visit.site.path(f"/projects/{uid}/members")

    return await page_or_form(request, action, render)


def every(db: Database) -> list[tuple[Project, Mapping[str, str]]]:
    """All projects, the newest first, each with its owners: uid -> name."""
    owners: dict[int, dict[str, str]] = {}
    for row in db.all(
        "SELECT member.project, user.uid, user.shown, user.name FROM member"
        " JOIN user ON user.id = member.user WHERE member.role = 'owner' ORDER BY user.name"
    ):
        owners.setdefault(row["project"], {})[row["uid"]] = row["shown"] or row["name"]
    return [(project, owners.get(project.id, {})) for project in projects.every(db)]


def take(db: Database, project: str, by: str, client: str) -> None:
    """Make an administrator an owner of a project. Raises UsageError: there is no such project, or
    the user is no administrator.
    """
    user = accounts.by_uid(db, by)
    found = next((each for each in projects.every(db) if each.uid == project), None)
    if user is None or found is None:
        raise UsageError(message("There is no such project any more"))
    own(found, user, client=client)
