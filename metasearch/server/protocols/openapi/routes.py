"""`/openapi.json`, its page `/docs`, and the catalogue `/.well-known/api-catalog`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from shlex import quote
from typing import Any
from urllib.parse import urlencode

import orjson
from aiohttp import web

from metasearch.server.answering import lasting, tag_of
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH
from metasearch.server.pages.page import VARY, page, page_response
from metasearch.server.protocols.openapi.document import Server, written
from metasearch.server.protocols.openapi.operation import JSON, Schema
from metasearch.server.protocols.openapi.paths import LINKSET
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
    """The set of links as JSON."""
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


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a member of an object. `shape`: the name of the shape that it holds; "" for
    none. `needed`: whether it must be there.
    """

    name: str
    values: str
    shape: str
    about: str
    needed: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """A request, and its answer as text."""

    summary: str
    command: str
    answer: str


@dataclass(frozen=True, slots=True)
class Response:
    """A status of an operation. `contents`: (media type, values in words, name of the shape)."""

    status: str
    about: str
    contents: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One operation, as the page has it."""

    method: str
    path: str
    id: str
    summary: str
    about: str
    parameters: tuple[Field, ...]
    bodies: tuple[str, ...]
    responses: tuple[Response, ...]
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class PageSection:
    """The operations of one tag."""

    name: str
    about: str
    entries: tuple[PageEntry, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema of the document."""

    name: str
    about: str
    values: str
    members: tuple[Field, ...]


def docs_page(visit: Visit, server: Server) -> str:
    """The page; the document itself is in English."""
    return page("docs.html", visit, "Interfaces", **_described(visit.site, server))


@lru_cache(maxsize=8)
def _described(site: Site, server: Server) -> dict[str, Any]:
    """What the page shows; made once for each address of the server."""
    document = written(server).document
    entries = list(_entries(site, document["paths"]))
    sections = [
        PageSection(
            tag["name"],
            tag["description"],
            tuple(entry for name, entry in entries if name == tag["name"]),
        )
        for tag in document["tags"]
    ]
    shapes = [_shape(name, schema) for name, schema in document["components"]["schemas"].items()]
    return {
        "info": document["info"],
        "sections": sections,
        "shapes": shapes,
        "keyed": server.keyed,
    }


def _entries(site: Site, paths: Schema) -> Iterator[tuple[str, PageEntry]]:
    """(tag, operation) of each."""
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield (
                operation["tags"][0],
                PageEntry(
                    method.upper(),
                    path,
                    operation["operationId"],
                    operation["summary"],
                    operation.get("description", ""),
                    tuple(map(_parameter, operation.get("parameters", ()))),
                    tuple(operation.get("requestBody", {}).get("content", ())),
                    tuple(_responses(operation["responses"])),
                    tuple(_samples(site, operation)),
                ),
            )


def _parameter(parameter: Schema) -> Field:
    values, shape = in_words(parameter["schema"])
    if parameter["in"] != "query":
        values = f"{values}, in the {parameter['in']}"
    return Field(
        parameter["name"],
        values,
        shape,
        parameter["description"],
        parameter.get("required", False),
    )


def _responses(responses: Schema) -> Iterator[Response]:
    for status, response in responses.items():
        contents = response.get("content", {})
        yield Response(
            status,
            response["description"],
            tuple(
                (media_type, *in_words(media.get("schema", {})))
                for media_type, media in contents.items()
            ),
        )


def _samples(site: Site, operation: Schema) -> Iterator[Sample]:
    requests = operation.get("x-example-requests", {})
    for response in operation["responses"].values():
        for media in response.get("content", {}).values():
            for name, example in media.get("examples", {}).items():
                yield Sample(
                    example["summary"],
                    _command(site, requests[name]),
                    _written(example["value"]),
                )


def _command(site: Site, request: Schema) -> str:
    """The request as a line of a shell."""
    fields = f" -d {quote(urlencode(request['form']))}" if "form" in request else ""
    if "json" in request:
        members = orjson.dumps(request["json"]).decode()
        fields = f" -H 'Content-Type: application/json' -d {quote(members)}"
    return f"curl{fields} {quote(site.base + request['address'])}"


def _written(value: object) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _shape(name: str, schema: Schema) -> Shape:
    needed = schema.get("required", ())
    return Shape(
        name,
        schema.get("description", ""),
        "" if "properties" in schema else in_words(schema)[0],
        tuple(
            Field(member, *in_words(values), values.get("description", ""), member in needed)
            for member, values in schema.get("properties", {}).items()
        ),
    )


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
