"""The beginning and the end of sessions, whoever has said that users are who they are."""

from __future__ import annotations

from typing import Literal

from aiohttp import hdrs, web

from metasearch.server.forms import local_address
from metasearch.server.page_response import see_other
from metasearch.server.site import Site
from metasearch.server.users.credentials import cookie_name, session_secret
from metasearch.server.users.people import client_of
from metasearch.server.users.service import users_of
from metasearch.server.visit import visit_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, audit, sessions
from metasearch.workspace.users.accounts import User

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


async def entered(request: web.Request, user: User, address: str, proof: Proof) -> web.Response:
    """Begin a session for a user, and send the browser on.

    The session that the browser had, if any, ends, and the tokens of its forms with it: what was
    known before the login is worth nothing after it.
    """
    secret = await users_of(request).workspace.write(
        begin, user, agent_of(request), client_of(request), proof, session_secret(request)
    )
    return into_session(request, secret, address)


def begin(db: Database, user: User, agent: str, client: str, proof: Proof, old: str) -> str:
    """Begin a session, and end the one whose secret the browser had; returns the new secret."""
    with db.transaction():
        had = sessions.find(db, old) if old else None
        if had is not None:
            sessions.end(db, had[1], had[0].id)
        accounts.login_noted(db, user)
        audit.write(db, user.uid, "login", f"user:{user.uid}", {"proof": proof}, client)
        return sessions.begin(db, user, agent)


def into_session(request: web.Request, secret: str, address: str) -> web.Response:
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


async def left(request: web.Request, address: str) -> web.Response:
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


def onward(text: str, site: Site) -> str:
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
