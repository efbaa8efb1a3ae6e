"""Facets, filters and orders over HTTP: in every format, in links, and in streams."""

from __future__ import annotations

import csv
import io
import random
from typing import Any

import orjson
import pytest
from lxml import etree

from metasearch.engine.facets import FACETS, SORTS
from metasearch.formats.answer import answer_object
from metasearch.formats.events import fold
from metasearch.formats.feeds import ATOM
from metasearch.server.search import OFFERED
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit
from tests.server.test_demo import comparable, started

STREAMS = ("ndjson", "sse")
WORKS = (
    hit(1, type="article", open_access="gold", year=2019),
    hit(2, type="book", doi="10.5555/islands.2", title="Second", year=2021, venue="A, B: C"),
    hit(3, type="article", doi="10.5555/islands.3", title="Third", language="en"),
)
#: Requests of every kind, as parameters.
REQUESTS: tuple[dict[str, str], ...] = (
    {"facets": "year,type"},
    {"facets": "all", "facet_limit": "1"},
    {"facets": "venue", "filter": 'venue:"a, b: c"'},
    {"facets": "type,source", "filter": "type:article,-oa:yes", "sort": "title"},
    {"filter": "type:map", "sort": "-date"},
    {"rank": "positions", "sort": "citations", "facets": "oa", "count": "2"},
)


@pytest.fixture
def engine() -> FakeEngine:
    """An engine with three works."""
    return FakeEngine(answer(*WORKS))


async def lines(client, parameters: dict[str, str], form: str) -> list[dict[str, Any]]:
    """The events of a stream as objects."""
    response = await client.get("/search", params={**parameters, "format": form})
    assert response.status == 200
    text = [line.removeprefix("data: ") for line in (await response.text()).splitlines()]
    return [orjson.loads(line) for line in text if line.startswith("{")]


async def test_the_document_has_order_filters_and_facets(client):
    """As they hold, with the counts of all works that were received."""
    parameters = {"filter": "type:Book", "facets": "type,oa", "sort": "date"}
    found = await (
        await client.get("/search", params={"q": "mice", "format": "json", **parameters})
    ).json()

    assert (found["sort"], found["filter"]) == ("date", "type:Book")
    assert [work["title"] for work in found["hits"]] == ["Second"]
    assert found["facets"] == {
        "works": 3,
        "facets": {
            "type": {
                "values": [
                    {"value": "article", "count": 2, "filter": "type:article"},
                    {"value": "book", "count": 1, "filter": "type:book"},
                ],
                "more": 0,
                "missing": 0,
            },
            "oa": {
                "values": [{"value": "yes", "count": 1, "filter": "oa:yes"}],
                "more": 0,
                "missing": 2,
            },
        },
    }


async def test_the_document_without_them(client):
    """The keys are there all the same."""
    found = await (await client.get("/search?q=mice&format=json")).json()

    assert (found["sort"], found["filter"], found["facets"]) == ("relevance", "", None)


@pytest.mark.parametrize("form", STREAMS)
@pytest.mark.parametrize("parameters", REQUESTS, ids=str)
async def test_streams_fold_to_the_answer_with_facets(client, engine, form, parameters):
    """Whatever is counted, filtered and sorted; the final facets stand before `done`."""
    found = await lines(client, {"q": "mice", **parameters}, form)

    assert fold(found) == answer_object(engine.searches[0].answer)
    assert ([line["event"] for line in found][-2] == "facets") is ("facets" in parameters)
    if "facets" in parameters:
        assert {name: found[-2][name] for name in ("works", "facets")} == found[-1]["facets"]


@each(
    "parameters",
    [
        {"facets": "all", "facet_limit": "3", "filter": "source:demo-crossref,-type:book"},
        {"facets": "author", "filter": "year:2010-", "sort": "-date", "count": "5", "start": "5"},
        {"facets": "only", "sort": "citations", "rank": "positions", "versions": "separate"},
    ],
    ids=str,
)
async def test_the_demo_streams_amount_to_the_answer_with_facets(parameters):
    """NDJSON, SSE and JSON agree, each search made anew."""
    parameters = {"q": "machine learning", "timeout": "10", **parameters}
    async with started(0.0, faults=False) as client:
        document = await (
            await client.get("/search", params={**parameters, "format": "json"})
        ).json()
        for form in STREAMS:
            assert comparable(fold(await lines(client, parameters, form))) == comparable(document)

    assert document["hits"]
    assert document["facets"]["works"] == document["counts"]["unique"]


@each(
    "parameters",
    [
        {"facets": "source,only", "filter": "oa:yes"},
        {"facets": "all", "filter": "-source:demo-arxiv,year:2015-", "sort": "title"},
    ],
    ids=str,
)
async def test_who_answers_first_changes_neither_facets_nor_hits(parameters):
    """Whatever the latencies and whatever the format, also where hits pass only once they have
    grown, or no longer.
    """
    dice = random.Random(str(parameters))
    answers = []
    for form in ("json", *STREAMS):
        names = ("demo-crossref", "demo-openalex", "demo-arxiv", "demo-pubmed", "demo-library")
        async with started({name: dice.random() / 2 for name in names}, faults=False) as client:
            asked = {"q": "machine learning", **parameters}
            if form == "json":
                response = await client.get("/search", params={**asked, "format": form})
                answers.append(comparable(await response.json()))
            else:
                answers.append(comparable(fold(await lines(client, asked, form))))

    assert answers[0]["hits"]
    assert len(answers[0]["hits"]) < answers[0]["facets"]["works"]
    assert all(other == answers[0] for other in answers[1:])


async def test_the_first_seen_come_first_in_a_stream_too():
    """Their order depends on who answers first, so it is compared with the stream itself."""
    async with started({"demo-openalex": 0.4, "demo-arxiv": 0.8}, faults=False) as client:
        found = await lines(
            client, {"q": "machine learning", "sort": "first-seen", "facets": "year"}, "ndjson"
        )

    answered = fold(found)
    last = [line["ids"] for line in found if line["event"] == "order"][-1]
    assert answered["sort"] == "first-seen"
    assert [work["id"] for work in answered["hits"]] == last


@each("sort", SORTS)
async def test_links_to_the_next_page_keep_all(sort):
    """In the document, in the header and in the feed; the pages together are the whole list."""
    kept = {"filter": "type:article,-source:demo-slow", "facets": "oa", "facet_limit": "4"}
    parameters = {"q": "machine learning", "sort": sort, "per_source": "20", **kept}
    async with started(0.0, faults=False) as client:
        found: list[str] = []
        address = "/search"
        asked: dict[str, str] = {**parameters, "count": "5", "format": "json"}
        for _ in range(30):
            response = await client.get(address, params=asked)
            page = await response.json()
            found += [work["id"] for work in page["hits"]]
            if page["paging"]["next"] is None:
                break
            link = page["paging"]["next"]["link"]
            for part in (
                "filter=-source%3Ademo-slow%2Ctype%3Aarticle",
                "facets=oa",
                "facet_limit=4",
            ):
                assert part in link
                assert part in response.headers["Link"]
            assert (f"sort={sort}" in link) is (sort != "relevance")
            address, asked = link, {"format": "json"}
        feed = etree.fromstring(
            await (
                await client.get(
                    "/search", params={**parameters, "count": "5", "format": "atom", "start": "5"}
                )
            ).read()
        )

    assert page["paging"]["next"] is None
    assert len(found) == len(set(found)) > 5
    for rel in ("self", "alternate", "first", "next"):
        (href,) = feed.xpath(f"a:link[@rel='{rel}']/@href", namespaces={"a": ATOM})
        assert "filter=-source%3Ademo-slow%2Ctype%3Aarticle" in href


@each("form", ["ris", "bibtex", "csv", "atom"])
async def test_exports_have_the_works_that_pass_in_their_order(form):
    """As many as the document, in the order of `sort`."""
    parameters = {"q": "machine learning", "filter": "type:article", "sort": "-date"}
    async with started(0.0, faults=False) as client:
        document = await (
            await client.get("/search", params={**parameters, "format": "json"})
        ).json()
        body = await (await client.get("/search", params={**parameters, "format": form})).text()

    titles = [work["title"] for work in document["hits"]]
    years = [work["year"] for work in document["hits"]]
    assert len(titles) > 1
    assert {work["type"] for work in document["hits"]} == {"article"}
    assert years == sorted(years)
    if form == "csv":
        assert [row["title"] for row in csv.DictReader(io.StringIO(body))] == titles
    if form == "atom":
        entries = etree.fromstring(body.encode()).findall(f"{{{ATOM}}}entry")
        assert len(entries) == len(titles)
    if form == "ris":
        assert body.count("\nER  - ") == len(titles)
    if form == "bibtex":
        assert body.count("\n@") + body.startswith("@") == len(titles)


@each("form", ["json", "html"])
@each("change", [{"facets": "year"}, {"sort": "title"}, {"filter": "type:map"}])
async def test_the_entity_tag_covers_order_filters_and_facets(client, form, change):
    """An answer that differs in nothing else has another tag."""
    plain = {"q": "mice", "format": form}
    tags = [
        (await client.get("/search", params=parameters)).headers["ETag"]
        for parameters in (plain, {**plain, **change})
    ]

    assert tags[0] != tags[1]


@each("form", OFFERED)
@each(
    ("name", "value", "allowed"),
    [
        ("sort", "newest", "relevance, date, -date, title, citations, first-seen"),
        ("rank", "bm25", "words, positions"),
        ("filter", "colour:red", ", ".join(FACETS)),
        ("facets", "colour", ", ".join(FACETS)),
        ("facet_limit", "0", "from 1 to 500"),
    ],
)
async def test_what_cannot_be_used_is_refused(client, engine, form, name, value, allowed):
    """In every format and before anything is started, with what is allowed."""
    response = await client.get("/search", params={"q": "mice", "format": form, name: value})
    text = await response.text()

    assert response.status == 400
    assert engine.asked == []
    assert allowed in text
    if form != "html":
        (error,) = orjson.loads(text)["errors"]
        assert error["parameter"] == name


@each("path", ["/plan", "/translate"])
async def test_what_takes_the_parameters_of_a_search_takes_these(client, path):
    """They do not change what is sent; a plan has a note about filters. Mistakes are refused."""
    rest = {"sort": "title", "rank": "positions", "filter": "oa:yes", "facets": "all"}
    plain = await (await client.get(path, params={"q": "mice"})).json()
    response = await client.get(path, params={"q": "mice", **rest})
    wrong = await client.get(path, params={"q": "mice", "filter": "colour:red"})

    found = await response.json()
    if path == "/plan":
        assert plain.pop("notes") == []
        assert "filter oa:yes" in found.pop("notes")[0]
    assert (response.status, found) == (200, plain)
    assert wrong.status == 400


async def test_a_stream_that_is_continued_sends_the_facets(client, engine):
    """With the number that they had."""
    address = "/search?q=mice&facets=year&format=sse"
    whole = await (await client.get(address)).text()
    blocks = [block for block in whole.split("\n\n") if block]
    (place,) = (n for n, block in enumerate(blocks) if block.startswith("event: facets"))
    again = await (await client.get(address, headers={"Last-Event-ID": f"s1-{place}"})).text()

    assert again.split("\n\n")[0].removeprefix("retry: 1000\n") == blocks[place]
    assert f"\nid: s1-{place + 1}\n" in blocks[place]
    assert len(engine.searches) == 1
