"""`/login`: a name and a password become a session."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import Busy, UsageError
from metasearch.message import message, message_n
from metasearch.server.forms import posted
from metasearch.server.identity import identity_of
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.users import login_page
from metasearch.server.received import only
from metasearch.server.users.credentials import session_secret
from metasearch.server.users.entering import agent_of, begin, into_session, onward
from metasearch.server.users.people import client_of
from metasearch.server.users.service import UsersService, users_of
from metasearch.server.visit import visit_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, audit, failures
from metasearch.workspace.users.accounts import User

#: Leads on to the OpenID provider, in mode oidc.
PROVIDER = "/login/oidc"
#: Pages with passwords are kept nowhere.
NO_STORE = {"Cache-Control": "no-store"}


async def answer(request: web.Request) -> web.StreamResponse:
    """The form, or the session that it begins.

    Raises:
        HTTPNotFound: The server has no users, or they log in elsewhere.
        Problem: 403, 408, 413 or 415 for a form that cannot be taken.
        Busy: Too many people are logging in.
    """
    users = users_of(request)
    if users.mode == "header" or (users.mode == "oidc" and request.method == "POST"):
        raise web.HTTPNotFound
    visit = visit_of(request)
    if request.method != "POST":
        return _form(request, users)
    fields = await posted(request)
    following = onward(only(fields, "next"), visit.site)
    try:
        secret = await _session(request, users, fields)
    except UsageError as error:
        if error.status != UsageError.status:
            raise
        page = login_page(visit, following, name=fields.get("name", "")[:200], error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    return into_session(request, secret, following)


def _form(request: web.Request, users: UsersService) -> web.Response:
    """The form; the way to the provider where users log in there; or the way on for a user."""
    visit, identity = visit_of(request), identity_of(request)
    following, done = onward(only(request.query, "next"), visit.site), only(request.query, "done")
    if identity is not None and identity.uid:
        return see_other(request, following)
    provider = visit.site.path(PROVIDER, next=following) if users.mode == "oidc" else ""
    if provider and not done:
        return see_other(request, provider)
    page = login_page(visit, following, done=done, elsewhere=provider)
    return page_response(request, page, headers=NO_STORE)


async def _session(request: web.Request, users: UsersService, fields: MultiMapping[str]) -> str:
    """The secret of a new session.

    An account that there is not, one that is disabled, one without a password and a wrong password
    are answered alike, after the same work: one password is compared, and one line is logged.
    Raises UsageError: the password is wrong, or too many were.
    """
    name, password = only(fields, "name"), only(fields, "password")
    workspace, pseudonym = users.workspace, client_of(request)
    await attempted(users, name, pseudonym)
    user, kept = await workspace.look(_account, name)
    try:
        right, rehashed = await users.passwords.verify(kept, password)
    except Busy:  # nobody has looked at it
        await workspace.write(failures.withdraw, name, pseudonym)
        raise
    secret = None
    if user is not None and right:
        shown = agent_of(request), pseudonym, session_secret(request)
        secret = await workspace.write(_begun, user, name, kept, rehashed, *shown)
    if secret is None:
        await workspace.write(failed, user, pseudonym)
        raise UsageError(
            message("No user has this name and this password."),
            advice=message("Whoever runs this server can send you a link to set a new password."),
        )
    return secret


async def attempted(users: UsersService, name: str, pseudonym: str) -> None:
    """Count an attempt to log in, before the password is looked at. Raises UsageError: too many
    have failed, so that one must wait.
    """
    wait = await users.workspace.write(failures.attempt, name, pseudonym)
    if wait:
        minutes = -(-wait // 60)
        raise UsageError(
            message("Too many logins have failed."),
            advice=message_n(
                "Try again in {count} minute.", "Try again in {count} minutes.", minutes
            ),
        )


def _account(db: Database, name: str) -> tuple[User | None, str]:
    """The user of a name, and the hash of their password; "" where they cannot log in with one."""
    user = accounts.by_name(db, name)
    usable = user is not None and not user.disabled
    return user, accounts.password_hash(db, user) if user and usable else ""


def _begun(
    db: Database,
    user: User,
    name: str,
    kept: str,
    rehashed: str | None,
    agent: str,
    client: str,
    old: str,
) -> str | None:
    """Begin a session after a password was right; None where it is so no more."""
    with db.transaction():
        now = accounts.by_uid(db, user.uid)
        if now is None or now.disabled or accounts.password_hash(db, now) != kept:
            return None
        failures.succeeded(db, name, client)
        if rehashed is not None:
            accounts.rehashed(db, now, kept, rehashed)
        return begin(db, now, agent, client, "password", old)


def failed(db: Database, user: User | None, client: str) -> None:
    """Note that a password was wrong; who it was of, never what was typed."""
    with db.transaction():
        audit.write(db, "", "login failed", f"user:{user.uid}" if user else "", client=client)
