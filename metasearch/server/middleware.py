"""Around every request: errors become answers, and every answer gets its security headers."""

from __future__ import annotations

import logging
import secrets

from aiohttp import web
from aiohttp.typedefs import Handler

from metasearch.errors import MetasearchError, UsageError
from metasearch.server.api import form_again, html_response
from metasearch.server.page import CONTENT_SECURITY_POLICY, error_page
from metasearch.server.problem import Problem, wants_html
from metasearch.server.site import site_of
from metasearch.server.stream import SEARCH_ID

#: Characters of a request's path and query.
LONGEST_LINE = 8190

logger = logging.getLogger("metasearch.server")


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answers with problem details, or with a page where a browser asks; what went wrong inside stays in the log."""
    try:
        if len(request.raw_path) > LONGEST_LINE:
            raise web.HTTPRequestURITooLong
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
    except MetasearchError as exc:
        problem = Problem.of(exc) if exc.status < 500 else _fault(request)
    except Exception:
        problem = _fault(request)
    return _answer(request, problem)


def _fault(request: web.Request) -> Problem:
    """500, with nothing but the id under which the log tells more."""
    search_id = request.get(SEARCH_ID) or secrets.token_hex(6)
    logger.exception("search %s: %s %s failed", search_id, request.method, request.path)
    return Problem(500, None, "Something went wrong here; the log tells more under this id.", search_id=search_id)


def _answer(request: web.Request, problem: Problem) -> web.Response:
    problem.headers.setdefault("Cache-Control", "no-store")
    problem.headers["Vary"] = "Accept"
    if not wants_html(request):
        return problem.response(request.path)
    form = form_again(request) if problem.status == 400 else None
    return html_response(error_page(site_of(request), problem, form), problem.status, problem.headers)


async def security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Set when an answer is about to be sent, streams too."""
    headers = response.headers
    headers["Server"] = "metasearch"
    headers["X-Content-Type-Options"] = "nosniff"
    # Where a reader goes from here must not learn what was searched for.
    headers["Referrer-Policy"] = "no-referrer"
    is_page = response.content_type == "text/html"
    headers["Content-Security-Policy"] = (
        CONTENT_SECURITY_POLICY if is_page else "default-src 'none'; frame-ancestors 'none'"
    )
