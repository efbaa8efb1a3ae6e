"""Faces: what clients of other programs send and read, over the searches of this server.

Each face reads its own parameters into `server.parameters.Parameters` and writes the same answer
as `/search`, in the same order and with the same ids, in the form of its protocol. The engine knows
no face. A face is imported by its first request, so that it costs the start of a server nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module

from aiohttp import web


def on_demand(module: str, handler: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A handler that imports its module, of this package, with its first request."""

    async def answer(request: web.Request) -> web.StreamResponse:
        answering = getattr(import_module(f"{__name__}.{module}"), handler)
        response: web.StreamResponse = await answering(request)
        return response

    return answer
