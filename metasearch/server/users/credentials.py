"""What a request says about who it is from: a cookie, a token, or a header of the proxy. Nothing is
looked up here.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from aiohttp import hdrs, web

from metasearch.message import message
from metasearch.server.identity import Means
from metasearch.server.limits.clients import Clients
from metasearch.server.problem import Problem
from metasearch.server.site import Site, site_of

#: How every API token begins, which tells it from other things that proxies pass on.
TOKEN_PREFIX = "ms_"  # noqa: S105
_COOKIE = "metasearch-session"
#: Characters of a name in the header of a proxy.
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request shows.

    Attributes:
        means: How.
        text: The secret of a session, the text of a token, or the name that the proxy gives.
    """

    means: Means
    text: str


def wrong_token() -> Problem:
    """401 for a token that is unknown, has ended, or is none."""
    return Problem(
        401,
        "login-needed",
        message("This server does not know that token, or it has ended."),
        headers={hdrs.WWW_AUTHENTICATE: 'Bearer realm="metasearch", error="invalid_token"'},
    )


def cookie_name(site: Site) -> str:
    """The cookie of a session. With HTTPS browsers take one with `__Host-` from this very host
    alone, so that no neighbour can plant one; without HTTPS they take none.
    """
    return f"__Host-{_COOKIE}" if site.base.startswith("https:") else _COOKIE


def session_secret(request: web.Request) -> str:
    """The secret in the cookie of a session; "" where there is none."""
    return request.cookies.get(cookie_name(site_of(request)), "")


def session_mark(request: web.Request) -> str:
    """What the tokens of forms contain of a session; "" where the request has none."""
    secret = session_secret(request)
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest() if secret else ""


def of_cookie(request: web.Request) -> Credential | None:
    """The session of a browser."""
    secret = session_secret(request)
    return Credential("session", secret) if secret else None


def of_authorization(request: web.Request, *, proxied: bool) -> Credential | None:
    """The API token of a program.

    `proxied`: whether a proxy says who asks. What it lets through for itself, such as a password
    for it, is then left alone. Raises Problem: 401 for something that is no token.
    """
    scheme, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    given = given.strip()
    means: Literal["token", "basic"] | None = None
    match scheme.lower():
        case "bearer":
            means = "token"
        case "basic":
            # Some clients of the older protocols know a name and a password alone.
            means, given = "basic", _basic_password(given)
    if means is not None and given.startswith(TOKEN_PREFIX):
        return Credential(means, given)
    if scheme and not proxied:
        raise wrong_token()
    return None


def of_header(request: web.Request, header: str, clients: Clients) -> Credential | None:
    """The user whom a proxy names. Raises Problem: 400 where the header does not come from a proxy,
    comes twice, in a spelling that some servers take for it, or names nobody.
    """
    given = [
        (name, value)
        for name, value in request.raw_headers
        if _alike(name.decode("latin-1")) == _alike(header)
    ]
    if not given:
        return None
    peername = request.transport.get_extra_info("peername") if request.transport else None
    peer = clients.peer(peername)
    if peer is None or not clients.trusts(peer):
        raise _refusal(
            message("Only a proxy that [server] trusted_proxies names may say who asks.")
        )
    if len(given) > 1 or given[0][0].decode("latin-1").lower() != header.lower():
        raise _refusal(message("The header that names the user is there twice, or misspelt."))
    try:
        name = given[0][1].decode().strip()
    except UnicodeDecodeError:
        name = ""
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise _refusal(
            message(
                "The header that names the user is empty, or no name of at most {most} characters.",
                most=_LONGEST_NAME,
            )
        )
    return Credential("header", name)


def _alike(name: str) -> str:
    """A name of a header as servers that write it into variables confuse it."""
    return name.lower().replace("_", "-")


def _basic_password(given: str) -> str:
    try:
        text = base64.b64decode(given, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return text.partition(":")[2]


def _refusal(detail: str) -> Problem:
    return Problem(400, None, detail)
