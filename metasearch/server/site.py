"""Where a server is reachable, and what its handlers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from aiohttp import web

from metasearch.server.limits import Options
from metasearch.server.limits.admission import Admission
from metasearch.server.limits.client_limits import (
    ApiKeys,
    ClientRateLimiter,
    Clients,
)
from metasearch.server.live import Hub
from metasearch.server.metrics import Metrics
from metasearch.server.peers import Peers
from metasearch.server.wing import ServerWing

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine
    from metasearch.server.cookies import Cookies
    from metasearch.server.suggest import Suggestions

#: What a protocol keeps, see `ServerContext.kept`.
K = TypeVar("K", bound="Closable")

#: The ShortName of the description document and the title of the link to it; browsers compare the
#: two.
NAME = "metasearch"


@dataclass(frozen=True, slots=True)
class Site:
    """The address of a server as clients see it. `base`: absolute, without a slash at its end:
    "https://search.example.org/meta".
    """

    base: str

    @property
    def root(self) -> str:
        """The path that local addresses begin with: "/meta", or "" at the top of a host."""
        return urlsplit(self.base).path

    def path(self, path: str, **parameters: str | int) -> str:
        return self.root + path + _query(parameters)

    def url(self, path: str, **parameters: str | int) -> str:
        return self.base + path + _query(parameters)


def work_path(name: str) -> str:
    """The path of a record page, for `Site.path` and `Site.url`."""
    return f"/work/{quote(name, safe=':/', errors='replace')}"


def _query(parameters: dict[str, str | int]) -> str:
    return "?" + urlencode(parameters, quote_via=quote, errors="replace") if parameters else ""


class Closable(Protocol):
    """Has an end."""

    async def close(self) -> None:
        """Ends it."""


@dataclass(frozen=True, slots=True)
class ServerContext:
    """What every handler of one server uses.

    Attributes:
        examples: Queries that find something here.
        limiter: Counts requests; None where no client is limited.
        peers: The other workers of the server.
        cookies: Reads and writes those of the pages.
        notice: Shown on the start page; "" for nothing.
        wing: What it has besides searches.
    """

    engine: Engine
    options: Options
    hub: Hub
    admission: Admission
    suggestions: Suggestions
    metrics: Metrics
    clients: Clients
    limiter: ClientRateLimiter | None
    keys: ApiKeys
    peers: Peers
    cookies: Cookies
    examples: tuple[str, ...]
    notice: str = ""
    wing: ServerWing = field(default_factory=ServerWing)
    _kept: dict[str, Closable] = field(default_factory=dict)

    def kept(self, face: str, make: Callable[[], K]) -> K:
        """What a protocol keeps from request to request; made when its first request comes."""
        if face not in self._kept:
            self._kept[face] = make()
        return self._kept[face]  # type: ignore[return-value]

    async def close_faces(self) -> None:
        """Ends what protocols keep."""
        while self._kept:
            await self._kept.popitem()[1].close()


SHARED = web.AppKey("shared", ServerContext)
#: Where the server is reachable, in a request that another worker has passed on.
SITE = web.RequestKey("site", Site)


def site_of(request: web.Request) -> Site:
    """The configured public address, else the one that this connection was accepted on.

    The Host header is written by the client and plays no part.
    """
    if SITE in request:
        return request[SITE]
    public = request.app[SHARED].engine.settings.public_url
    return Site(public.rstrip("/")) if public else connection_site(request)


def connection_site(request: web.Request) -> Site:
    """The address that this connection was accepted on."""
    transport = request.transport
    name = transport.get_extra_info("sockname") if transport else None
    if not isinstance(name, tuple):
        return Site("http://localhost")
    host, port = name[:2]
    scheme = "https" if transport and transport.get_extra_info("sslcontext") else "http"
    return Site(f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}")
