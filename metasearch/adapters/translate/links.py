"""Links to the next page in a response, as `links.next` of JSON:API: which ones are followed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from urllib.parse import unquote_plus, urljoin, urlsplit

from metasearch.adapters.request import Request, Secret

#: The usual ports of schemes.
_PORTS = {"http": 80, "https": 443}


def followed(request: Request, link: str) -> Request | None:
    """Returns the request for a link; None if the link cannot be read or leads somewhere else.

    A link must have the scheme, host and port of the request. There is one exception: a link with
    http to the host that was asked with https is asked with https, because servers behind a proxy
    write such links.

    The server may have repeated our secrets in the link. They are removed by name, and the request
    keeps its own, so that secrets are neither shown nor a part of the key.
    """
    secret = {name for name, value in request.params if isinstance(value, Secret)}
    try:
        here, there = urlsplit(request.url), urlsplit(urljoin(request.url, link.strip()))
        same = here.hostname == there.hostname and "@" not in there.netloc
        ports = (here.port or _PORTS.get(here.scheme), there.port or _PORTS.get(there.scheme))
    except ValueError:
        return None
    upgraded = (here.scheme, there.scheme, ports) == ("https", "http", (443, 80))
    equal = here.scheme == there.scheme and ports[0] == ports[1]
    if not same or not (equal or upgraded):
        return None
    query = _without(there.query, secret)
    url = there._replace(scheme=here.scheme, netloc=here.netloc, query=query, fragment="").geturl()
    return replace(
        request, url=url, params=tuple(pair for pair in request.params if pair[0] in secret)
    )


def _without(query: str, names: Collection[str]) -> str:
    """A query string without the parameters of these names, otherwise unchanged."""
    return "&".join(
        part for part in query.split("&") if unquote_plus(part.partition("=")[0]) not in names
    )
