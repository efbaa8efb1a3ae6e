"""The table of routes: one place says of each what it takes, and who may ask it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from aiohttp import web

import metasearch.review.routes
import metasearch.server.app
import metasearch.server.short_answers
from metasearch.server.route import TABLE, LaterModule, Route, add, crawler_exclusions
from tests.server.addresses import EVERY_ROUTE


async def nothing(_: web.Request) -> web.Response:
    raise AssertionError


def test_closed_addresses_are_named_by_their_shortest_beginning():
    """Variable parts are cut off; what begins as another one is not named again."""
    paths = ["/b/{id:.+}", "/a", "/a/c", "/ab", "/d"]
    routes = [Route(path=path, handler=nothing, listed=path == "/d") for path in paths]

    assert crawler_exclusions(routes) == ["/a", "/b/"]


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


@pytest.mark.parametrize(
    "table", [metasearch.server.app, metasearch.server.short_answers, metasearch.review.routes]
)
def test_modules_of_handlers_that_are_imported_later_are_there(table):
    """What they are called is written twice: mypy reads the one, and a server the other."""
    later = [each.name for each in vars(table).values() if isinstance(each, LaterModule)]

    assert later
    assert [name for name in later if find_spec(name) is None] == []
