"""`/join/{link}`: an invitation to make an account, or to become a member of a project."""

from __future__ import annotations

from typing import cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.forms import posted
from metasearch.server.identity import Identity, allowed, identity_of
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.users import account_page, invitation_page
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.credentials import session_secret
from metasearch.server.users.entering import agent_of, begin, into_session
from metasearch.server.users.login import NO_STORE
from metasearch.server.users.middleware import login_answer
from metasearch.server.users.password import new_password
from metasearch.server.users.password_link import spent
from metasearch.server.users.people import client_of
from metasearch.server.users.service import UsersService, users_of
from metasearch.server.visit import visit_of
from metasearch.settings.users import SystemRole
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, links, members, names
from metasearch.workspace.users.links import Link
from metasearch.workspace.users.permissions import ProjectRole


async def answer(request: web.Request) -> web.StreamResponse:
    """What the link invites to, or the account or membership that its form makes.

    Raises:
        HTTPNotFound: The server has no users.
        HTTPSeeOther: To the login, for an invitation to a project.
        Problem: 404 for a link that is not good any more; 401 or 403 for who may not use it; 403,
            408, 413 or 415 for a form that cannot be taken.
        Busy: Too many people are logging in.
    """
    users = users_of(request)
    link = await users.workspace.look(links.peek, request.match_info["link"], "account", "member")
    if link is None:
        raise spent()
    identity = identity_of(request)
    assert identity is not None
    if link.kind == "account":
        return await _account(request, users, link)
    if not identity.uid:
        raise login_answer(request, users)
    if not allowed(request, "account"):
        raise Problem(403, "not-allowed", message("An invitation is accepted in a browser."))
    return await _membership(request, users, link, identity)


async def _account(request: web.Request, users: UsersService, link: Link) -> web.StreamResponse:
    """The form for an account, or the account and a session for it."""
    if users.mode != "local":
        raise spent()
    visit, path = visit_of(request), f"/join/{request.match_info['link']}"
    role = cast("SystemRole", link.role)
    if request.method != "POST":
        return page_response(request, account_page(visit, path, role), headers=NO_STORE)
    fields = await posted(request)
    try:
        secret = await _made(request, users, fields)
    except UsageError as error:
        if error.status != UsageError.status:
            raise
        typed = {name: fields.get(name, "")[:500] for name in ("name", "shown", "email")}
        page = account_page(visit, path, role, typed=typed, error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    if secret is None:
        raise spent()
    return into_session(request, secret, visit.site.path("/"))


async def _made(request: web.Request, users: UsersService, fields: MultiMapping[str]) -> str | None:
    """The secret of the session of a new account; None where the link was used meanwhile. Raises
    UsageError: the name, the password or another value cannot be used.
    """
    typed = {name: only(fields, name) for name in ("name", "shown", "email")}
    name = names.checked(typed["name"])
    password = await users.passwords.hash(new_password(fields, name, typed["email"]))
    return await users.workspace.write(
        _create,
        request.match_info["link"],
        typed,
        password,
        agent_of(request),
        client_of(request),
        session_secret(request),
    )


def _create(
    db: Database,
    secret: str,
    typed: dict[str, str],
    password: str,
    agent: str,
    client: str,
    old: str,
) -> str | None:
    with db.transaction():
        link = links.use(db, secret, "account")
        if link is None:
            return None
        user = accounts.create(
            db,
            typed["name"],
            role=cast("SystemRole", link.role),
            shown=typed["shown"],
            email=typed["email"],
            password=password,
            by=link.by,
            client=client,
        )
        return begin(db, user, agent, client, "invitation", old)


async def _membership(
    request: web.Request, users: UsersService, link: Link, identity: Identity
) -> web.StreamResponse:
    """What the user is invited to, or the membership."""
    visit, secret = visit_of(request), request.match_info["link"]
    assert link.project is not None
    error: UsageError | None = None
    if request.method == "POST":
        await posted(request)
        try:
            joined = await users.workspace.write(_join, secret, identity.uid, client_of(request))
        except UsageError as exc:
            error = exc
        else:
            if joined is None:
                raise spent()
            return see_other(request, visit.site.path(f"/projects/{joined.uid}", done="joined"))
    by = (await users.workspace.look(names.shown, [link.by])).get(link.by, "")
    page = invitation_page(
        visit,
        f"/join/{secret}",
        link.project.title,
        cast("ProjectRole", link.role),
        by,
        error,
    )
    return page_response(request, page, 400 if error else 200, headers=NO_STORE)


def _join(db: Database, secret: str, uid: str, client: str) -> Project | None:
    with db.transaction():
        link = links.use(db, secret, "member")
        user = accounts.by_uid(db, uid)
        if link is None or link.project is None or user is None:
            return None
        members.add(db, link.project, user, cast("ProjectRole", link.role), by=uid, client=client)
        return link.project
