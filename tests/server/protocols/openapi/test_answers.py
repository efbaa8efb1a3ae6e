"""What the server really answers is what the document says, and no more: in these tests no object
may have a key that its schema does not name.
"""

from __future__ import annotations

import orjson
import pytest
from jsonschema import ValidationError

from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object
from metasearch.server.limits import Options
from metasearch.server.problem import Problem
from metasearch.server.protocols.openapi.document import all_operations, search_examples
from tests import cases
from tests.server.fake import FakeEngine, FakeSearch, answer, hit, late
from tests.server.protocols.openapi.strict import check, check_schema

QUERIES = (
    "machine learning",
    "乳腺癌",
    "title:jazz year:1980-1995",
    "gambling harm*",
    "nothing-at-all",
)


@cases.each("query", QUERIES)
async def test_answers(demo, document, query):
    """With every part that an answer can have."""
    asked = {"q": query, "facets": "all", "versions": "group", "timeout": "5", "count": "50"}

    response = await demo.get("/search", params=asked)

    check(document, "Answer", await response.json())


@cases.each("form", ["ndjson", "sse"])
async def test_streams(demo, document, form):
    """Each event is one of those that the document lists, and one of them only."""
    asked = {"q": "machine learning", "format": form, "facets": "type", "timeout": "5"}
    lines = (await (await demo.get("/search", params=asked)).read()).splitlines()
    if form == "sse":
        lines = [line[6:] for line in lines if line.startswith(b"data: ")]
    events = [orjson.loads(line) for line in lines]

    check(document, "SearchEvent", *events)
    assert {"start", "source", "hit", "order", "facets", "done"} <= {it["event"] for it in events}


async def test_rare_events(document):
    """Merged hits, changed ones and failures fit, too."""
    from metasearch.events import Grown, Joined

    for event in (Grown(hit()), Joined(hit(), ("alpha:2",))):
        check(document, "SearchEvent", orjson.loads(orjson.dumps(event_object(event))))
    failed = answer(hit(), reports=[late("alpha")])
    check(document, "Answer", orjson.loads(orjson.dumps(answer_object(failed))))
    async for event in FakeSearch("s1", failed):
        check(document, "SearchEvent", orjson.loads(orjson.dumps(event_object(event))))


async def test_a_further_key_is_noticed(document):
    """These tests fail where an answer has what the document does not name."""
    written = orjson.loads(orjson.dumps(answer_object(answer(hit()))))
    check(document, "Answer", written)
    written["hits"][0]["further"] = 1

    with pytest.raises(ValidationError):
        check(document, "Answer", written)


@cases.each(
    ("address", "status"),
    [
        ("/search?q=mice+AND+(birds", 400),
        ("/search?q=", 400),
        ("/search?q=mice&sources=crosref", 400),
        ("/search?q=mice&format=docx", 406),
        ("/search?q=mice&sources=demo-failing", 502),
        ("/search?q=mice&timeout=0.001", 504),
        ("/plan", 400),
        ("/translate?q=mice&to=latin", 400),
        ("/sources?format=xml", 406),
        ("/no/such/address", 404),
    ],
)
async def test_problems(demo, document, address, status):
    """Errors of all kinds."""
    response = await demo.get(address)

    assert response.status == status
    check(document, "Problem", await response.json())


async def test_not_ready(serve):
    """The problem of /readyz lists sources in another way."""
    engine = FakeEngine()
    engine.registry.specs = {"gamma": engine.registry.specs["gamma"]}
    client = await serve(engine)
    response = await client.get("/readyz")

    assert response.status == 503
    check(await (await client.get("/openapi.json")).json(), "Problem", await response.json())


async def test_faults_of_our_own(document):
    """A 500 has an id for the log and no more."""
    problem = Problem(500, None, "An internal error occurred.", search_id="a1b2c3")

    check(document, "Problem", problem.object("/search"))


#: Address of a route without parameters of its own to try -> name of what it answers.
LISTINGS = {
    "/plan?q=title:marsh*+carbon": "QueryPlan",
    "/plan?q=mice&sources=demo-arxiv&filter=oa:yes&sort=date": "QueryPlan",
    "/translate?q=title:marsh*": "Translations",
    "/readyz": "Ready",
    "/suggest?q=ma": "Suggestions",
    "/suggest?q=": "Suggestions",
    "/searxng/search?q=machine+learning&format=json": "SearxngAnswer",
    "/searxng/search?q=mice&format=json&engines=demo-failing,none": "SearxngAnswer",
    "/searxng/search?format=json": "SearxngError",
    "/searxng/config": "SearxngConfig",
    "/.well-known/api-catalog": "Linkset",
}


@cases.each("address", LISTINGS)
async def test_listings(demo, document, address):
    """All other JSON."""
    response = await demo.get(address)

    check(document, LISTINGS[address], orjson.loads(await response.read()))


async def test_sources(demo, document):
    """After searches, of which one has failed."""
    await demo.get("/search?q=mice")

    check(document, "Source", *await (await demo.get("/sources")).json())


async def test_completions_for_scripts(demo, document):
    """A script of SearXNG gets a list of another kind."""
    content = document["paths"]["/searxng/autocompleter"]["get"]["responses"]["200"]["content"]
    (media,) = content.values()
    response = await demo.get("/searxng/autocompleter?q=ma")

    check_schema(document, media["schema"], orjson.loads(await response.read()))


async def test_media_types(demo, document):
    """Each format has the media type that the document names, and an unnamed one does not exist."""
    responses = document["paths"]["/search"]["get"]["responses"]
    (formats,) = (
        each["schema"]["enum"]
        for each in document["paths"]["/search"]["get"]["parameters"]
        if each["name"] == "format"
    )
    got = set()
    for name in formats:
        asked = {"q": "jazz", "count": "2", "format": name, "sources": "demo-arxiv"}
        response = await demo.get("/search", params=asked)
        got.add(response.content_type)
        await response.read()

    assert got == set(responses["200"]["content"])


async def test_headers(demo, document):
    """Every header of our own that an answer has is described."""
    responses = document["paths"]["/search"]["get"]["responses"]
    described = {name.lower() for name in responses["200"]["headers"]}
    asked = {"q": "jazz", "count": "2", "sources": "demo-arxiv,demo-openalex", "format": "ris"}
    response = await demo.get("/search", params=asked)
    of_http = {"vary", "content-type", "content-length", "date", "server", "referrer-policy"}
    ours = {
        name.lower()
        for name in response.headers
        if not name.startswith(("X-", "Cross-Origin-", "Content-Security-"))
    }

    assert ours - of_http <= described
    assert {"etag", "server-timing", "content-disposition"} <= ours


def test_each_operation_has_an_example_or_a_page():
    """Only what answers no JSON has none."""
    shown = {each["operation"] for each in search_examples().values()}
    lacking = {each.id for each in all_operations(Options(suggest=True))} - shown

    assert lacking == {
        *("start", "checkForm", "lookupForm", "openapi", "docs", "opensearch", "metrics"),
        *("sru", "sruByPost", "sruOf", "sruOfByPost"),
        *("searxngSearchByPost", "searxngConfig", "searxngAutocompleter"),
        "searxngAutocompleterByPost",
        *("pazpar2", "pazpar2ByPost", "mcp", "mcpStream", "work", "unapi"),
    }
