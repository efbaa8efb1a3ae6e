"""`/cite`: citations of works as JSON, as a stream and as a page, on two simulated indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer
from lxml import html

from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from metasearch.server.citations import MOST_ROUNDS, MOST_SEEDS
from tests.cases import each
from tests.citation_indexes import TEXT, TITLES, UNKNOWN, CitationIndexes
from tests.server.protocols.openapi.strict import check
from tests.server.visitor import page, text

pytestmark = pytest.mark.asyncio(loop_scope="module")

SEED = "/cite?id=10.1000/1"


@asynccontextmanager
async def started(*fails: str) -> AsyncIterator[TestClient]:
    def engine() -> Engine:
        return Engine(CitationIndexes.settings(), transport=CitationIndexes(fails))

    async with TestClient(TestServer(make_app(engine))) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client() -> AsyncIterator[TestClient]:
    async with started() as running:
        yield running


async def got(client: TestClient, address: str, status: int = 200) -> Any:
    async with client.get(address, headers={"Accept": "application/json"}) as response:
        body = await response.read()
        assert response.status == status, body
        return orjson.loads(body)


async def lines(client: TestClient, address: str) -> list[dict[str, Any]]:
    async with client.get(address + "&format=ndjson") as response:
        assert response.content_type == "application/x-ndjson"
        return [orjson.loads(line) for line in (await response.read()).splitlines()]


async def test_a_document(client):
    """Hits with their relations, what has no record, reports and counts, as the interface says."""
    answer = await got(client, SEED)

    assert {hit["doi"] for hit in answer["hits"]} == {f"10.1000/{n}" for n in (2, 3, 4, 5)}
    assert answer["hits"][0]["relations"] == [
        {"seed": "10.1000/1", "direction": "backward", "sources": ["alpha", "beta"]}
    ]
    assert [each["name"] for each in answer["unknown"]] == [f"doi:{UNKNOWN}"]
    assert [each["name"] for each in answer["texts"]] == [TEXT]
    assert answer["complete"]
    check(await got(client, "/openapi.json"), "CitationAnswer", answer)


async def test_a_stream_has_reports_then_works(client):
    """The same as the document; the counts come last."""
    whole = await got(client, f"{SEED}&rounds=2")
    events = await lines(client, f"{SEED}&rounds=2")

    def of(kind: str) -> list[dict[str, Any]]:
        return [
            {name: value for name, value in event.items() if name != "event"}
            for event in events
            if event["event"] == kind
        ]

    kinds = list(dict.fromkeys(event["event"] for event in events))
    assert kinds == ["started", "report", "seed", "hit", "related", "unknown", "text", "done"]
    assert of("hit") == whole["hits"]
    assert of("related") == whole["related"]
    assert len(of("report")) == len(whole["reports"])
    assert of("done") == [{"complete": True, "lookup_errors": [], "counts": whole["counts"]}]


@each(
    ("parameters", "works"),
    [
        ("&direction=backward", {2, 3}),
        ("&direction=forward", {4, 5}),
        ("&direction=both&rounds=2", {2, 3, 4, 5, 6}),
        ("&sources=alpha&direction=forward", {4, 5}),
        ("&count=1", {2}),
        ("&id=10.1000/2", {3, 4, 5}),
        ("%0A10.1000/2", {3, 4, 5}),
    ],
)
async def test_what_is_asked_for(client, parameters, works):
    """By parameters of the address; several works are repeated or stand in lines."""
    answer = await got(client, SEED + parameters)

    assert {hit["doi"] for hit in answer["hits"]} == {f"10.1000/{n}" for n in works}


async def test_a_list_is_posted(client):
    """As to `/lookup`; what was not understood is told."""
    list_ = f"@article{{birds, title = {{{TITLES[1]}}}, doi = {{10.1000/1}}}}"
    async with client.post("/cite?direction=forward", data=list_.encode()) as response:
        answer = orjson.loads(await response.read())

    assert [seed["key"] for seed in answer["seeds"]] == ["birds"]
    assert {hit["doi"] for hit in answer["hits"]} == {"10.1000/4", "10.1000/5"}
    assert answer["problems"] == []


async def test_what_was_not_understood_of_an_address_is_told(client):
    """A parameter of another name changes nothing."""
    plain = await got(client, SEED)
    answer = await got(client, f"{SEED}&limit=1&year=2020-&lang=en&empty=")

    assert answer["hits"] == plain["hits"]
    (problem,) = answer["problems"]
    assert problem["line"] is None
    assert problem["message"].startswith("'limit', 'year' are no parameters")


async def test_a_work_is_named_by_the_id_of_its_hit(client):
    """As a link on its page has it, for a day."""
    (hit, *_) = (await got(client, SEED))["hits"]
    await page(client, f"{SEED}&format=html")  # which keeps its works
    answer = await got(client, f"/cite?id={hit['id']}&direction=forward")

    assert [seed["hit"]["doi"] for seed in answer["seeds"]] == ["10.1000/2"]
    assert {hit["doi"] for hit in answer["hits"]} == {"10.1000/1", "10.1000/5"}


@each(
    ("address", "says"),
    [
        ("/cite", "name a work"),
        ("/cite?id=nothing", "neither a DOI"),
        ("/cite?id=h0123456789ab", "known for a day"),
        (f"{SEED}&direction=sideways", "one of both, backward, forward"),
        (f"{SEED}&rounds={MOST_ROUNDS + 1}", f"from 1 to {MOST_ROUNDS}"),
        (f"{SEED}&rounds=-1", f"from 1 to {MOST_ROUNDS}"),
        ("/cite?rounds=-1", f"from 1 to {MOST_ROUNDS}"),
        (f"{SEED}&count=0", "from 1 to"),
        (f"{SEED}&sources=nowhere", "no source called 'nowhere'"),
        ("/cite?id=" + "+".join(f"10.1000/{n}" for n in range(MOST_SEEDS + 1)), "give 1 to"),
    ],
)
async def test_refusals(client, address, says):
    """What cannot be searched is refused before an index is asked, and the reason is told."""
    if address == "/cite":
        address += "?format=json"

    assert says in (await got(client, address, 400))["detail"]


async def test_an_index_that_fails():
    """The answer names it and the works that it left open."""
    async with started("beta") as client:
        answer = await got(client, SEED)
        read = text(await page(client, SEED))

    assert not answer["complete"]
    assert [report["source"] for report in answer["reports"] if report["failed"]] == ["beta"]
    assert "no whole answer for 1 work" in read


async def test_the_page_ranks_works_and_says_who_leads_to_them(client):
    """With the answers of the indexes, and links to the pages of works."""
    tree = await page(client, SEED)
    read = text(tree)

    assert "Cited by: 10.1000/1 (Alpha, Beta)" in read
    assert "Cites: 10.1000/1 (Alpha)" in read
    assert f"doi:{UNKNOWN}" in read
    assert TEXT in read
    assert len(tree.xpath("//ol[@class='checked']/li")) == 4
    (address,) = tree.xpath(f"//h3/a[. = '{TITLES[2]}']/@href")
    assert TITLES[2] in text(await page(client, address))


async def test_related_works_stand_on_the_page(client):
    """After two rounds, with what their closeness was counted from."""
    tree = await page(client, f"{SEED}&rounds=2")

    related = tree.xpath("//section[@aria-labelledby='related']//li")
    read = [" ".join(item.text_content().split()) for item in related]
    assert f"{TITLES[5]} cites 1 work that they cite, too" in read
    assert f"{TITLES[6]} cited together by 1 work" in read


async def test_the_form(client):
    """Without a work the page is a form, which asks by GET and keeps what was asked."""
    (form,) = (await page(client, "/cite")).xpath("//main//form")
    asked = await page(client, f"{SEED}&direction=forward&sources=alpha")

    assert (form.get("method"), form.get("action")) == ("get", "/cite")
    assert asked.xpath("//textarea/text()") == ["10.1000/1"]
    assert asked.xpath("//select[@name='direction']/option[@selected]/@value") == ["forward"]
    assert asked.xpath("//input[@name='sources']/@value") == ["alpha"]


async def test_the_page_of_a_work_links_to_its_citations(client):
    """References, what cites it, and related works: nothing is asked before somebody follows."""
    tree = await page(client, "/work/doi:10.1000/1")
    section = "//section[@aria-labelledby='citations']//a"
    links = dict(zip(tree.xpath(f"{section}/text()"), tree.xpath(f"{section}/@href"), strict=True))

    assert list(links) == ["References", "Cited by", "Related works"]
    assert TITLES[3] in text(await page(client, links["References"]))
    assert TITLES[5] in text(await page(client, links["Cited by"]))
    assert TITLES[6] in text(await page(client, links["Related works"]))


async def test_the_page_is_in_the_language_of_the_reader(client):
    """Also the rows that come as they are ready."""
    async with client.get(f"{SEED}&format=html&lang=zh-Hans&rounds=2") as response:
        read = text(html.document_fromstring(await response.text()))

    for word in ("引文", "后向", "被引", "相关文献"):
        assert word in read


async def test_whoever_asks_for_the_head_makes_no_search(client):
    """Link checkers do."""
    async with client.head(SEED) as response:
        assert response.status == 200
        assert not await response.read()
