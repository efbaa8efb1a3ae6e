"""Forms of pages: only those of a page of this server, for this visitor, change anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from metasearch.server.app import ROUTES
from metasearch.server.forms import local_address
from metasearch.server.limits.client_limits import LONGEST_LINE
from metasearch.server.site import Site
from metasearch.settings import Settings
from tests import cases
from tests.server.addresses import is_page
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, post, text, token

TOP, BELOW = Site("http://127.0.0.1:8080"), Site("https://search.example.org/meta")
#: Routes that take a POST and are no interface of programs, which change nothing.
PATHS = sorted(route.path for route in ROUTES if route.posts and is_page(route.path))
SAVED = {"theme": "dark"}


def test_there_are_pages_with_forms():
    assert {"/basket", "/settings"} <= {*PATHS}


@cases.each("path", PATHS)
@cases.each("given_", [None, "", "0" * 64, "ä" * 64, " " * 64, "twice"])
async def test_a_form_without_its_token_is_refused(client, path, given_):
    """For every page that takes a form: missing, made up, not once."""
    real = await token(client)
    tokens = [real, real] if given_ == "twice" else [given_] * (given_ is not None)
    fields = [("do", "clear"), *(("token", each) for each in tokens)]
    response = await client.post(path, data=fields or {"do": "save"}, allow_redirects=False)

    assert response.status == 403
    assert (await response.json())["type"] == "urn:metasearch:problem:forged-form"


@cases.each("path", PATHS)
async def test_the_token_of_another_visitor_is_refused(serve, path):
    """Also without any cookie: a page of another site has none of ours."""
    client = await serve()
    stolen = await token(client)
    client.session.cookie_jar.clear()
    fields = {"token": stolen, "do": "clear", "theme": "dark"}
    assert (await client.post(path, data=fields, allow_redirects=False)).status == 403
    await token(client)
    assert (await client.post(path, data=fields, allow_redirects=False)).status == 403


@cases.each(
    ("headers", "status"),
    [
        ({}, 303),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Sec-Fetch-Site": "none"}, 303),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 303),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "null"}, 403),
        ({"Origin": "null"}, 303),  # what browsers send from our pages, which have no referrer
        ({"Origin": "HERE"}, 303),
        ({"Origin": "https://search.example.org"}, 303),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "https://search.example.org.evil.example"}, 403),
        ({"Origin": "://["}, 403),
        ({"Origin": ""}, 403),
    ],
)
async def test_what_the_browser_says_of_the_origin(serve, headers, status):
    """Even with a token that is right."""
    client = await serve(
        FakeEngine(settings=Settings(public_url="https://search.example.org", env={}))
    )
    client.session.cookie_jar.clear()
    shown = await client.get("/settings", headers=HTML)
    cookie = shown.cookies["metasearch-visitor"].value  # by HTTPS alone, so it is sent by hand
    real = (await shown.text()).partition('name="token" value="')[2].partition('"')[0]
    here = str(client.make_url("/")).rstrip("/")
    sent = {name: value.replace("HERE", here) for name, value in headers.items()}
    sent["Cookie"] = f"metasearch-visitor={cookie}"
    response = await client.post(
        "/settings", data={"token": real, **SAVED}, headers=sent, allow_redirects=False
    )

    assert response.status == status


async def test_a_refused_form_is_a_page_that_says_what_to_do(client):
    response = await client.post("/basket", data={"do": "clear"}, headers=HTML)

    assert response.status == 403
    assert "Go back, load the page again" in await response.text()


@cases.each(
    ("options", "status"),
    [
        ({"json": {"theme": "dark"}}, 415),
        ({"data": b"theme=dark", "headers": {"Content-Type": "text/plain"}}, 415),
        ({"data": b"%FF=1"}, 400),
        ({"data": b"&".join([b"a=1"] * 600)}, 400),
        ({"data": b"a" * 1_000_000}, 413),
    ],
)
async def test_a_body_that_is_no_form_is_refused(client, options, status):
    options.setdefault("headers", {"Content-Type": "application/x-www-form-urlencoded"})
    if "json" in options:
        options["headers"] = {}
    assert (await client.post("/settings", **options)).status == status


async def test_a_form_that_is_right_is_taken(client):
    response = await post(client, "/settings", SAVED)

    assert (response.status, response.headers["Location"]) == (303, "/settings?done=saved")
    assert response.headers["Cache-Control"] == "no-store"
    assert "saved" in text(await page(client, response.headers["Location"]))


# --------------------------------------------------------------------------- the way back


@cases.each(
    "address", ["/", "/search?q=mice&start=20#w-h1", "/basket", "/a//b", "/?q=../..", "/%E4%B8%AD"]
)
def test_local_addresses(address):
    assert local_address(address, TOP) == address
    assert local_address(f"/meta{address}", BELOW) == f"/meta{address}"


@cases.each(
    "address",
    [
        "", "search", "?q=1", "https://evil.example/", "//evil.example", "///evil.example",
        "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil.example",
        "/\r\nSet-Cookie: a=1", "\x00/", " /search", "/a b", "/中", "/search\\..\\x",
        "javascript:alert(1)", "data:text/html,x", "/../x", "/a/../../b", "/%2e%2e/x", "/a/%2E./b",
        "/..%2fx", "/..%5Cx", "/" + "a" * LONGEST_LINE,
    ],
)  # fmt: skip
def test_other_addresses(address):
    assert local_address(address, TOP) is None
    assert local_address(f"/meta{address}" if address.startswith("/..") else address, BELOW) is None


@cases.each("address", ["/", "/search", "/metal", "/metal/x", "/met", "/meta/../x"])
def test_what_is_beside_this_server_on_its_host(address):
    assert local_address(address, BELOW) is None


@given(st.text("/\\.:@#?%2eE5cC\t\n a-é", max_size=20) | st.text(max_size=30))
def test_no_way_back_leads_to_another_host(address):
    """As a browser resolves it: tabs and line ends are dropped, `\\` is `/`."""
    if local_address(address, TOP) is None:
        return
    seen = address.translate({9: None, 10: None, 13: None}).strip(" \x00").replace("\\", "/")
    assert URL(TOP.base).join(URL(seen, encoded=True)).host == "127.0.0.1"


@cases.each("back", ["//evil.example", "https://evil.example/", "/\\evil.example"])
async def test_a_form_sends_nobody_away(client, back):
    response = await post(client, "/basket", {"do": "clear", "back": back})

    assert (response.status, response.headers["Location"]) == (303, "/basket")
