"""Other protocols over the same list: each face reads its own parameters into `SearchOptions` and
writes the same answer. So do record pages, which programs read as much as people. A face is
imported when its first request comes.
"""

from __future__ import annotations

from importlib import import_module

from aiohttp import web
from aiohttp.typedefs import Handler


def on_first_request(module: str, handler: str = "answer") -> Handler:
    """A handler that imports a face when it is first asked.

    Args:
        module: The name of the face below this package.
        handler: Its coroutine that takes the request.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        answer: Handler = getattr(import_module(f"{__name__}.{module}"), handler)
        return await answer(request)

    return handle
