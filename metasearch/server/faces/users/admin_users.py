"""`/admin/users`: the list of users, new ones, and invitations."""

from __future__ import annotations

from typing import cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.server.faces.projects.opened import unknown_form
from metasearch.server.faces.users.changing import row
from metasearch.server.faces.users.opened import Here, opened
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.accounts.admin import MadeLink, UsersView, users_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.service import users_of
from metasearch.settings.users import SystemRole
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import later
from metasearch.workspace.users import accounts, directory, links, names
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.links import PATHS, SECONDS, LinkKind
from metasearch.workspace.users.permissions import SYSTEM_ROLES

#: Users of a page.
_MOST = 50
_STATES = {"active": False, "disabled": True}
#: What holds a secret is kept nowhere.
NOT_KEPT = {"Cache-Control": "no-store"}


async def start(request: web.Request) -> web.Response:
    """`/admin`: leads on to the first page of the administration."""
    here = opened(request, "administer")
    return see_other(request, here.visit.site.path("/admin/users"))


async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or what one of its forms says."""
    here = opened(request, "administer")

    async def render(said: Said, link: MadeLink | None = None) -> str:
        async with here.shared.admission.brief():
            view = await here.workspace.read(_view, here)
        return users_page(here.visit, view, said, only(request.query, "done"), link)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    if revoked := only(fields, "revoke"):
        number, by = row(revoked), here.identity.uid
        if not await here.workspace.write(links.revoke, number, by=by, client=here.client):
            raise Problem(404)
        return see_other(request, here.visit.site.path("/admin/users", done="revoked"))
    check_local(request)
    try:
        match only(fields, "do"):
            case "new":
                link = await _made(here, fields)
            case "invite":
                link = await invitation(here, chosen(fields, "role", SYSTEM_ROLES, "user"))
            case _:
                raise unknown_form()
    except UsageError as error:
        page = await render(Said(error, fields, only(fields, "do")))
        return page_response(request, page, 400)
    return page_response(request, await render(Said(), link), headers=NOT_KEPT)


def check_local(request: web.Request) -> None:
    """Refuse new users and links where a proxy or a provider knows the users."""
    if users_of(request).mode != "local":
        raise Problem(404)


async def _made(here: Here, fields: MultiMapping[str]) -> MadeLink:
    user = await here.workspace.write(
        accounts.create,
        only(fields, "name"),
        role=cast("SystemRole", chosen(fields, "role", SYSTEM_ROLES, "user")),
        shown=only(fields, "shown").strip(),
        email=only(fields, "email").strip(),
        by=here.identity.uid,
        client=here.client,
    )
    return await password_link(here, user)


async def password_link(here: Here, user: User) -> MadeLink:
    """A new link by which a user sets a password; it ends the earlier ones."""
    secret = await here.workspace.write(
        links.create, "password", user=user, by=here.identity.uid, client=here.client
    )
    return made_link(here, "password", secret)


async def invitation(here: Here, role: str) -> MadeLink:
    """A new link to make an account of a role. Raises UsageError: there are too many."""
    secret = await here.workspace.write(
        links.create, "account", role=role, by=here.identity.uid, client=here.client
    )
    return made_link(here, "account", secret)


def made_link(here: Here, kind: LinkKind, secret: str) -> MadeLink:
    """A link as its maker sees it, once."""
    address = here.visit.site.url(f"{PATHS[kind]}{secret}")
    return MadeLink(kind, address, later(SECONDS[kind]))


def _view(db: Database, here: Here) -> UsersView:
    query = here.request.query
    text, role = only(query, "q")[: directory.LONGEST], only(query, "role")
    role = role if role in SYSTEM_ROLES else ""
    state = only(query, "state")
    found = directory.search(
        db,
        text,
        role=role,
        disabled=_STATES.get(state),
        after=only(query, "after"),
        most=_MOST + 1,
    )
    further = ""
    if len(found) > _MOST:
        wanted = {"q": text, "role": role, "state": state, "after": found[_MOST - 1].name}
        shown = {name: value for name, value in wanted.items() if value}
        further = here.visit.site.path("/admin/users", **shown)
    invitations = links.every(db, "account")
    return UsersView(
        users=found[:_MOST],
        counts=directory.counts(db),
        links=invitations,
        makers=names.shown(db, {link.by for link in invitations}),
        text=text,
        role=role,
        state=state,
        further=further,
        local=users_of(here.request).mode == "local",
    )
