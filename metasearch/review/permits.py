"""Requests that take a permit while they are answered, and in whose share.

A user with accounts is the account, whatever address it comes from; else the API key, else the
client. Who asks from this machine on a server without accounts owns it and has no share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Literal

from aiohttp import web
from aiohttp.typedefs import Handler

from metasearch.review.background import OWNER, Shares
from metasearch.review.service import WORKSPACE
from metasearch.server.forms import FORM
from metasearch.server.identity import who
from metasearch.server.limits.clients import USER
from metasearch.server.site import SHARED

#: Kinds of `WorkspaceService`, which has a `Shares` of each.
Kind = Literal["archives", "exports", "uploads", "streams"]


@contextmanager
def permit(request: web.Request, kind: Kind) -> Iterator[None]:
    """A block that has a permit of the user of a request; without a workspace it needs none. Raises
    Problem: as `Shares.take`.
    """
    service = request.app.get(WORKSPACE)
    if service is None:
        yield
        return
    shares: Shares = getattr(service, kind)
    give_back = shares.take(user_of(request))
    try:
        yield
    finally:
        give_back()


def in_share(kind: Kind, *methods: str) -> Callable[[Handler], Handler]:
    """Makes a handler hold a permit until its answer is sent: for requests of these methods, HEAD
    as GET, and of POST for those that are no forms without a file. Raises Problem: the handler then
    raises what `Shares.take` does, before it begins.
    """

    def decorated(handler: Handler) -> Handler:
        @wraps(handler)
        async def permitted(request: web.Request) -> web.StreamResponse:
            method = "GET" if request.method == "HEAD" else request.method
            # The type of a GET says nothing: it has no body.
            is_form = method == "POST" and request.content_type == FORM
            if method not in methods or is_form:
                return await handler(request)
            with permit(request, kind):
                return await handler(request)

        return permitted

    return decorated


def user_of(request: web.Request) -> str:
    """Whose share a request takes from."""
    if not who(request) and request.app[SHARED].clients.of(request).local:
        return OWNER
    return request[USER]
