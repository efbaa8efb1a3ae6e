"""The pages of who works on projects, on a server with users: members, and for administrators all
projects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.page import (
    Opened,
    Said,
    after_form,
    called,
    frame,
    opened,
    served,
    tabs,
    unknown_form,
)
from metasearch.review.projects import members, projects
from metasearch.review.projects.members import Member
from metasearch.review.projects.members import take_over as own
from metasearch.review.projects.projects import Project
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, links
from metasearch.review.users.accounts import shown_name
from metasearch.review.users.links import Link
from metasearch.review.users.permissions import PROJECT_ROLES, ProjectRole
from metasearch.server.forms import chosen, only, posted
from metasearch.server.identity import who
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response
from metasearch.server.site import SHARED
from metasearch.server.visit import Visit, visit_of

#: Role -> (its name, what it may do).
ROLE_WORDS: Mapping[ProjectRole, tuple[str, str]] = {
    "owner": (N_("Owner"), N_("all, and says who is a member")),
    "editor": (
        N_("Editor"),
        N_("also changes strategies, runs searches, freezes and signs reports"),
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


@dataclass(frozen=True, slots=True)
class MembersShown:
    """What the page is made from.

    Attributes:
        members: Owners first, then by name.
        invitations: Links that can be used; none for a reader who may not make them.
        names: Uid of a user -> name, of those who made the links.
    """

    members: Sequence[Member]
    invitations: Sequence[Link]
    names: Mapping[str, str]


def members_page(
    visit: Visit,
    project: Project,
    shown: MembersShown,
    said: Said,
    *,
    own: str,
    link: str = "",
    done: str = "",
) -> str:
    """The whole page. `link`: the address of a new link; "" for none."""
    return page(
        "projects/members.html",
        visit,
        f"{visit.language.gettext('Members')} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/members"),
        members=shown.members,
        invitations=shown.invitations,
        names=called(visit.language, shown.names),
        roles=ROLE_WORDS,
        own=own,
        link=link,
        said=said,
        done=DONE_WORDS.get(done, ""),
    )


_LARGEST = 15


async def answer_members(request: web.Request) -> web.StreamResponse:
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
        names=shown_name(db, (link.by for link in invited)),
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


@dataclass(frozen=True, slots=True)
class ProjectLine:
    """A project in the list. `address`: of its page; "" for a reader who does not own it."""

    uid: str
    name: str
    title: str
    owners: Sequence[str]
    address: str


def admin_page(visit: Visit, projects: Sequence[ProjectLine], said: Said) -> str:
    """The whole page."""
    return page(
        "projects/admin.html",
        visit,
        visit.language.gettext("All projects"),
        current="/admin",
        tabs=tabs(visit, "/admin/projects"),
        projects=projects,
        said=said,
    )


# `/admin/projects`: all projects of the workspace, for administrators, who are members of none by
# office; what makes one an owner is audited.


@dataclass(frozen=True, slots=True)
class Owned:
    """A project, with the names and uids of its owners."""

    project: Project
    owners: Mapping[str, str]


async def answer_all(request: web.Request) -> web.StreamResponse:
    """The list, or an administrator made an owner."""
    service, visit = served(request), visit_of(request)

    async def render(said: Said) -> str:
        async with request.app[SHARED].admission.brief():
            listed = await service.workspace.read(every)
        lines = [
            ProjectLine(
                each.project.uid,
                each.project.name,
                each.project.title,
                list(each.owners.values()),
                visit.site.path(f"/projects/{each.project.uid}")
                if who(request) in each.owners
                else "",
            )
            for each in listed
        ]
        return admin_page(visit, lines, said)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)

    async def action() -> str:
        if only(fields, "do") != "own":
            raise unknown_form()
        uid = only(fields, "project")
        await service.workspace.write(take, uid, who(request), client_of(request))
        return visit.site.path(f"/projects/{uid}/members")

    return await after_form(request, fields, action, render)


def every(db: Database) -> list[Owned]:
    """All projects with their owners, the newest first."""
    owners: dict[int, dict[str, str]] = {}
    for row in db.all(
        "SELECT member.project, user.uid, user.shown, user.name FROM member"
        " JOIN user ON user.id = member.user WHERE member.role = 'owner' ORDER BY user.name"
    ):
        owners.setdefault(row["project"], {})[row["uid"]] = row["shown"] or row["name"]
    return [Owned(project, owners.get(project.id, {})) for project in projects.every(db)]


def take(db: Database, project: str, by: str, client: str) -> None:
    """Make an administrator an owner of a project. Raises UsageError: there is no such project, or
    the user is no administrator.
    """
    user = accounts.by_uid(db, by)
    found = next((each for each in projects.every(db) if each.uid == project), None)
    if user is None or found is None:
        raise UsageError(message("There is no such project any more"))
    own(db, found, user, client=client)
