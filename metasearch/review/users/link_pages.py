"""The pages that links lead to which are used once: passwords, invitations, proofs of addresses.

`/password/{link}`: whoever was sent such a link sets the password of an account with it.
"""

from __future__ import annotations

from typing import cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import members
from metasearch.review.projects.projects import Project
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, addresses, links, passwords
from metasearch.review.users.identification import (
    UsersService,
    login_answer,
    session_secret,
    users_of,
)
from metasearch.review.users.links import OneTimeLink
from metasearch.review.users.login_pages import (
    NO_STORE,
    account_page,
    address_page,
    agent_of,
    begin,
    invitation_page,
    log_out,
    new_password,
    password_page,
    session_response,
)
from metasearch.review.users.permissions_and_quotas import ProjectRole
from metasearch.server.forms import only, read_form_fields
from metasearch.server.identity import Identity, identity_of, is_allowed
from metasearch.server.middleware import count
from metasearch.server.pages.page import page_response, see_other
from metasearch.server.problem import Problem
from metasearch.server.visit import visit_of
from metasearch.settings.users import SystemRole


async def answer_password_link(request: web.Request) -> web.StreamResponse:
    """The form, or the new password. The link is used up by the form alone: mail programs open
    links by themselves.

    Raises:
        HTTPNotFound: The server has no users, or they have no passwords here.
        Problem: 404 for a link that is not good any more; 403, 408, 413 or 415 for a form that
            cannot be taken.
        Busy: Too many people are logging in.
    """
    users, visit = users_of(request), visit_of(request)
    if users.mode != "local":
        raise web.HTTPNotFound
    secret = request.match_info["link"]
    link = await users.workspace.look(links.peek, secret, "password")
    if link is None or link.user is None:
        raise spent_link_problem()
    path = f"/password/{secret}"
    if request.method != "POST":
        page = password_page(visit, path, link.user.name)
        return page_response(request, page, headers=NO_STORE)
    fields = await read_form_fields(request)
    try:
        password = new_password(fields, link.user.name, link.user.email)
    except UsageError as error:
        page = password_page(visit, path, link.user.name, error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    made = await users.passwords.hash(password)
    if not await users.workspace.write(_set_password, secret, made, client_of(request)):
        raise spent_link_problem()
    # Whoever was logged in here may be somebody else.
    return await log_out(request, visit.site.path("/login", done="password"))


def spent_link_problem() -> Problem:
    """404 for a link that was used, has ended, or never was."""
    return Problem(
        404,
        None,
        message("This link is not good any more. Ask for a new one where you got it."),
        headers=NO_STORE,
    )


def _set_password(db: Database, secret: str, made: str, client: str) -> bool:
    """Use the link; False where it was used meanwhile."""
    with db.transaction():
        link = links.use(db, secret, "password")
        if link is None or link.user is None:
            return False
        accounts.set_password(db, link.user, made, by=link.user.uid, client=client)
        passwords.forgive_failures(db, link.user.name)
        return True


async def answer_join(request: web.Request) -> web.StreamResponse:
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
        raise spent_link_problem()
    identity = identity_of(request)
    assert identity is not None
    if link.kind == "account":
        return await _account(request, users, link)
    if not identity.uid:
        raise login_answer(request, users)
    if not is_allowed(request, "account"):
        raise Problem(403, "not-allowed", message("An invitation is accepted in a browser."))
    return await _membership(request, users, link, identity)


async def _account(
    request: web.Request, users: UsersService, link: OneTimeLink
) -> web.StreamResponse:
    """The form for an account, or the account and a session for it."""
    if users.mode != "local":
        raise spent_link_problem()
    visit, path = visit_of(request), f"/join/{request.match_info['link']}"
    role = cast("SystemRole", link.role)
    if request.method != "POST":
        return page_response(request, account_page(visit, path, role), headers=NO_STORE)
    fields = await read_form_fields(request)
    try:
        secret = await _new_account(request, users, fields)
    except UsageError as error:
        if error.status != UsageError.status:
            raise
        typed = {name: fields.get(name, "")[:500] for name in ("name", "shown", "email")}
        page = account_page(visit, path, role, typed=typed, error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    if secret is None:
        raise spent_link_problem()
    return session_response(request, secret, visit.site.path("/"))


async def _new_account(
    request: web.Request, users: UsersService, fields: MultiMapping[str]
) -> str | None:
    """The secret of the session of a new account; None where the link was used meanwhile. Raises
    UsageError: the name, the password or another value cannot be used.
    """
    typed = {name: only(fields, name) for name in ("name", "shown", "email")}
    name = accounts.parse_name(typed["name"])
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
    request: web.Request, users: UsersService, link: OneTimeLink, identity: Identity
) -> web.StreamResponse:
    """What the user is invited to, or the membership."""
    visit, secret = visit_of(request), request.match_info["link"]
    assert link.project is not None
    error: UsageError | None = None
    if request.method == "POST":
        await read_form_fields(request)
        try:
            joined = await users.workspace.write(_join, secret, identity.uid, client_of(request))
        except UsageError as exc:
            error = exc
        else:
            if joined is None:
                raise spent_link_problem()
            return see_other(request, visit.site.path(f"/projects/{joined.uid}", done="joined"))
    by = (await users.workspace.look(accounts.names_for_people, [link.by])).get(link.by, "")
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
        members.add(link.project.as_user(uid), user, cast("ProjectRole", link.role), client=client)
        return link.project


# `/address/{link}`: whoever reads the e-mails of an address says that it is the user's.

#: The quota of requests, beside that of searches: guesses are bounded by it.
QUOTA = "address links"


async def answer_address(request: web.Request) -> web.StreamResponse:
    """The page that asks, or the proof. Only the form uses the link up: mail programs open links by
    themselves. Who opens it need not be logged in, and gets nothing but this page. Raises
    HTTPNotFound: the server has no users. Raises Problem: 404 for a link that is not good any more,
    429; those of `read_form_fields`.
    """
    await count(request, QUOTA)
    users, visit = users_of(request), visit_of(request)
    secret = request.match_info["link"]
    claimed = await users.workspace.look(addresses.peek, secret)
    if claimed is None:
        raise spent_link_problem()
    done = False
    if request.method == "POST":
        await read_form_fields(request)
        done = await users.workspace.write(addresses.use, secret, client=client_of(request))
        if not done:
            raise spent_link_problem()
    page = address_page(visit, f"/address/{secret}", claimed, done=done)
    return page_response(request, page, headers=NO_STORE)
