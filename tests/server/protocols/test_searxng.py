"""SearXNG's interface, asked as Open WebUI and LangChain ask it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from lxml import etree
from multidict import MultiDict

from metasearch.errors import (
    AccessDenied,
    Blocked,
    CannotAsk,
    ConnectFailed,
    Drifted,
    RateLimited,
    SourceSaysError,
    TimedOut,
)
from metasearch.query import Years
from metasearch.server.limits import Options
from metasearch.server.problem import Problem
from metasearch.server.protocols.searxng import read_request
from tests import cases
from tests.server.fake import FakeEngine, FakeRegistry, answer, hit, late, record, report, spec
from tests.server.test_demo import QUERY, started

#: What langchain-community 0.4.2 sends: `SearxSearchWrapper`, by requests and by aiohttp.
LANGCHAIN = {"language": "en", "format": "json"}
LANGCHAIN_HEADERS = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
#: What Open WebUI sends (`retrieval/web/searxng.py`): it asks for JSON and accepts HTML.
OPEN_WEBUI = {
    "format": "json",
    "pageno": "1",
    "safesearch": "1",
    "language": "all",
    "time_range": "",
    "categories": "",
    "theme": "simple",
    "image_proxy": "0",
}
OPEN_WEBUI_HEADERS = {
    "User-Agent": "Open WebUI (https://github.com/open-webui/open-webui) RAG Bot",
    "Accept": "text/html",
    "Accept-Encoding": "gzip, deflate",
    "Accept-Language": "en-US,en;q=0.5",
    "Connection": "keep-alive",
}


def langchain_results(document: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """What `results()` makes of an answer: it reads these members without a default."""
    return [
        {
            "snippet": result.get("content", ""),
            "title": result["title"],
            "link": result["url"],
            "engines": result["engines"],
            "category": result["category"],
        }
        for result in document["results"][:most]
    ]


def langchain_run(document: dict[str, Any], most: int = 10) -> str:
    """What `run()` makes of an answer: an entry of `answers` replaces the results."""
    if len(document["answers"]) > 0:
        return str(document["answers"][0])
    return "\n\n".join(result.get("content", "") for result in document["results"][:most])


def open_webui_results(document: dict[str, Any], count: int) -> list[tuple[str, str, str]]:
    """What Open WebUI makes of an answer: it sorts by score."""
    ordered = sorted(document["results"], key=lambda result: result.get("score", 0), reverse=True)
    return [(each["url"], each.get("title"), each.get("content")) for each in ordered[:count]]


async def json_of(client, path="/searxng/", **parameters: str) -> dict[str, Any]:
    response = await client.get(path, params={"q": "gene drive", "format": "json", **parameters})
    assert response.status == 200, await response.text()
    return await response.json()


@pytest.mark.parametrize("path", ["/searxng", "/searxng/", "/searxng/search"])
async def test_langchain(client, engine, path):
    """`run` and `results` of `SearxSearchWrapper`, whose host may end in a slash or not; the
    language of the client is no filter."""
    async with client.get(
        path, params={**LANGCHAIN, "q": "gene drive"}, headers=LANGCHAIN_HEADERS
    ) as response:
        document = await response.json()

    assert (response.status, response.content_type) == (200, "application/json")
    assert langchain_results(document, 1) == [
        {
            "snippet": "Mice were counted twice.",
            "title": "Gene drives in island mice",
            "link": "https://alpha.example.org/1",
            "engines": ["alpha", "beta"],
            "category": "science",
        }
    ]
    assert langchain_run(document) == "Mice were counted twice.\n\nMice were counted twice."
    (asked,) = engine.asked
    assert {name: asked[name] for name in ("query", "start", "limit", "sources", "filter")} == {
        "query": "gene drive",
        "start": 0,
        "limit": 20,
        "sources": None,
        "filter": None,
    }


async def test_langchain_with_engines_and_categories(client, engine):
    """It joins both by commas, and appends its `query_suffix` to the query."""
    parameters = {**LANGCHAIN, "q": "gene drive !beta", "engines": "alpha", "categories": "science"}
    await client.get("/searxng", params=parameters, headers=LANGCHAIN_HEADERS)

    assert engine.asked[0]["query"] == "gene drive"
    assert engine.asked[0]["sources"] == ("alpha", "beta")


async def test_open_webui(client, engine):
    """It accepts HTML only and reads JSON; sorted by score the list has the order that it had."""
    response = await client.get(
        "/searxng/search", params={**OPEN_WEBUI, "q": "gene drive"}, headers=OPEN_WEBUI_HEADERS
    )
    document = await response.json()

    assert (response.status, response.content_type) == (200, "application/json")
    assert [title for _, title, _ in open_webui_results(document, 2)] == [
        "Gene drives in island mice",
        "Second",
    ]
    assert engine.asked[0]["years"] is None


async def test_scores_never_rise(serve):
    """Hits that later requests brought stand behind better ones that were shown before them."""
    hits = [replace(hit(number), score=score) for number, score in enumerate((3, 1, 2), 1)]
    client = await serve(FakeEngine(answer(*hits)))

    assert [result["score"] for result in (await json_of(client))["results"]] == [3, 1, 1]


async def test_every_member_of_the_answer(client):
    """Lists are there where they are empty; a paper has the fields of SearXNG's template."""
    document = await json_of(client)

    assert {name: document[name] for name in ("query", "number_of_results", "answers")} == {
        "query": "gene drive",
        "number_of_results": 2,
        "answers": [],
    }
    assert [document[name] for name in ("corrections", "infoboxes", "suggestions")] == [[], [], []]
    assert document["unresponsive_engines"] == []
    assert document["results"][0] == {
        "id": "alpha:alpha-1",
        "url": "https://alpha.example.org/1",
        "title": "Gene drives in island mice",
        "content": "Mice were counted twice.",
        "engine": "alpha",
        "engines": ["alpha", "beta"],
        "positions": [1, 2],
        "score": 1.0,
        "category": "science",
        "template": "paper.html",
        "parsed_url": ["https", "alpha.example.org", "/1", "", "", ""],
        "publishedDate": "2021-01-01T00:00:00",
        "thumbnail": "",
        "img_src": "",
        "authors": ["Ada Byron", "Bo Li"],
        "journal": "Journal of Islands",
        "volume": "12",
        "number": "3",
        "pages": "101-110",
        "publisher": "",
        "editor": "",
        "doi": "10.5555/islands.1",
        "issn": [],
        "isbn": [],
        "tags": [],
        "type": "article",
        "comments": "",
        "pdf_url": "",
        "html_url": "",
    }


async def test_a_work_without_address_and_abstract(serve):
    """Its DOI, the address of another record, or a search for it; and a line instead of the
    abstract. No result is without."""
    bare = {"url": None, "doi": None, "abstract": None}
    of_other = replace(hit(3, **bare), records=(record("beta", 3, doi=None),))
    client = await serve(
        FakeEngine(answer(hit(1, url=None, abstract=None), hit(2, **bare), of_other))
    )
    by_doi, by_search, by_record = (await json_of(client))["results"]

    assert by_doi["url"] == "https://doi.org/10.5555/islands.1"
    assert by_search["url"].endswith("/search?q=Gene%20drives%20in%20island%20mice&format=html")
    assert by_record["url"] == "https://beta.example.org/3"
    assert by_doi["content"] == "Ada Byron, Bo Li. Journal of Islands. 2021"


@cases.each(
    "url", ["javascript:alert(1)", "https://evil@example.org/", "https://[::1/x", "https://a b"]
)
async def test_hostile_addresses(serve, url):
    """What is no web address is no result's address; a broken one costs no answer."""
    client = await serve(FakeEngine(answer(hit(1, url=url))))
    (result,) = (await json_of(client))["results"]

    assert result["url"].startswith(("http://", "https://"))
    assert "evil" not in result["url"]
    assert len(result["parsed_url"]) == 6


@cases.each(
    ("error", "words"),
    [
        (TimedOut("gamma", "no answer"), "timeout"),
        (ConnectFailed("gamma", "refused"), "HTTP connection error"),
        (RateLimited("gamma", 5.0), "too many requests"),
        (Blocked("gamma", "a check for humans"), "CAPTCHA"),
        (AccessDenied("gamma", 403), "access denied"),
        (SourceSaysError("gamma", "bad query"), "server API error"),
        (Drifted("gamma", "title", 0.0), "parsing error"),
        (CannotAsk("gamma", "no wildcards"), str(CannotAsk("gamma", "no wildcards"))),
    ],
)
async def test_unresponsive_engines(serve, error, words):
    """A source that failed, or was not asked, is named with SearXNG's words; the others answer."""
    failed = report("gamma", "error", error=error, count=0)
    client = await serve(FakeEngine(answer(hit(1), reports=[report("alpha"), failed])))
    document = await json_of(client)

    assert document["unresponsive_engines"] == [["gamma", words]]
    assert len(document["results"]) == 1


async def test_no_source_answered(serve):
    """As in SearXNG it is no error of the request: the reasons stand beside an empty list."""
    client = await serve(FakeEngine(answer(reports=[late("alpha"), report("beta", "running")])))
    document = await json_of(client)

    assert document["results"] == []
    assert document["unresponsive_engines"] == [["alpha", "timeout"], ["beta", "timeout"]]


async def test_unknown_engines_are_named(client, engine):
    """SearXNG ignores them without a word; here the answer names them, in a bounded list."""
    engines = ",".join(["google", "bing", *(f"engine{number}" for number in range(100))])
    document = await json_of(client, engines=engines)

    assert engine.asked[0]["sources"] is None
    assert document["unresponsive_engines"][0] == ["google", "there is no such engine"]
    assert len(document["unresponsive_engines"]) == 20


@pytest.mark.parametrize(
    ("parameters", "sources"),
    [
        ({}, None),
        ({"engines": "Beta, alpha"}, ("beta", "alpha")),
        ({"engines": "google"}, None),
        ({"categories": "general"}, ("alpha", "beta")),
        ({"categories": "scientific publications"}, ("alpha", "beta")),
        ({"categories": "medicine"}, ("medicine",)),
        ({"categories": "medicine,science"}, ("medicine", "alpha", "beta")),
        ({"categories": "images"}, None),
        ({"engines": "gamma", "categories": "medicine"}, ("gamma", "medicine")),
        ({"engines": "../x.toml"}, None),
        ({"q": "!gamma gene drive"}, ("gamma",)),
        ({"q": "!images gene drive"}, None),
    ],
)
async def test_engines_and_categories(client, engine, parameters, sources):
    """They add up; unknown ones are ignored, and none at all means the default sources. SearXNG's
    category `general` is not our group of that name."""
    await json_of(client, **parameters)

    assert engine.asked[0]["sources"] == sources


def test_names_of_engines_in_searxng():
    """Some of its names are not ours."""
    registry: Any = FakeRegistry(
        *map(spec, ("semanticscholar", "google-scholar", "nasa-ads", "core", "openaire"))
    )
    named = "semantic scholar,google scholar,astrophysics data system,core.ac.uk"
    asked = read_request(
        MultiDict({"q": "x", "engines": named + ",openairepublications"}), Options(), registry
    )

    assert asked.search.sources == (
        "semanticscholar",
        "google-scholar",
        "nasa-ads",
        "core",
        "openaire",
    )
    assert asked.unknown_engines == ()


def test_a_bang_that_names_nothing_is_no_word():
    """It is left out, and a note says so; line breaks of a search strategy stay without one."""
    registry: Any = FakeRegistry(spec("alpha"))
    asked = read_request(MultiDict({"q": "!wow mice OR rats !alpha"}), Options(), registry)
    lines = read_request(MultiDict({"q": "mice\nOR rats"}), Options(), registry)

    assert (asked.search.query, asked.search.sources) == ("mice OR rats", ("alpha",))
    assert asked.notes == ("!wow is left out: sources cannot be asked for a search engine",)
    assert (lines.search.query, lines.notes) == ("mice\nOR rats", ())


@cases.each(
    ("named", "years"),
    [
        ("day", Years(2025, None)),
        ("week", Years(2025, None)),
        ("month", Years(2025, None)),
        ("year", Years(2024, None)),
        ("", None),
        ("None", None),
    ],
)
def test_ranges_of_time(named, years):
    """In whole years, from that in which the range begins; the answer says so."""
    registry: Any = FakeRegistry(spec("alpha"))
    asked = read_request(
        MultiDict({"q": "x", "time_range": named}), Options(), registry, today=date(2026, 1, 1)
    )

    assert asked.search.years == years
    assert len(asked.notes) == (years is not None)


async def test_a_note_on_the_range_of_time(client):
    """The client can read that months are none."""
    (note,) = (await json_of(client, time_range="month"))["notes"]

    assert "whole years" in note


async def test_pages(client, engine):
    """A page has twenty hits; the last page ends where a list ends."""
    await json_of(client, pageno="3")
    await json_of(client, pageno="500")

    assert [(asked["start"], asked["limit"]) for asked in engine.asked] == [(40, 20), (9980, 20)]


async def test_timeout(client, engine):
    """SearXNG calls it `timeout_limit`; it is cut to what the server allows."""
    await json_of(client, timeout_limit="2.5")
    await json_of(client, timeout_limit="1000")

    assert [asked["timeout"] for asked in engine.asked] == [2.5, 60.0]


@cases.each(
    ("parameters", "message"),
    [
        ({"q": ""}, "No query"),
        ({"q": "  "}, "No query"),
        ({"q": "!alpha"}, "No query"),
        (
            {"q": "site:peat.example"},
            "No query; site:peat.example is left out: sources cannot be asked for an address",
        ),
        ({"pageno": "0"}, "Invalid value 0 for parameter pageno"),
        ({"pageno": "501"}, "Invalid value 501 for parameter pageno"),
        ({"pageno": "1.5"}, "Invalid value 1.5 for parameter pageno"),
        ({"pageno": "٣"}, "Invalid value ٣ for parameter pageno"),
        ({"pageno": "9" * 5000}, f"Invalid value {'9' * 40} for parameter pageno"),
        ({"language": "<b>"}, "Invalid value <b> for parameter language"),
        ({"safesearch": "3"}, "Invalid value 3 for parameter safesearch"),
        ({"time_range": "decade"}, "Invalid value decade for parameter time_range"),
        ({"timeout_limit": "soon"}, "Invalid value soon for parameter timeout_limit"),
        ({"timeout_limit": "0"}, "Invalid value 0 for parameter timeout_limit"),
    ],
)
async def test_bad_input(client, engine, parameters, message):
    """It is a 400 in SearXNG's words, and nothing is searched."""
    sent = {"q": "mice", "format": "json", **parameters}
    response = await client.get("/searxng/search", params=sent)

    assert (response.status, response.content_type) == (400, "application/json")
    assert await response.json() == {"error": message}
    assert engine.asked == []


async def test_a_query_that_cannot_be_read(client):
    """The reason of our own reader, in the member that SearXNG's clients show."""
    response = await client.get("/searxng/?q=(mice&format=json")

    assert response.status == 400
    assert "bracket" in (await response.json())["error"]


async def test_errors_in_csv_and_rss(client):
    """An empty table, and a feed with one item."""
    table = await client.get("/searxng/search?q=&format=csv")
    feed = await client.get("/searxng/search?q=mice&pageno=x&format=rss")
    root = etree.fromstring(await feed.read())

    assert (table.status, await table.read()) == (400, b"")
    assert feed.status == 400
    assert root.findtext("channel/item/title") == "Error"
    assert root.findtext("channel/item/description") == "Invalid value x for parameter pageno"


async def test_a_server_that_is_busy(serve, engine, monkeypatch):
    """503 with a time to wait, in SearXNG's form."""
    client = await serve(engine)

    async def refuse(*_: object) -> None:
        raise Problem(503, "busy", "Too many searches run.", headers={"Retry-After": "5"})

    monkeypatch.setattr("metasearch.server.limits.admission.Admission.enter", refuse)
    response = await client.get("/searxng/?q=mice&format=json")

    assert (response.status, response.headers["Retry-After"]) == (503, "5")
    assert await response.json() == {"error": "Too many searches run."}


async def test_csv(serve):
    """SearXNG's columns; a cell that begins as a formula is quoted."""
    client = await serve(FakeEngine(answer(hit(1, title="=cmd()", abstract="a\nb"))))
    response = await client.get("/searxng/search?q=mice&format=csv")
    rows = list(csv.reader(io.StringIO(await response.text())))

    assert response.content_type == "application/csv"
    assert response.headers["Content-Disposition"] == 'attachment; filename="metasearch-mice.csv"'
    assert rows == [
        ["title", "url", "content", "host", "engine", "score", "type"],
        [
            "'=cmd()",
            "https://alpha.example.org/1",
            "a b",
            "alpha.example.org",
            "alpha",
            "1.0",
            "result",
        ],
    ]


async def test_rss(client):
    """A feed whose channel leads to our page of the same search."""
    response = await client.get("/searxng/search?q=mice&pageno=2&format=rss")
    root = etree.fromstring(await response.read())

    assert response.content_type == "text/xml"
    assert root.findtext("channel/link").endswith("/search?q=mice&start=20&count=20&format=html")
    assert [item.findtext("title") for item in root.iter("item")] == [
        "Gene drives in island mice",
        "Second",
    ]


async def test_post(client, engine):
    """A form, as SearXNG's own page sends it."""
    form = {"q": "gene drive", "format": "json", "pageno": "2", "engines": "alpha"}
    for path in ("/searxng", "/searxng/", "/searxng/search"):
        response = await client.post(path, data=form)
        assert (response.status, len((await response.json())["results"])) == (200, 2)

    assert {(asked["start"], asked["sources"]) for asked in engine.asked} == {(20, ("alpha",))}


@cases.each(
    ("path", "target"),
    [
        ("/searxng/", "/"),
        ("/searxng/search", "/"),
        (
            "/searxng/search?q=a%0d%0aX:b&pageno=2",
            "/search?q=a%0D%0AX:b&start=20&count=20&format=html",
        ),
        ("/searxng/?q=mice&format=html", "/search?q=mice&count=20&format=html"),
        ("/searxng/?q=mice&format=xml", "/search?q=mice&count=20&format=html"),
    ],
)
async def test_pages_for_people(client, engine, path, target):
    """Without a format that programs read, our own page answers."""
    response = await client.get(path, allow_redirects=False)

    assert (response.status, response.headers["Location"]) == (303, target)
    assert engine.asked == []


async def test_config(client):
    """Sources are engines, groups are categories; an engine without its key is off."""
    config = await (await client.get("/searxng/config")).json()
    engines = {engine["name"]: engine for engine in config["engines"]}

    assert config["categories"] == ["general", "science", "scientific publications", "medicine"]
    assert engines["alpha"] == {
        "name": "alpha",
        "categories": ["general", "science", "scientific publications"],
        "shortcut": "alpha",
        "enabled": True,
        "paging": True,
        "language_support": False,
        "languages": [],
        "regions": [],
        "safesearch": False,
        "time_range_support": True,
        "timeout": engines["beta"]["timeout"],
    }
    assert (engines["gamma"]["enabled"], engines["gamma"]["categories"]) == (False, ["medicine"])


async def test_autocompleter(serve):
    """The array of suggestions for browsers, a plain list for scripts; empty where it is off."""
    on = await serve(suggest=True, examples=["gene drive", "gene therapy"])
    off = await serve()
    script = {"X-Requested-With": "XMLHttpRequest"}
    path = "/searxng/autocompleter"

    browser = await on.get(f"{path}?q=gene")
    assert browser.content_type == "application/x-suggestions+json"
    assert await browser.json(content_type=None) == ["gene", ["gene drive", "gene therapy"]]
    by_script = await on.post(path, data={"q": "gene t"}, headers=script)
    assert (by_script.content_type, await by_script.json()) == (
        "application/json",
        ["gene therapy"],
    )
    assert await (await off.get(f"{path}?q=gene")).json(content_type=None) == ["gene", []]


async def test_keys_and_indexes(serve):
    """Keys are asked for as everywhere, and search engines keep away."""
    client = await serve(keys=["0123456789abcdef"])
    url = "/searxng/search?q=mice&format=json"
    stranger = await client.get(url)
    known = await client.get(url, headers={"Authorization": "Bearer 0123456789abcdef"})

    assert (stranger.status, known.status) == (401, 200)
    assert known.headers["X-Robots-Tag"] == "noindex, nofollow"


async def test_page_after_page_loses_no_work():
    """A client counts pages, and ends at the first one without results."""
    async with started(0.0, faults=False) as client:
        ids: list[str] = []
        for number in range(1, 11):
            page = await json_of(client, q="gambling", pageno=str(number))
            if not page["results"]:
                break
            ids += [result["id"] for result in page["results"]]

    assert len(ids) == len(set(ids)) == 52


async def test_the_list_of_search():
    """Page N is `/search` with `count=20` and its `start`: the same works in the same order."""
    async with started(0.0, faults=False) as client:
        ours = []
        for start in ("0", "20"):
            page = {"q": QUERY, "count": "20", "start": start, "format": "json"}
            ours.append(await (await client.get("/search", params=page)).json())
        pages = [await json_of(client, q=QUERY, pageno=number) for number in ("1", "2")]

    ids = [[result["id"] for result in page["results"]] for page in pages]
    assert ids == [[each["id"] for each in page["hits"]] for page in ours]
    assert len(set(ids[0] + ids[1])) > 20
    assert pages[0]["unresponsive_engines"] == []
