"""The databases answer look-ups by identifiers and titles as the real ones do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lxml import etree

from metasearch.adapters.request import Request
from metasearch.demo.databases.database import Reply
from metasearch.demo.server import DemoTransport, demo_world
from tests.cases import each
from tests.demo.given import catalogue, everywhere

MODEM, BRACKETS = "10.1000/modem", "10.1016/s0140-6736(05)67889-1"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return catalogue(tmp_path)


def titles(reply: Reply) -> list[str]:
    """Of the records of an answer."""
    assert reply.status == 200
    if reply.content_type != "application/json":
        root: Any = etree.fromstring(reply.body)
        path = "//*[local-name()='entry']/*[local-name()='title'] | //ArticleTitle"
        found = root.xpath(f"{path} | //*[@tag='245']")
        return [" ".join(title.itertext()) for title in found]
    value = json.loads(reply.body)
    if "esearchresult" in value:
        return value["esearchresult"]["idlist"]
    if "result" in value:
        return [hit["info"]["title"] for hit in value["result"]["hits"].get("hit", [])]
    items = value["results"] if "results" in value else value["message"]["items"]
    return [item["title"] for item in items]


@each(
    ("params", "count"),
    [
        ({"filter": f"doi:{MODEM.upper()},doi:{BRACKETS},doi:10.1000/none"}, 2),
        ({"filter": "doi:10.1000/none"}, 0),
        ({"filter": f"doi:{MODEM}", "query_dot_title": "visual learning"}, 1),
        ({"query_dot_bibliographic": "MoDem Accelerating Visual Lerning"}, 1),
    ],
)
def test_crossref_finds_dois_and_titles(file: Path, params: dict[str, str], count: int) -> None:
    assert len(titles(everywhere(file, "demo-crossref", **params))) == count


def test_crossref_has_single_works(file: Path) -> None:
    """A DOI that it does not have is a 404 without JSON."""
    one = json.loads(everywhere(file, "demo-crossref", f"/works/{BRACKETS.upper()}").body)
    none = everywhere(file, "demo-crossref", "/works/10.1000/none")

    assert (one["message-type"], one["message"]["DOI"]) == ("work", BRACKETS)
    assert (none.status, none.body) == (404, b"Resource not found.")


@each(
    ("asked", "count"),
    [
        (f"doi:https://doi.org/{MODEM}|{BRACKETS}|10.1000/none", 2),
        ("openalex:W9000000001|https://openalex.org/w9000000005|W1", 2),
        ("pmid:11|https://pubmed.ncbi.nlm.nih.gov/12|99", 2),
        ('title.search:"MoDem: Accelerating Visual Learning"|"Knots"', 2),
        ("doi:10.48550/arxiv.solv-int/9901001", 1),
    ],
)
def test_openalex_filters_by_several_values(file: Path, asked: str, count: int) -> None:
    assert len(titles(everywhere(file, "demo-openalex", filter=asked))) == count


def test_openalex_searches_for_one_of_several_titles(file: Path) -> None:
    asked = '"Round brackets" OR "Only a title & no more"'

    assert len(titles(everywhere(file, "demo-openalex", search=asked))) == 2


@each(
    "name",
    ["W9000000001", f"doi:{MODEM}", f"https://doi.org/{MODEM}", "pmid:11", "w9000000001"],
)
def test_openalex_has_single_works(file: Path, name: str) -> None:
    work = json.loads(everywhere(file, "demo-openalex", f"/works/{name}").body)

    assert work["title"] == "MoDem: Accelerating Visual Learning"


@each("name", ["W1", "doi:10.1000/none", "x|" * 200])
def test_openalex_does_not_have_other_works(file: Path, name: str) -> None:
    assert everywhere(file, "demo-openalex", f"/works/{name}").status == 404


def test_openalex_refuses_more_than_a_hundred_values(file: Path) -> None:
    asked = "doi:" + "|".join(f"10.1000/{number}" for number in range(101))

    assert everywhere(file, "demo-openalex", filter=asked).status == 400


@each(
    ("ids", "count"),
    [("2212.05698v3,solv-int/9901001v1", 2), ("solv-int/9901001", 1), ("9999.99999", 0)],
)
def test_arxiv_lists_ids(file: Path, ids: str, count: int) -> None:
    """With their versions or without; old ones, too."""
    assert len(titles(everywhere(file, "demo-arxiv", id_list=ids))) == count


@each(
    ("term", "found"),
    [
        (f"{MODEM}[doi] OR {BRACKETS}[doi]", ["11", "12"]),
        (f'"{BRACKETS}"[aid]', ["12"]),
        ("11,12,99[uid]", ["11", "12"]),
        ("12[uid] OR 99[pmid]", ["12"]),
        (",".join(map(str, range(11, 400))) + "[uid]", ["11", "12"]),
    ],
)
def test_pubmed_finds_dois_and_ids(file: Path, term: str, found: list[str]) -> None:
    assert sorted(titles(everywhere(file, "demo-pubmed", term=term, retmode="json"))) == found


def test_pubmed_fetches_ids_in_their_order(file: Path) -> None:
    reply = everywhere(file, "demo-pubmed", "/entrez/eutils/efetch.fcgi", id="12,99,11")

    assert titles(reply) == ["Round brackets.", "MoDem: Accelerating Visual Learning."]


@each(
    "query",
    ["bath.isbn = 9780306406157 or bath.isbn = 9780000000002", 'isbn any "1 978-0306406157"'],
)
def test_a_library_finds_isbns(file: Path, query: str) -> None:
    assert len(titles(everywhere(file, "demo-library", version="1.2", query=query))) == 1


def test_dblp_holds_works_of_any_subject(file: Path) -> None:
    """It finds titles by their words, and tells works without authors, types and years."""
    every = everywhere(file, "demo-dblp", q="only a title", format="json")
    asked = "modem accelerating visual|audio"

    assert titles(every) == ["Only a title & no more."]
    assert len(titles(everywhere(file, "demo-dblp", q=asked, format="json"))) == 1


async def test_an_address_may_hold_a_doi(tmp_path: Path) -> None:
    """As a client writes it, with %2F."""
    file = catalogue(tmp_path, *({"title": "x", "doi": f"10.1000/{each}"} for each in range(9)))
    (work, *_) = demo_world(file).holdings["demo-crossref"].works
    url = f"http://demo-crossref.invalid/works/{quote(work.doi, safe='')}"
    request = Request(source="demo-crossref", url=url)

    page = await DemoTransport(catalogue=file).send(request, timeout=1, max_bytes=10_000)

    assert json.loads(page.body)["message"]["DOI"] == work.doi
