"""The catalogue of interfaces lists what is there, and all that it lists answers."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from aiohttp.test_utils import TestClient
from yarl import URL

from metasearch.server.protocols.openapi.routes import INTERFACES, catalog
from metasearch.server.site import Site
from tests import cases

#: An interface without parameters: our own and SearXNG's; one that is asked by POST; pazpar2's.
_WANTS_MORE = (200, 400, 405, 417)


@pytest.fixture
async def linkset(demo: TestClient) -> list[dict[str, Any]]:
    """The catalogue of the demo."""
    response = await demo.get("/.well-known/api-catalog")
    assert response.headers["Content-Type"] == (
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
    )
    return orjson.loads(await response.read())["linkset"]


def links(linkset: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Every link with an address."""
    return [
        link
        for context in linkset
        for relation, listed in context.items()
        if relation != "anchor"
        for link in listed
    ]


async def test_all_that_is_listed_answers(demo, linkset):
    """With the media type that the catalogue promises; an interface itself may want parameters."""
    for link in links(linkset):
        address = URL(link["href"])
        assert address.origin() == demo.make_url("/").origin()
        response = await demo.get(address.relative())

        if "type" in link:
            assert (response.status, response.content_type) == (200, link["type"]), link
        else:
            assert response.status in _WANTS_MORE, link


async def test_interfaces_are_listed(linkset):
    """Our own, OpenSearch, SRU and SearXNG's, each with a description and a page."""
    first, *others = linkset
    paths = [URL(item["href"]).path for item in first["item"]]

    assert {"/search", "/opensearch.xml", "/sru", "/searxng/search"} <= set(paths)
    assert [URL(each["anchor"]).path for each in others] == [*paths, "/"]
    for context in others[:-1]:
        assert "/openapi.json" in {URL(link["href"]).path for link in context["service-desc"]}
        assert [URL(link["href"]).path for link in context["service-doc"]] == ["/docs"]


def test_only_what_the_server_has_is_listed():
    """An interface without a route is left out; addresses begin with the public one."""
    written = orjson.loads(catalog(Site("https://example.org/lib"), {"/search"}))
    first, search, start = written["linkset"]

    assert len(INTERFACES) > 1
    assert [item["href"] for item in first["item"]] == ["https://example.org/lib/search"]
    assert search["anchor"] == "https://example.org/lib/search"
    assert start["anchor"] == "https://example.org/lib/"


async def test_head_of_the_catalogue(demo):
    """A client that asks for the head alone learns what it is (RFC 9727, section 3)."""
    response = await demo.head("/.well-known/api-catalog")

    assert response.status == 200
    assert str(response.links["api-catalog"]["url"].path) == "/.well-known/api-catalog"


@cases.each("form", ["atom", "rss", "jsonfeed", "json"])
async def test_feeds_are_not_sent_twice(demo, form):
    """A feed reader that names the tag of the feed it has gets no second copy."""
    address = f"/search?q=jazz&sources=demo-arxiv,demo-openalex&format={form}"
    first = await demo.get(address)
    again = await demo.get(address, headers={"If-None-Match": first.headers["ETag"]})

    assert (200, 304) == (first.status, again.status)
