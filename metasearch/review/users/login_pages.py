"""The pages at which sessions begin and end, and passwords are changed.

The pages at which users log in: a name and a password, a new password, an invitation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from aiohttp import hdrs, web
from multidict import MultiMapping

from metasearch.errors import Busy, UsageError
from metasearch.message import message, message_n
from metasearch.review.projects.member_pages import ROLE_WORDS
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, audit, passwords, sessions
from metasearch.review.users.accounts import User
from metasearch.review.users.addresses import AddressClaim
from metasearch.review.users.identification import (
    UsersService,
    cookie_name,
    session_secret,
    users_of,
)
from metasearch.review.users.passwords import SHORTEST, check
from metasearch.review.users.permissions_and_quotas import ProjectRole
from metasearch.server.forms import local_address, only, read_form_fields
from metasearch.server.identity import Identity, identity_of
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.problem import Problem
from metasearch.server.site import Site
from metasearch.server.visit import Visit, visit_of
from metasearch.settings.users import SystemRole

#: What has just been done -> the message, to be translated.
_DONE: Mapping[str, str] = {
    "out": N_("You are logged out."),
    "password": N_("The password is set. Log in with it."),
}
#: Role -> what it is called, to be translated.
SYSTEM_WORDS: Mapping[SystemRole, str] = {
    "administrator": N_("administrator"),
    "user": N_("user"),
    "guest": N_("guest"),
}


def login_page(
    visit: Visit,
    following: str,
    *,
    name: str = "",
    error: UsageError | None = None,
    done: str = "",
    elsewhere: str = "",
) -> str:
    """The form for a name and a password. `elsewhere`: local address that leads to the provider
    where users log in; "" for the form.
    """
    return page(
        "users/login.html",
        visit,
        visit.language.gettext("Log in"),
        following=following,
        typed=name,
        error=error,
        message=_DONE.get(done, ""),
        elsewhere=elsewhere,
    )


def password_page(
    visit: Visit,
    address: str,
    name: str,
    *,
    asks_old: bool = False,
    error: UsageError | None = None,
    done: bool = False,
) -> str:
    return page(
        "users/password.html",
        visit,
        visit.language.gettext("Set a password"),
        address=address,
        user=name,
        asks_old=asks_old,
        error=error,
        done=done,
        least=SHORTEST,
    )


def address_page(visit: Visit, address: str, claimed: AddressClaim, *, done: bool) -> str:
    """The question whether an address is that of a user."""
    return page(
        "users/address.html",
        visit,
        visit.language.gettext("Prove an address"),
        address=address,
        claimed=claimed,
        done=done,
    )


def account_page(
    visit: Visit,
    address: str,
    role: SystemRole,
    *,
    typed: Mapping[str, str] | None = None,
    error: UsageError | None = None,
) -> str:
    """The form for an account that somebody is invited to make."""
    return page(
        "users/new.html",
        visit,
        visit.language.gettext("Make an account"),
        address=address,
        role=visit.language.phrase(SYSTEM_WORDS[role]),
        typed=typed or {},
        error=error,
        least=SHORTEST,
    )


def invitation_page(
    visit: Visit,
    address: str,
    title: str,
    role: ProjectRole,
    by: str,
    error: UsageError | None = None,
) -> str:
    """The form that makes a user a member of a project. `by`: the name of who invites; "" where it
    is not known.
    """
    return page(
        "users/invitation.html",
        visit,
        visit.language.gettext("Join a project"),
        address=address,
        project=title,
        role=ROLE_WORDS[role],
        by=by,
        error=error,
    )


#: Who says that the user is who they are.
Proof = Literal["password", "oidc", "invitation"]
#: Words in what browsers call themselves -> their names; the first that is found counts, as each
#: claims to be those after it.
_BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


async def log_in(request: web.Request, user: User, address: str, proof: Proof) -> web.Response:
    """Begin a session for a user, and send the browser on.

    The session that the browser had, if any, ends, and the tokens of its forms with it: what was
    known before the login is worth nothing after it.
    """
    secret = await users_of(request).workspace.write(
        begin, user, agent_of(request), client_of(request), proof, session_secret(request)
    )
    return session_response(request, secret, address)


def begin(db: Database, user: User, agent: str, client: str, proof: Proof, old: str) -> str:
    """Begin a session, and end the one whose secret the browser had; returns the new secret."""
    with db.transaction():
        had = sessions.find(db, old) if old else None
        if had is not None:
            sessions.end(db, had[1], had[0].id)
        accounts.note_login(db, user)
        audit.write(db, user.uid, "login", f"user:{user.uid}", {"proof": proof}, client)
        return sessions.begin(db, user, agent)


def session_response(request: web.Request, secret: str, address: str) -> web.Response:
    """Send a browser on with the cookie of a session that was begun."""
    visit = visit_of(request)
    visit.renew()
    response = see_other(request, address)
    response.set_cookie(
        cookie_name(visit.site),
        secret,
        max_age=sessions.LONGEST,
        path="/",
        secure=_is_secure(visit.site),
        httponly=True,
        samesite="Lax",
    )
    return response


async def log_out(request: web.Request, address: str) -> web.Response:
    """End the session of a browser, if it has one, and send it on."""
    visit = visit_of(request)
    secret = session_secret(request)
    if secret:
        await users_of(request).workspace.write(_end, secret, client_of(request))
    visit.renew()
    response = see_other(request, address)
    response.del_cookie(
        cookie_name(visit.site),
        path="/",
        secure=_is_secure(visit.site),
        httponly=True,
        samesite="Lax",
    )
    return response


def _end(db: Database, secret: str, client: str) -> None:
    with db.transaction():
        found = sessions.find(db, secret)
        if found is not None:
            session, user = found
            sessions.end(db, user, session.id)
            audit.write(db, user.uid, "logout", f"user:{user.uid}", client=client)


def address_after_login(text: str, site: Site) -> str:
    """Where a browser goes after a login: the address that it was sent from, if that is one of this
    server; else the start page. Never back to the login itself.
    """
    address = local_address(text, site)
    start = site.path("/")
    if address is None or address.startswith((site.path("/login"), site.path("/logout"))):
        return start
    return address


def agent_of(request: web.Request) -> str:
    """Which browser on which system, for the list of sessions: "Firefox on Linux"; "" where it is
    not known.
    """
    said = request.headers.get(hdrs.USER_AGENT, "")[:500]
    browser = next((name for word, name in _BROWSERS.items() if word in said), "")
    system = next((name for word, name in _SYSTEMS.items() if word in said), "")
    return " on ".join(filter(None, (browser, system)))


def _is_secure(site: Site) -> bool:
    return site.base.startswith("https:")


#: Leads on to the OpenID provider, in mode oidc.
PROVIDER = "/login/oidc"
#: Pages with passwords are kept nowhere.
NO_STORE = {"Cache-Control": "no-store"}


async def answer_login(request: web.Request) -> web.StreamResponse:
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
    fields = await read_form_fields(request)
    following = address_after_login(only(fields, "next"), visit.site)
    try:
        secret = await _session(request, users, fields)
    except UsageError as error:
        if error.status != UsageError.status:
            raise
        page = login_page(visit, following, name=fields.get("name", "")[:200], error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    return session_response(request, secret, following)


def _form(request: web.Request, users: UsersService) -> web.Response:
    """The form; the way to the provider where users log in there; or the way on for a user."""
    visit, identity = visit_of(request), identity_of(request)
    following, done = (
        address_after_login(only(request.query, "next"), visit.site),
        only(request.query, "done"),
    )
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
    await count_login(users, name, pseudonym)
    user, kept = await workspace.look(_account, name)
    try:
        right, rehashed = await users.passwords.verify(kept, password)
    except Busy:  # nobody has looked at it
        await workspace.write(passwords.withdraw_attempt, name, pseudonym)
        raise
    secret = None
    if user is not None and right:
        shown = agent_of(request), pseudonym, session_secret(request)
        secret = await workspace.write(_begin_by_password, user, name, kept, rehashed, *shown)
    if secret is None:
        await workspace.write(note_failure, user, pseudonym)
        raise UsageError(
            message("No user has this name and this password."),
            advice=message("Whoever runs this server can send you a link to set a new password."),
        )
    return secret


async def count_login(users: UsersService, name: str, pseudonym: str) -> None:
    """Count an attempt to log in, before the password is looked at. Raises UsageError: too many
    have failed, so that one must wait.
    """
    wait = await users.workspace.write(passwords.count_attempt, name, pseudonym)
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


def _begin_by_password(
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
        passwords.note_success(db, name, client)
        if rehashed is not None:
            accounts.update_hash(db, now, kept, rehashed)
        return begin(db, now, agent, client, "password", old)


def note_failure(db: Database, user: User | None, client: str) -> None:
    """Note that a password was wrong; who it was of, never what was typed."""
    with db.transaction():
        audit.write(db, "", "login failed", f"user:{user.uid}" if user else "", client=client)


async def answer_logout(request: web.Request) -> web.StreamResponse:
    """Ends the session; the browser goes to where it may go without one. Raises HTTPNotFound: the
    server has no users, or a proxy logs them in and out; Problem: 403, 408, 413 or 415 for a form
    that cannot be taken.
    """
    users = users_of(request)
    if users.mode == "header":
        raise web.HTTPNotFound
    await read_form_fields(request)
    return await log_out(request, visit_of(request).site.path("/login", done="out"))


# `/password`: who is logged in sets a new password.

_PATH = "/password"


async def answer_password(request: web.Request) -> web.StreamResponse:
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
    fields = await read_form_fields(request)
    try:
        secret = await _set(request, users, identity, fields)
    except UsageError as error:
        if error.status != UsageError.status:
            raise
        page = password_page(visit, _PATH, identity.name, asks_old=True, error=error)
        return page_response(request, page, 400, headers=NO_STORE)
    return session_response(request, secret, visit.site.path(_PATH, done="set"))


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
    user, kept = await users.workspace.look(_account_of, identity.uid)
    password = new_password(fields, user.name, user.email)
    await count_login(users, user.name, pseudonym)
    right, _ = await users.passwords.verify(kept, only(fields, "old"))
    if not right:
        await users.workspace.write(note_failure, user, pseudonym)
        raise UsageError(message("The old password is wrong."))
    made = await users.passwords.hash(password)
    shown = agent_of(request), pseudonym, session_secret(request)
    secret = await users.workspace.write(_change_password, user, kept, made, *shown)
    if secret is None:
        raise UsageError(message("The account has been changed meanwhile."))
    return secret


def _account_of(db: Database, uid: str) -> tuple[User, str]:
    user = accounts.find(db, uid)
    return user, accounts.password_hash(db, user)


def _change_password(
    db: Database, user: User, kept: str, made: str, agent: str, client: str, old: str
) -> str | None:
    """Set the password, and begin a session anew; None where another was set meanwhile."""
    with db.transaction():
        now = accounts.by_uid(db, user.uid)
        if now is None or now.disabled or accounts.password_hash(db, now) != kept:
            return None
        passwords.note_success(db, now.name, client)
        accounts.set_password(db, now, made, by=now.uid, client=client)
        return begin(db, now, agent, client, "password", old)
