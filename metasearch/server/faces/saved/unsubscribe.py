"""`/unsubscribe/SECRET`: switches e-mails off, for who may not be logged in.

A GET changes nothing: mail programs and their guards look at every address in an e-mail. The POST
is that of the page, or of a mail program (RFC 8058); it needs no cookie and no token, because the
address is the secret and switching off is all that it does.
"""

from __future__ import annotations

from aiohttp import web

from metasearch.server.faces.saved.feeds import QUOTA
from metasearch.server.middleware import count
from metasearch.server.page_response import page_response
from metasearch.server.pages.saved.unsubscribe import unsubscribe_page
from metasearch.server.problem import Problem
from metasearch.server.received import whole_body
from metasearch.server.site import SHARED
from metasearch.server.visit import visit_of
from metasearch.server.workspace_service import WORKSPACE
from metasearch.workspace.saved import outbox

#: Bytes of a body, of which nothing is used.
_LARGEST = 4_096
_HEADERS = {"Cache-Control": "no-store"}


async def answer(request: web.Request) -> web.Response:
    """The page that asks, or the end of e-mails."""
    await count(request, QUOTA)
    shared, visit = request.app[SHARED], visit_of(request)
    secret = request.match_info["secret"]
    service = request.app.get(WORKSPACE)
    if service is None:
        raise Problem(404)
    workspace = service.workspace
    posted = request.method == "POST"
    if posted:
        await whole_body(request, shared.options, _LARGEST)
    done = await (
        workspace.write(outbox.unsubscribe, secret)
        if posted
        else workspace.read(outbox.is_secret, secret)
    )
    if not done:
        raise Problem(404)
    here = visit.site.path(f"/unsubscribe/{secret}")
    return page_response(request, unsubscribe_page(visit, here, done=posted), headers=_HEADERS)
