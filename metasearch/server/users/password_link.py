"""`/password/{link}`: whoever was sent such a link sets the password of an account with it."""

from __future__ import annotations

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.forms import posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.users import password_page
from metasearch.server.problem import Problem
from metasearch.server.users.entering import left
from metasearch.server.users.login import NO_STORE
from metasearch.server.users.password import new_password
from metasearch.server.users.people import client_of
from metasearch.server.users.service import users_of
from metasearch.server.visit import visit_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, failures, links


async def answer(request: web.Request) -> web.StreamResponse:
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
        raise spent()
    path = f"/password/{secret}"
    if request.method != "POST":
        page = password_page(visit, path, link.user.name)
        return page_response(request, page, headers=NO_STORE)
    fields = await posted(request)
    try:
        password = new_password(fields, link.user.name, link.user.email)
    except UsageError as error:
        page = password_page(visit, path, link.user.name, error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    made = await users.passwords.hash(password)
    if not await users.workspace.write(_set, secret, made, client_of(request)):
        raise spent()
    # Whoever was logged in here may be somebody else.
    return await left(request, visit.site.path("/login", done="password"))


def spent() -> Problem:
    """404 for a link that was used, has ended, or never was."""
    return Problem(
        404,
        None,
        message("This link is not good any more. Ask for a new one where you got it."),
        headers=NO_STORE,
    )


def _set(db: Database, secret: str, made: str, client: str) -> bool:
    """Use the link; False where it was used meanwhile."""
    with db.transaction():
        link = links.use(db, secret, "password")
        if link is None or link.user is None:
            return False
        accounts.set_password(db, link.user, made, by=link.user.uid, client=client)
        failures.forgive(db, link.user.name)
        return True
