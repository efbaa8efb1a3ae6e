"""The outermost middleware: each request is counted, and logged in one line.

No line contains a query, an address of a client, or other text from a client.
"""

from __future__ import annotations

import logging
import time

from aiohttp import web
from aiohttp.typedefs import Handler

from metasearch.server.access_log import logger
from metasearch.server.limits.connections import Connection
from metasearch.server.site import SHARED
from metasearch.server.stream import SEARCH_ID

#: The form in which a search is answered; other faces are named after their paths.
FACE = web.RequestKey("face", str)
#: The status, also in other servers, of a request whose client disconnected before the end.
CLIENT_LEFT = 499
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@web.middleware
async def observed(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Counts and logs a request when it is answered, or when its client has disconnected."""
    connection = request.protocol if isinstance(request.protocol, Connection) else None
    began = time.perf_counter()
    status = CLIENT_LEFT
    if connection:
        connection.begun()
    try:
        response = await handler(request)
        status = response.status
        return response
    except web.HTTPException as exc:
        status = exc.status
        raise
    except Exception:
        status = 500
        raise
    finally:
        seconds = time.perf_counter() - began
        if connection:
            connection.ended()
        request.app[SHARED].metrics.answered(face(request), status, seconds)
        if logger.isEnabledFor(logging.INFO):
            _log(request, status, seconds)


def route(request: web.Request) -> str:
    """The path of the route of a request, such as "/static/{name}"; "" if no route matches."""
    resource = request.match_info.route.resource
    return resource.canonical if resource else ""


def face(request: web.Request) -> str:
    """Which part of the server is asked: "json" and other formats, else "sources", "healthz"."""
    if FACE in request:
        return request[FACE]
    match route(request):
        case "":
            return "other"
        case "/":
            return "search"
        case "/favicon.ico" | "/robots.txt":
            return "static"
        case path:
            return path.split("/")[1].lstrip(".").partition(".")[0]


def _log(request: web.Request, status: int, seconds: float) -> None:
    clients = request.app[SHARED].clients
    fields = {
        "method": request.method if request.method in _METHODS else "other",
        "path": route(request) or None,
        "face": face(request),
        "status": status,
        "ms": round(seconds * 1000, 1),
        "client": clients.pseudonym(clients.of(request)),
        "search_id": request.get(SEARCH_ID),
        "query_length": len(request.query_string),
    }
    text = " ".join(
        str("-" if fields[name] is None else fields[name])
        for name in ("method", "path", "face", "status")
    )
    search = f", search {fields['search_id']}" if fields["search_id"] else ""
    logger.info(
        "%s in %s ms, client %s%s",
        text,
        fields["ms"],
        fields["client"],
        search,
        extra={"request": fields},
    )
