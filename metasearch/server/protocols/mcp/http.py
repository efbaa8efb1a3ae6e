"""`/mcp`: MCP over streamable HTTP, with the admission, keys and quotas of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeVar

import orjson
from aiohttp import hdrs, web

from metasearch.engine.options import SearchOptions
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.server.forms import whole_body
from metasearch.server.identity import owner
from metasearch.server.limits.client_limits import USER
from metasearch.server.middleware import check_host_and_origin, count
from metasearch.server.problem import Problem
from metasearch.server.protocols.mcp import check_extra
from metasearch.server.protocols.mcp.arguments import Caller
from metasearch.server.site import SHARED, site_of
from metasearch.server.visit import with_sources

# Runs an ASGI application inside a handler of aiohttp, for one request whose body is there.

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]
#: Headers of a response that belong to the connection, which is aiohttp's.
_OF_CONNECTION = frozenset({"connection", "content-length", "keep-alive", "transfer-encoding"})


async def run_asgi(
    application: Application, request: web.Request, body: bytes, more: Mapping[str, Any]
) -> web.StreamResponse:
    """Returns the response of the application, which has been sent where it is a stream.

    A client that disconnects cancels the handler, and with it the application, which gets no other
    message of the disconnection. `more`: members that are added to the scope.
    """
    exchange = _Exchange(request, body)
    await application(_scope(request, more), exchange.receive, exchange.send)
    return exchange.response


def _scope(request: web.Request, more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": f"{request.version.major}.{request.version.minor}",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.rel_url.raw_path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
        **more,
    }


class _Exchange:
    """The two callables of an ASGI application, for one request."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self._body: bytes | None = body
        self._status = 500
        self._headers: list[tuple[str, str]] = []
        self._response: web.StreamResponse | None = None

    @property
    def response(self) -> web.StreamResponse:
        """What was sent, or is to be sent."""
        return self._response or web.Response(status=500)

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.Event().wait()  # a client that leaves cancels this task
        raise AssertionError

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = [
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in message.get("headers", ())
                if name.decode("latin-1").lower() not in _OF_CONNECTION
            ]
            return
        content, more = message.get("body", b""), message.get("more_body", False)
        if self._response is None and not more:
            response = web.Response(status=self._status, body=content)
            response.headers.pop(hdrs.CONTENT_TYPE, None)
            response.headers.extend(self._headers)
            self._response = response
            return
        if self._response is None:
            self._response = web.StreamResponse(status=self._status, headers=dict(self._headers))
            await self._response.prepare(self._request)
        if content:
            await self._response.write(content)
        if not more:
            await self._response.write_eof()


# `/mcp`: MCP over streamable HTTP, with the admission, keys and quotas of the server. Each POST is
# served by itself, so that any worker answers: no session is kept. The package's transport is an
# ASGI application; `run_asgi` runs it inside the handler of the request, so that it ends with the
# request.

T = TypeVar("T")

#: Bytes of a request: one call of a tool, whose query is the largest part.
MAX_BODY = 262_144
#: Where a request's own caller is in the scope of the ASGI application.
_CALLER = "metasearch.caller"


async def answer(request: web.Request) -> web.StreamResponse:
    """`/mcp`: one message of the protocol, and its answer as JSON or as an event stream."""
    check_host_and_origin(request)
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
    server, manager_of = await asyncio.to_thread(_load)
    manager = manager_of(server, stateless=True, max_request_body_size=MAX_BODY)
    async with manager.run():
        return await run_asgi(
            manager.handle_request, request, body, {_CALLER: _HttpCaller(request)}
        )


@cache
def _load() -> tuple[Any, Any]:
    """The server of the protocol, and the class that serves one request of its transport."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from metasearch.server.protocols.mcp.protocol import protocol_server

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

    async def with_preferences(self, options: SearchOptions) -> SearchOptions:
        options = with_sources(self._request, options)
        await self._shared.wing.count_search(self._request, options)
        return options

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[None]:
        with await self._shared.admission.enter(self.user):
            yield

    @asynccontextmanager
    async def compute_permit(self) -> AsyncIterator[None]:
        async with self._shared.admission.brief():
            yield

    async def read(self, compute: Callable[[], T]) -> T:
        return await self._shared.admission.computing.done(self.user, compute)

    def finished(self, answer: Answer, options: SearchOptions) -> None:
        self._shared.metrics.count_search(answer)
        if isinstance(options.query, str):  # not the identifier of a work that was fetched
            self._shared.suggestions.learn(options.query, answer, self._owner)
