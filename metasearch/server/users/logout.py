"""`/logout`: the end of a session."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.forms import posted
from metasearch.server.users.entering import left
from metasearch.server.users.service import users_of
from metasearch.server.visit import visit_of


async def answer(request: web.Request) -> web.StreamResponse:
    """Ends the session; the browser goes to where it may go without one. Raises HTTPNotFound: the
    server has no users, or a proxy logs them in and out; Problem: 403, 408, 413 or 415 for a form
    that cannot be taken.
    """
    users = users_of(request)
    if users.mode == "header":
        raise web.HTTPNotFound
    await posted(request)
    return await left(request, visit_of(request).site.path("/login", done="out"))
