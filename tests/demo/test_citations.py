"""Which works of the demo cite which: the same in every process, and told by its databases in the
shapes of the real ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from metasearch.demo import DemoTransport, replay_settings
from metasearch.demo.catalogue import CatalogueWork, Holdings, works
from metasearch.demo.catalogue_file import read_catalogue
from metasearch.demo.citations import Citations
from metasearch.demo.databases import FAULTY, SOUND, all_holdings, databases, given_holdings
from metasearch.engine.citations import CitationOptions
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.record import Record
from tests.cases import each

DATABASES = {database.name: database for database in SOUND + FAULTY}
HOLDINGS = all_holdings(works())


def ask(name: str, path: str, **params: str) -> Any:
    return json.loads(DATABASES[name].answer(path, params, HOLDINGS[name]).body)


def graph(holdings: Mapping[str, Holdings]) -> Citations:
    citations = holdings["demo-openalex"]._citations
    assert citations is not None
    return citations._all


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[CatalogueWork], Any]:
    """A catalogue of one's own."""
    file = tmp_path_factory.mktemp("catalogue") / "works.jsonl"
    lines = [
        {
            "title": f"Reeds and rushes, part {number}",
            "year": 1990 + number % 30,
            "doi": f"10.5555/reed.{number}" if number % 10 else None,
            "subject": f"wetlands {number % 3}",
        }
        for number in range(300)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    read = list(read_catalogue(file))
    return read, given_holdings(read, databases(True, None))


def test_each_work_with_a_doi_cites_some(given: tuple[list[CatalogueWork], Any]) -> None:
    """Works of its subject, with DOIs, that are not newer but where hardly any are older."""
    for catalogue, holdings in ((works(), HOLDINGS), given):
        with_doi = [work for work in catalogue if work.doi]
        size = Counter(work.subject for work in with_doi)
        for work in with_doi:
            cited = graph(holdings).references(work.id)
            assert len({other.id for other in cited} - {work.id}) == len(cited) >= 2
            assert {other.subject for other in cited} == {work.subject}
            assert all(other.doi for other in cited)
        newer = [work for work, other in graph(holdings).edges if other.year > work.year]
        assert len(newer) < 3 * len(size)


def test_two_databases_hold_most_of_them(given: tuple[list[CatalogueWork], Any]) -> None:
    """And neither all, so that it takes both."""
    for holdings in (HOLDINGS, given[1]):
        edges = graph(holdings).edges
        for name in ("demo-openalex", "demo-crossref"):
            held = holdings[name]._citations
            share = sum(held.has(work.id, other.id) for work, other in edges) / len(edges)
            assert 0.55 <= share <= 0.8, name


def test_openalex_tells_both_directions() -> None:
    """What a work cites, and with a filter what cites it."""
    answer = ask("demo-openalex", "/works", per_page="100", select="id,referenced_works")
    assert set(answer["results"][0]) == {"id", "referenced_works"}
    citing, cited = next(
        (result["id"], result["referenced_works"][0])
        for result in answer["results"]
        if result["referenced_works"]
    )

    back = ask("demo-openalex", "/works", filter=f"cites:{cited}|W1", per_page="100")

    assert citing in [result["id"] for result in back["results"]]
    assert all(cited in result["referenced_works"] for result in back["results"])
    assert ask("demo-openalex", "/works", filter="cites:W1")["meta"]["count"] == 0
    assert "select" in ask("demo-openalex", "/works", select="nothing")["message"]


def test_crossref_tells_what_publishers_deposited() -> None:
    """DOIs, and texts where there is none."""
    answer = ask("demo-crossref", "/works", rows="1000")
    references = [
        reference for item in answer["message"]["items"] for reference in item.get("reference", ())
    ]

    assert all(reference["key"].startswith("ref") for reference in references)
    texts = [reference for reference in references if "DOI" not in reference]
    assert 0 < len(texts) < len(references) / 5
    assert all(reference["unstructured"] for reference in texts)


@each("linkname", ["pubmed_pubmed_refs", "pubmed_pubmed_citedin"])
def test_pubmed_links_works(linkname: str) -> None:
    """Their numbers, or none."""
    sets = [
        ask("demo-pubmed", "/entrez/eutils/elink.fcgi", id=work.pmid, linkname=linkname)
        for work in HOLDINGS["demo-pubmed"].works
    ]
    found = [links for each in sets for links in each["linksets"][0].get("linksetdbs", ())]

    pmids = {work.pmid for work in HOLDINGS["demo-pubmed"].works}
    assert 20 < len(found) < len(sets)
    assert all(links["linkname"] == linkname and pmids >= {*links["links"]} for links in found)


async def test_a_citation_search_finds_works_in_the_demo() -> None:
    """Its failing database is told."""
    seeds = [work for work in works() if work.subject == "gambling" and work.doi][:6]
    async with Engine(replay_settings(), transport=DemoTransport()) as engine:
        search = engine.cite(
            [WantedWork(work.id, Record(source="", doi=work.doi)) for work in seeds],
            CitationOptions(),
        )
        async for _ in search:
            pass
        result = search.result()

    assert len(result.works) > 15
    assert any(len(work.seeds) > 1 for work in result.works)
    assert any(len(work.sources) > 1 for work in result.works)
    failed = {report.source for report in result.reports if report.failed}
    assert failed == {"demo-failing"}


def test_citations_of_a_large_catalogue_are_quickly_there(tmp_path: Path) -> None:
    """Those of one work need not all others'."""
    catalogue = [
        CatalogueWork(
            f"w{number}",
            "one",
            "article",
            f"Title {number}",
            (),
            2000,
            "en",
            doi=f"10.5555/{number}",
        )
        for number in range(2_000)
    ]
    citations = Citations(catalogue, {"demo-openalex": {work.id for work in catalogue}})

    citations.references("w7")

    assert len(citations._cited) == 1
