"""`/projects/UID/members`: who may do what in a project, on a server with users."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import Opened, after_form, opened, unknown_form
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.members import MembersShown, members_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.received import only
from metasearch.server.users.people import client_of
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, links, members
from metasearch.workspace.users.names import shown as names_of
from metasearch.workspace.users.permissions import PROJECT_ROLES, ProjectRole

_LARGEST = 15


async def answer(request: web.Request) -> web.StreamResponse:
    """The members, or what a form says. A new link is shown once, by the answer itself."""
    here = await opened(request)

    async def render(said: Said, link: str = "") -> str:
        async with here.shared.admission.brief():
            listed = await here.workspace.read(_shown, here.project, here.visit.can("members"))
        return members_page(
            here.visit,
            here.project,
            listed,
            said,
            own=here.by,
            link=link,
            done=only(request.query, "done"),
        )

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    if only(fields, "do") == "invite":
        here.needs("members")
        try:
            link = await _invited(here, fields)
        except UsageError as error:
            return page_response(request, await render(Said(error, fields, "invite")), 400)
        return page_response(request, await render(Said(), link))
    return await after_form(request, fields, lambda: _done(here, fields), render)


def _shown(db: Database, project: Project, with_links: bool) -> MembersShown:
    invited = links.every(db, "member", project) if with_links else []
    return MembersShown(
        members=members.of(db, project),
        invitations=invited,
        names=names_of(db, (link.by for link in invited)),
    )


async def _invited(here: Opened, fields: MultiMapping[str]) -> str:
    """The address of a new link."""
    role = chosen(fields, "role", PROJECT_ROLES, "reader")
    secret = await here.workspace.write(
        links.create,
        "member",
        project=here.project,
        role=role,
        by=here.by,
        client=client_of(here.request),
    )
    return here.visit.site.url(f"{links.PATHS['member']}{secret}")


async def _done(here: Opened, fields: MultiMapping[str]) -> str:
    """Does what a form says; the address that shows it."""
    client, do = client_of(here.request), only(fields, "do")
    if do == "leave":
        if only(fields, "sure") != "yes":
            raise UsageError(
                message("You are still a member"),
                advice=message("Tick the box that says that you leave."),
            )
        await here.workspace.write(_changed, here.project, here.by, None, here.by, client)
        return here.visit.site.path("/projects", done="left")
    here.needs("members")
    uid = only(fields, "user")
    match do:
        case "role":
            named = chosen(fields, "role", PROJECT_ROLES, "")
            role = next((each for each in PROJECT_ROLES if each == named), None)
            if role is None:
                raise unknown_form()
            await here.workspace.write(_changed, here.project, uid, role, here.by, client)
            return here.path("/members", done="role")
        case "remove":
            await here.workspace.write(_changed, here.project, uid, None, here.by, client)
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


def _changed(
    db: Database, project: Project, uid: str, role: ProjectRole | None, by: str, client: str
) -> None:
    """Give a member a role; None removes them. Raises UsageError: there is no such member, or they
    are the last owner.
    """
    with db.transaction():
        user = accounts.by_uid(db, uid)
        if user is None or members.role(db, project, uid) is None:
            raise UsageError(message("There is no such member any more"))
        if role is None:
            members.remove(db, project, user, by=by, client=client)
        else:
            members.set_role(db, project, user, role, by=by, client=client)
