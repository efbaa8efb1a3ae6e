"""Everything besides searches, and what is around every answer."""

from __future__ import annotations

from urllib.robotparser import RobotFileParser

import pytest
from lxml import etree, html

from metasearch.adapters.fetch.health import SourceState
from metasearch.adapters.request import Budget
from metasearch.errors import SpecError
from metasearch.server.opensearch import NAMESPACE
from metasearch.settings import Settings
from tests import cases
from tests.server.addresses import EVERY_ROUTE
from tests.server.fake import FakeEngine, spec

KEYS = "key-of-the-one-user", "key-of-the-other-user"

HTML = {"Accept": "text/html,*/*;q=0.8"}


async def test_start_page(serve):
    """The first page has the form, examples, the number of databases that are asked, and tells
    browsers how to search here."""
    client = await serve(examples=["island mice"])
    response = await client.get("/")
    shown = html.document_fromstring(await response.text())

    assert (response.status, response.content_type) == (200, "text/html")
    assert shown.find(".//form").get("action") == "/search"
    assert "Asks 2 databases, the usual ones." in shown.text_content()
    assert "/sources?format=html" in shown.xpath("//main//a/@href")
    assert [field.get("name") for field in shown.xpath("//main//form//input")] == ["q"]
    assert "/search?q=island%20mice&format=html" in shown.xpath("//main//a/@href")
    assert shown.xpath("//link[@rel='search']/@title")[0] == "metasearch"


async def test_search_without_a_query_is_the_start_page_for_browsers(client):
    """An empty search box is no mistake of the user's."""
    response = await client.get("/search?q=", headers=HTML)

    assert "One question to many scholarly databases" in await response.text()


async def test_result_page_keeps_the_form(client):
    """What was asked stands in the form of the result page; what the form has no field for is
    repeated."""
    response = await client.get("/search?q=mice&year=2019-&sources=beta&count=5", headers=HTML)
    shown = html.document_fromstring(await response.text())
    fields = shown.xpath("//form[@role='search']//input")

    assert {field.get("name"): field.get("value") for field in fields} == {
        "q": "mice",
        "year": "2019-",
        "count": "5",
        "sources": "beta",
    }


async def test_sources(client, engine):
    """Each source says what it is, what it needs and how it fares; the value of a key is
    nowhere."""
    engine.states["beta"] = SourceState(
        "beta",
        "paused",
        12.34,
        "too many requests",
        budget=Budget(left=0.0, of=0.1, unit="USD", renewed=12.34),
    )
    response = await client.get("/sources")
    body = await response.text()
    alpha, beta, gamma = await response.json()

    assert alpha == {
        "name": "alpha",
        "label": "Alpha",
        "homepage": "https://alpha.example.org/",
        "docs": None,
        "terms": None,
        "coverage": None,
        "languages": [],
        "syntax": None,
        "default": True,
        "usable": True,
        "status": "ok",
        "seconds_until_asked": 0.0,
        "last_error": None,
        "requests": 0,
        "failures": 0,
        "cached_pages": {"fresh": 0, "stale": 0, "spared": 0},
        "p50_ms": None,
        "p95_ms": None,
        "budget": None,
        "keys": [],
        "limits": {"requests": 5.0, "per": 1.0, "concurrency": 4, "timeout": 8.0, "ttl": 3600.0},
    }
    assert (
        beta["status"],
        beta["seconds_until_asked"],
        beta["last_error"],
        beta["usable"],
    ) == ("paused", 12.3, "too many requests", False)
    assert beta["budget"] == {"left": 0.0, "of": 0.1, "unit": "USD", "seconds_until_renewed": 12}
    assert gamma["keys"] == [{"env": "GAMMA_KEY", "required": True, "set": True}]
    assert "hush" not in body


async def test_source_without_its_key_or_with_a_wrong_spec(serve):
    """What cannot be asked says why, and costs the others nothing."""

    class Broken(FakeEngine):
        def __init__(self) -> None:
            super().__init__(settings=Settings())
            registry = self.registry
            whole = registry.spec
            registry.specs["delta"] = spec("delta", default=False)

            def picky(name):
                if name == "delta":
                    raise SpecError("delta.toml", ["fields.title: no such selector"])
                return whole(name)

            registry.spec = picky

    client = await serve(Broken())
    status = {
        it["name"]: (it["status"], it["usable"])
        for it in await (await client.get("/sources")).json()
    }

    assert status["gamma"] == ("key missing", False)
    assert status["delta"] == ("misconfigured", False)
    assert status["alpha"] == ("ok", True)
    assert (await client.get("/", headers=HTML)).status == 200


async def test_ready(client, engine):
    """Ready as long as one source that is asked by default can be asked."""
    engine.states["beta"] = SourceState("beta", "open", 20.0)
    response = await client.get("/readyz")

    assert (response.status, await response.json()) == (200, {"ready": True, "sources": ["alpha"]})


async def test_not_ready(client, engine):
    """503 with the state of each source when none is usable."""
    engine.states = {name: SourceState(name, "paused", 9.0) for name in ("alpha", "beta")}
    response = await client.get("/readyz")
    problem = await response.json(content_type="application/problem+json")

    assert (response.status, problem["type"]) == (503, "urn:metasearch:problem:not-ready")
    assert [{"source": it, "status": "paused"} for it in ("alpha", "beta")] == problem["sources"]


async def test_healthz(client, engine):
    """Alive is alive, whatever the sources do."""
    engine.states = {name: SourceState(name, "open", 9.0) for name in engine.registry.names()}
    response = await client.get("/healthz")

    assert (response.status, (await response.text()).strip(), response.content_type) == (
        200,
        "OK",
        "text/plain",
    )


async def test_suggestions(serve):
    """The array of the suggestions extension: what was typed, completions, descriptions,
    addresses."""
    client = await serve(examples=["island mice"], keys=KEYS, suggest=True)
    mine, others = ({"Authorization": f"Bearer {key}"} for key in KEYS)
    await client.get("/search?q=island+birds&format=json", headers=mine)
    await client.get("/search?q=island+secrets&format=json", headers=others)
    response = await client.get("/suggest", params={"q": " Island"}, headers=mine)
    base = str(client.make_url("/")).rstrip("/")

    assert response.content_type == "application/x-suggestions+json"
    assert [
        " Island",
        ["island birds", "island mice", "Gene drives in island mice"],
        ["recent search", "example", "Byron, Journal of Islands, 2021"],
        [f"{base}/search?q={it}&format=html" for it in ("island%20birds", "island%20mice")]
        + [f"{base}/search?q=Gene%20drives%20in%20island%20mice&format=html"],
    ] == await response.json(content_type=None)


@cases.each("prefix", ["", '<b>"é乳\\', "x" * 3000])
async def test_suggestions_echo_what_was_typed(serve, engine, prefix):
    """The first member is the text exactly as it was sent; nothing is searched for it."""
    client = await serve(engine, suggest=True)
    response = await client.get("/suggest", params={"q": prefix})

    assert [prefix, [], [], []] == await response.json(content_type=None)
    assert engine.asked == []


async def test_streams_feed_the_suggestions(serve):
    """A search teaches, whichever way it was read."""
    client, headers = await serve(keys=KEYS, suggest=True), {"Authorization": f"Bearer {KEYS[0]}"}
    for name, query in (("ndjson", "lemurs"), ("sse", "lemmings")):
        await (await client.get(f"/search?q={query}&format={name}", headers=headers)).read()
    completions = (
        await (await client.get("/suggest?q=lem", headers=headers)).json(content_type=None)
    )[1]

    assert completions == ["lemmings", "lemurs"]


async def test_without_being_switched_on_there_are_no_suggestions(serve):
    """Neither the route nor its address in the description document."""
    client = await serve(examples=["island mice"])

    assert (await client.get("/suggest?q=island")).status == 404
    assert "suggest" not in await (await client.get("/opensearch.xml")).text()


async def test_without_keys_only_the_operator_suggests(serve):
    """Many share one address, so an address is nobody."""
    client = await serve(examples=["island mice"], suggest=True)
    await client.get("/search?q=island+birds&format=json")

    assert (await (await client.get("/suggest?q=island")).json(content_type=None))[1] == [
        "island mice"
    ]


async def test_description_document(serve):
    """One name of at most 16 characters, absolute addresses, an example, small icons."""
    client = await serve(examples=["island mice"], suggest=True)
    response = await client.get("/opensearch.xml")
    root = etree.fromstring(await response.read())
    base = str(client.make_url("/")).rstrip("/")
    urls = {it.get("type"): it.get("template") for it in root.findall(f"{{{NAMESPACE}}}Url")}

    assert response.content_type == "application/opensearchdescription+xml"
    assert f"{{{NAMESPACE}}}OpenSearchDescription" == root.tag
    assert root.findtext(f"{{{NAMESPACE}}}ShortName") == "metasearch"
    search = f"{base}/search?q={{searchTerms}}&count={{count?}}&start={{startIndex?}}"
    assert {
        "text/html": f"{search}&format=html",
        "application/atom+xml": f"{search}&format=atom",
        "application/rss+xml": f"{search}&format=rss",
        "application/feed+json": f"{search}&format=jsonfeed",
        "application/json": f"{search}&format=json",
        "text/xml": f"{base}/sru?version=2.0&queryType=searchTerms&query={{searchTerms}}"
        "&maximumRecords={count?}&startRecord={startIndex?}",
        "application/x-suggestions+json": f"{base}/suggest?q={{searchTerms}}",
        "application/opensearchdescription+xml": f"{base}/opensearch.xml",
    } == urls
    assert root.find(f"{{{NAMESPACE}}}Query").get("searchTerms") == "island mice"
    assert all(len(it.text) < 4096 for it in root.findall(f"{{{NAMESPACE}}}Image"))


async def test_description_document_in_a_window(client):
    """A person who opens the address sees XML, while whoever fetches the document gets its own
    type."""
    response = await client.get("/opensearch.xml", headers={"Sec-Fetch-Dest": "document"})

    assert (response.content_type, response.headers["Vary"]) == (
        "application/xml",
        "Sec-Fetch-Dest",
    )


async def test_description_document_is_not_sent_twice(client):
    """A client that has it is told that it is still the same."""
    first = await client.get("/opensearch.xml")
    again = await client.get("/opensearch.xml", headers={"If-None-Match": first.headers["ETag"]})

    assert (200, 304) == (first.status, again.status)
    assert await again.read() == b""


async def test_start_page_links_to_descriptions(client):
    """A program finds what describes the server from its first address."""
    response = await client.get("/", headers=HTML)
    links = {rel: str(link["url"].path) for rel, link in response.links.items()}

    assert links == {
        "service-desc": "/openapi.json",
        "service-doc": "/docs",
        "search": "/opensearch.xml",
        "api-catalog": "/.well-known/api-catalog",
    }


async def test_every_template_of_the_description_document_works(client):
    """Filled in as a client does, each address answers with the type that was promised."""
    root = etree.fromstring(await (await client.get("/opensearch.xml")).read())
    for url in root.findall(f"{{{NAMESPACE}}}Url"):
        address = (
            url.get("template").replace("{searchTerms}", "island%20mice").replace("{count?}", "")
        )
        address = address.replace("{startIndex?}", "0" if url.get("indexOffset") == "0" else "1")
        response = await client.session.get(address)

        assert (200, url.get("type")) == (response.status, response.content_type)


async def test_addresses_never_come_from_the_host_header(client):
    """A client cannot make the server hand out another host's address."""
    response = await client.get(
        "/opensearch.xml", headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    )

    assert "evil" not in await response.text()


async def test_public_address(serve):
    """Where a public address is configured, it is used, path and all."""
    client = await serve(FakeEngine(settings=Settings(public_url="https://example.org/lib/")))
    document = await (await client.get("/opensearch.xml")).text()
    page = await (await client.get("/", headers=HTML)).text()

    assert 'template="https://example.org/lib/search?q={searchTerms}' in document
    assert 'href="/lib/opensearch.xml"' in page


@cases.each(
    ("path", "media_type", "start"),
    [
        ("/static/style.css", "text/css", b"/* metasearch"),
        ("/static/results.js", "text/javascript", b""),
        ("/static/icon.png", "image/png", b"\x89PNG"),
        ("/favicon.ico", "image/x-icon", b"\0\0\1\0"),
    ],
)
async def test_files(client, path, media_type, start):
    """Style sheet and icons can be kept, and are not sent twice."""
    response = await client.get(path)
    again = await client.get(path, headers={"If-None-Match": response.headers["ETag"]})

    assert (200, media_type) == (response.status, response.content_type)
    assert (await response.read()).startswith(start)
    assert again.status == 304


@pytest.fixture
async def whole(serve, tmp_path):
    """A client of a server with all that it may have."""
    settings = Settings(workspace=tmp_path / "workspace.sqlite3", serve_workspace=True)
    return await serve(FakeEngine(settings=settings), suggest=True)


@cases.each(
    "path",
    # `/mcp` has nothing to GET.
    [
        each.path
        for each in EVERY_ROUTE
        if each.gets and "{" not in each.path and each.path != "/mcp"
    ]
    + ["/static/style.css"],
)
async def test_head_and_security_headers_everywhere(whole, path):
    """Every route knows HEAD, and every answer is guarded."""
    query = {"/plan": "?q=gene", "/translate": "?q=gene", "/pazpar2/search.pz2": "?command=init"}
    query["/updates"] = "?q=gene"
    response = await whole.head(path + query.get(path, ""), headers=HTML)

    assert response.status == 200
    assert await response.read() == b""
    guards = ("X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Server")
    assert [response.headers[it] for it in guards] == [
        "nosniff",
        "no-referrer",
        "same-origin",
        "metasearch",
    ]
    is_page = response.content_type == "text/html"
    assert (response.headers.get("Cross-Origin-Opener-Policy") == "same-origin") is is_page
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "Access-Control-Allow-Origin" not in response.headers


async def test_pages_may_use_their_own_files_only(client):
    """The policy of a page allows nothing inline."""
    response = await client.get("/", headers=HTML)
    policy = dict(
        it.split(" ", 1) for it in response.headers["Content-Security-Policy"].split("; ")
    )
    own = dict.fromkeys(
        ("script-src", "style-src", "img-src", "connect-src", "form-action"), "'self'"
    )

    assert policy == dict.fromkeys(("default-src", "base-uri", "frame-ancestors"), "'none'") | own


async def test_issue_14_10_robots_may_visit_the_start_page_and_make_no_search(client):
    """As Python's own reader of such files understands it."""
    response = await client.get("/robots.txt")
    rules = RobotFileParser()
    rules.parse((await response.text()).splitlines())

    assert (response.status, response.content_type) == (200, "text/plain")
    assert all(rules.can_fetch("anybot", path) for path in ("/", "/sources", "/opensearch.xml"))
    assert not any(
        rules.can_fetch("anybot", path)
        for path in ("/search?q=mice", "/search", "/plan?q=x", "/?q=mice", "/searxng/?q=mice")
    )


@cases.each(
    "path", ["/search?q=mice", "/search?q=mice&format=ris", "/?q=mice", "/search?q=", "/plan"]
)
async def test_issue_14_10_answers_of_searches_are_not_indexed(client, path):
    """In the header, so that it holds for every format, and for errors."""
    assert (await client.get(path)).headers["X-Robots-Tag"] == "noindex, nofollow"


@cases.each("path", ["/", "/sources", "/robots.txt"])
async def test_issue_14_10_the_start_page_may_be_indexed(client, path):
    """Nothing keeps search engines from it."""
    response = await client.get(path, headers=HTML)

    assert "X-Robots-Tag" not in response.headers
    assert "noindex" not in await response.text()
