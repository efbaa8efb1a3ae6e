"""A search as the result page makes it: what the reader prefers, and the links of the page."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from lxml import html
from multidict import MultiDict

from metasearch.server.limits import Options
from metasearch.server.pages.facets_panel import PAGE_FACETS
from metasearch.server.parameters import read
from metasearch.server.search import for_page
from metasearch.settings import Settings
from metasearch.settings.server import ServerSettings
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit, so_far, visit


def of_page(address: str, **preferences):
    """The parameters of a page."""
    given = MultiDict(parse_qsl(address))
    return for_page(read(given, Options()), visit(**preferences))


async def shown(client, address):
    """A page as a tree."""
    return html.document_fromstring(await (await client.get(address)).text())


def test_what_the_address_leaves_open_is_as_the_reader_prefers():
    """Size, sources and facets."""
    plain = of_page("q=mice")
    mine = of_page("q=mice", page_size=50, sources=("beta",))

    assert (plain.limit, plain.sources, plain.facets) == (20, None, ",".join(PAGE_FACETS))
    assert (mine.limit, mine.sources) == (50, ("beta",))


def test_what_the_address_says_wins():
    """So that an address shows the same list to everybody."""
    made = of_page("q=mice&count=7&sources=alpha&facets=venue", page_size=50, sources=("beta",))

    assert (made.limit, made.sources, made.facets) == (7, ("alpha",), "venue")


async def test_links_repeat_the_address_and_not_the_preferences(serve):
    """Whoever is sent such a link has preferences of their own."""
    client = await serve(FakeEngine(answer(hit(1))))
    page = await shown(client, "/search?q=mice&format=html&lang=en")

    for link in page.xpath("//main//@href"):
        names = dict(parse_qsl(urlsplit(link).query))
        if link.startswith("/search"):
            assert not {"facets", "sources", "theme", "lang", "worker", "seen"} & set(names)


async def test_a_finished_page_has_no_stream(client):
    """There is nothing to continue."""
    assert (await shown(client, "/search?q=mice&format=html")).xpath("//@data-updates") == []


async def test_the_stream_of_a_running_page(serve):
    """Has the parameters of the address, the worker that searches, and the page's language."""
    client = await serve(FakeEngine(so_far(hit(1))))
    page = await shown(
        client, "/search?q=mice+%26+%22x%22&format=html&sort=date&from=2019&lang=zh&count=50"
    )
    (address,) = page.xpath("//@data-updates")
    given = dict(parse_qsl(urlsplit(address).query))

    assert urlsplit(address).path == "/updates"
    assert len(given.pop("seen")) >= 6
    assert given == {
        "q": 'mice & "x"',
        "sort": "date",
        "filter": "year:2019-",
        "count": "50",
        "worker": "0",
        "lang": "zh-Hans",
    }


async def test_labels_and_the_resolver_of_the_library(serve):
    """Sources are called by their labels; each work has a link to the library's resolver."""
    server = ServerSettings(
        openurl="https://isle.example.org/openurl", openurl_name="Get it @ Isle"
    )
    client = await serve(FakeEngine(answer(hit(1)), settings=Settings(server=server)))
    page = await shown(client, "/search?q=mice&format=html")

    assert page.xpath("//*[@class='found']//li/span[1]/text()") == ["Alpha", "Beta"]
    assert page.xpath("//*[@class='hit-links']/a[.='Get it @ Isle']")


async def test_words_of_the_query_are_marked(client):
    """In the titles."""
    page = await shown(client, "/search?q=gene+drives&format=html")

    assert page.xpath("//h3//mark/text()") == ["Gene drives"]


@each("status", ["html"])
async def test_a_long_query_by_post_is_a_page_too(client, status):
    """A form that is too long for an address."""
    response = await client.post("/search", data={"q": "mice OR " * 500 + "rats", "format": status})

    assert response.status == 200
    assert html.document_fromstring(await response.text()).xpath("//article")
