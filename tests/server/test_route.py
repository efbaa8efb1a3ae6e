"""The table of routes: one place says of each what it takes, and who may ask it."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.route import TABLE, Route, add, closed
from tests.server.addresses import EVERY_ROUTE


async def nothing(_: web.Request) -> web.Response:
    raise AssertionError


def test_closed_addresses_are_named_by_their_shortest_beginning():
    """Variable parts are cut off; what begins as another one is not named again."""
    paths = ["/b/{id:.+}", "/a", "/a/c", "/ab", "/d"]
    routes = [Route(path=path, handler=nothing, listed=path == "/d") for path in paths]

    assert closed(routes) == ["/a", "/b/"]


def test_every_route_stands_in_the_table_under_the_path_of_its_resource():
    """The pattern of a variable part is not in it."""
    app = web.Application()
    add(app, EVERY_ROUTE)

    assert len(app[TABLE]) == len(EVERY_ROUTE)
    assert app[TABLE]["/work/{id}"].path == "/work/{id:.+}"


def test_what_answers_searches_is_counted_and_not_listed():
    """A route that posts a query is one; only a page may be listed."""
    others = ("/translate", "/unsubscribe/{secret}")
    searches = [route for route in EVERY_ROUTE if route.posts and route.path not in others]

    assert all(route.counted != "none" and not route.keyless for route in searches)
    assert not any(route.listed for route in searches)
