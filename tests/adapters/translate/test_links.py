"""The next page as a link: where it may lead, and that no secret travels or shows in it."""

from __future__ import annotations

import json
import tomllib

from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.parse.parse import STRAYS, PageContent, parse
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.specs.specfile import build
from metasearch.adapters.translate.plan import follow_link, plan
from metasearch.query.simple import parse as query
from tests.cases import each

SPEC = build(
    tomllib.loads("""
name = "made"
[request]
url     = "https://x.example/v2/items/"
params  = { q = "{any}", "page[size]" = "{size}" }
headers = { Accept = "application/vnd.api+json" }
[query]
style  = "params"
fields = { any = "{x}" }
[paging]
kind = "link"
size = 2
next = "links.next"
[auth.key]
env = "MADE_KEY"
[auth.Authorization]
env    = "MADE_KEY"
in     = "headers"
prefix = "Bearer "
[parse]
body    = "json"
records = "data"
[fields]
title = "title"
"""),
    "made.toml",
)
ENV = {"MADE_KEY": "s3cr3t-key"}


def asked() -> Request:
    return plan(query("salt"), SPEC, 10, ENV).request


def answered(link: object, request: Request | None = None) -> PageContent:
    body = {"data": [{"title": "One"}, {"title": "Two"}], "links": {"next": link}}
    return parse(Page(request=request or asked(), body=json.dumps(body).encode()), SPEC)


def test_a_link_is_followed() -> None:
    """The address is the server's, the secrets are ours, and neither the key of the cache nor the
    report has them."""
    second = answered("https://x.example/v2/items/?q=salt&page%5Bsize%5D=2&page=2&key=***").next

    assert second is not None
    assert second.url == "https://x.example/v2/items/?q=salt&page%5Bsize%5D=2&page=2"
    assert second.params == (("key", Secret("s3cr3t-key")),)
    assert dict(second.headers)["Authorization"] == Secret("Bearer s3cr3t-key")
    assert dict(second.headers)["Accept"] == "application/vnd.api+json"
    assert (second.start, second.size, second.wanted) == (2, 2, 10)
    assert "s3cr3t" not in second.log_url
    assert page_key(second) != page_key(asked())


def test_pages_end_with_their_links() -> None:
    """No link, the same link again, or enough records: no further page."""
    assert answered(None).next is None
    second = answered("/v2/items/?page=2").next
    assert second is not None
    assert answered("/v2/items/?page=2", second).next is None
    assert answered("/v2/items/?page=3", second).next is not None


@each(
    ("link", "url"),
    [
        ("?page=2", "https://x.example/v2/items/?page=2"),
        ("/v2/items/?page=2#top", "https://x.example/v2/items/?page=2"),
        ("https://X.example:443/v3/?page=2", "https://x.example/v3/?page=2"),
        ("http://x.example/v2/?page=2", "https://x.example/v2/?page=2"),
        ("//x.example/v2/?a=&b&page=2", "https://x.example/v2/?a=&b&page=2"),
    ],
)
def test_links_of_the_same_server(link: str, url: str) -> None:
    """Relative, complete, or written by a server that does not know of its proxy."""
    following = follow_link(asked(), link)

    assert following is not None
    assert following.url == url


@each(
    "link",
    [
        "https://evil.example/v2/?page=2",
        "https://x.example:8443/v2/?page=2",
        "http://x.example:443/v2/",
        "https://x.example@evil.example/",
        "https://user@x.example/",
        "https://evil.example\\@x.example/",
        "//evil.example/?page=2",
        "ftp://x.example/",
        "javascript:alert(1)",
        "https://[x.example/",
        "https://x.example:99999/",
    ],
)
def test_links_to_elsewhere_are_not_followed(link: str) -> None:
    """Neither another host, nor another port or scheme; and it is told."""
    parsed = answered(link)

    assert parsed.next is None
    assert parsed.notes == (STRAYS,)
    assert len(parsed.records) == 2


def test_a_plain_server_is_not_upgraded_away() -> None:
    """A request over http, as to a server on loopback, follows links to it and to nothing else."""
    request = Request(source="made", url="http://127.0.0.1:8080/a")

    assert follow_link(request, "http://127.0.0.1:8080/b?x=1") == Request(
        source="made", url="http://127.0.0.1:8080/b?x=1"
    )
    assert follow_link(request, "https://127.0.0.1:8080/b") is None
