"""Logging in at an OpenID provider.

The account of somebody whom the provider has named.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.store.values import later, now
from metasearch.review.users import accounts, addresses, audit
from metasearch.review.users.accounts import LONGEST_EMAIL, LONGEST_SHOWN, User
from metasearch.review.users.identification import UsersService, users_of
from metasearch.review.users.login_pages import address_after_login, log_in
from metasearch.review.users.oidc_provider import (
    LASTS,
    LoginAttempt,
    LoginRefusal,
    Provider,
    ProviderFault,
    error_text,
)
from metasearch.review.users.permissions_and_quotas import SYSTEM_ROLES
from metasearch.server.forms import only
from metasearch.server.identity import identity_of
from metasearch.server.pages.page import see_other
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, Site
from metasearch.server.visit import visit_of
from metasearch.settings.users import SystemRole, UsersSettings

#: Groups of a user that are looked at.
_MOST_GROUPS = 1_000
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*", re.ASCII)


def spend(db: Database, digest: bytes, lasts: int) -> None:
    """Note that a login has come back. `lasts`: seconds after which it has ended anyway. Raises
    LoginRefused: it has come back before.
    """
    with db.transaction():
        db.run("DELETE FROM login_state WHERE until <= ?", now())
        if db.one("SELECT 1 FROM login_state WHERE digest = ?", digest) is not None:
            raise LoginRefusal(message("This login was used already."))
        db.run("INSERT INTO login_state (digest, until) VALUES (?, ?)", digest, later(lasts))


def account_of(
    db: Database, claims: Mapping[str, Any], settings: UsersSettings, client: str
) -> User:
    """The user whom an ID token names by issuer and subject, made at the first login.

    A name or an address that another account has makes nobody that user. Raises LoginRefused: the
    account is disabled; UsageError: there are too many users.
    """
    role = role_of(claims, settings)
    with db.transaction():
        user = accounts.visitor_account(
            db,
            "oidc",
            f"{claims['iss']} {claims['sub']}",
            role or settings.default_role,
            name=_text(claims, "preferred_username", 120) or _text(claims, "email", 120),
            shown=_text(claims, "name", LONGEST_SHOWN),
            email=_email(claims),
        )
        if not user.disabled:
            if user.email == _email(claims) and not user.email_proved:
                addresses.prove(db, user.id, user.email)
            return user if role is None else _in_role(db, user, role, client)
    with db.transaction():
        audit.write(db, "", "login failed", f"user:{user.uid}", {"proof": "oidc"}, client)
    raise LoginRefusal(
        message("Your account is disabled."), advice=message("Ask whoever runs this server.")
    )


def role_of(claims: Mapping[str, Any], settings: UsersSettings) -> SystemRole | None:
    """The highest role that the groups of a user give; that of new accounts where none gives one.
    None where roles do not depend on groups.
    """
    oidc = settings.oidc
    if not oidc.claim or not oidc.roles:
        return None
    groups = claims.get(oidc.claim)
    listed = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    given = {
        oidc.roles[group]
        for group in listed[:_MOST_GROUPS]
        if isinstance(group, str) and group in oidc.roles
    }
    return next((role for role in SYSTEM_ROLES if role in given), settings.default_role)


def _in_role(db: Database, user: User, role: SystemRole, client: str) -> User:
    """The user in the role that the provider gives now."""
    if user.role == role:
        return user
    try:
        return accounts.update(db, user, role=role, client=client)
    except UsageError as error:
        # The last administrator: without one nobody could put anything right.
        logger.warning("the role of the user %s stays %s: %s", user.uid, user.role, error.message)
        return user


def _text(claims: Mapping[str, Any], name: str, most: int) -> str:
    """A claim as a text of one line; "" where it is none."""
    value = claims.get(name)
    text = " ".join(value[: 4 * most].split()) if isinstance(value, str) else ""
    return text[:most].strip() if text.isprintable() else ""


def _email(claims: Mapping[str, Any]) -> str:
    """The address, where the provider has verified it; an unusual one is left out."""
    text = _text(claims, "email", LONGEST_EMAIL)
    return text if claims.get("email_verified") is True and _EMAIL.fullmatch(text) else ""


# `/login/oidc` sends a browser to the provider, `/login/oidc/back` takes it back.

#: What the cookie of a login that has begun is called.
_COOKIE = "metasearch-login"
#: Characters of a code and a state.
_LONGEST = 4_000

logger = logging.getLogger("metasearch.server")


async def answer_oidc_login(request: web.Request) -> web.StreamResponse:
    """Send a browser to the provider; `next` is where it goes after the login. Raises HTTPNotFound:
    the users of the server log in elsewhere; Problem: 502 where the provider cannot be asked.
    """
    users, visit = _users(request), visit_of(request)
    following = address_after_login(only(request.query, "next"), visit.site)
    identity = identity_of(request)
    if identity is not None and identity.uid:
        return see_other(request, following)
    attempt = LoginAttempt.begun(following)
    try:
        address = await _provider(request, users).authorization(
            attempt, _return_address(visit.site)
        )
    except ProviderFault as fault:
        raise _problem(fault) from fault
    response = see_other(request, address)
    request.app[SHARED].cookies.write(
        response,
        _cookie(visit.site),
        attempt.value(),
        visit.site.base,
        kept=LASTS,
        path="/",
    )
    return response


async def answer_oidc_return(request: web.Request) -> web.StreamResponse:
    """The answer of the provider: a session, or why there is none.

    Raises:
        HTTPNotFound: The users of the server log in elsewhere.
        HTTPMethodNotAllowed: The request only looks whether the address is there.
        Problem: 403 where nobody is logged in, 502 where the provider cannot be asked, 503 where
            too many are logging in.
    """
    users, visit = _users(request), visit_of(request)
    if request.method != "GET":
        raise web.HTTPMethodNotAllowed(request.method, ["GET"])
    try:
        attempt = _attempt(request, visit.site)
        user = await _user(request, users, attempt)
    except (LoginRefusal, ProviderFault) as error:
        raise _problem(error) from error
    response = await log_in(request, user, address_after_login(attempt.onward, visit.site), "oidc")
    request.app[SHARED].cookies.delete(response, _cookie(visit.site), visit.site.base, path="/")
    return response


def _attempt(request: web.Request, site: Site) -> LoginAttempt:
    """The login that the answer belongs to: of this browser, and not over. Raises LoginRefused:
    there is none.
    """
    attempt = LoginAttempt.read(request.app[SHARED].cookies.read(request, _cookie(site)))
    state = only(request.query, "state")[:_LONGEST]
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), _bytes(state)):
        raise LoginRefusal(
            message(
                "The login was begun in another browser or window, or more than {minutes} minutes "
                "ago.",
                minutes=LASTS // 60,
            )
        )
    return attempt


async def _user(request: web.Request, users: UsersService, attempt: LoginAttempt) -> User:
    """The user whom the provider names. Raises LoginRefused: it names nobody, or somebody who may
    not log in; ProviderFault: it cannot be asked.
    """
    provider, pseudonym = _provider(request, users), client_of(request)
    digest = hashlib.sha256(attempt.state.encode()).digest()
    try:
        await users.workspace.write(spend, digest, LASTS)
        await _check_issuer(request, provider)
        code = only(request.query, "code")
        if not code or len(code) > _LONGEST:
            reason = error_text(
                *(request.query.get(name) for name in ("error", "error_description"))
            )
            raise LoginRefusal(
                message("The login provider does not log you in: {reason}", reason=reason or "?")
            )
        claims = await provider.claims(code, attempt, _return_address(visit_of(request).site))
    except LoginRefusal as error:
        logger.info("a login at the provider was refused: %s", error.message)
        await users.workspace.write(_note_failure, pseudonym)
        raise
    return await users.workspace.write(account_of, claims, users.settings, pseudonym)


async def _check_issuer(request: web.Request, provider: Provider) -> None:
    """Check who answers, where they say it (RFC 9207): with several providers one could have the
    codes of another sent to itself. Raises LoginRefused: it is another one.
    """
    issuer = only(request.query, "iss")
    metadata = await provider.metadata()
    if (issuer or metadata.names_itself) and issuer != provider.settings.issuer:
        raise LoginRefusal(
            message("Another login provider has answered than the one of this server.")
        )


def _users(request: web.Request) -> UsersService:
    users = users_of(request)
    if users.mode != "oidc":
        raise web.HTTPNotFound
    return users


def _provider(request: web.Request, users: UsersService) -> Provider:
    """The provider, which one process of the server knows once."""
    shared = request.app[SHARED]

    def make() -> Provider:
        oidc = users.settings.oidc
        secret = os.environ.get(oidc.client_secret, "") if oidc.client_secret else ""
        return Provider(oidc, secret, allow=shared.engine.settings.allow)

    return shared.kept("oidc", make)


def _return_address(site: Site) -> str:
    """The address that the provider knows of this server."""
    return site.base + "/login/oidc/back"


def _cookie(site: Site) -> str:
    """With HTTPS browsers take it from this very host alone, so that no neighbour can plant one."""
    return f"__Host-{_COOKIE}" if site.base.startswith("https:") else _COOKIE


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _note_failure(db: Database, client: str) -> None:
    audit.write(db, "", "login failed", "", {"proof": "oidc"}, client)


def _problem(error: LoginRefusal | ProviderFault) -> Problem:
    if isinstance(error, ProviderFault):
        logger.warning("%s", error.message)
    return Problem(error.status, "login-failed", error.message, advice=error.advice or None)
