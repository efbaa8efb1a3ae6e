"""`/openapi.json`, `/docs` and `/.well-known/api-catalog`."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.faces.openapi.about import LINKSET
from metasearch.server.faces.openapi.catalog import LINK, PROFILE, catalog
from metasearch.server.faces.openapi.document import Server, written
from metasearch.server.faces.openapi.operation import JSON
from metasearch.server.faces.openapi.page import docs_page
from metasearch.server.page_response import VARY, page_response
from metasearch.server.site import SHARED, site_of
from metasearch.server.unchanged import lasting, tag_of
from metasearch.server.visit import visit_of


async def document(request: web.Request) -> web.Response:
    """`/openapi.json`."""
    async with request.app[SHARED].admission.brief():
        made = written(_server(request))
    return lasting(request, made.body, JSON, etag=made.etag)


async def docs(request: web.Request) -> web.Response:
    """`/docs`: the document as a page."""
    async with request.app[SHARED].admission.brief():
        page = docs_page(visit_of(request), _server(request))
    headers = {"ETag": f'W/"{(etag := tag_of(page.encode()))}"', "Vary": VARY}
    if any(known.value in (etag, "*") for known in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    return page_response(request, page, headers=headers)


async def api_catalog(request: web.Request) -> web.Response:
    """`/.well-known/api-catalog` (RFC 9727): all interfaces of the server."""
    shared, site = request.app[SHARED], site_of(request)
    async with shared.admission.brief():
        paths = {path for path, _ in _server(request).routes}
        body = catalog(site, paths)
    link = {"Link": f'<{site.path(LINK)}>; rel="api-catalog"'}
    response = lasting(request, body, LINKSET, headers=link)
    if response.status == 200:
        response.headers["Content-Type"] = f'{LINKSET}; profile="{PROFILE}"'
    return response


def _server(request: web.Request) -> Server:
    """The server, as the document describes it."""
    shared = request.app[SHARED]
    routes = frozenset(
        (resource.canonical, route.method.lower())
        for resource in request.app.router.resources()
        for route in resource
    )
    users, chapter = shared.wing.users != "none", shared.wing.chapter()
    return Server(shared.options, bool(shared.keys), site_of(request).root, routes, users, chapter)
