"""Whether a request was meant for this server: its Host and its Origin.

A page of a foreign site can make a browser send requests to a server on the reader's own machine,
under a name of its own that leads there (DNS rebinding). MCP requires both checks, and what changes
projects has them too.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from aiohttp import hdrs, web

from metasearch.formats.text import line
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, Site, connection_site, site_of

_USUAL_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def check_addressed(request: web.Request) -> None:
    """Whether the Host is a name of this server, and the Origin one that may ask.

    Names of the server are the host of `public_url` and the address on which the connection was
    accepted, on loopback under each of its names. Its own pages may ask, and those of the origins
    in `[server] cors`. Raises Problem: 421 for another host, 403 for another origin.
    """
    check_host(request)
    sites = (site_of(request), connection_site(request))
    origin = request.headers.get(hdrs.ORIGIN)
    allowed = {f"{urlsplit(site.base).scheme}://{host}" for site in sites for host in _hosts(site)}
    if origin is not None and origin not in allowed.union(request.app[SHARED].options.cors):
        raise Problem(
            403,
            None,
            f"Pages of {line(origin)[:100]!r} may not ask this server; [server] cors names those "
            "that may.",
        )


def check_host(request: web.Request) -> None:
    """Whether the Host is a name of this server; forms have a token, and need no more. Raises
    Problem: 421 for another one.
    """
    sites = (site_of(request), connection_site(request))
    host = request.headers.get(hdrs.HOST, "").lower()
    if host not in {name for site in sites for name in _hosts(site)}:
        raise Problem(
            421,
            None,
            f"{line(host)[:100]!r} is no name of this server. If it should be one, start the "
            "server with --public-url.",
        )


def _hosts(site: Site) -> set[str]:
    """The values of `Host` by which a client may mean this address."""
    parts = urlsplit(site.base.lower())
    name = parts.hostname or ""
    name = f"[{name}]" if ":" in name else name
    names = _LOOPBACK if name in _LOOPBACK else (name,)
    usual = _USUAL_PORTS.get(parts.scheme)
    port = parts.port or usual
    with_port = {f"{name}:{port}" for name in names}
    return with_port.union(names) if port == usual else with_port
