"""The catalogue of all interfaces (RFC 9727), a set of links (RFC 9264) for programs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import orjson

from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH
from metasearch.server.site import Site

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
