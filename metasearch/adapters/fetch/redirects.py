"""Redirects: the first hop of a request, the next hop, and which are refused. Pure.

Secrets belong to the origin that the request names. They follow a redirect within that origin and
the usual step from http to https on the same host; to any other place the hop goes without them,
and once lost they do not come back. A server that repeats a secret in its `Location` does not get
it carried elsewhere either.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote, unquote_plus

from yarl import URL

from metasearch.adapters.fetch.guard import AllowList
from metasearch.adapters.redaction import without_secrets
from metasearch.adapters.request import JSON, Pairs, Request, Secret, secrets_of
from metasearch.errors import NotAllowed
from metasearch.message import message

#: Redirects that are followed, and whether a POST stays a POST.
REDIRECTS = {301: False, 302: False, 303: False, 307: True, 308: True}

_LEGAL = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})


@dataclass(frozen=True, slots=True)
class Hop:
    """One HTTP exchange. What may hold a secret does not show. `trusted`: whether it goes where the
    request's secrets may go.
    """

    url: URL = field(repr=False)
    method: str
    headers: dict[str, str] = field(repr=False)
    data: bytes | None = field(repr=False)
    trusted: bool = True


def first_hop(request: Request) -> Hop:
    """The request as it is sent first.

    Parameters are percent-encoded here, everything but RFC 3986's unreserved characters, and
    nothing re-encodes them. Raises NotAllowed: the URL is not http or https, names a user, or
    cannot be read.
    """
    text = request.url.partition("#")[0]
    if request.params:
        text += ("&" if "?" in text else "?") + _encoded(request.params)
    data = _body(request) if request.method == "POST" else None
    return Hop(
        _checked(text, request), request.method, _headers(request, body=data is not None), data
    )


def next_hop(request: Request, hop: Hop, status: int, location: str) -> Hop:
    """Where a redirect leads. `location`: the `Location` header. Raises NotAllowed: the target is
    not http or https, names a user, cannot be read, or would take a secret along.
    """
    target = _checked(location, request, base=hop.url)
    secrets = secrets_of(request)
    if secrets and hop.url.scheme == "https" and target.scheme == "http":
        raise _refusal(
            request,
            message(
                "a redirect to {origin} would leave https with a key in hand", origin=origin(target)
            ),
        )
    trusted = hop.trusted and _same_party(hop.url, target)
    if not trusted and secrets:
        target = _without(target, secrets, request)
    keeps = hop.method != "POST" or REDIRECTS[status]
    data = _body(request, secrets=trusted) if keeps and hop.data is not None else None
    headers = _headers(request, body=data is not None, secrets=trusted)
    return Hop(target, hop.method if keeps else "GET", headers, data, trusted)


def origin(url: URL) -> str:
    """Scheme, host and port, which may be shown; paths and parameters may hold a secret."""
    return f"{url.scheme}://{url.raw_host}:{url.port}"


def _body(request: Request, *, secrets: bool = True) -> bytes:
    """JSON or text to the letter, which hold no secret; else the fields, as JSON or as a form."""
    if request.content:
        return request.content.encode(errors="replace")
    if request.content_type == JSON:
        return json.dumps(dict(_plain(request.body, secrets=secrets))).encode()
    return _encoded(request.body, secrets=secrets).encode()


def _encoded(pairs: Pairs, *, secrets: bool = True) -> str:
    return "&".join(
        f"{_quoted_name(name)}={quote(text, safe='', errors='replace')}"
        for name, text in _plain(pairs, secrets=secrets)
    )


@lru_cache(maxsize=1024)
def _quoted_name(name: str) -> str:
    """Names come from specs and are few; values are not remembered, a secret may be among them."""
    return quote(name, safe="", errors="replace")


def _plain(pairs: Pairs, *, secrets: bool) -> list[tuple[str, str]]:
    return [
        (name, value.reveal() if isinstance(value, Secret) else value)
        for name, value in pairs
        if secrets or not isinstance(value, Secret)
    ]


def _headers(request: Request, *, body: bool, secrets: bool = True) -> dict[str, str]:
    """Headers of one hop; without `secrets` also those that carry credentials by name stay out."""
    headers = {
        name: text
        for name, text in _plain(request.headers, secrets=secrets)
        if secrets or name.lower() not in _CREDENTIALS
    }
    if body and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = request.content_type or "application/x-www-form-urlencoded"
    return headers


def _checked(text: str, request: Request, base: URL | None = None) -> URL:
    try:
        # Legal text is taken to the letter: signed URLs are sensitive to the byte. The rest gets
        # quoted.
        url = URL(text, encoded=bool(_LEGAL.fullmatch(text)))
        if base is not None:
            url = base.join(url).with_fragment(None)
        scheme, host, port, authority = url.scheme, url.raw_host, url.port, url.raw_authority
    except ValueError as exc:
        raise _refusal(
            request,
            message("the redirect cannot be read") if base else message("the URL cannot be read"),
        ) from exc
    if scheme not in ("http", "https"):
        raise _refusal(
            request,
            message(
                "only http and https are spoken, not {scheme}",
                scheme=scheme[:20] or message("a URL without a scheme"),
            ),
        )
    if not host or not port:
        raise _refusal(request, message("the URL has no host"))
    if "@" in authority:
        raise _refusal(
            request, message("a URL with user information is not followed (host {host})", host=host)
        )
    return url


def _same_party(here: URL, there: URL) -> bool:
    if str(here.raw_host).lower() != str(there.raw_host).lower():
        return False
    if (here.scheme, here.port) == (there.scheme, there.port):
        return True
    return (here.scheme, here.port, there.scheme, there.port) == ("http", 80, "https", 443)


def _without(url: URL, secrets: tuple[str, ...], request: Request) -> URL:
    """The URL without the parameters that repeat a secret."""

    def leaks(text: str) -> bool:
        spelled = (text.casefold(), unquote_plus(text).casefold())  # a host loses its capitals
        return any(secret.casefold() in text for secret in secrets for text in spelled)

    if not leaks(str(url)):
        return url
    kept = "&".join(part for part in url.raw_query_string.split("&") if not leaks(part))
    bare = str(url).partition("?")[0]
    if leaks(bare):
        raise _refusal(
            request, message("a redirect would carry a key to {origin}", origin=origin(url))
        )
    return URL(f"{bare}?{kept}" if kept else bare, encoded=True)


def _refusal(request: Request, why: str) -> NotAllowed:
    bare = without_secrets(why, request)
    return NotAllowed(request.source, why if bare == why else bare, url=request.shown)


def forbidden(request: Request, hop: Hop, *, redirected: bool) -> NotAllowed:
    """The refusal to connect to `hop`, which the user may want to allow."""
    if not redirected:
        return NotAllowed(
            request.source,
            message("{place} is not at a public address", place=_place(hop)),
            url=request.shown,
        )
    return NotAllowed(
        request.source,
        message("it redirects to {place}, which is not at a public address", place=_place(hop)),
        url=request.shown,
        advice=message(
            "Nothing was sent there. If the address is meant, make it the source's "
            "`url` and `allow` its host:port."
        ),
    )


def unnamed(request: Request, hop: Hop) -> NotAllowed:
    """The refusal to follow one server of our network to another, which others were to ask."""
    return NotAllowed(
        request.source,
        message(
            "it redirects to {place}, another server that is allowed, but not to this source",
            place=_place(hop),
        ),
        url=request.shown,
        advice=message(
            "Nothing was sent there. If it is meant, set request.redirects = "
            '["{place}"] for the source.',
            place=_place(hop),
        ),
    )


def is_named(hop: Hop, request: Request, own: Hop) -> bool:
    """Whether a hop goes to the request's own server, or to one that its source names."""
    named = AllowList.parse((*request.redirects, _place(own)))
    return named.holds(str(hop.url.raw_host), hop.url.port or 0)


def _place(hop: Hop) -> str:
    host = str(hop.url.raw_host)
    return f"[{host}]:{hop.url.port}" if ":" in host else f"{host}:{hop.url.port}"
