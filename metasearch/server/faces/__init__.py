"""Other protocols over the same list: each face reads its own parameters into `SearchOptions` and
writes the same answer. So do record pages, which programs read as much as people. A face is
imported when its first request comes.
"""

from __future__ import annotations

from importlib import import_module

from aiohttp import web
from aiohttp.typedefs import Handler


def on_first_request(module: str, handler: str = "answer", package: str = __name__) -> Handler:
    """A handler that imports a face when it is first asked."""

    async def handle(request: web.Request) -> web.StreamResponse:
        answer: Handler = getattr(import_module(f"{package}.{module}"), handler)
        return await answer(request)

    return handle
