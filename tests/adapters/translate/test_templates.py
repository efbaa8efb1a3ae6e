"""Templates of requests: JSON and text bodies, placeholders of the paging, and what later pages ask
anew."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.fetch.cassette import RecordTransport, ReplayTransport
from metasearch.adapters.fetch.guard import first_hop, next_hop
from metasearch.adapters.fetch.page_cache import pack, page_key, unpack
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.parse.parse import parse as read
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.specfile import build
from metasearch.adapters.translate.plan import next_request, plan
from metasearch.errors import SpecError
from metasearch.query.simple import parse
from metasearch.query.tree import Term
from tests.adapters.fetch.loopback import Loopback, reply
from tests.cases import each

REST = """
[parse]
body    = "json"
records = "items"
[fields]
title = "title"
"""
EXPRESSION = """
[query]
style       = "expression"
conjunction = " AND "
phrase      = '"{x}"'
fields      = { any = "{x}" }
years       = { both = "{first}-{last}", since = "{first}-", until = "-{last}" }
years_in    = "params"
"""


def spec_of(
    request: str, rest: str = EXPRESSION, paging: str = 'kind = "offset"\nsize = 10'
) -> AdapterSpec:
    text = (
        f'name = "made"\n[request]\nurl = '
        f'"https://x.example/search"\n{request}\n{rest}\n[paging]\n{paging}\n{REST}'
    )
    return build(tomllib.loads(text), "made.toml")


def asked(spec: AdapterSpec, query: str = "salt marsh", wanted: int = 25) -> Request:
    return plan(parse(query), spec, wanted).request


def page_after(spec: AdapterSpec, request: Request, **more: Any) -> Request:
    following = next_request(
        spec, request, **({"got": request.size, "total": 500, "cursor": None} | more)
    )
    assert following is not None
    return following


JSON = """
method = "POST"
[request.json]
size    = "{size}"
from    = "{start}"
label   = "n{size}"
literal = "{{x}}"
deep    = true
boost   = 1.5
sort    = [{ relevance = "desc" }, "{doi}"]
[request.json.query]
must    = [{ match = { all = "{query}" } }, { range = { field = "year", value = "{years}" } }]
[request.json.only]
doi     = "{doi}"
kind    = "exact"
"""


def test_a_json_body_holds_the_query() -> None:
    """Strings are filled, lone numbers are numbers, and what has nothing to say is left out with
    all within it."""
    request = asked(spec_of(JSON), 'salt "tidal marsh"')

    assert json.loads(request.content) == {
        "size": 10,
        "from": 0,
        "label": "n10",
        "literal": "{x}",
        "deep": True,
        "boost": 1.5,
        "sort": [{"relevance": "desc"}],
        "query": {"must": [{"match": {"all": 'salt AND "tidal marsh"'}}]},
    }
    assert (request.method, request.content_type, request.body) == ("POST", "application/json", ())


def test_a_json_body_cannot_be_broken_out_of() -> None:
    """Quotes, backslashes and braces of a query stay text."""
    spec = spec_of('method = "POST"\njson = { q = "{query}", size = "{size}" }')
    request = plan(Term('a"},"size":{size}\\'), spec).request

    assert json.loads(request.content) == {"q": 'a"},"size":{size}\\', "size": 10}


def test_a_json_body_turns_its_pages() -> None:
    """Later pages have new numbers and the same query."""
    spec = spec_of(JSON)
    first = asked(spec, "salt year:2001-2003")
    second = page_after(spec, first)

    one, two = json.loads(first.content), json.loads(second.content)
    assert (two.pop("from"), one.pop("from")) == (10, 0)
    assert one == two
    assert one["query"]["must"][1] == {"range": {"field": "year", "value": "2001-2003"}}
    assert page_key(first) != page_key(second)


def test_a_cursor_in_json_is_left_out_until_there_is_one() -> None:
    """The first page has none, where the first cursor is the empty one."""
    spec = spec_of(
        'method = "POST"\njson = { q = "{query}", scroll = "{cursor}" }',
        paging='kind = "cursor"\nnext = "scroll"\nfirst = ""',
    )
    first = asked(spec, wanted=500)
    second = page_after(spec, first, cursor="abc")

    assert json.loads(first.content) == {"q": "salt AND marsh"}
    assert json.loads(second.content) == {"q": "salt AND marsh", "scroll": "abc"}


def test_a_text_body_is_one_template() -> None:
    """Query and paging may stand in one string, and both are right on every page."""
    spec = spec_of(
        'method = "POST"\ntext = "search pubs for \\"{query}\\" return {{pubs}} limit {size} skip '
        '{start}"\n'
        'content_type = "text/x-dsl"'
    )
    first = asked(spec)
    second = page_after(spec, first)

    assert first.content == 'search pubs for "salt AND marsh" return {pubs} limit 10 skip 0'
    assert second.content == 'search pubs for "salt AND marsh" return {pubs} limit 10 skip 10'
    assert first_hop(first).headers["Content-Type"] == "text/x-dsl"


def test_bodies_make_requests_different() -> None:
    """Neither cache nor cassettes take one query's page for another's."""
    spec = spec_of(JSON)

    assert page_key(asked(spec, "salt")) != page_key(asked(spec, "marsh"))
    assert page_key(asked(spec, "salt")) == page_key(asked(spec, "salt"))
    assert hash(asked(spec, "salt")) == hash(asked(spec, "salt"))


async def test_a_body_arrives_with_its_type() -> None:
    """What the server gets is the JSON, in UTF-8, and says that it is JSON."""
    async with Loopback({"/search": reply(b"{}")}) as server:
        request = asked(spec_of('method = "POST"\njson = { q = "{query}" }'), "köln 水")
        request = Request(
            source="made",
            url=server.url("/search"),
            method="POST",
            content=request.content,
            content_type="a/b",
        )
        transport = HttpTransport(allow=frozenset({server.netloc}))
        await transport.send(request, timeout=60, max_bytes=100)
        await transport.close()

    assert server.seen[0].headers["content-type"] == "a/b"
    assert json.loads(server.seen[0].body) == {"q": "köln AND 水"}


def test_a_header_of_the_spec_says_the_type() -> None:
    """Content-Type is sent once, however it is written."""
    request = asked(
        spec_of('method = "POST"\njson = { q = "{query}" }\nheaders = { content-type = "x/y" }')
    )

    assert first_hop(request).headers == {"content-type": "x/y"}


def test_a_body_stays_where_a_redirect_keeps_the_method() -> None:
    """307 sends it again, 303 does not."""
    request = asked(spec_of('method = "POST"\njson = { q = "{query}" }'))
    hop = first_hop(request)

    assert next_hop(request, hop, 307, "/other").data == hop.data == b'{"q":"salt AND marsh"}'
    assert next_hop(request, hop, 303, "/other").data is None


async def test_a_body_is_recorded(tmp_path: Path) -> None:
    """A cassette says what was sent, and is found by it."""

    class Canned:
        async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
            return Page(request=request, body=b"[]")

        async def close(self) -> None:
            """Nothing is held."""

    request = asked(spec_of('method = "POST"\njson = { q = "{query}" }'))
    await RecordTransport(Canned(), tmp_path).send(request, timeout=1, max_bytes=10)
    kept = json.loads(
        (tmp_path / "made" / page_key(request)[:16] / "request.json").read_text(encoding="utf-8")
    )

    assert (kept["content"], kept["content_type"]) == ('{"q":"salt AND marsh"}', "application/json")
    assert (await ReplayTransport(tmp_path).send(request, timeout=1, max_bytes=10)).body == b"[]"


def test_placeholders_of_the_paging() -> None:
    """Pages from 0 and ranges of records, in parameters and in headers, alone and beside the
    query."""
    spec = spec_of(
        'params = { p = "{page0}", q = "{query} @{start}" }\nheaders = { Range = "{start1}-{end}" }'
    )
    first = asked(spec)
    second = page_after(spec, first)

    assert (first.params, first.headers) == (
        (("p", "0"), ("q", "salt AND marsh @0")),
        (("Range", "1-10"),),
    )
    assert (second.params, second.headers) == (
        (("p", "1"), ("q", "salt AND marsh @10")),
        (("Range", "11-20"),),
    )


def test_a_page_in_the_address() -> None:
    """An address with a page in it is written anew, with the query in it."""
    table = tomllib.loads(
        f'name = "made"\n[request]\nurl = '
        f'"https://x.example/{{query}}/{{page}}"\n{EXPRESSION}{REST}'
    )
    spec = build(table | {"paging": {"kind": "page", "size": 10}}, "made.toml")
    first = asked(spec, "salt")

    assert first.url == "https://x.example/salt/1"
    assert page_after(spec, first).url == "https://x.example/salt/2"


def test_what_does_not_change_is_not_touched() -> None:
    """Parameters that somebody has changed since they were planned stay as they are."""
    spec = spec_of('params = { q = "{query}", n = "{start}", fixed = "1" }')
    first = asked(spec).with_params(q="changed", more="2")

    assert page_after(spec, first).params == (
        ("q", "changed"),
        ("n", "10"),
        ("fixed", "1"),
        ("more", "2"),
    )


@each(
    ("request_table", "paging", "told"),
    [
        ('json = { q = "{query}" }', "", 'request.json: needs method = "POST"'),
        ('body = { q = "{query}" }', "", 'request.body: needs method = "POST"'),
        (
            'method = "POST"\njson = {}\ntext = "x"',
            "",
            "request.text: a request has one body, and this one has request.json",
        ),
        (
            'method = "POST"\njson = { a = [{ b = "{nothing}" }] }',
            "",
            "request.json.a[1].b: unknown placeholder",
        ),
        ('method = "POST"\njson = { a = "{" }', "", "request.json.a: not a template"),
        (
            'method = "POST"\njson = { a = 2001-01-01 }',
            "",
            "request.json.a: JSON has no date like this",
        ),
        ('method = "POST"\njson = { a = nan }', "", "request.json.a: JSON has no float like this"),
        ('method = "POST"\ntext = "{nothing}"', "", "request.text: unknown placeholder"),
        ("", 'kind = "link"', "paging.next: a link needs the selector"),
        (
            'method = "POST"',
            'kind = "link"\nnext = "n"',
            "paging.kind: a link is followed with GET",
        ),
    ],
)
def test_mistakes_are_told(request_table: str, paging: str, told: str) -> None:
    """Each with its place and what to do."""
    with pytest.raises(SpecError) as raised:
        spec_of(request_table, paging=paging)

    assert any(problem.startswith(told) for problem in raised.value.problems), raised.value.problems


async def test_a_total_in_a_header(tmp_path: Path) -> None:
    """It is read where the body tells none, kept in cassettes and cache, and odd values are no
    number."""
    table = (
        'name = "made"\n[request]\nurl = "https://x.example"\nparams = { q = "{any}", p = '
        '"{page}" }\n' + REST
    )
    table = (
        table.replace("[fields]", 'total_header = "X-Total-Count"\n[fields]')
        + '[paging]\nkind = "page"\nsize = 2\n'
    )
    spec = build(
        tomllib.loads(table + '[query]\nstyle = "params"\nfields = { any = "{x}" }'), "made.toml"
    )
    body = b'{"items": [{"title": "One"}, {"title": "Two"}]}'
    request = plan(parse("salt"), spec, 9).request
    routes = {
        "/": reply(body, **{"X-Total-Count": "31"}),
        "/odd": reply(body, **{"X-Total-Count": "many"}),
    }
    async with Loopback(routes) as server:
        transport = RecordTransport(HttpTransport(allow=frozenset({server.netloc})), tmp_path)
        here, odd = (replace(request, url=server.url(path)) for path in ("/", "/odd"))
        page = await transport.send(here, timeout=60, max_bytes=1000)
        other = await transport.send(odd, timeout=60, max_bytes=1000)
        await transport.close()
    replayed = await ReplayTransport(tmp_path).send(here, timeout=60, max_bytes=1000)
    kept = unpack(pack(page, 1.0), request)

    assert kept is not None
    assert (page.total, other.total, replayed.total, kept.page.total) == (31, None, 31, 31)
    assert read(page, spec).total == 31
    assert read(other, spec).total is None
