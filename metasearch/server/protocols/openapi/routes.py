"""`/openapi.json`, its page `/docs`, and the catalogue `/.well-known/api-catalog`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from shlex import quote
from typing import Any
from urllib.parse import urlencode

import orjson
from aiohttp import web

from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH
from metasearch.server.pages.page import VARY, page, page_response
from metasearch.server.protocols.openapi.document import Server, document_of_server
from metasearch.server.protocols.openapi.operation import JSON, Schema
from metasearch.server.protocols.openapi.paths import LINKSET
from metasearch.server.search_answers import cacheable_response, tag_of
from metasearch.server.site import SHARED, Site, site_of
from metasearch.server.visit import Visit, visit_of

# The catalogue of all interfaces (RFC 9727), a set of links (RFC 9264) for programs.

#: Where it stands, and what kind of set of links it is.
LINK = "/.well-known/api-catalog"
PROFILE = "https://www.rfc-editor.org/info/rfc9727"


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface.

    `path`: where it begins; left out of the catalogue where the server does not have it.
    `description`: (address, media type) of what describes it to programs; None where nothing does
    but the OpenAPI document.
    """

    path: str
    title: str
    description: tuple[str, str] | None = None


INTERFACES = (
    Interface("/search", "The own interface: JSON, streams, feeds and exports"),
    Interface("/opensearch.xml", "OpenSearch", ("/opensearch.xml", OPENSEARCH)),
    Interface("/sru", "SRU 1.1, 1.2 and 2.0", ("/sru?version=1.2&operation=explain", "text/xml")),
    Interface("/searxng/search", "SearXNG's interface", ("/searxng/config", "application/json")),
    Interface("/pazpar2/search.pz2", "pazpar2's protocol"),
    Interface("/mcp", "Model Context Protocol"),
    Interface("/unapi", "unAPI", ("/unapi", "application/xml")),
)
_OPENAPI = ("/openapi.json", "application/json")


def catalog(site: Site, paths: Collection[str]) -> bytes:
    served = [each for each in INTERFACES if each.path in paths]
    items = [{"href": site.url(each.path), "title": each.title} for each in served]
    linkset: list[dict[str, object]] = [{"anchor": site.url(LINK), "item": items}]
    for each in served:
        descriptions = [_OPENAPI]
        if each.description is not None:
            descriptions.insert(0, each.description)
        linkset.append(
            {
                "anchor": site.url(each.path),
                "service-desc": [
                    {"href": site.base + address, "type": media_type}
                    for address, media_type in descriptions
                ],
                "service-doc": [{"href": site.url("/docs"), "type": "text/html"}],
                "status": [{"href": site.url("/readyz"), "type": "application/json"}],
            }
        )
    feeds = [
        {"href": site.url("/opensearch.xml"), "type": OPENSEARCH, "title": "Atom, RSS, JSON Feed"}
    ]
    linkset.append({"anchor": site.url("/"), "search": feeds})
    return orjson.dumps({"linkset": linkset}, option=orjson.OPT_APPEND_NEWLINE)


# The document as a page: every operation with its parameters, requests and answers, and every
# shape. No script and no other host is needed.

#: JSON type -> what a reader calls it.
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "array": "list",
    "null": "null",
}
#: Patterns are left out: the texts beside them say how a value is written.
_BOUNDS = {
    "minimum": "from {}",
    "maximum": "to {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} values",
}


def docs_page(visit: Visit, server: Server) -> str:
    """The page; the document itself is in English."""
    return page("docs.html", visit, "Interfaces", **_describe(visit.site, server))


@lru_cache(maxsize=8)
def _describe(site: Site, server: Server) -> dict[str, Any]:
    """What the template reads: the document, its operations by their tags, and what writes schemas
    and examples for people. Made once for each address of the server.
    """
    document = document_of_server(server).document
    operations: dict[str, list[tuple[str, str, Schema]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            operations.setdefault(operation["tags"][0], []).append((method, path, operation))
    return {
        "document": document,
        "operations": operations,
        "in_words": in_words,
        "command": partial(_command, site),
        "json_text": _as_text,
        "keyed": server.keyed,
    }


def _command(site: Site, request: Schema) -> str:
    """The request as a line of a shell."""
    fields = f" -d {quote(urlencode(request['form']))}" if "form" in request else ""
    if "json" in request:
        members = orjson.dumps(request["json"]).decode()
        fields = f" -H 'Content-Type: application/json' -d {quote(members)}"
    if "text" in request:
        fields = f" -H 'Content-Type: text/plain' --data-binary {quote(request['text'])}"
    return f"curl{fields} {quote(site.base + request['address'])}"


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def in_words(schema: Schema) -> tuple[str, str]:
    """What a schema allows, in words, and the name of the shape in it, "" for none.

    >>> in_words({"type": "array", "items": {"$ref": "#/components/schemas/Hit"}})
    ('list of', 'Hit')
    """
    if "$ref" in schema:
        return "", schema["$ref"].rpartition("/")[2]
    if "oneOf" in schema or "anyOf" in schema:
        return _choice(schema.get("oneOf") or schema["anyOf"])
    if "const" in schema:
        return f"always {_plain(schema['const'])}", ""
    if "enum" in schema:
        return "one of " + ", ".join(map(_plain, schema["enum"])), ""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = " or ".join(_WORDS[kind] for kind in kinds)
    shape = ""
    inner = schema.get("items") or schema.get("additionalProperties")
    if inner and kinds:
        within, shape = in_words(inner)
        words = f"{words} of {within}".rstrip()
    bounds = [form.format(schema[name]) for name, form in _BOUNDS.items() if name in schema]
    return ", ".join(filter(None, [words, *bounds])), shape


def _choice(schemas: Iterable[Schema]) -> tuple[str, str]:
    parts = [in_words(each) for each in schemas]
    if len(parts) == 2 and parts[1] == ("null", ""):
        return f"{parts[0][0]} null or".strip(), parts[0][1]
    return "one of " + ", ".join(shape or words for words, shape in parts), ""


def _plain(value: object) -> str:
    return "null" if value is None else str(value).lower() if value is True else str(value)


async def answer_document(request: web.Request) -> web.Response:
    async with request.app[SHARED].admission.brief():
        made = document_of_server(_server(request))
    return cacheable_response(request, made.body, JSON, etag=made.etag)


async def answer_docs(request: web.Request) -> web.Response:
    async with request.app[SHARED].admission.brief():
        page = docs_page(visit_of(request), _server(request))
    headers = {"ETag": f'W/"{(etag := tag_of(page.encode()))}"', "Vary": VARY}
    if any(known.value in (etag, "*") for known in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    return page_response(request, page, headers=headers)


async def answer_catalog(request: web.Request) -> web.Response:
    """`/.well-known/api-catalog` (RFC 9727): all interfaces of the server."""
    shared, site = request.app[SHARED], site_of(request)
    async with shared.admission.brief():
        paths = {path for path, _ in _server(request).routes}
        body = catalog(site, paths)
    link = {"Link": f'<{site.path(LINK)}>; rel="api-catalog"'}
    response = cacheable_response(request, body, LINKSET, headers=link)
    if response.status == 200:
        response.headers["Content-Type"] = f'{LINKSET}; profile="{PROFILE}"'
    return response


def _server(request: web.Request) -> Server:
    shared = request.app[SHARED]
    routes = frozenset(
        (resource.canonical, route.method.lower())
        for resource in request.app.router.resources()
        for route in resource
    )
    users, chapter = shared.wing.users != "none", shared.wing.chapter()
    return Server(shared.options, bool(shared.keys), site_of(request).root, routes, users, chapter)
