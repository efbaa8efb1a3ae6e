"""Pages of other sites that may read answers: CORS for the origins that the operator has named.

No answer allows credentials, and no wildcard exists: a page of another origin, or of none, reads
nothing. A key travels in `Authorization`, which such a page must hold itself.
"""

from __future__ import annotations

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from metasearch.server.site import SHARED

#: Headers of a request that pages may set.
_REQUEST_HEADERS = (
    "Authorization, Content-Type, If-None-Match, Last-Event-ID, X-Requested-With, "
    "MCP-Protocol-Version, Mcp-Method, Mcp-Name"
)
#: Headers of an answer that scripts may read.
_ANSWER_HEADERS = (
    "Content-Disposition, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Server-Timing"
)
#: Seconds that a browser may remember the answer to a preflight.
_REMEMBERED = "600"


@web.middleware
async def preflights(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answers the question that a browser asks before a request of another origin's page.

    The question has no key and costs nothing, so that neither keys nor quotas concern it.
    """
    asked = request.headers.get(hdrs.ACCESS_CONTROL_REQUEST_METHOD)
    if request.method != hdrs.METH_OPTIONS or asked is None or _origin(request) is None:
        return await handler(request)
    refusal = request.match_info.http_exception
    if not isinstance(refusal, web.HTTPMethodNotAllowed):  # there is no such address
        return await handler(request)
    return web.Response(
        status=204,
        headers={
            hdrs.ACCESS_CONTROL_ALLOW_METHODS: ", ".join(sorted(refusal.allowed_methods)),
            hdrs.ACCESS_CONTROL_ALLOW_HEADERS: _REQUEST_HEADERS,
            hdrs.ACCESS_CONTROL_MAX_AGE: _REMEMBERED,
        },
    )


async def cors_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Set when an answer is about to be sent, streams and errors too."""
    if not request.app[SHARED].options.cors:
        return
    # Caches must not give the answer for one origin to a page of another.
    vary = response.headers.get(hdrs.VARY)
    response.headers[hdrs.VARY] = f"{vary}, Origin" if vary else "Origin"
    if (origin := _origin(request)) is not None:
        response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
        response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = _ANSWER_HEADERS


def _origin(request: web.Request) -> str | None:
    """The origin of the page that asks, if it is one that may read answers."""
    origin = request.headers.get(hdrs.ORIGIN)
    return origin if origin in request.app[SHARED].options.cors else None
