"""The next page as a link in the answer, as JSON:API's `links.next`: where it may lead, and what it
may carry. Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from urllib.parse import unquote_plus, urljoin, urlsplit

from metasearch.adapters.request import Request, Secret

#: Ports of schemes that need not be written.
_PORTS = {"http": 80, "https": 443}


def followed(request: Request, link: str) -> Request | None:
    """The request of a link; None where it leads to another scheme, host or port, or cannot be
    read.

    A link of http to the host that was asked over https is asked over https: servers behind a proxy
    write such. The server may have repeated our secrets in the link: they are taken out by name,
    and the request's own stay beside it, so that they neither show nor become a part of the key.
    """
    secret = {name for name, value in request.params if isinstance(value, Secret)}
    try:
        here, there = urlsplit(request.url), urlsplit(urljoin(request.url, link.strip()))
        same = here.hostname == there.hostname and "@" not in there.netloc
        ports = (here.port or _PORTS.get(here.scheme), there.port or _PORTS.get(there.scheme))
    except ValueError:
        return None
    upgraded = (here.scheme, there.scheme, ports) == ("https", "http", (443, 80))
    if not same or not (upgraded or (here.scheme == there.scheme and ports[0] == ports[1])):
        return None
    query = _without(there.query, secret)
    url = there._replace(scheme=here.scheme, netloc=here.netloc, query=query, fragment="").geturl()
    return replace(
        request, url=url, params=tuple(pair for pair in request.params if pair[0] in secret)
    )


def _without(query: str, names: Collection[str]) -> str:
    """A query string without the parameters of these names; the rest as it is, to the byte."""
    return "&".join(
        part for part in query.split("&") if unquote_plus(part.partition("=")[0]) not in names
    )
