"""A visit: what the server knows of a reader by the cookies, and what its answer changes of it."""

from __future__ import annotations

import asyncio

from aiohttp import web
from lxml import html

from metasearch.bib.work_ids import hit_id
from metasearch.server.cookies import LARGEST, Cookies
from metasearch.server.site import SHARED
from metasearch.server.visit import BASKET, MOST_IN_BASKET, VISITOR
from metasearch.settings import Settings
from tests.cases import each
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, post, token


def cookies_of(response):
    """Name -> morsel of what the answer sets."""
    return dict(response.cookies.items())


async def test_a_page_without_a_form_sets_no_cookie(client):
    for path in ("/", "/basket", "/sources?format=html"):
        assert cookies_of(await client.get(path, headers=HTML)) == {}


async def test_a_program_gets_no_cookie(client):
    """Not even where its address names a language."""
    for path in ("/search?q=mice", "/search?q=mice&format=ris&lang=zh", "/sources?lang=zh"):
        assert cookies_of(await client.get(path)) == {}


async def test_a_form_brings_a_visitor_who_stays_the_same(client):
    first = await client.get("/settings", headers=HTML)
    second = await client.get("/settings", headers=HTML)

    assert [*cookies_of(first)] == [VISITOR]
    assert cookies_of(second) == {}
    assert await token(client) != await token(client)


async def test_cookies_of_a_server_behind_a_proxy_with_tls(serve):
    """The public address decides: its path, and HTTPS."""
    settings = Settings(public_url="https://search.example.org/meta", env={})
    client = await serve(FakeEngine(settings=settings))
    morsel = cookies_of(await client.get("/settings", headers=HTML))[VISITOR]

    assert (morsel["path"], bool(morsel["secure"])) == ("/meta", True)
    assert (bool(morsel["httponly"]), morsel["samesite"]) == (True, "Lax")


async def test_a_language_in_the_address_is_remembered(client):
    assert (await page(client, "/settings")).get("lang") == "en"
    assert (await page(client, "/settings?lang=zh")).get("lang") == "zh-Hans"
    assert (await page(client, "/settings")).get("lang") == "zh-Hans"
    assert (await page(client, "/settings?lang=en&theme=dark")).get("data-theme") == "dark"
    assert (await page(client, "/settings?theme=blue")).get("data-theme") == "dark"


@each("name", ["metasearch-visitor", "metasearch-settings", "metasearch-basket"])
@each(
    "value",
    [b"x", b"x.y", b"\xff\xfe.\xff", b'"\\377.x"', b"." * 4_000, b"eJw.eJw", b"%00", b"a" * 6_000],
)
async def test_hostile_cookies_are_as_none(client, name, value):
    """As bytes on the wire."""
    url = client.make_url("/")
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(
        b"GET /settings HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n"
        b"Cookie: " + name.encode() + b"=" + value + b"\r\n\r\n"
    )
    answer = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'<html lang="en">' in answer


async def test_a_cookie_of_another_server_is_as_none(serve):
    first, second = await serve(), await serve()
    await post(first, "/settings", {"theme": "dark"})
    kept = {key.key: key.value for key in first.session.cookie_jar}
    shown = await second.get("/settings", headers=HTML, cookies=kept)

    assert 'data-theme="dark"' not in await shown.text()


@each("count", [0, 3, MOST_IN_BASKET, MOST_IN_BASKET + 20])
async def test_a_basket_is_read_up_to_its_limit(client, count):
    """Without what is no id; so a cookie of another release does no harm."""
    ids = ["x", 1, None, *(hit_id(str(number)) for number in range(count))]
    value = client.app[SHARED].cookies._serializer(BASKET).dumps(ids)
    shown = await client.get("/basket", headers=HTML, cookies={BASKET: value})
    tally = html.document_fromstring(await shown.text()).xpath("//span[@class='tally']/text()")

    assert tally == ([str(min(count, MOST_IN_BASKET))] if count else [])


def test_the_largest_basket_fits_into_a_cookie():
    """Ids are random as far as compression sees them."""
    response = web.Response()
    ids = [hit_id(str(number)) for number in range(MOST_IN_BASKET)]
    Cookies().write(response, BASKET, ids, "http://localhost")

    assert len(response.cookies[BASKET].value) < LARGEST
