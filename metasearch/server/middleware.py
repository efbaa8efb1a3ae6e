"""Around every request: errors become answers, and every answer gets its security headers."""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress

from aiohttp import web
from aiohttp.typedefs import Handler

from metasearch.errors import MetasearchError, UsageError, WorkspaceError
from metasearch.message import message
from metasearch.server.access import route
from metasearch.server.access_log import places_of
from metasearch.server.api import form_again
from metasearch.server.identity import identity_of
from metasearch.server.limits.clients import USER
from metasearch.server.limits.connections import LONGEST_LINE, set_security_headers
from metasearch.server.limits.rate import Quota, RateLimiter
from metasearch.server.page_response import VARY, page_response
from metasearch.server.pages.page import CONTENT_SECURITY_POLICY, problem_page
from metasearch.server.problem import Problem, wants_html
from metasearch.server.route import Route, route_of
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.storage import is_storage, storage_problem
from metasearch.server.stream import SEARCH_ID
from metasearch.server.visit import visit_of
from metasearch.sharing import Away

#: What is left of the quota of a request's client.
QUOTA = web.RequestKey("quota", Quota)

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
async def admitted(request: web.Request, handler: Handler) -> web.StreamResponse:
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
        request[QUOTA] = await _taken(shared, shared.limiter, name)
        request[QUOTA].check()


async def _taken(shared: ServerContext, limiter: RateLimiter, name: str) -> Quota:
    """Counts a request: over all replicas, else over all workers, else here."""
    if shared.engine.settings.shared.url:
        limit, window = shared.options.rate_limit, shared.options.rate_window
        with suppress(Away):
            left, allowed = await shared.engine.take(name, limit, window)
            return Quota(limit, window, left, allowed)
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
