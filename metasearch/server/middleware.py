"""Around every request: it is counted and logged, checked and admitted; errors become answers, and
every answer gets its headers.
"""

from __future__ import annotations

import logging
import secrets
import time
from contextlib import suppress
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from metasearch.errors import MetasearchError, UsageError, WorkspaceError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.replicas import Away
from metasearch.server.identity import identity_of
from metasearch.server.limits.client_limits import (
    LONGEST_LINE,
    USER,
    ClientConnection,
    ClientQuota,
    ClientRateLimiter,
    set_security_headers,
)
from metasearch.server.pages.page import CONTENT_SECURITY_POLICY, VARY, page_response, problem_page
from metasearch.server.problem import Problem, is_storage, storage_problem, wants_html
from metasearch.server.process import access_logger, places_of
from metasearch.server.route import Route, route_of
from metasearch.server.search import form_again
from metasearch.server.search_answers import FACE, SEARCH_ID
from metasearch.server.site import SHARED, ServerContext, Site, connection_site, site_of
from metasearch.server.visit import visit_of

# The outermost middleware: each request is counted, and logged in one line. No line contains a
# query, an address of a client, or other text from a client.

#: The status, also in other servers, of a request whose client disconnected before the end.
CLIENT_LEFT = 499
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@web.middleware
async def observe(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Counts and logs a request when it is answered, or when its client has disconnected."""
    connection = request.protocol if isinstance(request.protocol, ClientConnection) else None
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
        if access_logger.isEnabledFor(logging.INFO):
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
    access_logger.info(
        "%s in %s ms, client %s%s",
        text,
        fields["ms"],
        fields["client"],
        search,
        extra={"request": fields},
    )


# Pages of other sites that may read answers: CORS for the origins that the operator has named. No
# answer allows credentials, and no wildcard exists: a page of another origin, or of none, reads
# nothing. A key travels in `Authorization`, which such a page must hold itself.

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


# Whether a request was meant for this server: its Host and its Origin. A page of a foreign site can
# make a browser send requests to a server on the reader's own machine, under a name of its own that
# leads there (DNS rebinding). MCP requires both checks, and what changes projects has them too.

_USUAL_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def check_host_and_origin(request: web.Request) -> None:
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


#: What is left of the quota of a request's client.
QUOTA = web.RequestKey("quota", ClientQuota)

logger = logging.getLogger("metasearch.server")


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answers errors with problem details, or with a page for a browser; internal details are
    logged only.
    """
    try:
        if len(request.raw_path) > LONGEST_LINE:
            raise Problem(
                414,
                None,
                message(
                    "The address is longer than {longest_line} characters. Send long queries "
                    "with POST to /search, as a form or as JSON.",
                    longest_line=f"{LONGEST_LINE:,}",
                ),
            )
        return await handler(request)
    except Problem as exc:
        problem = exc
    except UsageError as exc:
        problem = Problem.of(exc)
    except web.HTTPException as exc:
        if exc.status < 400:
            raise
        allow = {"Allow": exc.headers["Allow"]} if "Allow" in exc.headers else None
        problem = Problem(exc.status, headers=allow)
    except web.RequestPayloadError:  # neither compressed nor cut as its head says
        problem = Problem(400, None, message("The body of the request cannot be read."))
    except Exception as exc:
        problem = failure(request, exc)
    return await _answer(request, problem)


@web.middleware
async def admit(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Checks the rate limit and then the key, so that guesses of keys are limited, too. On a server
    with users, it finds out who asks, and whether they may. Raises Problem: 429, 401, or 400 for a
    key in the address; with users also 403 and 404. Raises HTTPSeeOther: to the page where users
    log in.
    """
    shared, asked = request.app[SHARED], route_of(request)
    if shared.wing.users != "none":
        return await _of_user(request, handler, asked)
    if asked is None or asked.counted == "all":
        await count(request)
    if asked is None or not asked.keyless:
        try:
            key = shared.keys.check(request)
        except Problem:
            if asked is not None and asked.counted == "by the handler":
                await count(request)
            raise
        request[USER] = shared.clients.user(request, key)
    shared.wing.prepare(request)
    return await handler(request)


async def _of_user(
    request: web.Request, handler: Handler, asked: Route | None
) -> web.StreamResponse:
    """The answer of a server with users. A user has a quota of their own, so that a whole library
    may come from one address; who is not known is counted by address, and so is who guesses tokens.
    """
    shared = request.app[SHARED]
    refusal: Problem | None = None
    request[USER] = shared.clients.user(request, None)
    try:
        await shared.wing.identify(request, asked)
    except Problem as exc:
        refusal = exc
    if asked is None or asked.counted == "all" or refusal is not None:
        await count(request)
    if refusal is not None and not (asked is not None and asked.keyless):
        raise refusal
    shared.wing.permit(request, asked)
    shared.wing.prepare(request)
    response = await handler(request)
    await shared.wing.finish(request)
    return response


async def count(request: web.Request, quota: str = "") -> None:
    """Counts a request against the quota of its user, else of its client; those of this machine
    have none.

    `quota`: name of a further quota of the same size, for requests that are no searches; "" for the
    usual one. Raises Problem: 429.
    """
    shared = request.app[SHARED]
    if shared.limiter is None:
        return
    client = shared.clients.of(request)
    if not client.local:
        identity = identity_of(request)
        counted = f"user {identity.uid}" if identity and identity.uid else client.name
        name = f"{counted} {quota}" if quota else counted
        request[QUOTA] = await _take_quota(shared, shared.limiter, name)
        request[QUOTA].check()


async def _take_quota(shared: ServerContext, limiter: ClientRateLimiter, name: str) -> ClientQuota:
    """Counts a request: over all replicas, else over all workers, else here."""
    if shared.engine.settings.shared.url:
        limit, window = shared.options.rate_limit, shared.options.rate_window
        with suppress(Away):
            left, allowed = await shared.engine.take(name, limit, window)
            return ClientQuota(limit, window, left, allowed)
    return await shared.peers.take(name) or limiter.take(name)


def failure(request: web.Request, error: Exception) -> Problem:
    """What is told of an error that is none of the request: of the storage, or of ours."""
    match error:
        case WorkspaceError() if error.status != 500:
            return storage_problem(error)
        case MetasearchError() if error.status < 500:
            return Problem.of(error)
        case OSError() if is_storage(error):
            return storage_problem(error)
    return fault(request, error)


def fault(request: web.Request, error: Exception) -> Problem:
    """500 with an id only; the log has the details under that id. Where the request has a body, the
    words of the error are none of them: they may repeat it.
    """
    search_id = request.get(SEARCH_ID) or secrets.token_hex(6)
    text, words = "search %s: %s %s failed", (search_id, request.method, route(request))
    if request.body_exists:
        logger.error(f"{text}\n%s", *words, places_of(error))
    else:
        logger.error(text, *words, exc_info=error)
    return Problem(
        500,
        None,
        message("An internal error occurred; the log of the server has the details under this id."),
        search_id=search_id,
    )


async def _answer(request: web.Request, problem: Problem) -> web.Response:
    problem.headers.setdefault("Cache-Control", "no-store")
    problem.headers["Vary"] = "Accept"
    if not wants_html(request):
        return problem.response(request.path)
    problem.headers["Vary"] = VARY
    again = problem.status == 400 and problem.kind != "key-in-address"
    page = problem_page(visit_of(request), problem, form_again(request) if again else None)
    return page_response(request, page, problem.status, problem.headers)


async def security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Set when an answer is about to be sent, streams too."""
    set_security_headers(
        response, CONTENT_SECURITY_POLICY if response.content_type == "text/html" else ""
    )
    asked = route_of(request)
    # The start page is a search as soon as anything is asked of it.
    if asked and (not asked.listed or (asked.path == "/" and request.query_string)):
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    if QUOTA in request:
        response.headers.update(request[QUOTA].headers)
    if request.app[SHARED].wing.users != "none" and not (asked and asked.keyless):
        # What one user may read is nothing for others who use the same cache.
        kept = response.headers.get("Cache-Control", "private")
        response.headers["Cache-Control"] = kept.replace("public", "private")
