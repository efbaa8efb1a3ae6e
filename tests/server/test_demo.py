"""From the query to the page and back through everything: the server in front of the demo
databases."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import orjson
import pytest
from aiohttp.test_utils import TestClient, TestServer
from lxml import html

from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.formats.events import fold
from metasearch.server.app import make_app

QUERY = EXAMPLE_QUERIES[0]
#: Seconds that only a hang takes.
TIMEOUT = "60"


@asynccontextmanager
async def started(
    latency: float | Mapping[str, float], *, faults: bool
) -> AsyncIterator[TestClient]:
    """A client of a server in front of demo databases of its own."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with DemoDatabases(latency, faults) as demo, Engine(demo.settings()) as running:
            yield running

    async with TestClient(TestServer(make_app(engine, examples=EXAMPLE_QUERIES))) as client:
        yield client


@pytest.fixture
async def client() -> AsyncIterator[TestClient]:
    """A client of a server whose databases answer at once, without the faulty ones."""
    async with started(0.0, faults=False) as client:
        yield client


async def search(client: TestClient, name: str):
    """The response to the query in that format."""
    parameters = {"q": QUERY, "format": name, "timeout": TIMEOUT}
    if name == "html":  # which has twenty works otherwise; with `count` it would ask for more
        parameters["per_source"] = "20"
        parameters |= {"count": "50", "wait": TIMEOUT}
    response = await client.get("/search", params=parameters)
    assert response.status == 200
    return response


def comparable(answer: dict) -> dict:
    """What two runs of one search must agree on: everything but how long it took."""
    fleeting = ("seconds", "cached")
    sources = [{k: v for k, v in it.items() if k not in fleeting} for it in answer["sources"]]
    return {**answer, "seconds": 0, "merge_seconds": 0, "sources": sources}


async def test_merged_answer(client):
    """Works that several databases have come once, with all of their sources."""
    answer = await (await search(client, "json")).json()

    assert answer["complete"]
    assert answer["counts"]["duplicates"] > 0
    assert any(len({it["source"] for it in hit["sources"]}) > 1 for hit in answer["hits"])
    assert list(range(1, len(answer["hits"]) + 1)) == [it["rank"] for it in answer["hits"]]


async def test_every_work_of_a_list_has_its_page(client):
    """The links of the list lead to the works that it shows, and so do their DOIs; unAPI has each
    work whose page was shown."""
    answer = await (await search(client, "json")).json()
    listed = html.document_fromstring(await (await search(client, "html")).text())
    links = [link for link in listed.xpath("//article//h3/a/@href") if link.startswith("/work/")]

    assert len(links) == len(answer["hits"])
    for link, hit in list(zip(links, answer["hits"], strict=True))[:5]:
        shown = html.document_fromstring(await (await client.get(link)).text())
        unapi = await client.get("/unapi", params={"id": hit["id"], "format": "mods"})
        assert shown.findtext(".//h1").startswith(hit["title"].rstrip("."))
        if len(hit["sources"]) > 1:
            rows = shown.xpath("//table[contains(caption, 'as the databases have them')]/tbody/tr")
            assert len(rows) == len(hit["sources"])
        assert unapi.status == 200
        if hit["doi"]:
            by_doi = await (await client.get(f"/work/doi:{hit['doi']}?format=json")).json()
            assert (by_doi["doi"], by_doi["title"]) == (hit["doi"], hit["title"])


async def test_streams_amount_to_the_answer(client):
    """NDJSON, SSE and JSON say the same."""
    answer = await (await search(client, "json")).json()
    lines = [
        orjson.loads(it) for it in (await (await search(client, "ndjson")).read()).splitlines()
    ]
    data = [
        it[6:]
        for it in (await (await search(client, "sse")).text()).splitlines()
        if it.startswith("data: ")
    ]

    assert comparable(answer) == comparable(fold(lines))
    assert comparable(answer) == comparable(fold(map(orjson.loads, data)))


@pytest.mark.parametrize(
    "query",
    [
        "magic mushrooms",
        "乳腺癌",
        pytest.param("machine learning", marks=pytest.mark.slow),
        pytest.param("title:jazz year:1980-1995", marks=pytest.mark.slow),
    ],
)
async def test_answer_does_not_depend_on_who_answers_first(query):
    """Whatever the latencies and whatever the form: the same hits, ids, evidence, provenance and
    order."""
    dice = random.Random(query)
    answers = []
    for form in ("json", "ndjson", "sse"):
        names = (
            "demo-crossref",
            "demo-openalex",
            "demo-arxiv",
            "demo-pubmed",
            "demo-library",
            "demo-slow",
        )
        latency = {name: dice.random() / 8 for name in names}
        async with started(latency, faults=True) as client:
            response = await client.get("/search", params={"q": query, "format": form})
            body = await response.text()
        data = [
            it.removeprefix("data: ") for it in body.splitlines() if it.startswith(("{", "data: "))
        ]
        answers.append(
            comparable(orjson.loads(body) if form == "json" else fold(map(orjson.loads, data)))
        )

    assert answers[0]["hits"]
    assert all(other == answers[0] for other in answers[1:])


async def test_the_answer_adds_up(client):
    """Counts, ranks, scores, provenance and evidence of every hit fit together."""
    for query in EXAMPLE_QUERIES:
        answer = await (await client.get("/search", params={"q": query, "format": "json"})).json()
        add_up(answer)


def add_up(answer: dict) -> None:
    """Check one answer."""
    counts, hits = answer["counts"], answer["hits"]

    assert hits
    assert (
        counts["received"]
        == counts["unique"] + counts["duplicates"]
        == sum(it["count"] for it in answer["sources"])
    )
    assert counts["unique"] == len(hits) == len({hit["id"] for hit in hits})
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    for hit in hits:
        assert hit["score"] == pytest.approx(sum(it["points"] for it in hit["reasons"]), abs=1e-6)
        assert set(hit["provenance"].values()) <= {it["source"] for it in hit["sources"]}
        assert tied({f"{it['source']}:{it['id']}" for it in hit["sources"]}, hit["matches"])


def tied(records: set[str], matches: list[dict]) -> bool:
    """Whether the evidence leads from any record of a hit to every other, and to none outside."""
    reached = {min(records)}
    for _ in records:
        for match in matches:
            if reached & {match["left"], match["right"]}:
                reached |= {match["left"], match["right"]}
    return reached == records


async def test_real_sources_are_neither_listed_nor_reachable(client):
    """Nothing that is asked of a demo leaves the machine."""
    listed = await (await client.get("/sources")).json()
    response = await client.get("/search", params={"q": QUERY, "sources": "crossref"})

    assert all(it["name"].startswith("demo-") for it in listed)
    assert response.status == 400
    assert (await response.json())["near_misses"] == ["demo-crossref"]


async def test_page_shows_every_hit(client):
    """The page has the same hits in the same order."""
    answer = await (await search(client, "json")).json()
    page = html.document_fromstring(await (await search(client, "html")).text())
    titles = [it.text_content() for it in page.xpath("//article//h3")]

    assert len(answer["hits"]) == len(titles) == len(page.xpath("//*[@class='Z3988']"))
    assert all(
        hit["title"].split()[0] in title for hit, title in zip(answer["hits"], titles, strict=True)
    )


async def test_second_search_is_unchanged(client):
    """The entity tag of one run matches the next."""
    first = await search(client, "json")
    second = await client.get(
        "/search",
        params={"q": QUERY, "format": "json", "timeout": TIMEOUT},
        headers={"If-None-Match": first.headers["ETag"]},
    )

    assert second.status == 304


async def test_example_of_the_description_document_finds_something(client):
    """The example that browsers are given is no empty promise."""
    document = await (await client.get("/opensearch.xml")).text()

    assert f'searchTerms="{QUERY}"' in document
    assert (await (await search(client, "json")).json())["hits"]


async def test_the_demo_is_ready(client):
    """All of its databases can be asked."""
    ready = await (await client.get("/readyz")).json()

    assert len(ready["sources"]) >= 5
