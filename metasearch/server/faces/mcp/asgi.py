"""Runs an ASGI application inside a handler of aiohttp, for one request whose body is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from aiohttp import hdrs, web

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
