"""`/password`: who is logged in sets a new password."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.forms import posted
from metasearch.server.identity import Identity, identity_of
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.users import password_page
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.credentials import session_secret
from metasearch.server.users.entering import agent_of, begin, into_session
from metasearch.server.users.login import NO_STORE, attempted, failed
from metasearch.server.users.people import client_of
from metasearch.server.users.service import UsersService, users_of
from metasearch.server.visit import visit_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, failures
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.passwords import check

_PATH = "/password"


async def answer(request: web.Request) -> web.StreamResponse:
    """The form, or the new password. All other sessions of the user end then.

    Raises:
        HTTPNotFound: The server has no users, or they have no passwords here.
        Problem: 403 without a session, and 403, 408, 413 or 415 for a form that cannot be taken.
        Busy: Too many people are logging in.
    """
    users, visit = users_of(request), visit_of(request)
    if users.mode != "local":
        raise web.HTTPNotFound
    identity = identity_of(request)
    if identity is None or not identity.uid:
        return see_other(request, visit.site.path("/login", next=visit.site.path(_PATH)))
    if identity.session is None:
        # Who has found a token must not shut out its owner.
        raise Problem(403, "not-allowed", message("A password is set in a browser that logged in."))
    if request.method != "POST":
        done = only(request.query, "done") == "set"
        page = password_page(visit, _PATH, identity.name, asks_old=True, done=done)
        return page_response(request, page, headers=NO_STORE)
    fields = await posted(request)
    try:
        secret = await _set(request, users, identity, fields)
    except UsageError as error:
        if error.status != UsageError.status:
            raise
        page = password_page(visit, _PATH, identity.name, asks_old=True, error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    return into_session(request, secret, visit.site.path(_PATH, done="set"))


def new_password(fields: MultiMapping[str], name: str, email: str = "") -> str:
    """The password of a form, which was typed twice. Raises UsageError: it cannot be used."""
    password = only(fields, "new")
    if password != only(fields, "again"):
        raise UsageError(message("The two new passwords differ."))
    check(password, name, email)
    return password


async def _set(
    request: web.Request, users: UsersService, identity: Identity, fields: MultiMapping[str]
) -> str:
    """Set the password; the secret of the session that is then the only one. Raises UsageError: the
    old password is wrong, or the new one cannot be used.
    """
    pseudonym = client_of(request)
    user, kept = await users.workspace.look(_account, identity.uid)
    password = new_password(fields, user.name, user.email)
    await attempted(users, user.name, pseudonym)
    right, _ = await users.passwords.verify(kept, only(fields, "old"))
    if not right:
        await users.workspace.write(failed, user, pseudonym)
        raise UsageError(message("The old password is wrong."))
    made = await users.passwords.hash(password)
    shown = agent_of(request), pseudonym, session_secret(request)
    secret = await users.workspace.write(_changed, user, kept, made, *shown)
    if secret is None:
        raise UsageError(message("The account has been changed meanwhile."))
    return secret


def _account(db: Database, uid: str) -> tuple[User, str]:
    user = accounts.find(db, uid)
    return user, accounts.password_hash(db, user)


def _changed(
    db: Database, user: User, kept: str, made: str, agent: str, client: str, old: str
) -> str | None:
    """Set the password, and begin a session anew; None where another was set meanwhile."""
    with db.transaction():
        now = accounts.by_uid(db, user.uid)
        if now is None or now.disabled or accounts.password_hash(db, now) != kept:
            return None
        failures.succeeded(db, now.name, client)
        accounts.set_password(db, now, made, by=now.uid, client=client)
        return begin(db, now, agent, client, "password", old)
