"""`/login/oidc` sends a browser to the provider, `/login/oidc/back` takes it back."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os

from aiohttp import web

from metasearch.message import message
from metasearch.server.identity import identity_of
from metasearch.server.page_response import see_other
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.site import SHARED, Site
from metasearch.server.users.entering import entered, onward
from metasearch.server.users.oidc.account import account_of, spend
from metasearch.server.users.oidc.attempt import LASTS, Attempt
from metasearch.server.users.oidc.failures import LoginRefused, ProviderFault
from metasearch.server.users.oidc.provider import Provider, said
from metasearch.server.users.people import client_of
from metasearch.server.users.service import UsersService, users_of
from metasearch.server.visit import visit_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import audit
from metasearch.workspace.users.accounts import User

#: What the cookie of a login that has begun is called.
_COOKIE = "metasearch-login"
#: Characters of a code and a state.
_LONGEST = 4_000

logger = logging.getLogger("metasearch.server")


async def begin(request: web.Request) -> web.StreamResponse:
    """Send a browser to the provider; `next` is where it goes after the login. Raises HTTPNotFound:
    the users of the server log in elsewhere; Problem: 502 where the provider cannot be asked.
    """
    users, visit = _users(request), visit_of(request)
    following = onward(only(request.query, "next"), visit.site)
    identity = identity_of(request)
    if identity is not None and identity.uid:
        return see_other(request, following)
    attempt = Attempt.begun(following)
    try:
        address = await _provider(request, users).authorization(attempt, _back(visit.site))
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


async def back(request: web.Request) -> web.StreamResponse:
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
    except (LoginRefused, ProviderFault) as error:
        raise _problem(error) from error
    response = await entered(request, user, onward(attempt.onward, visit.site), "oidc")
    request.app[SHARED].cookies.delete(response, _cookie(visit.site), visit.site.base, path="/")
    return response


def _attempt(request: web.Request, site: Site) -> Attempt:
    """The login that the answer belongs to: of this browser, and not over. Raises LoginRefused:
    there is none.
    """
    attempt = Attempt.read(request.app[SHARED].cookies.read(request, _cookie(site)))
    state = only(request.query, "state")[:_LONGEST]
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), _bytes(state)):
        raise LoginRefused(
            message(
                "The login was begun in another browser or window, or more than {minutes} minutes "
                "ago.",
                minutes=LASTS // 60,
            )
        )
    return attempt


async def _user(request: web.Request, users: UsersService, attempt: Attempt) -> User:
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
            reason = said(*(request.query.get(name) for name in ("error", "error_description")))
            raise LoginRefused(
                message("The login provider does not log you in: {reason}", reason=reason or "?")
            )
        claims = await provider.claims(code, attempt, _back(visit_of(request).site))
    except LoginRefused as error:
        logger.info("a login at the provider was refused: %s", error.message)
        await users.workspace.write(_failed, pseudonym)
        raise
    return await users.workspace.write(account_of, claims, users.settings, pseudonym)


async def _check_issuer(request: web.Request, provider: Provider) -> None:
    """Check who answers, where they say it (RFC 9207): with several providers one could have the
    codes of another sent to itself. Raises LoginRefused: it is another one.
    """
    issuer = only(request.query, "iss")
    metadata = await provider.metadata()
    if (issuer or metadata.names_itself) and issuer != provider.settings.issuer:
        raise LoginRefused(
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


def _back(site: Site) -> str:
    """The address that the provider knows of this server."""
    return site.base + "/login/oidc/back"


def _cookie(site: Site) -> str:
    """With HTTPS browsers take it from this very host alone, so that no neighbour can plant one."""
    return f"__Host-{_COOKIE}" if site.base.startswith("https:") else _COOKIE


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _failed(db: Database, client: str) -> None:
    audit.write(db, "", "login failed", "", {"proof": "oidc"}, client)


def _problem(error: LoginRefused | ProviderFault) -> Problem:
    if isinstance(error, ProviderFault):
        logger.warning("%s", error.message)
    return Problem(error.status, "login-failed", error.message, advice=error.advice or None)
