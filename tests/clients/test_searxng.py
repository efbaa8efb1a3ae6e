"""Clients of SearXNG, at /searxng/."""

from __future__ import annotations

import json

from tests.clients.programs import python
from tests.clients.works import fetched, full_title
from tests.server.protocols.test_searxng import OPEN_WEBUI, OPEN_WEBUI_HEADERS, open_webui_results

QUERY = "gambling"

LANGCHAIN = """
import asyncio, json, sys
from langchain_community.utilities import SearxSearchWrapper

searx = SearxSearchWrapper(searx_host=sys.argv[1], k=20)
query = sys.argv[2]
print(json.dumps({
    "run": searx.run(query),
    "results": searx.results(query, num_results=20),
    "async": asyncio.run(searx.aresults(query, num_results=20)),
    "engines": searx.results(query, num_results=20, engines=["demo-pubmed"]),
}))
"""


def test_langchain(server, tried, listed):
    """`run`, `results` and `aresults` of SearxSearchWrapper, and a choice of engines."""
    row = tried(
        "LangChain", "SearxSearchWrapper: run, results, aresults", package="langchain-community"
    )
    found = python(LANGCHAIN, f"{server}/searxng", QUERY)

    hits = listed(QUERY)[:20]
    for way in ("results", "async"):
        assert [result["title"] for result in found[way]] == list(map(full_title, hits))
        assert all(result["link"] and result["engines"] for result in found[way])
    abstracts = [hit["abstract"] for hit in hits if hit["abstract"]]
    assert abstracts
    assert all(abstract in found["run"] for abstract in abstracts)
    assert {engine for result in found["engines"] for engine in result["engines"]} == {
        "demo-pubmed"
    }
    row.came(f"{len(found['results'])} results, {len(abstracts)} abstracts; of one engine too")


def test_open_webui(server, tried, listed):
    """It accepts HTML, reads JSON and sorts by score."""
    row = tried("Open WebUI", "web search by searxng, 10 results", replayed=True)
    path = f"{server}/searxng/search"
    body = fetched(path, OPEN_WEBUI_HEADERS, **{**OPEN_WEBUI, "q": QUERY})

    results = open_webui_results(json.loads(body), 10)
    assert [title for _, title, _ in results] == list(map(full_title, listed(QUERY)[:10]))
    assert all(link.startswith("http") and text for link, _, text in results)
    row.came(f"{len(results)} results with link, title and text")
