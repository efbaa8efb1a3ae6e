"""`/mcp`: MCP over streamable HTTP, with the admission, keys and quotas of the server.

Each POST is served by itself, so that any worker answers: no session is kept. The package's
transport is an ASGI application; `asgi.py` runs it inside the handler of the request, so that it
ends with the request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeVar

import orjson
from aiohttp import hdrs, web

from metasearch.engine.options import SearchOptions
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.server.faces.mcp import check_extra
from metasearch.server.faces.mcp.asgi import run_asgi
from metasearch.server.faces.mcp.calls import Caller
from metasearch.server.hosts import check_addressed
from metasearch.server.identity import owner
from metasearch.server.limits.clients import USER
from metasearch.server.middleware import count
from metasearch.server.preferences import with_sources
from metasearch.server.problem import Problem
from metasearch.server.received import whole_body
from metasearch.server.site import SHARED, site_of

T = TypeVar("T")

#: Bytes of a request: one call of a tool, whose query is the largest part.
MAX_BODY = 262_144
#: Where a request's own caller is in the scope of the ASGI application.
_CALLER = "metasearch.caller"


async def answer(request: web.Request) -> web.StreamResponse:
    """`/mcp`: one message of the protocol, and its answer as JSON or as an event stream."""
    check_addressed(request)
    if request.method != hdrs.METH_POST:
        raise Problem(
            405,
            None,
            "This address is for assistants, which POST messages of the Model Context Protocol to "
            "it; there is no stream to GET.",
            headers={"Allow": "POST"},
        )
    try:
        check_extra()
    except UsageError as exc:
        raise Problem(501, None, f"{exc}. {exc.advice}") from exc
    body = await whole_body(request, request.app[SHARED].options, MAX_BODY)
    await count(request, quota="" if _calls_a_tool(body) else "mcp")
    # The package takes nearly a second to load: meanwhile the loop serves others.
    server, manager_of = await asyncio.to_thread(_loaded)
    manager = manager_of(server, stateless=True, max_request_body_size=MAX_BODY)
    async with manager.run():
        return await run_asgi(
            manager.handle_request, request, body, {_CALLER: _HttpCaller(request)}
        )


@cache
def _loaded() -> tuple[Any, Any]:
    """The server of the protocol, and the class that serves one request of its transport."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from metasearch.server.faces.mcp.protocol import protocol_server

    return protocol_server(lambda ctx: ctx.request.scope[_CALLER]), StreamableHTTPSessionManager


def _calls_a_tool(body: bytes) -> bool:
    """Whether the message runs a tool; lists of tools and greetings cost no quota of searches."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return True
    return not isinstance(message, dict) or message.get("method") == "tools/call"


class _HttpCaller(Caller):
    """A client of the server."""

    def __init__(self, request: web.Request) -> None:
        shared = request.app[SHARED]
        super().__init__(shared.engine, shared.options)
        self.user = request[USER]
        self.site = site_of(request)
        self._shared = shared
        self._owner = owner(request)
        self._request = request

    async def wishing(self, options: SearchOptions) -> SearchOptions:
        options = with_sources(self._request, options)
        await self._shared.wing.count_search(self._request, options)
        return options

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[None]:
        with await self._shared.admission.enter(self.user):
            yield

    @asynccontextmanager
    async def computing(self) -> AsyncIterator[None]:
        async with self._shared.admission.brief():
            yield

    async def read(self, compute: Callable[[], T]) -> T:
        return await self._shared.admission.computing.done(self.user, compute)

    def finished(self, answer: Answer, options: SearchOptions) -> None:
        self._shared.metrics.searched(answer)
        if isinstance(options.query, str):  # not the identifier of a work that was fetched
            self._shared.suggestions.learn(options.query, answer, self._owner)
