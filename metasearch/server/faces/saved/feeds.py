"""`/feeds/SECRET.atom` and `.json`: the news of a saved search, for programs that cannot log in.

Whoever knows the address may read it, so it is written nowhere: the log of requests has the route
alone, answers have no referrer, and an address that is wrong or revoked is a 404 like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.utils import format_datetime

from aiohttp import web

from metasearch.server.middleware import count
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, site_of
from metasearch.server.unchanged import lasting
from metasearch.server.workspace_service import WORKSPACE
from metasearch.workspace.saved import feeds
from metasearch.workspace.saved.feeds import Feed

#: Seconds after which a reader asks again.
_MAX_AGE = 900
#: The quota of requests, beside that of searches: guesses are bounded by it.
QUOTA = "feeds"

_Write = Callable[[Feed, str, Mapping[str, str]], bytes]


async def atom(request: web.Request) -> web.Response:
    """The feed as Atom."""
    return await _answer(request, "atom", feeds.write_atom, "application/atom+xml")


async def json(request: web.Request) -> web.Response:
    """The feed as JSON Feed."""
    return await _answer(request, "json", feeds.write_json, "application/feed+json")


async def _answer(
    request: web.Request, ending: str, write: _Write, media_type: str
) -> web.Response:
    await count(request, QUOTA)
    shared, site = request.app[SHARED], site_of(request)
    secret = request.match_info["secret"]
    service = request.app.get(WORKSPACE)
    if service is None:
        raise Problem(404)
    async with shared.admission.brief():
        feed = await service.workspace.read(feeds.by_secret, secret)
    if feed is None:
        raise Problem(404)
    headers = {
        "Cache-Control": f"private, max-age={_MAX_AGE}",
        "Last-Modified": format_datetime(feed.updated, usegmt=True),
    }
    since = request.if_modified_since
    if since is not None and "If-None-Match" not in request.headers and feed.updated <= since:
        return web.Response(status=304, headers=headers)
    links = {
        "self": site.url(f"/feeds/{secret}.{ending}"),
        "alternate": site.url(f"/saved/{feed.uid}"),
    }
    body = await shared.admission.written(lambda: write(feed, site.base, links), large=True)
    return lasting(request, body, media_type, headers=headers)
