"""`/work/ID`: the page of one work, its formats, and how an id finds it."""

from __future__ import annotations

import re
from dataclasses import replace

import orjson
import pytest
from lxml import html
from yarl import URL

from metasearch.bib.work_ids import hit_id
from metasearch.formats import WRITABLE
from metasearch.server.pages.work import OFFERED_OF_WORKS as OFFERED
from metasearch.server.site import Site
from metasearch.settings import Settings
from metasearch.settings.server import ServerSettings
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit, late, report

ID = hit_id("one")
SITE = Site("https://search.example.org/meta")


def one(**fields):
    """A work whose id is one of ours."""
    return replace(hit(1, **fields), id=ID)


@pytest.fixture
def engine() -> FakeEngine:
    """An engine that finds two works."""
    return FakeEngine(answer(one(), replace(hit(2, doi="10.5555/other"), id=hit_id("two"))))


# --------------------------------------------------------------------------- finding


async def test_a_link_of_a_list(client, engine):
    """The page of a list links to each work, with its search; the page shows that work."""
    listed = html.document_fromstring(
        await (await client.get("/search?q=mice&count=2&format=html")).text()
    )
    (address, _) = [it for it in listed.xpath("//article//h3//a/@href") if it.startswith("/work/")]

    assert address == f"/work/{ID}?q=mice&count=2"
    response = await client.get(address)
    page = html.document_fromstring(await response.text())
    assert response.status == 200
    assert page.findtext(".//h1") == "Gene drives in island mice"
    assert page.xpath("//a[text()='All works of this search']/@href") == [
        "/search?q=mice&count=2&format=html"
    ]
    assert engine.asked[1]["query"] == "mice"


async def test_a_work_that_was_shown_is_kept(client, engine):
    """Its address needs no search any more, and asks no source."""
    assert (await client.get(f"/work/{ID}")).status == 404
    await client.get(f"/work/{ID}?q=mice")
    asked = len(engine.asked)

    for address in (f"/work/{ID}", f"/work/{ID}?format=ris", f"/work/urn:metasearch:hit:{ID}"):
        assert (await client.get(address)).status == 200
    assert len(engine.asked) == asked


@each(
    ("name", "query"),
    [
        ("doi:10.5555/islands.1", "doi:10.5555/islands.1"),
        ("https://doi.org/10.5555/ISLANDS.1", "doi:10.5555/islands.1"),
        ("10.5555%2Fislands.1", "doi:10.5555/islands.1"),
        ("pmid:77", "77"),
        ("isbn:0-262-03561-8", "isbn:9780262035613"),
        ("arXiv:2101.00001", "2101.00001 OR doi:10.48550/arxiv.2101.00001"),
    ],
)
async def test_an_identifier_is_searched_for(serve, name, query):
    """DOIs in any form, PubMed and arXiv numbers, ISBNs; slashes stand as they are."""
    ids = {"pmid": "77", "arxiv": "2101.00001"}
    engine = FakeEngine(answer(one(ids=ids, isbn=("9780262035613",))))
    client = await serve(engine)
    response = await client.get(f"/work/{name}?format=json")

    assert response.status == 200
    assert (await response.json())["id"] == ID
    assert [asked["query"] for asked in engine.asked] == [query]
    assert (await client.get(f"/work/{ID}")).status == 200


async def test_an_identifier_that_the_search_of_the_address_does_not_find(serve):
    """It is searched for by itself: in the same sources, without the filters and the place in the
    list of the other search."""
    engine = FakeEngine(answer(one(type="article")))
    client = await serve(engine)
    address = "/work/doi:10.5555/islands.1?q=mice&filter=type:book&start=20&sources=alpha&wait=1"

    assert (await client.get(f"{address}&syntax=pubmed&format=json")).status == 200
    first, second = engine.asked
    assert (first["query"], first["syntax"], first["filter"]) == ("mice", "pubmed", "type:book")
    assert (second["query"], second["syntax"]) == ("doi:10.5555/islands.1", "simple")
    assert (second["filter"], second["start"]) == (None, 0)
    assert first["sources"] == second["sources"] == ("alpha",)
    assert first["wait"] is None


async def test_an_id_that_the_work_had_before(serve):
    """A hit that other sources made bear another id is found by the one in the address."""
    engine = FakeEngine(answer(replace(one(), also=(hit_id("before"),))))
    client = await serve(engine)

    response = await client.get(f"/work/{hit_id('before')}?q=mice&format=json")

    assert (await response.json())["id"] == ID


async def test_an_unknown_work(client, engine):
    """404 with what to do, for programs and for people; no source is asked for a bare id."""
    name = hit_id("nowhere")
    response = await client.get(f"/work/{name}")
    problem = await response.json()
    shown = await (await client.get(f"/work/{name}", headers={"Accept": "text/html"})).text()

    assert (response.status, response.content_type) == (404, "application/problem+json")
    assert problem["type"] == "urn:metasearch:problem:no-such-work"
    assert "/work/doi:10.1000/abc" in problem["advice"]
    assert name in problem["detail"]
    assert "There is no such work here" in shown
    assert engine.asked == []
    assert (await client.get(f"/work/{name}?q=mice")).status == 404


async def test_a_work_that_may_be_at_a_source_that_failed(serve):
    """The 404 says that the search is incomplete; where no source answered, that is the error."""
    partly = await serve(FakeEngine(answer(one(), reports=[report("alpha"), late("beta")])))
    response = await partly.get("/work/doi:10.5555/none")
    silent = await serve(FakeEngine(answer(reports=[late("alpha"), late("beta")])))

    assert "not all sources have answered" in (await response.json())["detail"]
    assert (await silent.get("/work/doi:10.5555/none")).status == 504


@each(
    "name",
    ["x" * 501, "nonsense", "%00", "https://example.org/", "10.1000", "%ff:x%00"],
)
async def test_what_is_no_id(client, engine, name):
    """400 that names the parameter; nothing is searched for."""
    response = await client.get(f"/work/{name}")

    assert response.status == 400
    assert (await response.json())["errors"][0]["parameter"] == "ID"
    assert engine.asked == []


async def test_a_line_break_in_an_address(client, engine):
    """There is no such route."""
    assert (await client.get("/work/doi:10.5555/a%0d%0ab:c")).status == 404
    assert engine.asked == []


async def test_an_identifier_that_no_query_can_hold(client, engine):
    """A key of a record, or an odd number, is not searched for by itself."""
    for name in ("crossref:10.1000/abc", "pmid:1%20OR%20mice", "arxiv:x)%20OR%20(y"):
        assert (await client.get(f"/work/{name}")).status == 404
    assert engine.asked == []


async def test_a_long_search_is_not_repeated_in_links(serve):
    """The works of such a list are kept, so that their links lead somewhere."""
    client = await serve(FakeEngine(answer(one())))
    listed = await client.post("/search?format=html", data={"q": "mice OR " * 300 + "rats"})
    page = html.document_fromstring(await listed.text())
    (address,) = [it for it in page.xpath("//article//h3//a/@href") if it.startswith("/work/")]

    assert address == f"/work/{ID}"
    assert (await client.get(address)).status == 200


# --------------------------------------------------------------------------- formats


async def test_the_page_is_what_a_client_gets_that_takes_anything(client):
    """So server-side grabbers see a page; a browser does, too."""
    for accept in ("*/*", "text/html,application/xhtml+xml,*/*;q=0.8", ""):
        response = await client.get(f"/work/{ID}?q=mice", headers={"Accept": accept})
        assert response.content_type == "text/html"
        assert response.headers["Vary"] == "Accept, Accept-Language, Cookie"
        assert response.headers["X-Robots-Tag"] == "noindex, nofollow"


@each("form", sorted(OFFERED))
async def test_every_format(client, form):
    """By name and by media type; files are files."""
    named = await client.get(f"/work/{ID}?q=mice&format={form}")
    wanted = await client.get(f"/work/{ID}", headers={"Accept": OFFERED[form]})

    assert (named.status, wanted.status) == (200, 200)
    assert named.content_type == wanted.content_type == OFFERED[form]
    if form != "xlsx":  # holds the time at which it was written
        assert await named.read() == await wanted.read() or form == "html"
    disposition = named.headers.get("Content-Disposition", "")
    is_file = form in WRITABLE and WRITABLE[form].download
    assert disposition.startswith(f'attachment; filename="metasearch-{ID}.') == is_file


async def test_json_is_the_hit_of_an_answer(client):
    """The same object as in the list."""
    listed = await (await client.get("/search?q=mice&format=json")).json()
    alone = await (await client.get(f"/work/{ID}?q=mice&format=json")).json()

    assert alone == listed["hits"][0]


async def test_styles(client):
    """Citations are written in the style that is asked for."""
    text = await (await client.get(f"/work/{ID}?q=mice&format=citations&style=gb7714-2015")).text()

    assert text.startswith("[1] BYRON A, LI B. Gene drives in island mice[J/OL].")


async def test_formats_that_are_not_of_one_work(client):
    """406, with those that are."""
    for form in ("atom", "sse", "table", "nonsense"):
        response = await client.get(f"/work/{ID}?q=mice&format={form}")
        assert response.status == 406
    offered = (await response.json())["allowed"]
    assert {entry["format"] for entry in offered} == set(OFFERED)
    assert (await client.get(f"/work/{ID}", headers={"Accept": "image/png"})).status == 406


async def test_entity_tags(client):
    """A client that has a format gets no second copy; the page, with the reader's basket and the
    token of its form, is new each time."""
    address = f"/work/{ID}?q=mice&format=ris"
    first = await client.get(address)
    again = await client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    page = await client.get(f"/work/{ID}?q=mice", headers={"If-None-Match": "*"})

    assert (again.status, await again.read()) == (304, b"")
    assert first.headers["Cache-Control"] == "private, max-age=60"
    assert page.status == 200
    assert page.headers["Cache-Control"] == "private, no-cache"


# --------------------------------------------------------------------------- the page


async def test_what_programs_read(client):
    """Links in the header and in the head are the same; metadata leads back to the page."""
    response = await client.get(f"/work/{ID}?q=mice")
    page = html.document_fromstring(await response.text())
    header = re.findall(r'<([^>]*)>; rel="([^"]*)"', response.headers["Link"])
    rels = {rel for _, rel in header}
    elements = [
        (it.get("href"), it.get("rel")) for it in page.xpath("//link") if it.get("rel") in rels
    ]
    (data,) = page.xpath("//script[@type='application/ld+json']/text()")
    (canonical,) = page.xpath("//link[@rel='canonical']/@href")
    described = [address for address, rel in header if rel == "describedby"]

    assert header == elements
    assert canonical.endswith("/work/doi:10.5555/islands.1")
    assert orjson.loads(str(data))["url"] == canonical
    assert page.xpath("//meta[@name='citation_doi']/@content") == ["10.5555/islands.1"]
    assert page.xpath("//link[@rel='unapi-server']/@href") == ["/unapi"]
    assert page.xpath("//abbr[@class='unapi-id']/@title") == [ID]
    assert page.xpath("//span[@class='Z3988']") == []
    assert len(described) == 7
    for address in described:
        metadata = await client.get(URL(address).path_qs)
        assert metadata.status == 200
        assert f'<{canonical}>; rel="describes"; type="text/html"' in metadata.headers["Link"]


async def test_a_link_resolver(serve):
    """Where one is configured, lists and record pages have a link to it."""
    server = ServerSettings(openurl="https://r.example.org/x?sid=1", openurl_name="At <home>")
    client = await serve(FakeEngine(answer(one()), settings=Settings(server=server)))
    for address in ("/search?q=mice&format=html", f"/work/{ID}?q=mice"):
        page = html.document_fromstring(await (await client.get(address)).text())
        (link,) = page.xpath("//a[text()='At <home>']/@href")
        assert link.startswith("https://r.example.org/x?sid=1&url_ver=Z39.88-2004&")
        assert "rft_id=info%3Adoi%2F10.5555%2Fislands.1" in link


async def test_no_link_resolver(client):
    """By default no page has one."""
    for address in ("/search?q=mice&format=html", f"/work/{ID}?q=mice"):
        assert "url_ver" not in await (await client.get(address)).text()


async def test_searches_by_record_pages_are_limited(serve):
    """They count as requests of the client, as those of /search do."""
    client = await serve(FakeEngine(answer(one())), rate_limit=1, trusted_proxies=("127.0.0.1",))
    headers = {"X-Forwarded-For": "203.0.113.9"}

    assert (await client.get(f"/work/{ID}?q=mice", headers=headers)).status == 200
    assert (await client.get(f"/work/{ID}?q=mice", headers=headers)).status == 429


async def test_crawlers_stay_out(client):
    """A record page may search."""
    assert "Disallow: /work/\n" in await (await client.get("/robots.txt")).text()


async def test_a_work_of_a_list_leads_to_those_beside_it(serve):
    """Which it is of how many, as the list has them, also when the work is kept already; without
    the search nothing is said.
    """
    names = [hit_id(each) for each in ("one", "two", "three")]
    works = [replace(hit(at + 1, title=f"Work {at}"), id=name) for at, name in enumerate(names)]
    engine = FakeEngine(answer(*works))
    client = await serve(engine)

    async def crumbs(address: str) -> tuple[str, list[str]]:
        shown = html.document_fromstring(
            await (await client.get(address, headers={"Accept": "text/html"})).text()
        )
        (line,) = shown.find_class("crumbs") or [html.fromstring("<p></p>")]
        return " ".join(line.text_content().split()), line.xpath(".//a[@rel]/@href")

    first = await crumbs(f"/work/{names[0]}?q=mice&start=20")
    middle = await crumbs(first[1][0])
    again = await crumbs(f"/work/{names[1]}?q=mice&start=20")
    alone = await crumbs(f"/work/{names[1]}")

    assert first[0] == "All works of this search · 21 of 23 · Next work"
    assert middle[0] == "All works of this search · Previous work · 22 of 23 · Next work"
    assert middle[1] == [f"/work/{names[at]}?q=mice&start=20" for at in (0, 2)]
    assert again == middle
    assert alone == ("", [])
