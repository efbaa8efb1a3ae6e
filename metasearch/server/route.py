"""What a route is, beside its handler, and modules of handlers that are imported when their first
request comes; the table of all routes is `ROUTES` in `app.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cache
from importlib import import_module
from typing import Literal

from aiohttp import web
from aiohttp.typedefs import Handler


@dataclass(frozen=True, slots=True)
class Route:
    """One address of the server; nearly all take GET and HEAD.

    Attributes:
        path: Of the address, its variable parts in braces.
        posts: Whether it also reads parameters from the body of a POST.
        gets: Whether it takes GET and HEAD; False for what only changes something.
        keyless: Whether it needs no key and no user, because it has no data of any user, or a
            part of its address is a secret that is enough.
        action: What a user must be allowed to do for a GET, see `ServerWing.may`; of an address
            with {project}, in it.
        posts_action: The same for a POST; None for `action`. A handler whose forms do several
            things checks each of them itself, by `identity.check`.
        local: Whether who asks from this machine, not through a proxy, needs no user.
        counted: Which of its requests the quota of a client counts: all, none, or those for which
            the handler calls `middleware.count`.
        listed: Whether search engines may visit and list it.
    """

    path: str
    handler: Handler
    _: KW_ONLY
    posts: bool = False
    gets: bool = True
    keyless: bool = False
    action: str = "search"
    posts_action: str | None = None
    local: bool = False
    counted: Literal["all", "none", "by the handler"] = "all"
    listed: bool = True


#: Path of a resource, as `middleware.route` returns it -> its route.
TABLE = web.AppKey("table", dict[str, Route])


def add(app: web.Application, routes: Iterable[Route]) -> None:
    table = app[TABLE] = {}
    for route in routes:
        resource = _resource(route)
        app.router.register_resource(resource)
        table[resource.canonical] = route


@cache
def _resource(route: Route) -> web.AbstractResource:
    """Once a process: those of all routes take 8 ms, and the tests start hundreds of servers."""
    router = web.UrlDispatcher()
    added = [router.add_get(route.path, route.handler)] if route.gets else []
    if route.posts:
        added.append(router.add_post(route.path, route.handler))
    resource = added[0].resource
    assert resource is not None
    return resource


def route_of(request: web.Request) -> Route | None:
    """The route of a request; None if no route matches."""
    resource = request.match_info.route.resource
    return request.app[TABLE].get(resource.canonical) if resource else None


def crawler_exclusions(routes: Iterable[Route]) -> list[str]:
    """The beginnings of the addresses that search engines must not visit."""
    starts = {route.path.partition("{")[0] for route in routes if not route.listed}
    return [
        start
        for start in sorted(starts)
        if not any(start != other and start.startswith(other) for other in starts)
    ]


class LaterModule:
    """A module of handlers that is imported when the first request for one of them comes: other
    protocols, pages and wings cost a server nothing until somebody uses them.

    For mypy its name is the module itself, so that a table of routes names functions.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, handler: str) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            answer: Handler = getattr(import_module(self.name), handler)
            return await answer(request)

        return handle
