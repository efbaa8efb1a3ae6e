"""A page as an answer, and the entity tag of the result page."""

from __future__ import annotations

import gzip

from aiohttp import hdrs

from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit

HTML = {"Accept": "text/html"}
SEARCH = "/search?q=mice&format=html"


async def tag(client, address=SEARCH, **headers) -> str:
    """The entity tag of a page."""
    response = await client.get(address, headers=headers)
    assert response.status == 200
    return response.headers["ETag"]


@each("path", ["/", SEARCH, "/search?q=(x&format=html"])
async def test_pages_are_for_one_reader(client, path):
    """They differ by language and cookies; a browser asks each time, a proxy keeps none."""
    response = await client.get(path, headers=HTML)

    assert response.headers["Vary"] == "Accept, Accept-Language, Cookie"
    assert response.headers["Cache-Control"] in ("private, no-cache", "no-store")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


@each(("accepted", "encoded"), [("gzip, br", "gzip"), ("br", None), ("", None)])
async def test_pages_are_compressed(client, accepted, encoded):
    """For clients that can read it."""
    response = await client.get(
        "/", headers={**HTML, "Accept-Encoding": accepted}, auto_decompress=False
    )
    body = await response.read()

    assert response.headers.get("Content-Encoding") == encoded
    assert b"<h1>" in (gzip.decompress(body) if encoded else body)


async def test_head_has_the_headers_and_no_body(client):
    """As of GET; the search is made, because its status is not known before."""
    response = await client.head(SEARCH)

    assert response.status == 200
    assert response.headers["ETag"]
    assert await response.read() == b""


async def test_a_page_that_a_browser_has_is_not_sent_again(client):
    """Though each copy has another token in its forms."""
    first = await client.get(SEARCH)
    again = await client.get(SEARCH, headers={"If-None-Match": first.headers["ETag"]})

    assert again.status == 304
    assert await again.read() == b""
    assert again.headers["Vary"] == "Accept, Accept-Language, Cookie"


async def test_the_tag_depends_on_all_that_the_page_shows(client, engine):
    """Its language, the theme, the basket, and the works."""
    await client.get("/")  # which names the visitor
    plain = await tag(client)
    tags = [
        plain,
        await tag(client, f"{SEARCH}&lang=zh"),
        await tag(client, f"{SEARCH}&lang=en&theme=dark"),
        await tag(client, f"{SEARCH}&lang=en&theme=light"),
    ]
    assert len(set(tags)) == 4
    assert await tag(client, f"{SEARCH}&lang=en&theme=auto") == plain
    engine.answer = answer(hit(1, title="Another work"))
    assert await tag(client) != plain


async def test_the_tag_depends_on_the_language_of_the_browser(serve):
    """Two readers of one proxy do not get each other's page."""
    client = await serve(FakeEngine())
    chinese, english = [await tag(client, **{"Accept-Language": name}) for name in ("zh", "en")]

    assert chinese != english


async def test_a_page_of_a_search_that_goes_on_has_no_tag(serve):
    """Nobody keeps it."""
    from tests.server.test_waiting import RUNNING

    response = await (await serve(FakeEngine(RUNNING))).get(SEARCH)

    assert hdrs.ETAG not in response.headers
    assert response.headers["Cache-Control"] == "private, no-cache"


async def test_what_the_address_says_is_remembered_with_a_304_too(client):
    """A reader who comes back to an address with `lang` wants this language again."""
    address = f"{SEARCH}&lang=zh"
    await client.get(SEARCH)
    first = await client.get(address)
    await client.get("/?lang=en", headers=HTML)
    again = await client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    after = await (await client.get("/", headers=HTML)).text()

    assert again.status == 304
    assert '<html lang="zh-Hans"' in after


async def test_one_cookie_says_what_the_reader_prefers(client):
    """Signed, for this server, and not for scripts."""
    response = await client.get("/?lang=zh&theme=dark", headers=HTML)
    (cookie,) = [
        text
        for text in response.headers.getall("Set-Cookie")
        if text.startswith("metasearch-settings=")
    ]

    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="):
        assert part in cookie
    text = await (await client.get("/", headers=HTML)).text()
    assert '<html lang="zh-Hans" data-theme="dark">' in text


async def test_programs_get_no_cookie(client):
    """A JSON client is no visitor."""
    for address in ("/search?q=mice&format=json", "/search?q=mice&format=ris", "/sources"):
        assert "Set-Cookie" not in (await client.get(address)).headers
